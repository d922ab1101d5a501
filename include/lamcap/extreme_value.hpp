// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

namespace lamcap {

/// Generalised extreme-value law exp{-(1 + shape y)^(-1/shape)}, y = (x - location)/scale;
/// shape = 0 is Gumbel's exp(-e^-y).  Elementary functions: the error is that of rounding.
struct ExtremeValueLaw {
  double location;
  double scale;     ///< finite and > 0 (else std::domain_error)
  double shape = 0; ///< below 1 for a mean, below 1/2 for a variance (else std::domain_error)

  [[nodiscard]] Estimate distribution(double x) const;
  [[nodiscard]] Estimate quantile(double probability) const; ///< probability in (0, 1)
  [[nodiscard]] Estimate mean() const;
  [[nodiscard]] Estimate variance() const;
};

/// The maximum of n independent standard Gaussians: the threshold that a target's score must
/// exceed if its n = K - 1 competitors are free.
///
///     P(max <= x) = Phi(x)^n .
/// Exact law, its Gumbel and penultimate approximations, and the leading sqrt(2 log n).
///
/// Domain: n >= 1 (not necessarily whole), log n <= 1e6.
/// Method: distribution and quantiles through log n and the logarithm of the tail, so that nothing
/// is lost however large n is; mean and variance by adaptive quadrature about the median, between
/// the quantiles of e^-60 tails.  Accuracy: relative 1e-13 (quantile, mean), variance 1e-13 or
/// 16 epsilon log n;
/// tests/extreme_value_test.cpp compares with 20-digit values to n = 1e300.
/// Source: Fisher and Tippett (1928); Hall (1979) for the location b; Cohen (1982) for the shape.
class GaussianMaximum {
public:
  /// Throws std::domain_error unless 1 <= n, log n <= 1e6.
  explicit GaussianMaximum(Count n);

  [[nodiscard]] Estimate log_distribution(double x) const;   ///< n log Phi(x)
  [[nodiscard]] Estimate distribution(double x) const;       ///< Phi(x)^n
  [[nodiscard]] Estimate upper_tail(double x) const;         ///< 1 - Phi(x)^n
  [[nodiscard]] Estimate density(double x) const;            ///< n phi(x) Phi(x)^(n-1)
  [[nodiscard]] Estimate quantile(double probability) const; ///< Phi^{-1}(u^{1/n}), u in (0, 1)
  [[nodiscard]] Estimate median() const;
  [[nodiscard]] Estimate mean() const;
  [[nodiscard]] Estimate variance() const;

  /// Leading order, sqrt(2 log n); relative error O(log log n / log n).
  [[nodiscard]] double leading() const;

  /// Location b = Phi^{-1}(1 - 1/n), scale 1/(n phi(b)); error of the law O(1/log n).
  /// Needs n > 1 (std::domain_error).
  [[nodiscard]] ExtremeValueLaw gumbel() const;

  /// The same location and scale with the local shape b M(b) - 1, about -1/(2 log n), M the Mills
  /// ratio: error of the law O(1/log^2 n).  Needs n > 1.
  [[nodiscard]] ExtremeValueLaw penultimate() const;

  /// Textbook constants: sqrt(2l) - (log l + log 4 pi)/(2 sqrt(2l)), scale 1/sqrt(2l), l = log n.
  /// Needs n > 1.
  [[nodiscard]] ExtremeValueLaw textbook_gumbel() const;

private:
  [[nodiscard]] double exponent_rounding(double x) const;
  [[nodiscard]] Estimate central_moment(int k, double centre) const;
  void require_more_than_one() const;
  Count n_;
};

} // namespace lamcap
