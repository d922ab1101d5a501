// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

#include <functional>

namespace lamcap {

/// Law of h*, the score of the target in the optimal memory at capacity.
///
/// One fact with K candidates: scores xi_0 (target) and xi_1 .. xi_{K-1} (competitors), independent
/// N(0, 1); recall with margin mu asks xi_0 >= xi_j + mu.  The point of that cone closest to xi
/// lowers every competitor above h* to h* and raises the target to h* + mu, where h* solves
///     h - (xi_0 - mu) = sum_{j=1}^{K-1} (xi_j - h)_+ .
/// So P(h* <= x) = P[X(x) <= x] with X(x) = xi_0 - mu + sum_j (xi_j - x)_+, and
///     d/dx P(h* <= x) = (1/2 pi) Int exp(-s^2/2 - i s (x + mu)) psi^n (1 + n T / psi) ds,
///     psi(s) = E exp(i s (xi - x)_+) = Phi(x) + T,   T = phi(x) M(x - i s),   n = K - 1,
/// M the Mills ratio of complex argument.  (The pole 1/s of a distribution's inversion cancels.)
///
/// Method: trapezoidal sum along the horizontal line through the saddle point of the integrand in
/// the upper half plane, raised a little to thin the right tail of X.  All terms are of the size of
/// the result, so the relative precision holds in the tails.  The strip theorem bounds the error of
/// the sum: |error| <= sum over +-a of exp(-2 pi a / step) Int |integrand| on the line moved by a;
/// on any such line the integrand is at most its value on the imaginary axis times exp(-t^2/2).
/// Expectations are trapezoidal sums over x (exponentially convergent); their error is estimated
/// from the sums over every second and fourth node, plus the bounds of the density, plus rounding.
///
/// Domain: K >= 1, log K <= 1000, 0 <= mu <= 50; K whole below 65.  From there a K between whole
/// numbers means the analytic continuation in the exponent n (principal branch: Re psi > 0 there).
/// Accuracy (tests/target_score_test.cpp): relative 1e-11 for mean, s.d., density and distribution
/// against 20-digit values to K = 1e12; every bound below 1e-9 (moments) or 1e-6 (at a point), or
/// the status is not `converged`, as it becomes where a tail underflows.
/// Source: theory of arXiv:2605.10795; projection argument as for conic statistical dimensions in
/// Amelunxen, Lotz, McCoy and Tropp, "Living on the edge" (2014).
class TargetScoreLaw {
public:
  /// K candidates (the target among them), margin in units of the s.d. of a free score.
  /// Throws std::domain_error outside the domain.
  explicit TargetScoreLaw(Count candidates, double margin = 0);

  [[nodiscard]] Estimate density(double x) const;            ///< of h* at x
  [[nodiscard]] Estimate distribution(double x) const;       ///< P(h* <= x), small values precise
  [[nodiscard]] Estimate upper_tail(double x) const;         ///< P(h* > x), small values precise
  [[nodiscard]] Estimate quantile(double probability) const; ///< probability in (0, 1)
  [[nodiscard]] Estimate mean() const;                       ///< E h*
  [[nodiscard]] Estimate variance() const;                   ///< Var h*
  [[nodiscard]] Estimate standard_deviation() const;         ///< sqrt(Var h*)

  /// E g(h*) for g smooth on the scale of the law's spread and growing at most exponentially.
  /// `relative_rounding` is the relative error of g itself.
  [[nodiscard]] Estimate expectation(const std::function<double(double)> &g,
                                     double relative_rounding = 4 * epsilon) const;

  /// Where the law sits to leading order: the root of h + mu = (K - 1) E(xi - h)_+ .
  [[nodiscard]] double centre() const noexcept { return centre_; }
  /// Its spread to leading order: sqrt(1 + n Var (xi-h)_+) / (1 + n H(h)) at the centre.
  [[nodiscard]] double scale() const noexcept { return scale_; }

private:
  Count competitors_;
  double margin_;
  double centre_ = 0;
  double scale_ = 1;
  Status located_ = Status::converged; // of the search for the centre
  double tilted_sd_ = 1;               // s.d. of X(centre): the unit of the contour's steps
};

} // namespace lamcap
