// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

/// The standard Gaussian xi ~ N(0, 1): density phi, distribution Phi, upper tail H = 1 - Phi.
///
/// Everything the theory needs beyond <cmath>, without cancellation or underflow: logarithms of
/// tails, the Mills ratio, mean excesses, and quantiles of tail probabilities given as logarithms.
/// All are special functions of one argument, good to a few units of rounding; the error of each
/// Estimate is `gaussian_ulps` epsilon |value| (plus the smallest double), tested against 20-digit
/// values over |x| <= 1e8 in tests/gaussian_test.cpp.  Arguments must not be NaN
/// (std::domain_error).  Source: Abramowitz and Stegun, chapters 7.1 and 26.2.
namespace lamcap::gaussian {

/// Relative accuracy of every function here, in units of epsilon.
inline constexpr double gaussian_ulps = 16;

/// log Phi(x), |x| <= 1e8 and beyond; near 0- for large x it keeps its relative precision.
[[nodiscard]] Estimate log_cdf(double x);

/// log H(x) = log Phi(-x).
[[nodiscard]] Estimate log_upper_tail(double x);

/// Mills ratio M(x) = H(x) / phi(x) = Int_0^inf exp(-x u - u^2/2) du; `not_finite` where it
/// overflows (x below about -37).
[[nodiscard]] Estimate mills_ratio(double x);

/// Mean excess E (xi - x)_+^k for k = 0, 1, 2 (k = 0 is H); underflows to 0 above x = 38.
[[nodiscard]] Estimate excess_moment(int k, double x);

/// Its logarithm, for |x| <= 1e8 and beyond; the error has an absolute part, gaussian_ulps epsilon.
[[nodiscard]] Estimate log_excess_moment(int k, double x);

/// x with log H(x) = log_tail, -infinity < log_tail < 0: quantiles of tails as small as e^-1e15.
[[nodiscard]] Estimate upper_quantile(double log_tail);

/// x with log Phi(x) = log_probability.
[[nodiscard]] Estimate quantile(double log_probability);

} // namespace lamcap::gaussian
