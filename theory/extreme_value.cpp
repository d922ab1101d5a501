// SPDX-License-Identifier: GPL-3.0-or-later
// Maximum of Gaussians: see include/lamcap/extreme_value.hpp.
#include "lamcap/extreme_value.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "numerics/gamma.hpp"

#include <algorithm>
#include <cmath>

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

void require_scale(double scale) {
  if (!(scale > 0 && std::isfinite(scale))) {
    throw_domain("scale", scale, "finite and above 0");
  }
}

} // namespace

Estimate ExtremeValueLaw::distribution(double x) const {
  require_scale(scale);
  if (std::isinf(require_number("x", x))) {
    return exactly(x > 0 ? 1 : 0);
  }
  const double y = (x - location) / scale;
  const double stretch = 1 + shape * y;
  if (shape != 0 && stretch <= 0) {
    return exactly(shape < 0 ? 1 : 0); // beyond the finite end of the law
  }
  const double log_t = shape == 0 ? -y : -std::log1p(shape * y) / shape;
  const double t = std::exp(log_t);
  Estimate result = rounded(std::exp(-t), 4);
  // Rounding reaches the result through log t: its own, and that of y carried by d log t / dy.
  const double rounding_of_y = (std::abs(x) + std::abs(location)) / scale + std::abs(y);
  const double relative = 4 * epsilon * (1 + std::abs(log_t) + rounding_of_y / stretch);
  if (result.value > 0) {
    result.error += result.value * std::expm1(t * relative);
  }
  result.error += std::numeric_limits<double>::min();
  return result;
}

Estimate ExtremeValueLaw::quantile(double probability) const {
  require_scale(scale);
  const double g = -std::log(-std::log(require_open_unit("probability", probability)));
  const double y = shape == 0 ? g : std::expm1(shape * g) / shape;
  Estimate result = rounded(location + scale * y, 4);
  result.error += 4 * epsilon * scale * (std::abs(y) + (1 + std::abs(g)) * std::exp(shape * g));
  return result;
}

Estimate ExtremeValueLaw::mean() const {
  require_scale(scale);
  if (!(shape < 1)) {
    throw_domain("shape", shape, "below 1 for a mean");
  }
  // (Gamma(1 - s) - 1) / s
  const double log_g1 = numerics::log_gamma_one_minus(shape);
  const double y = shape == 0 ? std::numbers::egamma : std::expm1(log_g1) / shape;
  Estimate result = rounded(location + scale * y, law_ulps);
  const double near_pole = std::min(1.0, 1 - shape); // lgamma magnifies the rounding of 1 - s
  result.error += law_ulps * epsilon * scale * std::abs(y) * (1 + std::abs(log_g1)) / near_pole;
  return result;
}

Estimate ExtremeValueLaw::variance() const {
  require_scale(scale);
  if (!(shape < 0.5)) {
    throw_domain("shape", shape, "below 1/2 for a variance");
  }
  constexpr double linear_below = 1e-9; // of |shape|: its square is below rounding
  if (std::abs(shape) < linear_below) {
    constexpr double zeta2 = std::numbers::pi * std::numbers::pi / 6;
    constexpr double zeta3 = 1.202056903159594285399738;
    const double standard = zeta2 + 2 * (zeta3 + std::numbers::egamma * zeta2) * shape;
    return rounded(standard * scale * scale, law_ulps);
  }
  // (Gamma(1 - 2 s) - Gamma(1 - s)^2) / s^2 = Gamma(1 - s)^2 (exp(log ratio) - 1) / s^2.
  const double log_g1 = numerics::log_gamma_one_minus(shape);
  const double log_ratio = numerics::log_gamma_second_difference(shape);
  const double y2 = std::exp(2 * log_g1) * (std::expm1(log_ratio) / shape) / shape;
  Estimate result = rounded(scale * scale * y2, law_ulps);
  result.error *= (1 + std::abs(log_g1) + 1 / std::min(1.0, std::abs(log_ratio / shape))) /
                  std::min(1.0, 1 - 2 * shape);
  return result;
}

namespace {

/// value * factor where an underflowed value stays 0 whatever the factor.
double magnified(double value, double factor) {
  return value == 0 ? 0 : value * factor;
}

} // namespace

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

/// log n and log(-log Phi(x)), about -x^2/2 on the right and 2 log |x| on the left, may nearly
/// cancel in log(-log Phi^n): their rounding is relative in the result.
double GaussianMaximum::exponent_rounding(double x) const {
  return 4 * epsilon * (1 + n_.log() + (x > 0 ? 0.5 * x * x : 2 * std::log1p(-x)));
}

Estimate GaussianMaximum::log_distribution(double x) const {
  require_number("x", x);
  const double value = -std::exp(n_.log() + gaussian_kernel::log_minus_log_cdf(x));
  const double error = magnified(-value, exponent_rounding(x)) + std::numeric_limits<double>::min();
  return {value, error, 1,
          std::isfinite(value) && std::isfinite(error) ? Status::converged : Status::not_finite};
}

Estimate GaussianMaximum::distribution(double x) const {
  const Estimate log_value = log_distribution(x);
  Estimate result = rounded(std::exp(log_value.value), 4);
  result.error +=
      magnified(result.value, std::expm1(log_value.error)) + std::numeric_limits<double>::min();
  return result;
}

Estimate GaussianMaximum::upper_tail(double x) const {
  const Estimate log_value = log_distribution(x);
  Estimate result = rounded(-std::expm1(log_value.value), 4);
  result.error += magnified(std::exp(log_value.value), std::expm1(log_value.error)) +
                  std::numeric_limits<double>::min();
  return result;
}

Estimate GaussianMaximum::density(double x) const {
  const Estimate log_value = log_distribution(x);
  // Phi^(n-1) = Phi^n / Phi; far in the left tail Phi underflows only where Phi^n does too.
  const double log_hazard =
      n_.log() + gaussian_kernel::log_density(x) - gaussian_kernel::log_upper_tail(-x);
  const double exponent = log_hazard + log_value.value;
  Estimate result = rounded(std::isnan(exponent) ? 0 : std::exp(exponent), 4);
  const double hazard_rounding = 4 * epsilon * (1 + n_.log() + 0.5 * x * x);
  result.error += magnified(result.value, std::expm1(log_value.error + hazard_rounding)) +
                  std::numeric_limits<double>::min();
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

Estimate GaussianMaximum::median() const {
  return quantile(0.5);
}

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
  const double rounding = 16 * epsilon * (1 + log_n); // of the exponents
  const numerics::QuadratureOptions options{.relative_tolerance = std::max(1e-13, rounding),
                                            .absolute_tolerance =
                                                std::max(1e-14, rounding) * std::pow(spread, k)};
  Estimate result = numerics::integrate(integrand, lowest, centre, options) +
                    numerics::integrate(integrand, centre, middle, options) +
                    numerics::integrate(integrand, middle, highest, options);
  result.error += rounding * std::pow(spread, k);
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

double GaussianMaximum::leading() const {
  return std::sqrt(2 * n_.log());
}

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
