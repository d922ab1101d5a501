// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

#include <functional>

namespace lamcap::numerics {

/// A minimum in one dimension: where and how low.
struct Minimum {
  Estimate location; ///< error: half width of a verified bracket, f higher at both its ends
  Estimate value;    ///< error: for convex f, a bound on f(location) - min f, plus rounding
};

/// Minimum of a convex (or at least unimodal) f on [lower, upper]; it may lie at an end.
///
/// Brent's method (Boost.Math) to the half precision that function values allow, then a bracket is
/// verified: the smallest tried [x - w, x + w] at whose ends f exceeds f(x) by more than rounding,
/// or which an end of the interval cuts off.  The location's error is w.  The value's bounds f(x) -
/// min f for convex f (which lies above the lines through neighbouring points) plus 4 epsilon |f|.
/// A bracket that cannot be verified, or the limit (of Brent's evaluations; the bracket takes at
/// most 84 more), gives `not_converged`.
/// Throws std::domain_error unless lower < upper, both finite, max_evaluations >= 10.
[[nodiscard]] Minimum minimise(const std::function<double(double)> &f, double lower, double upper,
                               int max_evaluations = 200);

} // namespace lamcap::numerics
