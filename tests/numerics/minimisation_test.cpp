// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/minimisation.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "reference.hpp"

#include <functional>
#include <limits>
#include <random>
#include <string>

using namespace lamcap;
using lamcap::numerics::minimise;
using lamcap::testing::check_estimate;

namespace {

/// A convex function with its minimum, on an interval that holds it.
struct Problem {
  std::string name;
  std::function<double(double)> f;
  double lower;
  double upper;
  double location;
  double value;
};

const std::vector<Problem> problems = {
    {"parabola", [](double x) { return (x - 1) * (x - 1); }, -3, 7, 1, 0},
    {"raised parabola", [](double x) { return 3 + (x - 1) * (x - 1); }, -3, 7, 1, 3},
    {"parabola on a hill", [](double x) { return 1e6 + (x - 1) * (x - 1); }, -3, 7, 1, 1e6},
    {"negative", [](double x) { return x * x - 4 * x; }, -10, 10, 2, -4},
    {"cosh", [](double x) { return std::cosh(x); }, -2, 5, 0, 1},
    {"shifted cosh", [](double x) { return std::cosh(x - 0.7); }, -2, 5, 0.7, 1},
    {"quartic", [](double x) { return std::pow(x - 0.5, 4); }, -1, 3, 0.5, 0},
    {"kink", [](double x) { return std::abs(x - 0.3); }, -1, 2, 0.3, 0},
    {"raised kink", [](double x) { return 2 + std::abs(x - 0.3); }, -1, 2, 0.3, 2},
    {"skew kink", [](double x) { return std::max(0.1 - x, 5 * (x - 0.1)); }, -1, 2, 0.1, 0},
    {"x - log x", [](double x) { return x - std::log(x); }, 1e-3, 1e3, 1, 1},
    {"far away", [](double x) { return std::pow(1e-9 * x - 1, 2); }, 0, 1e10, 1e9, 0},
};

} // namespace

TEST_CASE("minimum: known convex functions, value and location within their errors") {
  for (const auto &p : problems) {
    CAPTURE(p.name);
    const auto m = minimise(p.f, p.lower, p.upper);
    check_estimate(m.value, p.value, 1e-7, 1e-7);
    check_estimate(m.location, p.location, 1e-2, 1e-2); // a quartic is flat within epsilon^(1/4)
    CHECK(m.value.value == p.f(m.location.value));
  }
}

TEST_CASE("minimum: at an end of the interval") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto inside = [nan](double x, double fx) { return x >= 1 && x <= 2 ? fx : nan; };
  const auto rising = minimise([&](double x) { return inside(x, std::exp(x)); }, 1, 2);
  check_estimate(rising.value, std::exp(1.0), 1e-6);
  check_estimate(rising.location, 1, 1e-6);
  const auto falling = minimise([&](double x) { return inside(x, 1 / x); }, 1, 2);
  check_estimate(falling.value, 0.5, 1e-6);
  check_estimate(falling.location, 2, 1e-6);
}

TEST_CASE("minimum: the errors hold for kinks next to an end, where the bracket is cut") {
  std::mt19937_64 random(7);
  const auto uniform = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  int unfinished = 0;
  int value_outside = 0;
  int location_outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const double at = 1 + std::exp(uniform(-30, -1));
    const double left = std::exp(uniform(-7, 7));
    const double right = std::exp(uniform(-7, 7));
    const auto f = [&](double x) { return x < at ? left * (at - x) : right * (x - at); };
    for (const double sign : {1.0, -1.0}) {
      const auto mirrored = [&](double x) { return f(sign * x); };
      const auto m = sign > 0 ? minimise(mirrored, 1, 2) : minimise(mirrored, -2, -1);
      unfinished += m.value.converged() ? 0 : 1;
      value_outside += m.value.value <= m.value.error ? 0 : 1;
      location_outside += std::abs(sign * m.location.value - at) <= m.location.error ? 0 : 1;
    }
  }
  CHECK(unfinished == 0);
  CHECK(value_outside == 0);
  CHECK(location_outside == 0);
}

TEST_CASE(
    "minimum: the errors hold for parabolas of any height, flat to rounding about the minimum") {
  std::mt19937_64 random(8);
  const auto uniform = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  int unfinished = 0;
  int value_outside = 0;
  int location_outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const double at = uniform(-2, 2);
    const double height = std::exp(uniform(-10, 10));
    const double curvature = std::exp(uniform(-10, 10));
    const auto f = [&](double x) { return height + curvature * (x - at) * (x - at); };
    const auto m = minimise(f, at - uniform(0.1, 10), at + uniform(0.1, 10));
    unfinished += m.value.converged() ? 0 : 1;
    value_outside += m.value.value - height <= m.value.error ? 0 : 1;
    location_outside += std::abs(m.location.value - at) <= m.location.error ? 0 : 1;
  }
  CHECK(unfinished == 0);
  CHECK(value_outside == 0);
  CHECK(location_outside == 0);
}

TEST_CASE(
    "minimum: mean-field dimension 1 + h^2 + n E(xi - h)_+^2 against the root of its derivative") {
  for (const double n : {1.0, 9.0, 99.0, 1e6, 1e12}) {
    CAPTURE(n);
    const auto f = [n](double h) { return 1 + h * h + n * gaussian::excess_moment(2, h).value; };
    const auto half_derivative = [n](double h) {
      return h - n * gaussian::excess_moment(1, h).value;
    };
    const double location = numerics::find_root(half_derivative, 0, 20).value;
    const auto m = minimise(f, -5, 20);
    check_estimate(m.value, f(location), 1e-13);
    check_estimate(m.location, location, 1e-5);
  }
}

TEST_CASE("minimum: scaling and shifting the argument moves only the location") {
  const auto f = [](double x) { return std::cosh(x) + 0.3 * x; };
  const auto m = minimise(f, -3, 3);
  const auto moved = minimise([&](double x) { return f((x - 100) / 8); }, 76, 124);
  CHECK(moved.value.value == doctest::Approx(m.value.value).epsilon(1e-14));
  CHECK(std::abs((moved.location.value - 100) / 8 - m.location.value) <=
        moved.location.error / 8 + m.location.error);
}

TEST_CASE("minimum: evaluations are counted") {
  int calls = 0;
  const auto m = minimise(
      [&calls](double x) {
        ++calls;
        return std::cosh(x - 0.7);
      },
      -2, 5);
  CHECK(m.value.evaluations == calls);
  CHECK(m.location.evaluations == calls);
}

TEST_CASE("minimum: the evaluation limit and NaN are reported") {
  const auto kink = [](double x) { return std::abs(x - 0.3); };
  const auto limited = minimise(kink, -1e6, 1e6, 10);
  CHECK(limited.value.status == Status::not_converged);
  CHECK(limited.location.status == Status::not_converged);
  const auto nan = minimise([](double) { return std::numeric_limits<double>::quiet_NaN(); }, 0, 1);
  CHECK(nan.value.status == Status::not_finite);
}

TEST_CASE("minimum: exceptions from the function pass through") {
  const auto f = [](double) -> double { throw std::out_of_range("from f"); };
  CHECK_THROWS_WITH_AS(minimise(f, 0, 1), "from f", std::out_of_range);
}

TEST_CASE("minimum: refused arguments are named with value and range") {
  const auto f = [](double x) { return x * x; };
  for (const char *part : {"lower", "upper", "2.5", "1.5"}) {
    CHECK_THROWS_WITH_AS(minimise(f, 2.5, 1.5), doctest::Contains(part), std::domain_error);
  }
  CHECK_THROWS_AS(minimise(f, 1, 1), std::domain_error);
  CHECK_THROWS_AS(minimise(f, std::nan(""), 1), std::domain_error);
  CHECK_THROWS_AS(minimise(f, 0, std::numeric_limits<double>::infinity()), std::domain_error);
  for (const char *part : {"max_evaluations", "9", "at least 10"}) {
    CHECK_THROWS_WITH_AS(minimise(f, -1, 1, 9), doctest::Contains(part), std::domain_error);
  }
}
