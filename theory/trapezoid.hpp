// SPDX-License-Identifier: GPL-3.0-or-later
// Trapezoidal sums of analytic functions: how much a sum can be wrong, seen from coarser ones.
#pragma once

#include <algorithm>
#include <cmath>

namespace lamcap {

/// Error of a trapezoidal sum from the sum over every second node.  The error of an analytic integrand
/// falls at least like exp(-c / spacing), so that halving the spacing squares it, relative to the
/// integral of absolute values; the power 3/2 is taken, which leaves room for the constants.
[[nodiscard]] inline double halving_error(double coarse, double fine, double magnitude) {
  const double relative = magnitude > 0 ? std::abs(coarse - fine) / magnitude : 0;
  return magnitude * std::pow(std::min(relative, 1.0), 1.5);
}

} // namespace lamcap
