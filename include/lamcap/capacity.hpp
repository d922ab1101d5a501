// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/estimate.hpp"
#include "lamcap/hebbian.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lamcap {

/// Shape of a linear memory W.  Dimensions come both or not at all; rank and rank_ratio exclude
/// each other, and without either the memory has full rank.
struct Memory {
  std::optional<double> dim_in = {};     ///< d_in, whole, >= 1
  std::optional<double> dim_out = {};    ///< d_out, whole, >= 1
  std::optional<double> rank = {};       ///< m, whole, 1 <= m <= min(d_in, d_out)
  std::optional<double> rank_ratio = {}; ///< kappa = m / min(d_in, d_out), in (0, 1]
};

/// A d x d memory of full rank.
[[nodiscard]] inline Memory square(double dim) {
  return {.dim_in = dim, .dim_out = dim};
}

/// How W is chosen, or what it must achieve.
enum class Rule {
  optimal, ///< the best W; every target beats every competitor (by the margin)
  hebbian, ///< W = sum_mu u_mu e_mu^T, leading order
  listwise ///< the best W; every target beats the mean of the top fraction of its competitors
};

/// What it means that a fact is stored.
struct Criterion {
  std::optional<Count> candidates = {}; ///< K >= 2; unset: K = p, every stored output competes
  double margin = 0;                    ///< mu in [0, 50], in units of a free score's s.d.
  Rule rule = Rule::optimal;            ///< see Rule
  Recall recall = Recall::strict;       ///< Hebbian rule only
  double tail = 0.1;                    ///< r in (0, 1), listwise rule only
  Method method = Method::exact;        ///< of the statistical dimension; optimal rule only
};

/// Everything lamcap says about one memory.  Members that the question does not determine are not
/// computed (status `not_computed`) or empty.
struct Capacity {
  /// Dimensions of W per fact: delta(K, mu); for the Hebbian rule d_in d_out / p at its threshold.
  Estimate statistical_dimension;
  /// R(kappa, beta) = Int_{s_k}^{s+} s^2 rho(s) ds, 1 at full rank.
  Estimate rank_factor;
  /// Critical load: p log K / (d_in d_out) at capacity; for the listwise rule p / (d_in d_out).
  Estimate alpha_c;
  /// Largest p (real-valued) with p delta(K, mu) <= d_in d_out R; in `smallest_square` the given p.
  Estimate facts;
  /// Side d of the smallest square memory (real-valued) that stores the facts; at fixed dimensions
  /// d if they are equal.
  Estimate dim;
  /// The load of the facts asked about, in the unit of alpha_c.
  Estimate load;
  /// Whether that load is below the exact alpha_c (whatever the method); empty if not asked, or if
  /// closer than the errors allow.
  std::optional<bool> below_capacity;
  /// The worst status of what was computed.
  Status status = Status::not_computed;
  /// What the reader should know before trusting the numbers, one sentence each.
  std::vector<std::string> warnings;
};

/// Largest number of facts that a memory of given dimensions stores.
///
///     p delta(K, mu) = d_in d_out R(kappa, beta),   K = p unless set,
/// solved for real p (above 66 facts delta is continued between whole p, below it p delta(p) is
/// linear there).  What the error bounds is this equation's solution: that of delta and R carried
/// to p plus the final bracket of the root; an approximate method's is its distance from the exact
/// method's answer.  What the equation says of a real memory: it is the limit of large dimensions
/// of the decoupled problem (each fact has its own K outputs); measured on random instances it
/// holds within their half percent of noise from d = 8 on, and with one shared set of outputs
/// (conjectured to share the limit) 2.7 to 3.6 percent more was stored at d = 8 to 32, 6 and 10
/// percent more in two narrow shapes (tables/separability_measured.csv).
/// Throws std::domain_error or std::invalid_argument for a memory or criterion out of range, and if
/// K = p has no solution p >= 2.
[[nodiscard]] Capacity capacity(const Memory &memory, const Criterion &criterion = {});

/// Smallest square memory (side d, real-valued) that stores `facts`; `memory` may give a rank or a
/// rank ratio but no dimensions.  A rank above the d that suffices without it constrains nothing (a
/// warning says so).  Errors and exceptions as above.
[[nodiscard]] Capacity smallest_square(Count facts, const Memory &memory = {},
                                       const Criterion &criterion = {});

/// Whether a memory stores `facts`: load, critical load (at K = facts unless set) and the verdict,
/// with the largest p of `capacity` in `facts` (not computed where no p >= 2 fits).  Errors and
/// exceptions as above.
[[nodiscard]] Capacity judge(Count facts, const Memory &memory, const Criterion &criterion = {});

/// Ratio d_out / log K below which a warning is due: a target can then lie inside the convex hull
/// of its competitors, where no W recalls it (Gaussian outputs; points of a sphere never do).  For
/// one fact this sets in near 2; among p = K facts the first such target appears at 3 for K = 1e3,
/// at 4 for K = 1e7 and tends to 2 e = 5.44.
[[nodiscard]] constexpr double least_output_ratio(double log_candidates) noexcept {
  constexpr double log_of_1e6 = 13.8155;
  return log_candidates <= log_of_1e6 ? 4 : 5.44;
}

} // namespace lamcap
