// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based Gaussians of the simulations: a function of (seed, instance, array, row, column).
#pragma once

#include "lamcap/simulation/instance.hpp"

namespace lamcap::simulation {

/// Arrays of an instance.
enum class Array : std::uint32_t { inputs = 0, outputs = 1 };

/// Fills a column with independent standard Gaussians; `row` and `column` name it.
void fill_gaussian(Eigen::Ref<Vector> out, std::uint64_t seed, std::uint64_t number, Array array,
                   std::uint32_t row, std::uint32_t column);

} // namespace lamcap::simulation
