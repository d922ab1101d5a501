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

/// Minimum of a convex (or at least unimodal) f on [lower, upper].
///
/// Brent's method (Boost.Math) to the half precision that function values allow, then a bracket is
/// verified: the smallest tried [x - w, x + w] with f(x +- w) >= f(x).  For convex f the value's
/// error is the larger rise to the bracket's ends plus 4 epsilon |f|; the location's is w.
/// A bracket that cannot be verified, or the evaluation limit, gives `not_converged`.
/// Throws std::invalid_argument unless lower < upper, both finite, max_evaluations >= 10.
[[nodiscard]] Minimum minimise(const std::function<double(double)> &f, double lower, double upper,
                               int max_evaluations = 200);

} // namespace lamcap::numerics
