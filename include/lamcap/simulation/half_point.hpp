// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace lamcap::simulation {

/// Whether an instance with so many facts passes: is separable, or fully recalled.
enum class Answer { passes, fails, unknown };

/// Where nested instances, each containing the smaller ones, stop passing.
struct Crossing {
  std::int64_t passes = 0; ///< most facts that passed; least - 1 if none did
  std::int64_t fails = 0;  ///< fewest facts that failed
  int asked = 0;           ///< instances tried
  bool decided = false;    ///< fails - passes <= width; false: an answer unknown, or none failed
};

/// Bisection in whole numbers of facts from `least` to `most`, from a guess, which brackets grow
/// around by quarters.  What is asked depends on the arguments only.  Throws std::invalid_argument for
/// 1 <= least <= most < 2^53 or width >= 1 broken.
[[nodiscard]] Crossing crossing(const std::function<Answer(std::int64_t)> &ask, std::int64_t guess,
                                std::int64_t least, std::int64_t most, std::int64_t width = 1);

/// The p at which half the instances pass, from one crossing each.
struct HalfPoint {
  std::int64_t instances = 0; ///< decided ones, which alone count
  /// Mean of (passes + fails) / 2: the p at which half of them pass, if the share that passes falls
  /// symmetrically.
  double facts = 0;
  double standard_error = 0; ///< of the mean; infinite for one instance
  double rounding = 0;       ///< bound on what brackets wider than 1 add: mean (width - 1) / 2
  double deviation = 0;      ///< of a single crossing
  /// Standard error of the deviation s, s / sqrt(2 (n - 1)), that of normal samples.
  double deviation_error = 0;
  double median = 0; ///< of (passes + fails) / 2
  /// Standard error of the median: half the distance between the order statistics sqrt(n) / 2 ranks to
  /// either side of it, at least 1/2 (crossings are whole numbers).
  double median_error = 0;
};

[[nodiscard]] HalfPoint half_point(const std::vector<Crossing> &crossings);

} // namespace lamcap::simulation
