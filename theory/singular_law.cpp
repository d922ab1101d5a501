// SPDX-License-Identifier: GPL-3.0-or-later
// Law of singular values in its angle: see include/lamcap/singular_law.hpp.
#include "lamcap/singular_law.hpp"

#include "domain.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "numerics/gamma.hpp"

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

/// The arc to the other end.  pi carries its own rounding, which matters only beside an end.
double other_end(double arc) {
  return std::max(0.0, pi - arc);
}

} // namespace

SingularLaw::SingularLaw(double aspect)
    : aspect_(require_ratio("aspect", aspect)),
      root_(std::sqrt(aspect)),
      root_rest_(std::fma(-root_, root_, aspect) / (2 * root_)) {}

double SingularLaw::lower_edge() const noexcept {
  return (1 - root_) - root_rest_;
}
double SingularLaw::upper_edge() const noexcept {
  return (1 + root_) + root_rest_;
}

double SingularLaw::below_upper(double s) const {
  return ((1 - s) + root_) + root_rest_;
}

double SingularLaw::above_lower(double s) const {
  const double difference = s - 1;
  const double lost = s - (difference + 1); // exact: |s| < 1 where anything is lost
  return ((difference + root_) + root_rest_) + lost;
}

SingularLaw::Arc SingularLaw::arc_of(double s) const {
  s = std::clamp(s, -1.0, 3.0); // the support lies in [0, 2]; infinities have no differences
  const double below = below_upper(s);
  const double above = above_lower(s);
  if (below <= 0) {
    return {0, pi};
  }
  if (above <= 0) {
    return {pi, 0};
  }
  const double to_upper = std::sqrt(below * (upper_edge() + s)); // 2 beta^(1/4) sin(psi/2)
  const double to_lower = std::sqrt(above * (s + lower_edge())); // 2 beta^(1/4) cos(psi/2)
  return {2 * std::atan2(to_upper, to_lower), 2 * std::atan2(to_lower, to_upper)};
}

double SingularLaw::position(const Arc &arc) const {
  // From the nearer edge, so that neither end loses digits.
  const double low = lower_edge();
  const double high = upper_edge();
  if (arc.from_lower < arc.from_upper) {
    const double sine = std::sin(0.5 * arc.from_lower);
    return std::sqrt(low * low + 4 * root_ * sine * sine);
  }
  const double sine = std::sin(0.5 * arc.from_upper);
  return std::sqrt(high * high - 4 * root_ * sine * sine);
}

double SingularLaw::arc_density(const Arc &arc) const {
  const double s = position(arc);
  const double sine = std::sin(std::min(arc.from_upper, arc.from_lower));
  return s == 0 ? 2 / pi : 2 / pi * (sine / s) * (sine / s); // limit at the lower edge of beta = 1
}

/// Int s^k rho over an arc that begins at an edge.
Estimate SingularLaw::arc_moment(double k, Edge edge, double length) const {
  const auto term = [this, k](const Arc &arc) {
    return std::pow(position(arc), k) * arc_density(arc);
  };
  const auto from_upper = [&](double t) { return term({t, other_end(t)}); };
  // Beside the lower edge the density changes within 1 - sqrt(beta): t = c sinh v spreads that out.
  const double c = std::max(lower_edge(), std::numeric_limits<double>::min());
  const auto from_lower = [&](double v) {
    const double t = c * std::sinh(v);
    return term({other_end(t), t}) * c * std::cosh(v);
  };
  const auto lower_part = [&](double t) {
    if (aspect_ == 1) { // smooth as it is
      return numerics::integrate([&](double x) { return term({other_end(x), x}); }, 0, t);
    }
    return numerics::integrate(from_lower, 0, std::asinh(t / c));
  };
  constexpr double half = 0.5 * pi;
  if (edge == Edge::lower) {
    return length <= half
               ? lower_part(length)
               : lower_part(half) + numerics::integrate(from_upper, other_end(length), half);
  }
  if (length <= half) {
    return numerics::integrate(from_upper, 0, length);
  }
  return numerics::integrate(from_upper, 0, half) +
         (lower_part(half) - lower_part(other_end(length)));
}

Estimate SingularLaw::mass(Edge edge, double length) const {
  if (aspect_ == 1) {
    const double value = edge == Edge::upper ? minus_sine(length) : length + std::sin(length);
    return rounded(value / pi, closed_form_ulps);
  }
  return arc_moment(0, edge, length);
}

SingularLaw::SolvedArc SingularLaw::arc_of_tail(double tail) const {
  if (tail == 1) {
    return {{pi, 0}, 0, 0, Status::converged};
  }
  // Measure from the nearer edge; 1 - tail is exact there.
  const Edge edge = tail > 0.5 ? Edge::lower : Edge::upper;
  const double wanted = edge == Edge::lower ? 1 - tail : tail;
  // The cube root makes the residual nearly linear where the mass grows like the arc cubed.
  const double root_of_wanted = std::cbrt(wanted); // apart, as the quotient may be out of range
  const auto residual = [&](double arc) {
    return std::cbrt(mass(edge, arc).value) / root_of_wanted - 1;
  };
  const Estimate root = numerics::find_root(residual, 0, pi, {.relative_tolerance = 2 * epsilon});
  const Arc arc = edge == Edge::lower ? Arc{other_end(root.value), root.value}
                                      : Arc{root.value, other_end(root.value)};
  const Estimate reached = mass(edge, root.value);
  const double error = root.error + 2 * epsilon * root.value + reached.error / arc_density(arc);
  return {arc, error, root.evaluations, worse(root.status, reached.status)};
}

Estimate SingularLaw::second_moment_above(const Arc &arc) const {
  // psi - sin psi cos psi = (2 psi - sin 2 psi)/2, which from the lower edge is pi less the same.
  return arc.from_upper <= arc.from_lower
             ? rounded(minus_sine(2 * arc.from_upper) / (2 * pi), closed_form_ulps)
             : rounded(1 - minus_sine(2 * arc.from_lower) / (2 * pi), closed_form_ulps);
}

Estimate SingularLaw::density(double s) const {
  const double below = below_upper(require_number("s", s));
  const double above = above_lower(s);
  if (!(below >= 0 && above >= 0)) {
    return exactly(0);
  }
  if (aspect_ == 1) { // s cancels
    return rounded(std::sqrt(below * (upper_edge() + s)) / pi, closed_form_ulps);
  }
  const double product = below * (upper_edge() + s) * above * (s + lower_edge());
  return rounded(std::sqrt(product) / (pi * aspect_ * s), closed_form_ulps);
}

Estimate SingularLaw::upper_tail(double s) const {
  const Arc arc = arc_of(require_number("s", s));
  return arc.from_upper <= arc.from_lower ? mass(Edge::upper, arc.from_upper)
                                          : exactly(1) - mass(Edge::lower, arc.from_lower);
}

Estimate SingularLaw::distribution(double s) const {
  const Arc arc = arc_of(require_number("s", s));
  return arc.from_lower < arc.from_upper ? mass(Edge::lower, arc.from_lower)
                                         : exactly(1) - mass(Edge::upper, arc.from_upper);
}

Estimate SingularLaw::quantile(double probability) const {
  if (!(probability >= 0 && probability < 1)) {
    throw_domain("probability", probability, "in [0, 1)");
  }
  return cutoff(1 - probability);
}

Estimate SingularLaw::cutoff(double rank_ratio) const {
  const SolvedArc solved = arc_of_tail(require_ratio("rank_ratio", rank_ratio));
  const double s = position(solved.arc);
  // |ds/dpsi| = sqrt(beta) sin psi / s, at most sqrt(beta).
  const double sine = std::sin(std::min(solved.arc.from_upper, solved.arc.from_lower));
  const double slope = s > root_ * sine ? root_ * sine / s : 1;
  return {s, slope * solved.error + 4 * epsilon * upper_edge(), solved.evaluations, solved.status};
}

Estimate SingularLaw::partial_second_moment(double s) const {
  return second_moment_above(arc_of(require_number("s", s)));
}

Estimate SingularLaw::rank_factor(double rank_ratio) const {
  const SolvedArc solved = arc_of_tail(require_ratio("rank_ratio", rank_ratio));
  Estimate result = second_moment_above(solved.arc);
  const double sine = std::sin(std::min(solved.arc.from_upper, solved.arc.from_lower));
  result.error += 2 / pi * sine * sine * solved.error; // d/dpsi is 2 sin^2(psi) / pi
  result.evaluations = solved.evaluations;
  result.status = solved.status;
  return result;
}

Estimate SingularLaw::moment(double k) const {
  require_at_least("k", k, 0);
  if (aspect_ == 1) {
    const double log_value = k * std::numbers::ln2 + numerics::log_gamma(0.5 * (k + 1)) -
                             numerics::log_gamma(0.5 * k + 2) - 0.5 * std::log(pi);
    Estimate result = rounded(std::exp(log_value), closed_form_ulps);
    result.error *= 1 + k; // rounding of the exponent
    return result;
  }
  return arc_moment(k, Edge::upper, pi);
}

Estimate SingularLaw::kept_moment(double k, double rank_ratio) const {
  require_at_least("k", k, 0);
  const SolvedArc solved = arc_of_tail(require_ratio("rank_ratio", rank_ratio));
  const Arc &arc = solved.arc;
  Estimate result = arc.from_lower < arc.from_upper
                        ? moment(k) - arc_moment(k, Edge::lower, arc.from_lower)
                        : arc_moment(k, Edge::upper, arc.from_upper);
  result.error += std::pow(position(arc), k) * arc_density(arc) * solved.error;
  result.evaluations += solved.evaluations;
  result.status = worse(result.status, solved.status);
  return result;
}

Estimate rank_constrained_load(double rank_ratio, double aspect) {
  return exactly(0.5) * SingularLaw(aspect).rank_factor(rank_ratio);
}

} // namespace lamcap
