// SPDX-License-Identifier: GPL-3.0-or-later
#include "gauss_legendre.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include <cstddef>

namespace lamcap::numerics {

std::vector<WeightedPoint> gauss_legendre(double lower, double upper) {
  using Rule = boost::math::quadrature::gauss<double, 20>; // even: the middle is not a node
  const double middle = 0.5 * (lower + upper);
  const double half = 0.5 * (upper - lower);
  std::vector<WeightedPoint> points;
  for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
    for (const double side : {-1.0, 1.0}) {
      points.push_back({middle + side * half * Rule::abscissa()[i], half * Rule::weights()[i]});
    }
  }
  return points;
}

} // namespace lamcap::numerics
