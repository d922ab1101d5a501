// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <string_view>

namespace lamcap::simulation {

/// Whether some W scores every target above all its competitors.
enum class Verdict { separable, inseparable, undecided };

[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// What the solver must reach, and when it gives up.
struct SeparabilityOptions {
  /// No unit W with a margin above this counts as inseparable; > 0.  Embeddings have length about 1.
  double resolution = 1e-8;
  /// Keep going after the verdict until margin_upper - margin_lower <= gap * margin_upper: the
  /// maximum-margin W.  0: stop at the verdict.
  double gap = 0;
  int most_steps = 200; ///< of the interior-point method
};

/// A verdict with its certificates, both computed anew from the data with a bound on rounding.
///
/// margin(W) = min over mu, rho of (u_target - u_rho)^T W e_mu / ||W||_F.
struct Separability {
  Verdict verdict = Verdict::undecided;
  double margin_lower = 0;  ///< margin of `memory`, less rounding (0 if not positive)
  double margin_upper = 0;  ///< ||sum lambda a||_F + rounding, lambda >= 0, sum 1: no W has more
  Matrix memory;            ///< W with ||W||_F = 1 of that margin, d_out x d_in (iid: D x 1)
  std::int64_t binding = 0; ///< constraints whose weight outweighs their slack; exact as gap -> 0
  int steps = 0;            ///< interior-point steps
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
/// formed by matrix products; a step costs D^3/3 + p D^2 multiplications, D = d_in d_out, and 8 D^2 +
/// 80 p K bytes; seven to twenty steps decide.
/// Throws std::invalid_argument for options out of range, or if D^2 doubles exceed memory_limit.
[[nodiscard]] Separability separability(const Instance &instance,
                                        const SeparabilityOptions &options = {},
                                        double memory_limit = 4e9);

} // namespace lamcap::simulation
