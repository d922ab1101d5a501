// SPDX-License-Identifier: GPL-3.0-or-later
#include "numerics/faddeeva.hpp"
#include "reference.hpp"

#include <algorithm>

using lamcap::epsilon;
using lamcap::numerics::mills_ratio;
using lamcap::testing::reference;
using complex = std::complex<double>;

namespace {

const std::vector<double> real_parts = {0, 1e-9, 0.1, 0.5, 1, 2, 4, 7.3, 20, 37, 1e3};
const std::vector<double> imaginary_parts = {0, 1e-9, 0.3, 1, 3, 6, 9.7, 12, 40};

} // namespace

TEST_CASE("complex Mills ratio: exact at 0") {
  CHECK(std::abs(mills_ratio(complex(0, 0)) - 1.2533141373155002512) <= 2 * epsilon);
  CHECK(std::abs(mills_ratio(0.0) - 1.2533141373155002512) <= 2 * epsilon);
}

TEST_CASE("complex Mills ratio: 20-digit values for Re z from 0 to 100, |Im z| to 12") {
  double worst = 0;
  for (const auto &row : reference("faddeeva_mills.tsv")) {
    const complex z(row.at(0), -row.at(1));
    const complex truth(row.at(2), row.at(3));
    CAPTURE(z.real());
    CAPTURE(z.imag());
    const double error = std::abs(mills_ratio(z) - truth) / std::abs(truth);
    CHECK(error < 1e-13);
    worst = std::max(worst, error);
  }
  MESSAGE("largest relative error " << worst / epsilon << " epsilon");
}

TEST_CASE("complex Mills ratio: M(conj z) = conj M(z)") {
  for (const double c : real_parts) {
    for (const double t : imaginary_parts) {
      CAPTURE(c);
      CAPTURE(t);
      const complex above = mills_ratio(complex(c, t));
      const complex below = mills_ratio(complex(c, -t));
      CHECK(std::abs(above - std::conj(below)) <= epsilon * std::abs(above));
    }
  }
}

TEST_CASE("complex Mills ratio: agrees with the real one on the real axis") {
  for (double x = -30; x < 60; x += 0.37) {
    CAPTURE(x);
    const complex on_axis = mills_ratio(complex(x, 0));
    // Left of 0 the complex one magnifies the rounding of z / sqrt 2 by z^2.
    const double tolerance = x < 0 ? 2 * epsilon * (1 + x * x) : 1e-13;
    CHECK(std::abs(on_axis.real() - mills_ratio(x)) <= tolerance * mills_ratio(x));
    CHECK(on_axis.imag() == 0);
  }
}

TEST_CASE("complex Mills ratio: satisfies M' = z M - 1") {
  // Central differences of fourth order, in both directions of the complex plane.
  const double h = 2e-3;
  for (const double c : {0.0, 0.5, 2.0, 7.3}) {
    for (const double t : {0.3, 1.0, 6.0, 12.0}) {
      const complex z(c, -t);
      CAPTURE(c);
      CAPTURE(t);
      for (const complex step : {complex(h, 0), complex(0, h)}) {
        const complex slope = (8.0 * (mills_ratio(z + step) - mills_ratio(z - step)) -
                               (mills_ratio(z + 2.0 * step) - mills_ratio(z - 2.0 * step))) /
                              (12.0 * step);
        CHECK(std::abs(slope - (z * mills_ratio(z) - 1.0)) < 1e-10);
      }
    }
  }
}

TEST_CASE("complex Mills ratio: bounded by its value on the real axis, real part positive") {
  for (const double c : real_parts) {
    for (const double t : imaginary_parts) {
      CAPTURE(c);
      CAPTURE(t);
      const complex m = mills_ratio(complex(c, -t));
      CHECK(std::abs(m) <= mills_ratio(c) * (1 + 1e-13));
      CHECK(m.real() >= 0);
      CHECK((m.real() > 0 || (c == 0 && t > 38))); // exp(-t^2/2) on the imaginary axis underflows
    }
  }
}

TEST_CASE("real Mills ratio: overflows to infinity far on the left, and only there") {
  CHECK(std::isfinite(mills_ratio(-37.0)));
  CHECK(std::isinf(mills_ratio(-39.0)));
  CHECK(mills_ratio(1e8) == doctest::Approx(1e-8).epsilon(1e-15));
}
