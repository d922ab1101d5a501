// SPDX-License-Identifier: GPL-3.0-or-later
// The competitors' potential: its two integrators, interpolation, and panels on known functions.
#include "competitor_potential.hpp"
#include "numerics/chebyshev.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace lamcap;

TEST_CASE("competitor potential: trapezoidal sums and Gauss panels agree") {
  for (const double q : {0.3, 0.59, 0.9, 0.99}) {
    for (double y = -12; y < 14; y += 0.37) {
      const auto a = CompetitorPotential::by_trapezoid(q, y);
      const auto b = CompetitorPotential::by_panels(q, y);
      CAPTURE(q);
      CAPTURE(y);
      CHECK(std::abs(a[0] - b[0]) < 1e-13);
      CHECK(std::abs(a[1] - b[1]) < 1e-12);
    }
  }
}

TEST_CASE("competitor potential: interpolation within its stated error") {
  for (const double q : {1e-6, 0.2, 0.7, 0.999}) {
    CompetitorPotential potential(q);
    double worst = 0;
    for (double y = -8; y < 10; y += 0.0713) {
      const auto interpolated = potential(y);
      const auto direct =
          q < 0.5 ? CompetitorPotential::by_trapezoid(q, y) : CompetitorPotential::by_panels(q, y);
      worst = std::max(
          {worst, std::abs(interpolated[0] - direct[0]), std::abs(interpolated[1] - direct[1])});
    }
    CHECK(worst <= potential.error());
    CHECK(potential.error() < 1e-12);
  }
}

TEST_CASE("competitor potential: derivatives are those of the interpolated logarithm") {
  CompetitorPotential potential(0.5);
  for (double y = -3; y < 7; y += 0.41) {
    constexpr double h = 1e-4;
    const auto jet = potential.log_minus_g_jet(y);
    const double up = potential(y + h)[0];
    const double here = potential(y)[0];
    const double down = potential(y - h)[0];
    CHECK(jet.value == doctest::Approx(here).epsilon(1e-13));
    CHECK(jet.slope == doctest::Approx((up - down) / (2 * h)).epsilon(1e-7));
    CHECK(jet.curvature == doctest::Approx((up - 2 * here + down) / (h * h)).epsilon(1e-4));
  }
}

TEST_CASE("panels: exact for polynomials, honest about kinks, NaN beyond their reach") {
  numerics::PanelPair smooth([](double y) -> numerics::PanelPair::Pair {
    return {y * y * y - y, std::cos(y)};
  });
  for (double y = -20; y < 20; y += 0.173) {
    CHECK(smooth(y)[0] == doctest::Approx(y * y * y - y).epsilon(1e-13));
    CHECK(std::abs(smooth(y)[1] - std::cos(y)) < 1e-14);
  }
  CHECK(smooth.error() < 1e-10);
  numerics::PanelPair kink([](double y) -> numerics::PanelPair::Pair {
    return {std::abs(y - 0.3), 0};
  });
  CHECK(std::abs(kink(0.3)[0]) > 1e-4);
  CHECK(kink.error() > 1e-4);
  CHECK(std::isnan(smooth(numerics::PanelPair::reach + 1.0)[0]));
  CHECK(std::isnan(smooth.first_jet(std::nan("")).value));
}
