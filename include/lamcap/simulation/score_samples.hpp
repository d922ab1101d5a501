// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <cstdint>
#include <vector>

namespace lamcap::simulation {

/// Bins of equal width from `low` to `high`, a bin holds its lower edge.
struct Bins {
  double low = -6;
  double high = 6; ///< above `low`, both finite
  int count = 60;  ///< >= 1

  [[nodiscard]] double width() const { return (high - low) / count; }
};

/// How many samples fell into each bin.
struct Histogram {
  Bins bins;
  std::vector<std::int64_t> counts;
  std::int64_t below = 0; ///< samples under `low`
  std::int64_t above = 0; ///< samples at `high` or over

  [[nodiscard]] std::int64_t samples() const;
};

[[nodiscard]] Histogram histogram(const Vector &samples, const Bins &bins);

/// Scores of a memory, in standard deviations of a free score: s_{mu rho} sqrt(d_in d_out) /
/// ||W||_F.
struct ScoreSamples {
  Vector target; ///< of every fact
  Vector best;   ///< the best competitor of every fact
  Histogram competitors;
};

/// Scores every candidate of every fact, in tiles; 2 p^2 d_out flops (original), O(p) memory besides
/// the instance.  The counts are the same for any number of threads.  Accuracy: scores to
/// 2e-16 (d_in + d_out) sqrt(d_in d_out) max |u| max |e|, the rounding of two inner products.  Throws
/// std::invalid_argument for bins out of range, a W of another shape, W = 0 or not finite.
[[nodiscard]] ScoreSamples score_samples(const Instance &instance, const Matrix &memory,
                                         const Bins &bins = {}, int threads = 0);

} // namespace lamcap::simulation
