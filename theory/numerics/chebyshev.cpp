// SPDX-License-Identifier: GPL-3.0-or-later
#include "chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace lamcap::numerics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Position in its panel, from -1 to 1.
double local(double y) {
  return 2 * (y - std::floor(y)) - 1;
}

} // namespace

PanelPair::PanelPair(std::function<Pair(double)> functions)
    : functions_(std::move(functions)), panels_(2 * reach) {}

const PanelPair::Panel &PanelPair::panel_of(double y) {
  auto &slot = panels_[static_cast<std::size_t>(std::floor(y) + reach)];
  if (slot) {
    return *slot;
  }
  // Values at the Chebyshev points, then their discrete cosine transform.
  static const auto cosine = [] {
    std::array<double, 4 * order> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = std::cos(std::numbers::pi * static_cast<double>(i) / (2 * order));
    }
    return table;
  }();
  std::array<Pair, order> values{};
  for (std::size_t j = 0; j < order; ++j) {
    values[j] = functions_(std::floor(y) + 0.5 * (1 + cosine[2 * j + 1]));
  }
  slot = std::make_unique<Panel>();
  for (std::size_t k = 0; k < order; ++k) {
    Pair sum{};
    for (std::size_t j = 0; j < order; ++j) {
      const double c = cosine[(k * (2 * j + 1)) % (4 * order)];
      sum[0] += c * values[j][0];
      sum[1] += c * values[j][1];
    }
    const double scale = (k == 0 ? 1.0 : 2.0) / order;
    slot->coefficient[k] = {scale * sum[0], scale * sum[1]};
  }
  // Coefficients fall geometrically: the last ones bound what was left out.
  for (std::size_t k = order - 2; k < order; ++k) {
    error_ = std::max(
        {error_, 2 * std::abs(slot->coefficient[k][0]), 2 * std::abs(slot->coefficient[k][1])});
  }
  return *slot;
}

PanelPair::Pair PanelPair::operator()(double y) {
  if (!(std::abs(y) < reach)) {
    return {nan, nan};
  }
  const Panel &panel = panel_of(y);
  const double t2 = 2 * local(y);
  Pair b1{};
  Pair b2{};
  for (std::size_t k = order - 1; k > 0; --k) { // Clenshaw
    const Pair next{t2 * b1[0] - b2[0] + panel.coefficient[k][0],
                    t2 * b1[1] - b2[1] + panel.coefficient[k][1]};
    b2 = b1;
    b1 = next;
  }
  return {0.5 * t2 * b1[0] - b2[0] + panel.coefficient[0][0],
          0.5 * t2 * b1[1] - b2[1] + panel.coefficient[0][1]};
}

PanelPair::Jet PanelPair::first_jet(double y) {
  if (!(std::abs(y) < reach)) {
    return {nan, nan, nan};
  }
  const Panel &panel = panel_of(y);
  const double t = local(y);
  // T_k and its derivatives by their three-term recurrence.
  std::array<double, 3> before{1, 0, 0};
  std::array<double, 3> now{t, 1, 0};
  Jet jet{panel.coefficient[0][0], 0, 0};
  for (std::size_t k = 1; k < order; ++k) {
    const double c = panel.coefficient[k][0];
    jet.value += c * now[0];
    jet.slope += c * now[1];
    jet.curvature += c * now[2];
    const std::array<double, 3> next{2 * t * now[0] - before[0],
                                     2 * t * now[1] + 2 * now[0] - before[1],
                                     2 * t * now[2] + 4 * now[1] - before[2]};
    before = now;
    now = next;
  }
  return {jet.value, 2 * jet.slope, 4 * jet.curvature}; // dt/dy = 2
}

} // namespace lamcap::numerics
