// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based random numbers, so that sample i of a seed is the same in every thread and order.
#pragma once

#include <cstdint>
#include <vector>

namespace lamcap::numerics {

/// Fills `out` with standard Gaussians: those of sample `sample` under `seed` (Philox 2x64 and the
/// transformation of Box and Muller).
void fill_gaussians(std::vector<double> &out, std::uint64_t seed, std::uint64_t sample);

} // namespace lamcap::numerics
