// SPDX-License-Identifier: GPL-3.0-or-later
// The standard Gaussian in plain doubles, for the inner loops of the theory.  The public face of
// these functions, with domains and error bounds, is include/lamcap/gaussian.hpp.
#pragma once

#include "lamcap/estimate.hpp"
#include "numerics/faddeeva.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace lamcap::gaussian_kernel {

inline constexpr double log_sqrt_two_pi = 0.918938533204672741780329736406;
inline constexpr double inv_sqrt_two_pi = 0.398942280401432677939946059934;
inline constexpr double inv_sqrt_two = 1 / std::numbers::sqrt2;

inline double log_density(double x) {
  return -0.5 * x * x - log_sqrt_two_pi;
}

/// phi(x); the rounding of x^2, which exp would magnify, is put back.
inline double density(double x) {
  const double square = x * x;
  constexpr double underflow = 1500; // exp(-750) is below every double
  if (square > underflow) {
    return 0;
  }
  const double rest = std::fma(x, x, -square);
  return inv_sqrt_two_pi * std::exp(-0.5 * square) * std::exp(-0.5 * rest);
}

/// H(x); erfc would magnify the rounding of x / sqrt 2 in the tail.
inline double upper_tail(double x) {
  constexpr double tail_from = 1;
  return x > tail_from ? density(x) * numerics::mills_ratio(x) : 0.5 * std::erfc(x * inv_sqrt_two);
}
inline double cdf(double x) {
  return upper_tail(-x);
}

inline double log_upper_tail(double x) {
  return x > 0 ? log_density(x) + std::log(numerics::mills_ratio(x)) : std::log1p(-cdf(x));
}

inline double log_cdf(double x) {
  return log_upper_tail(-x);
}

/// lambda(v) = phi(v) / Phi(v), the slope of log Phi: about -v far to the left.
inline double log_cdf_slope(double v) {
  return v > 0 ? density(v) / cdf(v) : 1 / numerics::mills_ratio(-v);
}

/// log(-log Phi(x)), the Gumbel variable of a Gaussian: exact where Phi(x) rounds to 1.
inline double log_minus_log_cdf(double x) {
  constexpr double tail_is_tiny = 6; // beyond: -log Phi = H (1 + H/2 + ...) with H < 1e-9
  if (x > tail_is_tiny) {
    return log_upper_tail(x) + 0.5 * upper_tail(x);
  }
  return std::log(-log_upper_tail(-x));
}

/// E(xi - x)_+^k / phi(x) for k = 0, 1, 2 (the Mills ratio and its two successors), x > -37.
/// The sequence J_k obeys J_{k+1} = k J_{k-1} - x J_k.  Forward it cancels for x > 0, where J is
/// the minimal solution; there its ratios r_k = J_k / J_{k-1} = k / (x + r_{k+1}) come from the
/// tail of the continued fraction, begun at its fixed point r = k / (x + r).
inline std::array<double, 3> scaled_excess_moments(double x) {
  constexpr double continued_fraction_from = 1;
  const double mills = numerics::mills_ratio(x);
  if (x < continued_fraction_from) {
    return {mills, 1 - x * mills, (1 + x * x) * mills - x};
  }
  const int terms = 14 + static_cast<int>(290 / (x * x) + 20 / x); // error below epsilon, x >= 1
  double ratio = 0.5 * (std::sqrt(x * x + 4.0 * terms) - x);
  for (int k = terms; k > 2; --k) {
    ratio = k / (x + ratio);
  }
  const double second = 2 / (x + ratio);
  const double first = 1 / (x + second);
  return {mills, mills * first, mills * first * second};
}

/// Unscaled E(xi - x)_+^k, k = 0, 1, 2; underflows to 0 above x = 38 and is finite everywhere else.
inline std::array<double, 3> excess_moments(double x) {
  if (x < 0) {
    const double tail = upper_tail(x);
    const double phi = density(x);
    return {tail, phi - x * tail, (1 + x * x) * tail - x * phi};
  }
  auto moments = scaled_excess_moments(x);
  const double phi = density(x);
  for (double &m : moments) {
    m *= phi;
  }
  return moments;
}

/// log E(xi - x)_+^k.
inline double log_excess_moment(int k, double x) {
  if (k == 0) {
    return log_upper_tail(x);
  }
  const auto index = static_cast<std::size_t>(k);
  return x < 0 ? std::log(excess_moments(x)[index])
               : log_density(x) + std::log(scaled_excess_moments(x)[index]);
}

/// x with log H(x) = log_tail < 0.  log H is concave, so Newton from the bound H <= exp(-x^2/2)/2
/// descends monotonically to the root; four to seven steps for any argument.
inline double upper_quantile(double log_tail) {
  if (log_tail > -std::numbers::ln2) {
    return -upper_quantile(std::log(-std::expm1(log_tail)));
  }
  double x = std::sqrt(-2 * (log_tail + std::numbers::ln2));
  constexpr int most_steps = 20;
  for (int i = 0; i < most_steps; ++i) {
    const double step = numerics::mills_ratio(x) * (log_upper_tail(x) - log_tail);
    x += step;
    if (std::abs(step) <= epsilon * x) {
      break;
    }
  }
  return x;
}

} // namespace lamcap::gaussian_kernel
