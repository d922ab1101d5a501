// SPDX-License-Identifier: GPL-3.0-or-later
// What one self-averaging competitor does to the target's score h at overlap q:
//     g(y) = E log Phi((y - sqrt(q) xi) / sqrt(1 - q)),           y = h - mu,
//     t(y) = E lambda((y - sqrt(q) xi) / sqrt(1 - q))^2,  lambda = phi / Phi.
// Both are kept as logarithms, log(-g) and log t, so that K - 1 = 1e12 times them is precise.
#pragma once

#include "numerics/chebyshev.hpp"

namespace lamcap {

class CompetitorPotential {
public:
  /// q in [0, 1).
  explicit CompetitorPotential(double overlap);

  [[nodiscard]] numerics::PanelPair::Pair operator()(double y) { return panels_(y); }
  [[nodiscard]] numerics::PanelPair::Jet log_minus_g_jet(double y) { return panels_.first_jet(y); }

  /// Bound on the absolute error of both logarithms over what was asked for: interpolation, and
  /// `quadrature_error` of the integrals behind it.
  [[nodiscard]] double error() const noexcept { return panels_.error() + quadrature_error; }
  static constexpr double quadrature_error = 1e-13;

  /// The two integrators, for tests: (log(-g), log t) by a trapezoidal sum over xi, which needs
  /// sqrt(q / (1 - q)) of order 1, and by Gauss panels on either side of the kink that log Phi and
  /// lambda^2 grow as q -> 1.
  [[nodiscard]] static numerics::PanelPair::Pair by_trapezoid(double overlap, double y);
  [[nodiscard]] static numerics::PanelPair::Pair by_panels(double overlap, double y);

private:
  numerics::PanelPair panels_;
};

} // namespace lamcap
