// SPDX-License-Identifier: GPL-3.0-or-later
// Hebbian thresholds at leading order: see include/lamcap/hebbian.hpp.
#include "lamcap/hebbian.hpp"

#include "domain.hpp"

namespace lamcap {

Estimate hebbian_dimension(Count facts, Count candidates, Recall recall) {
  if (!(candidates.log() >= std::log(2.0))) {
    throw_domain("candidates", candidates.value(), "at least 2");
  }
  if (!(facts.log() >= 0)) {
    throw_domain("facts", facts.value(), "at least 1");
  }
  const double log_p = facts.log();
  const double log_k = candidates.log();
  if (recall == Recall::average) {
    return rounded(2 * log_k, 2);
  }
  const double root_sum = std::sqrt(log_p) + std::sqrt(log_k);
  return rounded(log_p >= log_k ? 4 * (log_p + log_k) : 2 * root_sum * root_sum, 8);
}

} // namespace lamcap
