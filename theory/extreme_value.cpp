// SPDX-License-Identifier: GPL-3.0-or-later
// Maximum of Gaussians: see include/lamcap/extreme_value.hpp.
#include "lamcap/extreme_value.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"
#include "lamcap/numerics/quadrature.hpp"

#include <numbers>

namespace lamcap {
namespace {

constexpr double largest_log_n = 1e6;
constexpr double law_ulps = 16;
constexpr double log_negligible_tail = -60; // mass left out of moments: 1e-26 each side

/// x with P(max <= x) = exp(-exp(g)), g the Gumbel variable: -log Phi(x) = exp(g - log n).
double quantile_of_gumbel(const Count &n, double g) {
  const double log_minus_log_phi = g - n.log();
  // log H = log(1 - exp(-t)), t = exp(.), precise for t small and large.
  const double t = std::exp(log_minus_log_phi);
  if (t < std::numeric_limits<double>::min()) {
    return gaussian_kernel::upper_quantile(log_minus_log_phi);
  }
  if (t > std::numbers::ln2) {
    return -gaussian_kernel::upper_quantile(-t); // log Phi = -t
  }
  // log(1 - e^-t) = log t - t/2 + ..., with log t exact from the argument.
  return gaussian_kernel::upper_quantile(log_minus_log_phi + std::log(-std::expm1(-t) / t));
}

} // namespace

Estimate ExtremeValueLaw::distribution(double x) const {
  const double y = (require_number("x", x) - location) / scale;
  if (shape == 0) {
    return rounded(std::exp(-std::exp(-y)), law_ulps);
  }
  const double base = std::log1p(shape * y);
  if (std::isnan(base)) {
    return exactly(shape < 0 ? 1 : 0); // beyond the finite end of the law
  }
  return rounded(std::exp(-std::exp(-base / shape)), law_ulps);
}

Estimate ExtremeValueLaw::quantile(double probability) const {
  const double g = -std::log(-std::log(require_open_unit("probability", probability)));
  const double y = shape == 0 ? g : std::expm1(shape * g) / shape;
  Estimate result = rounded(location + scale * y, law_ulps);
  result.error += law_ulps * epsilon * std::abs(scale * y);
  return result;
}

Estimate ExtremeValueLaw::mean() const {
  const double y =
      shape == 0 ? std::numbers::egamma : std::expm1(std::lgamma(1 - shape)) / shape;
  Estimate result = rounded(location + scale * y, law_ulps);
  // The difference quotient in the shape loses epsilon / |shape|.
  result.error += law_ulps * epsilon * scale * (shape == 0 ? 1 : 1 / std::abs(shape));
  return result;
}

Estimate ExtremeValueLaw::variance() const {
  if (shape == 0) {
    constexpr double standard = std::numbers::pi * std::numbers::pi / 6;
    return rounded(standard * scale * scale, law_ulps);
  }
  // Gamma(1 - 2 s) - Gamma(1 - s)^2 = Gamma(1 - s)^2 (exp(log ratio) - 1).
  const double log_g1 = std::lgamma(1 - shape);
  const double y2 = std::exp(2 * log_g1) * std::expm1(std::lgamma(1 - 2 * shape) - 2 * log_g1);
  Estimate result = rounded(scale * scale * y2 / (shape * shape), law_ulps);
  result.error *= 1 + 1 / (shape * shape);
  return result;
}

GaussianMaximum::GaussianMaximum(Count n) : n_(n) {
  if (!(n.log() >= 0 && n.log() <= largest_log_n)) {
    throw std::domain_error(fmt::format("n = {} (logarithm {}): must be from 1 to e^{:g}",
                                        n.value(), n.log(), largest_log_n));
  }
}

void GaussianMaximum::require_more_than_one() const {
  if (n_.log() == 0) {
    throw_domain("n", n_.value(), "more than 1 for an extreme-value approximation");
  }
}

Estimate GaussianMaximum::log_distribution(double x) const {
  require_number("x", x);
  const double log_minus_log = n_.log() + gaussian_kernel::log_minus_log_cdf(x);
  Estimate result = rounded(-std::exp(log_minus_log), 4);
  // log n and x^2/2 nearly cancel: their rounding is relative in the result.
  result.error *= 1 + n_.log() + 0.5 * x * x;
  result.error += std::numeric_limits<double>::min();
  return result;
}

Estimate GaussianMaximum::distribution(double x) const {
  const Estimate log_value = log_distribution(x);
  Estimate result = rounded(std::exp(log_value.value), 4);
  result.error += result.value * std::expm1(log_value.error) + std::numeric_limits<double>::min();
  return result;
}

Estimate GaussianMaximum::upper_tail(double x) const {
  const Estimate log_value = log_distribution(x);
  Estimate result = rounded(-std::expm1(log_value.value), 4);
  result.error += std::exp(log_value.value) * std::expm1(log_value.error);
  return result;
}

Estimate GaussianMaximum::density(double x) const {
  const Estimate log_value = log_distribution(x);
  // Phi^(n-1) = Phi^n / Phi; far in the left tail Phi underflows only where Phi^n does too.
  const double log_hazard = n_.log() + gaussian_kernel::log_density(x) -
                            gaussian_kernel::log_upper_tail(-x);
  Estimate result = rounded(std::exp(log_hazard + log_value.value), 4);
  result.error *= 1 + n_.log() + 0.5 * x * x;
  result.error += result.value * std::expm1(log_value.error) + std::numeric_limits<double>::min();
  return result;
}

Estimate GaussianMaximum::quantile(double probability) const {
  const double g = std::log(-std::log(require_open_unit("probability", probability)));
  const double x = quantile_of_gumbel(n_, g);
  Estimate result = rounded(x, law_ulps);
  // A relative rounding of log n or of g moves x by about (|log n| + |g|) / max(x, 1).
  result.error += law_ulps * epsilon * (1 + n_.log() + std::abs(g)) / std::max(std::abs(x), 1.0);
  // A probability next to 1 is itself known only to epsilon / 2.
  result.error += epsilon / (1 - probability) / std::max(std::abs(x), 1.0);
  return result;
}

Estimate GaussianMaximum::median() const { return quantile(0.5); }

Estimate GaussianMaximum::central_moment(int k, double centre) const {
  const double log_n = n_.log();
  const auto integrand = [&](double x) {
    const double log_minus_log = log_n + gaussian_kernel::log_minus_log_cdf(x);
    const double log_density = log_n + gaussian_kernel::log_density(x) -
                               gaussian_kernel::log_upper_tail(-x) - std::exp(log_minus_log);
    return (k == 1 ? x - centre : (x - centre) * (x - centre)) * std::exp(log_density);
  };
  const double lowest = quantile_of_gumbel(n_, std::log(-log_negligible_tail));
  const double highest = quantile_of_gumbel(n_, log_negligible_tail);
  const double spread = quantile_of_gumbel(n_, -1) - quantile_of_gumbel(n_, 1);
  // The law decays on the scale `spread` above the centre: without the split the range is too long.
  const double middle = std::min(centre + 8 * spread, 0.5 * (centre + highest));
  const numerics::QuadratureOptions options{.relative_tolerance = 1e-13,
                                            .absolute_tolerance = 1e-14 * std::pow(spread, k)};
  Estimate result = numerics::integrate(integrand, lowest, centre, options) +
                    numerics::integrate(integrand, centre, middle, options) +
                    numerics::integrate(integrand, middle, highest, options);
  result.error += 16 * epsilon * (1 + log_n) * std::pow(spread, k); // rounding of the exponents
  return result;
}

Estimate GaussianMaximum::mean() const {
  const double centre = median().value;
  return exactly(centre) + central_moment(1, centre);
}

Estimate GaussianMaximum::variance() const {
  const double centre = median().value;
  const Estimate first = central_moment(1, centre);
  return central_moment(2, centre) - first * first;
}

double GaussianMaximum::leading() const { return std::sqrt(2 * n_.log()); }

ExtremeValueLaw GaussianMaximum::gumbel() const {
  require_more_than_one();
  const double location = gaussian_kernel::upper_quantile(-n_.log()); // H(b) = 1/n
  return {location, std::exp(-n_.log() - gaussian_kernel::log_density(location))};
}

ExtremeValueLaw GaussianMaximum::penultimate() const {
  ExtremeValueLaw law = gumbel();
  // d/dx of (H/phi)(x) = x M(x) - 1 = -E(xi - x)_+ / phi, without cancellation.
  law.shape = -gaussian_kernel::scaled_excess_moments(law.location)[1];
  return law;
}

ExtremeValueLaw GaussianMaximum::textbook_gumbel() const {
  require_more_than_one();
  const double root = leading();
  return {root - (std::log(n_.log()) + std::log(4 * std::numbers::pi)) / (2 * root), 1 / root};
}

} // namespace lamcap
