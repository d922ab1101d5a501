// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <string_view>
#include <vector>

namespace lamcap::simulation {

/// Whether some W scores every target above all its competitors.
enum class Verdict { separable, inseparable, undecided };

[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// What the solver must reach, and when it gives up.
struct SeparabilityOptions {
  /// No unit W with a margin above resolution max |u| max |e| counts as inseparable; > 0, finite.
  double resolution = 1e-8;
  /// Keep going after the verdict until margin_upper - margin_lower <= gap * margin_upper: the
  /// maximum-margin W; in [0, 1).  0: stop at the verdict.
  double gap = 0;
  int most_steps = 200; ///< of the interior-point method
  /// Steps of Adam on cross-entropy, at most, that provide the start: if all facts are recalled by
  /// then, and gap = 0, that is the verdict.  The softmax errors left are the first weights, which
  /// halves the number of interior-point steps.  0: start from equal weights.
  std::int64_t training_steps = 200;
  /// A memory to start from instead, of the shape of W; empty: none.
  Matrix start{};
};

/// A verdict with its certificates, both computed anew from the data with a bound on rounding.
///
/// margin(W) = min over mu, rho of (u_target - u_rho)^T W e_mu / ||W||_F.
struct Separability {
  Verdict verdict = Verdict::undecided;
  double margin_lower = 0; ///< margin of `memory`, less rounding (0 if not positive)
  double margin_upper = 0; ///< ||sum lambda a||_F + rounding, lambda >= 0, sum 1: no W has more
  Matrix memory;           ///< W with ||W||_F = 1 of that margin, d_out x d_in (iid: D x 1)
  /// Per fact, the competitors that hold the margin down: those of positive weight; with gap = 0
  /// those whose weight outweighs their slack so far.
  std::vector<std::int64_t> binding;
  int steps = 0; ///< interior-point steps; 0: the start proved it
};

/// Decides whether the facts of an instance can all be recalled.
///
/// Method: the point of least norm in the convex hull of the constraints a_{mu rho} = (u_target -
/// u_rho) e_mu^T,
///     min ||W||^2 / 2,  W = sum lambda a,  lambda >= 0,  sum lambda = 1,
/// by a primal-dual interior-point method (Mehrotra's predictor and corrector).  At the minimum all
/// margins of W are at least ||W||^2: its length is the maximum margin, and 0 if the facts cannot all
/// be recalled.  Every iterate yields both bounds: ||W|| from above, by the weights, and the margin of
/// W / ||W|| from below.  The normal matrix I + sum (lambda / s) a a^T is a sum of Kronecker products,
/// formed by matrix products; a step costs D^3/3 + p D^2 multiplications, D = d_in d_out, and
/// separability_bytes; seven to twenty steps decide.  What they leave open, and the last of a gap, is
/// closed by active sets: the least-norm point of the plane through the constraints that bind, by a
/// QR decomposition of them.
/// Accuracy: both bounds hold whatever the rounding, which widens them by some 1e-13 max |u| max |e|
/// (more with facts and candidates).  About 1 in 40 000 verdicts near the threshold stays undecided.
/// Source: Wolfe (1976), nearest points of polytopes; Mehrotra (1992).
/// Throws std::invalid_argument for options out of range, or if that is more than memory_limit.
[[nodiscard]] Separability separability(const Instance &instance,
                                        const SeparabilityOptions &options = {},
                                        double memory_limit = 4e9);

/// Bytes that separability takes, the instance's included: 8 D^2 + O(p (K + d_out^2)).
[[nodiscard]] double separability_bytes(const Instance &instance);

} // namespace lamcap::simulation
