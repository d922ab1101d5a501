// SPDX-License-Identifier: GPL-3.0-or-later
// Integrals over laws whose values carry their own errors.
#pragma once

#include "lamcap/estimate.hpp"

#include <functional>

namespace lamcap {

/// Int f over [lower, upper], split at the centre; the error holds the largest error of a value of f
/// over the whole length.
[[nodiscard]] Estimate integrate_law(const std::function<Estimate(double)> &f, double lower,
                                     double centre, double upper, double tolerance);

inline constexpr double law_tolerance = 1e-11;

} // namespace lamcap
