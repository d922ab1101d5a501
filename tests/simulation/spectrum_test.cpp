// SPDX-License-Identifier: GPL-3.0-or-later
// Singular values and their distance from a law given as numbers.
#include "lamcap/simulation/spectrum.hpp"

#include "refusal.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>

#include <cmath>
#include <limits>

using namespace lamcap::simulation;
using lamcap::testing::refusal;

TEST_CASE("spectrum: singular values and moments of a matrix made from them") {
  Matrix w = Matrix::Zero(3, 4);
  w(0, 1) = 3;
  w(2, 0) = -4; // singular values 4, 3, 0
  const double unit = std::sqrt(25.0 / 3);
  for (const double scale : {1.0, 1e200, 1e-200}) {
    const Vector s = singular_values(scale * w);
    REQUIRE(s.size() == 3);
    CHECK(s[0] == 0);
    CHECK(s[1] == doctest::Approx(3 / unit).epsilon(1e-14));
    CHECK(s[2] == doctest::Approx(4 / unit).epsilon(1e-14));
    const auto m = moments(s);
    CHECK(m[0] == doctest::Approx(7 / (3 * unit)).epsilon(1e-14));
    CHECK(m[1] == doctest::Approx(1).epsilon(1e-14));
    CHECK(m[2] == doctest::Approx((27 + 64) / (3 * std::pow(unit, 3))).epsilon(1e-14));
    CHECK(m[3] == doctest::Approx((81 + 256) / (3 * std::pow(unit, 4))).epsilon(1e-14));
  }
  CHECK(singular_values(Matrix::Zero(2, 5)) == Vector::Zero(2));

  // Q diag Q': known to all digits, small ones too.
  constexpr int size = 40;
  const Matrix left = Matrix::Random(size, size).householderQr().householderQ();
  const Matrix right = Matrix::Random(size, size).householderQr().householderQ();
  Vector values(size);
  for (int i = 0; i < size; ++i) {
    values[i] = std::pow(10.0, -12.0 * i / (size - 1)); // down to 1e-12 of the largest
  }
  const Vector s = singular_values(left * values.asDiagonal() * right);
  const double length = std::sqrt(values.squaredNorm() / size);
  for (int i = 0; i < size; ++i) {
    CHECK(std::abs(s[size - 1 - i] - values[i] / length) < 1e-13 * s[size - 1]);
  }
}

TEST_CASE("spectrum: a rank-limited memory has exact zeros") {
  const Matrix w = Matrix::Random(20, 4) * Matrix::Random(4, 30);
  const Vector s = singular_values(w);
  CHECK((s.array() == 0).count() == 16);
}

TEST_CASE("spectrum: distance from a law, by hand") {
  const TabulatedLaw uniform{.x = {0, 1}, .distribution = {0, 1}};
  // One value at 1/4: F_n - F runs from 0 to -1/4, jumps to 3/4, falls to 0.
  LawDistance d = distance(Vector::Constant(1, 0.25), uniform);
  CHECK(d.kolmogorov == doctest::Approx(0.75));
  CHECK(d.wasserstein == doctest::Approx(0.25 * 0.25 / 2 + 0.75 * 0.75 / 2));
  // Values at 1/4 and 3/4: three sawtooth pieces that change sign in the middle.
  d = distance(Vector{{0.25, 0.75}}, uniform);
  CHECK(d.kolmogorov == doctest::Approx(0.25));
  CHECK(d.wasserstein == doctest::Approx(4 * 0.25 * 0.25 / 2));
  // An atom: half of the law at 0, half of the values too.
  const TabulatedLaw atom{.x = {0, 1, 2}, .distribution = {0.5, 0.5, 1}};
  d = distance(Vector{{0, 1.5, 0, 2}}, atom);
  CHECK(d.kolmogorov == doctest::Approx(0.25));
  // Beyond the table on both sides.
  d = distance(Vector{{-1, 3}}, uniform);
  CHECK(d.kolmogorov == doctest::Approx(0.5));
  CHECK(d.wasserstein == doctest::Approx(0.5 * 1 + 0.25 + 0.5 * 2));
  // The n quantiles of the law are as near as n values can be.
  constexpr int count = 1000;
  const Vector quantiles = (Vector::LinSpaced(count, 0, count - 1).array() + 0.5) / count;
  CHECK(distance(quantiles, uniform).kolmogorov == doctest::Approx(0.5 / count));
  CHECK(distance(quantiles, uniform).wasserstein == doctest::Approx(0.25 / count));
}

TEST_CASE("spectrum: bad arguments are named") {
  const Vector one = Vector::Ones(1);
  CHECK(refusal([&] { return distance(one, {}); }).find("law: 0 points") == 0);
  CHECK(refusal([&] {
          return distance(one, {.x = {0, 1}, .distribution = {0}});
        }).find("law: 2") == 0);
  CHECK(refusal([&] {
          return distance(one, {.x = {0, 0}, .distribution = {0, 1}});
        }).find("law: point 2 is (0, 1)") == 0);
  CHECK(refusal([&] {
          return distance(one, {.x = {0, 1}, .distribution = {0.5, 0.4}});
        }).find("law: point 2") == 0);
  CHECK(refusal([&] {
          return distance(one, {.x = {0, 1}, .distribution = {0, 1.1}});
        }).find("law: point 2") == 0);
  CHECK(refusal([&] {
          return distance(one, {.x = {std::nan("")}, .distribution = {0}});
        }).find("law: point 1") == 0);
  CHECK(refusal([&] { return distance(Vector(), {.x = {0}, .distribution = {1}}); }) ==
        "values: none");
  CHECK(refusal([] { return singular_values(Matrix()); }).find("W: must be finite") == 0);
  Matrix bad = Matrix::Ones(2, 2);
  bad(0, 1) = std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { return singular_values(bad); }).find("W: must be finite") == 0);
}
