// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <cstdint>

namespace lamcap::simulation {

/// W = sum_mu u_target e_mu^T, d_out x d_in (problem iid: sum_mu u_target, D x 1).
[[nodiscard]] Matrix hebbian_memory(const Instance &instance);

/// What a memory W recalls, s_{mu rho} = u_rho^T W e_mu; sd: over facts (or all
/// competitors), to 1e-8 of the mean.
struct Recall {
  std::int64_t facts = 0;
  std::int64_t lost = 0;  ///< facts without a score of the target strictly above all others
  double accuracy = 0;    ///< 1 - lost / facts
  double margin = 0;      ///< smallest s_target - max s_competitor; not divided by ||W||
  double length = 0;      ///< ||W||_F
  double target_mean = 0; ///< s_target
  double target_sd = 0;
  double best_mean = 0; ///< max s_competitor
  double best_sd = 0;
  double competitor_mean = 0; ///< s of all competitors
  double competitor_sd = 0;
};

/// Bytes that a memory, measure and certify take, the instance's included.
[[nodiscard]] double recall_bytes(const Instance &instance);

/// Scores every candidate of every fact, in tiles; 2 p^2 d_out flops (original).  threads = 0: all.
/// Throws std::invalid_argument for a W of another shape, or one whose scores overflow.
[[nodiscard]] Recall measure(const Instance &instance, const Matrix &memory, int threads = 0);

/// Both bounds on the largest margin of a unit W that a memory and its softmax errors give.
struct Certificate {
  double loss = 0;         ///< cross-entropy at logit scale beta, mean over facts
  double margin_lower = 0; ///< margin(W / ||W||) less rounding; negative if facts are lost
  double margin_upper = 0; ///< ||sum lambda a||_F + rounding: no unit W has more; +infinity if the
                           ///< errors vanish (below 1e-250)
};

/// With P the softmax of beta s, lambda_{mu rho} = P_{mu rho} / sum P over all competitors are dual
/// weights, and sum lambda (u_target - u_rho) e_mu^T is the loss's gradient, rescaled.  Computed in
/// double; the rounding is that of sums and inner products, first order with a factor of 1.1.
/// Throws like measure.
[[nodiscard]] Certificate certify(const Instance &instance, const Matrix &memory, double beta,
                                  int threads = 0);

} // namespace lamcap::simulation
