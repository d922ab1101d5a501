// SPDX-License-Identifier: GPL-3.0-or-later
// Integrals over laws whose values carry their own errors.
#pragma once

#include "lamcap/scores.hpp"

#include <functional>

namespace lamcap {

/// Int f over [from, to], split about the bulk that the range names; the error holds the largest error
/// of a value of f over the whole length.
[[nodiscard]] Estimate integrate_law(const std::function<Estimate(double)> &f, double from,
                                     double to, const ScoreLaws::Range &range, double tolerance);

inline constexpr double law_tolerance = 1e-11;

} // namespace lamcap
