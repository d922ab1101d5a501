// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/hebbian.hpp"
#include "reference.hpp"

#include <algorithm>
#include <limits>

using namespace lamcap;
using lamcap::testing::check_estimate;

namespace {

/// (largest a + b)^2 with a^2/2 + b^2/2 - log K <= log p and b >= sqrt(2 log K), on a grid of a >=
/// 0.
double largest_sum_squared(double log_p, double log_k) {
  const double highest = std::sqrt(2 * log_p); // of a, by the bound on b
  constexpr int points = 20000;
  double best = 0;
  for (int i = 0; i <= points; ++i) {
    const double a = highest * i / points;
    best = std::max(best, a + std::sqrt(2 * (log_p + log_k) - a * a));
  }
  return best * best;
}

} // namespace

TEST_CASE("hebbian: K = p gives the critical loads 1/8 and 1/2") {
  CHECK(hebbian_strict_load == 0.125);
  CHECK(hebbian_average_load == 0.5);
  for (const Count p : {Count(2), Count(100), Count(1e6), Count(1e300), Count::from_log(1e4)}) {
    CAPTURE(p.log());
    check_estimate(exactly(p.log()) / hebbian_dimension(p, p, Recall::strict), hebbian_strict_load,
                   1e-14);
    check_estimate(exactly(p.log()) / hebbian_dimension(p, p, Recall::average),
                   hebbian_average_load, 1e-14);
  }
}

TEST_CASE("hebbian: exact values off the diagonal") {
  const auto power = [](double exponent) { return Count::from_log(exponent); };
  // p >= K: 4 log(p K); p <= K: 2 (sqrt(log p) + sqrt(log K))^2.
  check_estimate(hebbian_dimension(power(9), power(4), Recall::strict), 52, 1e-14);
  check_estimate(hebbian_dimension(power(4), power(9), Recall::strict), 50, 1e-14);
  check_estimate(hebbian_dimension(power(9), power(4), Recall::average), 8, 1e-14);
  check_estimate(hebbian_dimension(power(4), power(9), Recall::average), 18, 1e-14);
  // One fact is as easy as most of many facts.
  check_estimate(hebbian_dimension(1, power(9), Recall::strict), 18, 1e-14);
}

TEST_CASE("hebbian: the strict formula is the largest a + b under its constraint") {
  for (const double log_p : {0.0, 0.5, 3.0, 6.9, 7.1, 20.0, 300.0}) {
    for (const double log_k : {0.7, 3.0, 7.0, 50.0}) {
      CAPTURE(log_p);
      CAPTURE(log_k);
      const auto formula =
          hebbian_dimension(Count::from_log(log_p), Count::from_log(log_k), Recall::strict);
      // The grid's best is below the maximum, by less than the square of its spacing.
      const double found = largest_sum_squared(log_p, log_k);
      CHECK(found <= formula.value * (1 + 1e-13));
      CHECK(found >= formula.value * (1 - 1e-7));
    }
  }
}

TEST_CASE("hebbian: strict recall is continuous, with its slope, where p passes K") {
  const double log_k = 8;
  const double step = 1e-4;
  const auto at = [log_k](double log_p) {
    return hebbian_dimension(Count::from_log(log_p), Count::from_log(log_k), Recall::strict).value;
  };
  CHECK(at(log_k * (1 + 1e-15)) == doctest::Approx(at(log_k * (1 - 1e-15))).epsilon(1e-14));
  const double below = (at(log_k) - at(log_k - step)) / step;
  const double above = (at(log_k + step) - at(log_k)) / step;
  CHECK(above == doctest::Approx(4).epsilon(1e-9));
  CHECK(below == doctest::Approx(4).epsilon(1e-4));
}

TEST_CASE("hebbian: more facts or candidates need more dimensions, strict more than average") {
  double previous = 0;
  for (const double p : {1.0, 2.0, 50.0, 1e3, 1e9, 1e100}) {
    CAPTURE(p);
    const double strict = hebbian_dimension(p, 1e3, Recall::strict).value;
    CHECK(strict > previous);
    CHECK(hebbian_dimension(p, 2e3, Recall::strict).value > strict);
    CHECK(hebbian_dimension(p, 1e3, Recall::average).value <= strict * (1 + 1e-14));
    CHECK(hebbian_dimension(p, 1e3, Recall::average).value ==
          hebbian_dimension(7, 1e3, Recall::average).value);
    previous = strict;
  }
}

TEST_CASE("hebbian: refused arguments are named with value and range") {
  CHECK_THROWS_WITH_AS(hebbian_dimension(10, 1, Recall::strict),
                       "candidates = 1: must be at least 2", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_dimension(0.5, 10, Recall::average),
                       "facts = 0.5: must be at least 1", std::domain_error);
  CHECK_THROWS_AS(hebbian_dimension(10, 0, Recall::average), std::domain_error);
}
