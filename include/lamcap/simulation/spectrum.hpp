// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <array>
#include <vector>

namespace lamcap::simulation {

/// The min(rows, columns) singular values of W, rescaled to mean square 1, ascending; all 0 for W = 0.
/// Each is right to 1e-13 of the largest; what is smaller is 0.  Throws std::invalid_argument if W is
/// empty or not finite.
[[nodiscard]] Vector singular_values(const Matrix &memory);

/// Means of the powers 1 to 4.
[[nodiscard]] std::array<double, 4> moments(const Vector &values);

/// A law supplied as numbers: P(X <= x[i]) = distribution[i], linear in between, 0 before the first
/// x (which may carry an atom), distribution.back() after the last.
struct TabulatedLaw {
  std::vector<double> x;            ///< finite, increasing
  std::vector<double> distribution; ///< in [0, 1], not decreasing; as many
};

/// How far the empirical distribution F_n of some values is from a law F.
struct LawDistance {
  double kolmogorov = 0;  ///< sup |F_n - F|
  double wasserstein = 0; ///< integral of |F_n - F|, over the union of both ranges
};

/// Both distances, exact for the tabulated law (the table's own coarseness adds its largest step).
/// Throws std::invalid_argument for no values or a law that breaks the rules above.
[[nodiscard]] LawDistance distance(const Vector &values, const TabulatedLaw &law);

} // namespace lamcap::simulation
