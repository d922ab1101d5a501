// SPDX-License-Identifier: GPL-3.0-or-later
#include "gamma.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/zeta.hpp>

#include <cmath>
#include <numbers>

namespace lamcap::numerics {
namespace {

constexpr double series_below = 0.05; // of |s|: twelve terms of the series reach epsilon
constexpr int most_terms = 40;

/// sum_{k >= 2} zeta(k) weight(k) s^k / k.
template <class Weight>
double zeta_series(double s, Weight weight) {
  double sum = 0;
  double power = s;
  for (int k = 2; k < most_terms; ++k) {
    power *= s;
    const double term = boost::math::zeta(static_cast<double>(k)) * weight(k) * power / k;
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum)) {
      break;
    }
  }
  return sum;
}

} // namespace

double log_gamma(double x) {
  return boost::math::lgamma(x);
}

double log_gamma_one_minus(double s) {
  return std::abs(s) < series_below
             ? std::numbers::egamma * s + zeta_series(s, [](int) { return 1.0; })
             : log_gamma(1 - s);
}

double log_gamma_second_difference(double s) {
  return std::abs(s) < series_below ? zeta_series(s, [](int k) { return std::ldexp(1.0, k) - 2; })
                                    : log_gamma(1 - 2 * s) - 2 * log_gamma(1 - s);
}

} // namespace lamcap::numerics
