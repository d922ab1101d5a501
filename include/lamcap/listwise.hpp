// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

namespace lamcap {

/// Listwise retrieval: the target must beat the mean of the top fraction r of its competitors.
/// With many competitors in that fraction, r (K - 1) >> 1, their mean is the constant
///     kappa_r = E[xi | xi > z] = phi(z)/H(z) = 1/M(z),  H(z) = r,
/// so each fact is a Gardner constraint at margin kappa_r.

/// Tail-average threshold kappa_r for r in (0, 1), in units of a free score's s.d.  Accuracy 1e-14
/// relative.  Throws std::domain_error outside.
[[nodiscard]] Estimate tail_average(double tail);

/// Dimensions of W that one fact uses: (1 + t^2) Phi(t) + t phi(t) = E(xi + t)_+^2 at
/// t = kappa_r + margin.  r in (0, 1), margin in [0, 50].  Accuracy 1e-13 relative.
/// Source: arXiv:2605.05189; Gardner (1988).
[[nodiscard]] Estimate listwise_dimension(double tail, double margin = 0);

/// Critical load p_c / (d_in d_out) of listwise retrieval: 1 / listwise_dimension.  Note the unit:
/// no factor log K, since the number of candidates does not enter.  r -> 1/p gives d^2 ~ 2 p log p.
[[nodiscard]] Estimate listwise_critical_load(double tail, double margin = 0);

} // namespace lamcap
