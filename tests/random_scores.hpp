// SPDX-License-Identifier: GPL-3.0-or-later
// Random scores and their projection, for Monte Carlo checks.  Fixed seeds: the same numbers with
// every standard library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace lamcap::testing {

/// Standard Gaussians by Box and Muller from a 64-bit Mersenne twister.
class RandomGaussian {
public:
  explicit RandomGaussian(std::uint64_t seed) : engine_(seed) {}
  double operator()() {
    const double u = uniform();
    const double v = uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

private:
  std::mt19937_64 engine_;
};

/// The point of {x_0 - mu >= x_j} closest to given scores.
struct Projection {
  double target;           ///< h*: the projected x_0 - mu, mean of it and of the scores above it
  double squared_distance; ///< from the scores to the cone
};

/// `target` is xi_0 - mu; `competitors` are sorted by the call.
inline Projection project(double target, std::vector<double> &competitors) {
  std::sort(competitors.rbegin(), competitors.rend());
  double h = target;
  double total = target;
  std::size_t above = 0;
  while (above < competitors.size() && competitors[above] > h) {
    total += competitors[above];
    ++above;
    h = total / static_cast<double>(above + 1);
  }
  double distance = (h - target) * (h - target);
  for (std::size_t j = 0; j < above; ++j) {
    distance += (competitors[j] - h) * (competitors[j] - h);
  }
  return {h, distance};
}

} // namespace lamcap::testing
