// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

namespace lamcap {

/// What "stored" asks of the Hebbian memory W = sum_mu u_mu e_mu^T.
enum class Recall {
  strict, ///< every fact is recalled
  average ///< all but a vanishing fraction of the facts
};

/// Hebbian critical loads p log K / (d_in d_out) for K = p, as d -> infinity.
inline constexpr double hebbian_strict_load = 1.0 / 8;
inline constexpr double hebbian_average_load = 1.0 / 2; ///< see hebbian_strict_load

/// Dimensions of W per fact, d_in d_out / p, at the Hebbian critical load as d -> infinity.
///
/// A target scores 1; cross-talk on every score is Gaussian with variance v = p / (d_in d_out).
/// average: 1 > sqrt(2 v log K), the typical largest competitor:        2 log K.
/// strict:  for no fact may 1 - a sqrt(v) fall below b sqrt(v), where among p facts the target's
///          cross-talk reaches -a and the largest of its competitors b as soon as
///          a^2/2 + b^2/2 - log K <= log p, b >= sqrt(2 log K).  Largest a + b:
///              p >= K:  4 log(p K);    p <= K:  2 (sqrt(log p) + sqrt(log K))^2.
/// At K = p both give 8 log p, the 1/8 of the strict criterion.
///
/// facts >= 1, candidates >= 2.  Exact limits (rounding error only); at finite d the corrections are
/// not included: of relative order log log K / log K for strict recall (at K = p = 1000 the memory
/// needs 19 percent less), and 1 / sqrt(log K) for average recall, where accuracy passes through
/// about 1/2 at the threshold over that width.  Outputs drawn for each fact, or K much larger than
/// d_out: with one shared set of K outputs v grows by the factor 1 + d_out / K.
/// Throws std::domain_error outside the domain.
/// Source: arXiv:2605.10795 for K = p; the extension to K != p is the same argument with two numbers.
[[nodiscard]] Estimate hebbian_dimension(Count facts, Count candidates, Recall recall);

} // namespace lamcap
