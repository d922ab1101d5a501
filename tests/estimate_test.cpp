// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/count.hpp"
#include "reference.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <string>

using namespace lamcap;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Estimate interval(double value, double error) {
  return {value, error, 1, Status::converged};
}

/// The four operations on Estimates and on what they estimate.
struct Operation {
  std::string name;
  std::function<Estimate(Estimate, Estimate)> estimated;
  std::function<long double(long double, long double)> exact;
};

const std::vector<Operation> operations = {
    {"+", [](auto a, auto b) { return a + b; }, [](auto a, auto b) { return a + b; }},
    {"-", [](auto a, auto b) { return a - b; }, [](auto a, auto b) { return a - b; }},
    {"*", [](auto a, auto b) { return a * b; }, [](auto a, auto b) { return a * b; }},
    {"/", [](auto a, auto b) { return a / b; }, [](auto a, auto b) { return a / b; }},
};

} // namespace

TEST_CASE("estimate: a fresh one is a failure") {
  const Estimate e;
  CHECK(std::isnan(e.value));
  CHECK(e.error == infinity);
  CHECK(e.evaluations == 0);
  CHECK(e.status == Status::not_computed);
  CHECK_FALSE(e.converged());
}

TEST_CASE("estimate: every status has its words") {
  CHECK(to_string(Status::converged) == "converged");
  CHECK(to_string(Status::not_converged) == "not converged");
  CHECK(to_string(Status::no_sign_change) == "no sign change");
  CHECK(to_string(Status::not_finite) == "not finite");
  CHECK(to_string(Status::not_computed) == "not computed");
}

TEST_CASE("estimate: rounded, exact and relative errors") {
  CHECK(rounded(-3, 4).error == doctest::Approx(12 * epsilon).epsilon(1e-12));
  CHECK(rounded(-3, 4).converged());
  CHECK(exactly(7).value == 7);
  CHECK(exactly(7).error == 0);
  CHECK(exactly(7).converged());
  CHECK(interval(-4, 1).relative_error() == 0.25);
  CHECK(exactly(0).relative_error() == 0);
  CHECK(interval(0, 1).relative_error() == infinity);
}

TEST_CASE("estimate: error bounds are those of interval arithmetic") {
  const auto a = interval(2, 0.125);
  const auto b = interval(-4, 0.5);
  const double slack = 1e-14; // the rounding of each operation
  CHECK((a + b).value == -2);
  CHECK((a + b).error == doctest::Approx(0.625).epsilon(slack));
  CHECK((a - b).value == 6);
  CHECK((a - b).error == doctest::Approx(0.625).epsilon(slack));
  CHECK((a * b).value == -8);
  CHECK((a * b).error == doctest::Approx(2.125 * 4.5 - 8).epsilon(slack));
  CHECK((a / b).value == -0.5);
  CHECK((a / b).error == doctest::Approx(2.125 / 3.5 - 0.5).epsilon(slack));
  CHECK(sqrt(a).value == std::sqrt(2.0));
  CHECK(sqrt(a).error == doctest::Approx(std::sqrt(2.0) - std::sqrt(1.875)).epsilon(slack));
}

TEST_CASE("estimate: operations on exact numbers leave one rounding") {
  const auto third = exactly(1) / exactly(3);
  const auto error = static_cast<double>(std::abs(third.value - 1.0L / 3));
  CHECK(error <= third.error);
  CHECK(third.error <= epsilon);
  CHECK(sqrt(exactly(2)).error <= 2 * epsilon);
}

TEST_CASE("estimate: a divisor whose interval holds 0 gives no result") {
  for (const auto &divisor : {exactly(0), interval(0, 1), interval(1, 1), interval(-1, 1.5)}) {
    CAPTURE(divisor.value);
    const auto quotient = exactly(1) / divisor;
    CHECK(quotient.error == infinity);
    CHECK(quotient.status == Status::not_finite);
  }
  CHECK((exactly(1) / interval(1, 0.999)).converged());
}

TEST_CASE("estimate: roots of negative numbers and overflow are not finite") {
  CHECK(sqrt(exactly(-1)).status == Status::not_finite);
  CHECK((exactly(1e300) * exactly(1e300)).status == Status::not_finite);
  CHECK((exactly(1.5e308) + exactly(1.5e308)).status == Status::not_finite);
}

TEST_CASE("estimate: status and evaluations travel through every operation") {
  Estimate failed = interval(1, 0.1);
  failed.status = Status::not_converged;
  failed.evaluations = 40;
  const auto good = interval(2, 0.1);
  for (const auto &operation : operations) {
    CAPTURE(operation.name);
    CHECK(operation.estimated(good, good).converged());
    for (const auto &result :
         {operation.estimated(failed, good), operation.estimated(good, failed)}) {
      CHECK(result.status == Status::not_converged);
      CHECK(result.evaluations == 41);
    }
    CHECK(operation.estimated(Estimate{}, good).status == Status::not_computed);
  }
  CHECK(sqrt(failed).status == Status::not_converged);
  CHECK(worse(Status::converged, Status::converged) == Status::converged);
  CHECK(worse(Status::converged, Status::not_finite) == Status::not_finite);
  CHECK(worse(Status::no_sign_change, Status::converged) == Status::no_sign_change);
}

TEST_CASE("estimate: propagated intervals hold the truth, at their corners too") {
  std::mt19937_64 random(20240607);
  const auto uniform = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const auto draw_interval = [&] {
    const double sign = uniform(0, 1) < 0.5 ? -1 : 1;
    const double value = sign * std::exp(uniform(-14, 14));
    return interval(value, std::abs(value) * std::exp(uniform(-37, -0.1)));
  };
  // A point of the interval; every other one at an end, less what rounding its error may cost.
  const auto draw_truth = [&](const Estimate &e) {
    const double end = 1 - 1e-12;
    const double place =
        uniform(0, 1) < 0.5 ? std::copysign(end, uniform(-1, 1)) : uniform(-end, end);
    return static_cast<long double>(e.value) + static_cast<long double>(place) * e.error;
  };
  int outside = 0;
  double tightest = infinity; // a bound that is never approached would be no test
  constexpr int samples = 20000;
  for (int i = 0; i < samples; ++i) {
    const auto a = draw_interval();
    const auto b = draw_interval();
    const auto x = draw_truth(a);
    const auto y = draw_truth(b);
    const auto judge = [&](const Estimate &e, long double truth) {
      const auto error = static_cast<double>(std::abs(truth - e.value));
      outside += error > e.error ? 1 : 0;
      tightest = std::min(tightest, error > 0 ? e.error / error : infinity);
    };
    for (const auto &operation : operations) {
      judge(operation.estimated(a, b), operation.exact(x, y));
    }
    if (a.value > 0) {
      judge(sqrt(a), std::sqrt(x));
    }
  }
  CHECK(outside == 0);
  CHECK(tightest < 1.001);
}

TEST_CASE("count: value and logarithm, exact to 2^53 and by the logarithm beyond") {
  CHECK(Count(1).log() == 0);
  CHECK(Count(0).log() == -infinity);
  CHECK(Count(1000).minus(1).value() == 999);
  CHECK(Count(1000).minus(1).log() == std::log(999.0));
  CHECK(Count::from_log(1e5).value() == infinity);
  CHECK(Count::from_log(1e5).log() == 1e5);
  CHECK(Count::from_log(1e5).minus(2).log() == 1e5);
  // 1e16 - 1 is not a double, its logarithm is 36.84136148790473 - 1e-16: unchanged in double.
  CHECK(Count(1e16).minus(1).log() == doctest::Approx(std::log(1e16)).epsilon(epsilon));
  CHECK(Count(1e16).minus(1e15).log() == doctest::Approx(std::log(9e15)).epsilon(2 * epsilon));
  CHECK(Count(3).whole());
  CHECK_FALSE(Count(2.5).whole());
  CHECK(Count::from_log(800).whole());
}

TEST_CASE("count: refused values are named") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char *part : {"count", "-1", "at least 0"}) {
    CHECK_THROWS_WITH_AS(Count(-1), doctest::Contains(part), std::domain_error);
  }
  CHECK_THROWS_AS(Count{nan}, std::domain_error);
  CHECK_THROWS_AS(Count{infinity}, std::domain_error);
  for (const char *part : {"logarithm", "inf", "finite"}) {
    CHECK_THROWS_WITH_AS(Count::from_log(infinity), doctest::Contains(part), std::domain_error);
  }
  CHECK_THROWS_AS(Count::from_log(nan), std::domain_error);
  CHECK_THROWS_AS(Count(2).minus(3), std::domain_error);
}

TEST_CASE("estimate: among subnormal numbers the bound is absolute") {
  constexpr double tiny = 1e-200;
  const Estimate square = rounded(tiny, 1) * rounded(tiny, 1); // underflows
  CHECK(square.value == 0);
  CHECK(square.error > 0);
  const Estimate power = rounded(1e-160, 1) * exactly(1e-160); // 1e-320, five digits of it
  CHECK(std::abs(power.value / 1e-320 - 1) < 1e-3);
  CHECK(power.error >= least_positive);
  CHECK((exactly(0) * exactly(5)).error == 0);
  CHECK((exactly(1e-200) / exactly(1e200)).error > 0);
}
