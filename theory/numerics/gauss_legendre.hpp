// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace lamcap::numerics {

struct WeightedPoint {
  double x;
  double weight;
};

/// The 20-point Gauss-Legendre rule on [lower, upper].
[[nodiscard]] std::vector<WeightedPoint> gauss_legendre(double lower, double upper);

} // namespace lamcap::numerics
