// SPDX-License-Identifier: GPL-3.0-or-later
// Piecewise Chebyshev interpolation of two smooth functions that are computed together.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace lamcap::numerics {

/// Two functions on the line, sampled where they are asked for: unit panels are built on first use.
class PanelPair {
public:
  using Pair = std::array<double, 2>;
  struct Jet { ///< value, first and second derivative
    double value;
    double slope;
    double curvature;
  };

  explicit PanelPair(std::function<Pair(double)> functions);

  [[nodiscard]] Pair operator()(double y); ///< both; NaN outside |y| < reach
  [[nodiscard]] Jet first_jet(double y);   ///< of the first function

  /// Largest absolute interpolation error over the panels built, from the last coefficients.
  [[nodiscard]] double error() const noexcept { return error_; }

  static constexpr int reach = 1024;

private:
  static constexpr int order = 14; // coefficients per panel and function
  struct Panel {
    std::array<Pair, order> coefficient;
  };
  const Panel &panel_of(double y);

  std::function<Pair(double)> functions_;
  std::vector<std::unique_ptr<Panel>> panels_;
  double error_ = 0;
};

} // namespace lamcap::numerics
