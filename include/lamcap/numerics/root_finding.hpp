// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

#include <functional>

namespace lamcap::numerics {

/// Stopping rule: bracket width <= absolute_tolerance + relative_tolerance * |root|.
struct RootOptions {
  double relative_tolerance = 4 * epsilon; ///< >= 2 epsilon, unless absolute_tolerance > 0
  double absolute_tolerance = 0;           ///< >= 0; give one if the root may be 0
  int max_evaluations = 200;               ///< at least 3
};

/// Root of a continuous f on [lower, upper] whose values at the ends differ in sign (or vanish).
///
/// Algorithm 748 of Alefeld, Potra and Shi (Boost.Math).  value is the middle of the final bracket,
/// error its half width: a bound for f as computed (the caller adds the effect of f's own error).
/// Ends of equal sign give `no_sign_change`; the limit gives `not_converged` with the bracket
/// reached.
/// Throws std::domain_error unless lower < upper, both finite, and options in range.
[[nodiscard]] Estimate find_root(const std::function<double(double)> &f, double lower, double upper,
                                 const RootOptions &options = {});

} // namespace lamcap::numerics
