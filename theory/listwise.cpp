// SPDX-License-Identifier: GPL-3.0-or-later
// Tail-average margin: see include/lamcap/listwise.hpp.
#include "lamcap/listwise.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"

namespace lamcap {

Estimate tail_average(double tail) {
  require_open_unit("tail", tail);
  // 1 - r is exact for r in [1/2, 1), where log r alone would lose it.
  const double z = tail < 0.5 ? gaussian_kernel::upper_quantile(std::log(tail))
                              : -gaussian_kernel::upper_quantile(std::log(1 - tail));
  const double log_average = gaussian_kernel::log_density(z) - std::log(tail);
  const double average = z > 0 ? 1 / numerics::mills_ratio(z) : std::exp(log_average);
  Estimate result = rounded(average, 16);
  result.error *= 1 + 0.5 * z * z * (z > 0 ? 0 : 1);
  return result;
}

Estimate listwise_dimension(double tail, double margin) {
  const Estimate threshold = tail_average(tail) + exactly(require_margin(margin));
  const auto moments = gaussian_kernel::excess_moments(-threshold.value);
  Estimate result = rounded(moments[2], 16);
  result.error += 2 * moments[1] * threshold.error; // d/dt E(xi + t)_+^2 = 2 E(xi + t)_+
  result.status = worse(threshold.status, result.status);
  return result;
}

Estimate listwise_critical_load(double tail, double margin) {
  return exactly(1) / listwise_dimension(tail, margin);
}

} // namespace lamcap
