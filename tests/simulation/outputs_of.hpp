// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

namespace lamcap::testing {

/// A copy of a fact's candidates.
inline simulation::Matrix outputs_of(const simulation::Instance &instance, std::int64_t fact) {
  simulation::Matrix scratch;
  return instance.outputs(fact, scratch);
}

} // namespace lamcap::testing
