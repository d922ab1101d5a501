// SPDX-License-Identifier: GPL-3.0-or-later
// Minimisation by Boost.Math's Brent method, then a verified bracket as the error.
#include "lamcap/numerics/minimisation.hpp"

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <stdexcept>

namespace lamcap::numerics {
namespace {

constexpr int half_precision_bits = 26; // f is flat to epsilon within sqrt(epsilon) of its minimum
constexpr int most_widenings = 20;
constexpr double value_ulps = 4;

} // namespace

Minimum minimise(const std::function<double(double)> &f, double lower, double upper,
                 int max_evaluations) {
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper)) {
    throw std::invalid_argument("a minimum needs finite limits with lower < upper");
  }
  if (max_evaluations < 10) {
    throw std::invalid_argument("max_evaluations must be at least 10");
  }
  std::int64_t evaluations = 0;
  const auto counted = [&](double x) {
    ++evaluations;
    return f(x);
  };
  auto iterations = static_cast<std::uintmax_t>(max_evaluations);
  const auto [x, fx] =
      boost::math::tools::brent_find_minima(counted, lower, upper, half_precision_bits, iterations);
  const bool in_time = iterations < static_cast<std::uintmax_t>(max_evaluations);

  double half_width = std::sqrt(epsilon) * std::max(std::abs(x), std::sqrt(epsilon) * (upper - lower));
  double rise = 0;
  bool bracketed = false;
  for (int i = 0; i < most_widenings && !bracketed; ++i, half_width *= 4) {
    const double left = counted(std::max(lower, x - half_width));
    const double right = counted(std::min(upper, x + half_width));
    bracketed = left >= fx && right >= fx;
    rise = std::max(left, right) - fx;
    if (bracketed) {
      break;
    }
  }
  const Status status = !std::isfinite(fx)       ? Status::not_finite
                        : bracketed && in_time ? Status::converged
                                               : Status::not_converged;
  return {{x, half_width, evaluations, status},
          {fx, rise + value_ulps * epsilon * std::abs(fx), evaluations, status}};
}

} // namespace lamcap::numerics
