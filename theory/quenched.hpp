// SPDX-License-Identifier: GPL-3.0-or-later
// Energetic part of the replica free entropy averaged over random competitors.
#pragma once

#include "lamcap/count.hpp"
#include "mean_field.hpp"

#include <cstdint>
#include <vector>

namespace lamcap {

/// Monte Carlo over (xi_0, ..., xi_{K-1}); sample i of a seed is the same for every q and any number
/// of threads, so that differences between overlaps carry little noise.
///
/// One sample costs O(K) random numbers and as many deposits: each competitor's share of
///     G(h) = sum_j log Phi((h - mu - sqrt(q) xi_j) / sqrt(1 - q))
/// is moved to a grid of spacing `grid` sqrt(1 - q) in sqrt(q) xi by sixth-order Lagrange weights
/// (log Phi and lambda^2 are smooth on that scale: relative error below 1e-7), after which G on the
/// same grid of h is a product with one table.  The mean field's value at the sample's xi_0 serves as
/// control variate.
class QuenchedEnergy {
public:
  QuenchedEnergy(const Count &candidates, double margin, std::uint64_t seed);

  /// E_K(q) and S(q); each error is one standard error plus the bound of the grid's.
  [[nodiscard]] Energy energy(double overlap, std::int64_t samples) const;

  static constexpr double largest_overlap = 0.9999; // the grid grows like 1 / sqrt(1 - q)

private:
  Count candidates_;
  double margin_;
  std::uint64_t seed_;
};

} // namespace lamcap
