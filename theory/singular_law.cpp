// SPDX-License-Identifier: GPL-3.0-or-later
// Law of singular values in its angle: see include/lamcap/singular_law.hpp.
#include "lamcap/singular_law.hpp"

#include "domain.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"

#include <algorithm>
#include <numbers>

namespace lamcap {
namespace {

using std::numbers::pi;
constexpr double closed_form_ulps = 16;

/// x - sin x for x >= 0, without cancellation: Taylor below 1, where 10 terms reach epsilon.
double minus_sine(double x) {
  constexpr double series_below = 1;
  if (x >= series_below) {
    return x - std::sin(x);
  }
  double term = x * x * x / 6;
  double sum = 0;
  for (int k = 4; std::abs(term) > 0.1 * epsilon * sum; k += 2) {
    sum += term;
    term *= -x * x / (k * (k + 1.0));
  }
  return sum;
}

/// psi in [0, pi] with psi - sin psi = m.
Estimate kepler(double m) {
  const auto residual = [m](double psi) { return minus_sine(psi) - m; };
  // psi^3/6 (1 - psi^2/20) <= psi - sin psi <= psi^3/6 brackets the root tightly when m is small.
  const double low = std::cbrt(6 * m);
  if (low >= pi) {
    return exactly(pi); // m = pi up to rounding
  }
  const double high = std::min(pi, low * (1 + low * low / 20));
  return residual(high) <= 0 ? exactly(high) : numerics::find_root(residual, low * (1 - 1e-15), high);
}

} // namespace

SingularLaw::SingularLaw(double aspect)
    : aspect_(require_ratio("aspect", aspect)), root_(std::sqrt(aspect)) {}

double SingularLaw::lower_edge() const noexcept { return 1 - root_; }
double SingularLaw::upper_edge() const noexcept { return 1 + root_; }

double SingularLaw::angle_of(double s) const {
  const double low = lower_edge();
  const double high = upper_edge();
  if (s <= low) {
    return pi;
  }
  if (s >= high) {
    return 0;
  }
  return 2 * std::atan2(std::sqrt((high - s) * (high + s)), std::sqrt((s - low) * (s + low)));
}

double SingularLaw::position(double angle) const {
  // From the nearer edge, so that neither end loses digits.
  const double sine = std::sin(0.5 * angle);
  const double cosine = std::sin(0.5 * (pi - angle));
  const double low = lower_edge();
  const double high = upper_edge();
  return angle > 0.5 * pi ? std::sqrt(low * low + 4 * root_ * cosine * cosine)
                          : std::sqrt(high * high - 4 * root_ * sine * sine);
}

double SingularLaw::angular_density(double angle) const {
  const double sine = std::sin(angle);
  const double half_cosine = std::sin(0.5 * (pi - angle));
  const double low = lower_edge();
  const double s2 = low * low + 4 * root_ * half_cosine * half_cosine;
  return s2 == 0 ? 2 / pi : 2 * sine * sine / (pi * s2); // limit at the lower edge of beta = 1
}

Estimate SingularLaw::angular_moment(double k, double angle) const {
  const auto integrand = [this, k](double t) {
    return std::pow(position(t), k) * angular_density(t);
  };
  // Near beta = 1 the density changes within (1 - sqrt beta) of the lower edge: split there.
  const double split = pi - std::min(1.0, 4 * lower_edge());
  Estimate result = numerics::integrate(integrand, 0, std::min(angle, split));
  if (angle > split) {
    result = result + numerics::integrate(integrand, split, angle);
  }
  return result;
}

Estimate SingularLaw::tail_of_angle(double angle) const {
  if (aspect_ == 1) {
    return rounded(minus_sine(angle) / pi, closed_form_ulps);
  }
  return angular_moment(0, angle);
}

Estimate SingularLaw::angle_of_tail(double tail) const {
  if (tail == 1) {
    return exactly(pi);
  }
  if (aspect_ == 1) {
    return kepler(pi * tail);
  }
  // Newton on kappa(psi)^(1/3), which is close to linear; the bracket keeps it safe.
  const auto residual = [&](double psi) { return std::cbrt(tail_of_angle(psi).value / tail) - 1; };
  Estimate root = numerics::find_root(residual, 0, pi, {.relative_tolerance = 1e-15});
  const double error = tail_of_angle(root.value).error / std::max(angular_density(root.value), 1e-300);
  root.error += std::min(error, pi);
  return root;
}

Estimate SingularLaw::density(double s) const {
  const double low = lower_edge();
  const double high = upper_edge();
  if (require_number("s", s) < low || s > high) {
    return exactly(0);
  }
  if (low == 0) { // s cancels
    return rounded(std::sqrt((high - s) * (high + s)) / pi, closed_form_ulps);
  }
  const double product = (high - s) * (high + s) * (s - low) * (s + low);
  return rounded(std::sqrt(product) / (pi * aspect_ * s), closed_form_ulps);
}

Estimate SingularLaw::upper_tail(double s) const {
  return tail_of_angle(angle_of(require_number("s", s)));
}

Estimate SingularLaw::distribution(double s) const { return exactly(1) - upper_tail(s); }

Estimate SingularLaw::quantile(double probability) const {
  if (!(probability >= 0 && probability < 1)) {
    throw_domain("probability", probability, "in [0, 1)");
  }
  return cutoff(1 - probability);
}

Estimate SingularLaw::cutoff(double rank_ratio) const {
  const Estimate angle = angle_of_tail(require_ratio("rank_ratio", rank_ratio));
  if (angle.value == pi) {
    return exactly(lower_edge());
  }
  const double s = position(angle.value);
  // |ds/dpsi| = sqrt(beta) sin psi / s, at most sqrt(beta).
  const double slope = root_ * std::sin(angle.value) / s;
  return {s, slope * angle.error + closed_form_ulps * epsilon * upper_edge(), angle.evaluations,
          angle.status};
}

Estimate SingularLaw::partial_second_moment(double s) const {
  return rounded(minus_sine(2 * angle_of(require_number("s", s))) / (2 * pi), closed_form_ulps);
}

Estimate SingularLaw::rank_factor(double rank_ratio) const {
  const Estimate angle = angle_of_tail(require_ratio("rank_ratio", rank_ratio));
  const double value = minus_sine(2 * angle.value) / (2 * pi);
  const double sine = std::sin(angle.value); // d/dpsi of the value is 2 sin^2(psi) / pi
  return {value, 2 / pi * sine * sine * angle.error + closed_form_ulps * epsilon * value,
          angle.evaluations, angle.status};
}

Estimate SingularLaw::moment(double k) const {
  require_at_least("k", k, 0);
  if (aspect_ == 1) {
    const double log_value = k * std::numbers::ln2 + std::lgamma(0.5 * (k + 1)) -
                             std::lgamma(0.5 * k + 2) - 0.5 * std::log(pi);
    Estimate result = rounded(std::exp(log_value), closed_form_ulps);
    result.error *= 1 + k; // rounding of the exponent
    return result;
  }
  return angular_moment(k, pi);
}

Estimate SingularLaw::kept_moment(double k, double rank_ratio) const {
  require_at_least("k", k, 0);
  const Estimate angle = angle_of_tail(require_ratio("rank_ratio", rank_ratio));
  Estimate result = angular_moment(k, angle.value);
  result.error += std::pow(position(angle.value), k) * angular_density(angle.value) * angle.error;
  result.evaluations += angle.evaluations;
  result.status = worse(result.status, angle.status);
  return result;
}

Estimate rank_constrained_load(double rank_ratio, double aspect) {
  return exactly(0.5) * SingularLaw(aspect).rank_factor(rank_ratio);
}

} // namespace lamcap
