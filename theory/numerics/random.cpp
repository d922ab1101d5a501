// SPDX-License-Identifier: GPL-3.0-or-later
#include "random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace lamcap::numerics {
namespace {

/// In (0, 1), by the top 53 bits.
double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

} // namespace

void fill_gaussians(std::vector<double> &out, std::uint64_t seed, std::uint64_t sample) {
  r123::Philox2x64 generator;
  const r123::Philox2x64::key_type key{{seed}};
  r123::Philox2x64::ctr_type counter{{0, sample}};
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto bits = generator(counter, key);
    ++counter[0];
    const double radius = std::sqrt(-2 * std::log(unit(bits[0])));
    const double angle = 2 * std::numbers::pi * unit(bits[1]);
    out[i] = radius * std::cos(angle);
    if (i + 1 < out.size()) {
      out[i + 1] = radius * std::sin(angle);
    }
  }
}

} // namespace lamcap::numerics
