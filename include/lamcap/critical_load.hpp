// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

namespace lamcap {

/// How the statistical dimension is computed.
enum class Method {
  exact, ///< the one-dimensional form below, to rounding
  /// competitors and target self-averaging: min over h of 1 + (h+mu)^2 + (K-1) E(xi-h)_+^2.  The
  /// mean field of replica.hpp keeps the target random and lies between this and the exact value.
  mean_field,
  expansion, ///< large K: 2L - 3 log(2L) - log(2 pi) + 3 + 2 mu sqrt(2L) + mu^2, L = log K
  leading    ///< K -> infinity: 2L
};

/// Statistical dimension of one fact's recall constraint: dimensions of W that it uses up.
///
///     delta(K, mu) = E dist^2(xi, C),  C = {x in R^K : x_0 >= x_j + mu, all j},  xi ~ N(0, I_K)
///                  = (K-1) E H(h*_{K-1}) + mu (E h*_K + mu),
/// with h*_K the law of target_score.hpp at K candidates.  (Each competitor is active if it exceeds
/// the h* that the others leave: that is the first term, the mean number of active competitors; at
/// mu = 0 it is the whole of delta, and the polar cone's statistical dimension.)
/// A d_out x d_in memory stores p facts, each with its own K outputs (the decoupled problem), as
/// d -> infinity iff p delta(K, mu) < d_out d_in.
///
/// K >= 2, log K <= 1000, margin 0 <= mu <= 50 in units of the s.d. of a free score.  K need not be
/// whole, so that p can vary continuously: above 66 delta is continued analytically in K - 2; below,
/// K delta(K) is taken as linear between whole numbers.
/// Accuracy: exact to relative 1e-12 (1e-14 at K = 2, 3, 4), reported bound below 1e-9; about half a
/// millisecond, with a margin three times that.
/// An approximation's error is its distance from the exact value, plus that value's error; it
/// therefore costs the exact evaluation too.  The mean field exceeds the exact delta, by 3 / (2L) as
/// K grows.  The expansion's error is O(log L / L), or O(log L / sqrt L) if mu > 0, and of order 1 at
/// K below 100; the leading form's is O(log L), or O(sqrt L) if mu > 0.
/// Throws std::domain_error outside the domain.
/// Source: arXiv:2605.10795 (capacity of the decoupled problem); Amelunxen, Lotz, McCoy and Tropp
/// (2014); Gordon (1988).  K = 2 is Cover's p/D = 2 and, with margin, Gardner's formula.
[[nodiscard]] Estimate statistical_dimension(Count candidates, double margin = 0,
                                             Method method = Method::exact);

/// Critical load alpha_c(K, mu) = log K / delta(K, mu) of a full-rank memory: p log K / (d_in
/// d_out) at capacity, 1/2 as K -> infinity.  Arguments, errors and accuracy as above.
[[nodiscard]] Estimate critical_load(Count candidates, double margin = 0,
                                     Method method = Method::exact);

/// Mean number of competitors that bind, i.e. whose score plus the margin equals the target's in the
/// optimal memory at capacity: (K-1) E H(h*_{K-1}), which is delta(K) at mu = 0.  K whole where it is
/// below 66; otherwise domain and accuracy as above.
[[nodiscard]] Estimate active_competitors(Count candidates, double margin = 0);

/// The value that an approximation gives, without the exact evaluation: error and status then say
/// nothing about the distance from the exact value (rounding only).  Method::exact is refused.
[[nodiscard]] Estimate approximate_statistical_dimension(Count candidates, double margin,
                                                         Method method);

} // namespace lamcap
