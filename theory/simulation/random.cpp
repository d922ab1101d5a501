// SPDX-License-Identifier: GPL-3.0-or-later
#include "random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace lamcap::simulation {
namespace {

/// 53 bits of two words, in (0, 1).
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 21) ^ (low >> 11);
  return (static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) + 0.5) * 0x1p-53;
}

} // namespace

void fill_gaussian(Eigen::Ref<Vector> out, std::uint64_t seed, std::uint64_t number, Array array,
                   std::uint32_t row, std::uint32_t column) {
  r123::Philox4x32 generator;
  const r123::Philox4x32::key_type key{
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto tag = static_cast<std::uint32_t>(2 * number) + static_cast<std::uint32_t>(array);
  r123::Philox4x32::ctr_type counter{{0, row, column, tag}};
  for (Eigen::Index i = 0; i < out.size(); i += 2) {
    const auto words = generator(counter, key);
    ++counter[0];
    const double radius = std::sqrt(-2 * std::log(unit(words[0], words[1])));
    const double angle = 2 * std::numbers::pi * unit(words[2], words[3]);
    out[i] = radius * std::cos(angle);
    if (i + 1 < out.size()) {
      out[i + 1] = radius * std::sin(angle);
    }
  }
}

} // namespace lamcap::simulation
