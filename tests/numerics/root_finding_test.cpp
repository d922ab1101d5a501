// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/numerics/root_finding.hpp"
#include "reference.hpp"

#include <functional>
#include <limits>
#include <numbers>
#include <string>

using namespace lamcap;
using lamcap::numerics::find_root;
using lamcap::numerics::RootOptions;
using lamcap::testing::check_estimate;

namespace {

struct Problem {
  std::string name;
  std::function<double(double)> f;
  double lower;
  double upper;
  double root;
  double own_ulps = 1; ///< relative effect of f's own rounding on its root, in epsilons
};

const std::vector<Problem> problems = {
    {"cos", [](double x) { return std::cos(x); }, 0, 3, std::numbers::pi / 2},
    {"log", [](double x) { return std::log(x); }, 0.1, 100, 1},
    {"exp - 5", [](double x) { return std::exp(x) - 5; }, -10, 10, std::log(5.0)},
    {"decreasing", [](double x) { return 1 / x - 3; }, 0.01, 1e6, 1.0 / 3},
    {"negative root", [](double x) { return x * x * x + 27; }, -100, 50, -3},
    {"steep", [](double x) { return std::tanh(1e6 * (x - 0.7)); }, 0, 1, 0.7},
    {"flat", [](double x) { return std::pow(x - 0.25, 5); }, -1, 1, 0.25},
    {"jump", [](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1, 0.3},
    {"large root", [](double x) { return x - 1e200; }, 0, 1e300, 1e200},
    {"small root", [](double x) { return std::log(x) + 50; }, 1e-30, 1, std::exp(-50.0), 50},
};

} // namespace

TEST_CASE("root: a linear function, exactly") {
  const auto e = find_root([](double x) { return 2 * x - 1; }, 0, 3);
  CHECK(e.converged());
  CHECK(e.value == 0.5);
  CHECK(e.error <= 2 * epsilon);
}

TEST_CASE("root: an end that is a root is returned as it is") {
  CHECK(find_root([](double x) { return x - 1; }, 1, 2).value == 1);
  CHECK(find_root([](double x) { return x - 2; }, 1, 2).value == 2);
  CHECK(find_root([](double x) { return x - 2; }, 1, 2).error == 0);
  CHECK(find_root([](double x) { return x - 2; }, 1, 2).converged());
}

TEST_CASE("root: known roots lie within the reported error, which meets the tolerance") {
  for (const auto &p : problems) {
    for (const double tolerance : {4 * epsilon, 1e-5}) {
      CAPTURE(p.name);
      CAPTURE(tolerance);
      auto e = find_root(p.f, p.lower, p.upper, {.relative_tolerance = tolerance});
      CHECK(e.error <= tolerance * std::abs(p.root));
      e.error += p.own_ulps * epsilon * std::abs(p.root);
      check_estimate(e, p.root, 2e-5);
    }
  }
}

TEST_CASE("root: at 0 with an absolute tolerance") {
  const RootOptions options{.relative_tolerance = 0, .absolute_tolerance = 1e-12};
  check_estimate(find_root([](double x) { return std::expm1(x); }, -1, 3, options), 0, 0, 1e-12);
  check_estimate(find_root([](double x) { return x * x * x; }, -1, 3, options), 0, 0, 1e-12);
}

TEST_CASE("root: tiny and huge function values do not matter") {
  for (const double scale : {1e-300, 1e-200, 1e300}) {
    CAPTURE(scale);
    const auto f = [scale](double x) { return scale * (std::exp(x) - 4.0 / 3); };
    check_estimate(find_root(f, 0, 1), std::log(4.0 / 3), 4 * epsilon);
  }
}

TEST_CASE("root: evaluations are counted, and a looser tolerance spends fewer") {
  int calls = 0;
  const auto f = [&calls](double x) {
    ++calls;
    return std::exp(x) - 5;
  };
  const auto tight = find_root(f, -10, 10);
  CHECK(tight.evaluations == calls);
  calls = 0;
  const auto loose = find_root(f, -10, 10, {.relative_tolerance = 1e-2});
  CHECK(loose.evaluations == calls);
  CHECK(loose.evaluations < tight.evaluations);
}

TEST_CASE("root: equal signs at the ends are reported") {
  const auto e = find_root([](double x) { return x * x + 1; }, -1, 2);
  CHECK(e.status == Status::no_sign_change);
  CHECK(find_root([](double x) { return -std::exp(x); }, -1, 2).status == Status::no_sign_change);
}

TEST_CASE("root: the evaluation limit is reported with a bracket that holds the root") {
  for (const auto &p : problems) {
    if (p.name == "large root") { // linear: the first secant step meets it
      continue;
    }
    CAPTURE(p.name);
    const auto e = find_root(p.f, p.lower, p.upper, {.max_evaluations = 5});
    CHECK(e.status == Status::not_converged);
    CHECK(std::abs(e.value - p.root) <= e.error);
    CHECK(e.evaluations <= 7); // the two ends and five
  }
}

TEST_CASE("root: NaN inside or at an end is reported") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto hole = [nan](double x) { return x > 0.2 && x < 0.8 ? nan : x - 0.5; };
  CHECK(find_root(hole, 0, 1).status == Status::not_finite);
  CHECK(find_root([](double x) { return std::sqrt(x) - 1; }, -1, 3).status == Status::not_finite);
}

TEST_CASE("root: an infinite end value still gives the root or a report") {
  const auto e = find_root([](double x) { return std::log(x); }, 0, 2);
  CHECK((!e.converged() || std::abs(e.value - 1) <= e.error));
}

TEST_CASE("root: exceptions from the function pass through") {
  const auto f = [](double x) -> double {
    if (x > 0 && x < 1) {
      throw std::out_of_range("from f");
    }
    return x - 0.3;
  };
  CHECK_THROWS_WITH_AS(find_root(f, 0, 1), "from f", std::out_of_range);
}

TEST_CASE("root: refused arguments are named with value and range") {
  const auto f = [](double x) { return x; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char *part : {"lower", "upper", "2.5", "1.5"}) {
    CHECK_THROWS_WITH_AS(find_root(f, 2.5, 1.5), doctest::Contains(part), std::domain_error);
  }
  CHECK_THROWS_AS(find_root(f, 1, 1), std::domain_error);
  CHECK_THROWS_AS(find_root(f, nan, 1), std::domain_error);
  CHECK_THROWS_AS(find_root(f, -1, infinity), std::domain_error);
  for (const char *part : {"relative_tolerance", "1e-17", "2 epsilon"}) {
    CHECK_THROWS_WITH_AS(find_root(f, -1, 1, {.relative_tolerance = 1e-17}),
                         doctest::Contains(part), std::domain_error);
  }
  for (const char *part : {"absolute_tolerance", "-0.5"}) {
    CHECK_THROWS_WITH_AS(find_root(f, -1, 1, {.absolute_tolerance = -0.5}), doctest::Contains(part),
                         std::domain_error);
  }
  for (const char *part : {"max_evaluations", "2", "at least 3"}) {
    CHECK_THROWS_WITH_AS(find_root(f, -1, 1, {.max_evaluations = 2}), doctest::Contains(part),
                         std::domain_error);
  }
  CHECK_THROWS_AS(find_root(f, -1, 1, {.relative_tolerance = nan}), std::domain_error);
}
