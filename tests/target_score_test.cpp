// SPDX-License-Identifier: GPL-3.0-or-later
// Law of h*: exact cases, 20-digit references, quadrature of its own density, random scores.
#include "lamcap/target_score.hpp"

#include "lamcap/numerics/quadrature.hpp"
#include "random_scores.hpp"
#include "reference.hpp"
#include "refusal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;
using lamcap::testing::refusal;
using std::numbers::pi;

TEST_CASE("target score: one candidate is a shifted Gaussian") {
  for (const double margin : {0.0, 1.5}) {
    const TargetScoreLaw law(1, margin);
    check_estimate(law.mean(), -margin, 1e-13, 1e-13);
    check_estimate(law.variance(), 1, 1e-12);
    for (double x = -6; x <= 6; x += 0.75) {
      const double y = x + margin;
      check_estimate(law.density(x), std::exp(-0.5 * y * y) / std::sqrt(2 * pi), 1e-12);
      check_estimate(law.distribution(x), 0.5 * std::erfc(-y / std::numbers::sqrt2), 1e-11);
    }
  }
}

TEST_CASE("target score: two candidates have mean 1/(2 sqrt pi), second moment 3/4") {
  const TargetScoreLaw law(2);
  check_estimate(law.mean(), 0.5 / std::sqrt(pi), 1e-12);
  check_estimate(law.variance(), 0.75 - 0.25 / pi, 1e-12);
  check_estimate(law.expectation([](double x) { return x * x; }), 0.75, 1e-12);
}

TEST_CASE("target score: 20-digit references for moments, distribution and density") {
  for (const auto &row : reference("target_score.tsv")) {
    const TargetScoreLaw law(row[0], row[1]);
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    CAPTURE(row[4]);
    check_estimate(law.mean(), row[2], 1e-11);
    check_estimate(law.standard_deviation(), row[3], 1e-11);
    check_estimate(law.distribution(row[4]), row[5], 1e-10);
    check_estimate(law.upper_tail(row[4]), 1 - row[5], 1e-10);
    check_estimate(law.density(row[4]), row[6], 1e-10);
  }
}

TEST_CASE("target score: the density integrates to the distribution in both tails") {
  for (const double k : {2., 5., 100., 1e6, 1e100}) {
    const TargetScoreLaw law(k);
    CAPTURE(k);
    check_estimate(law.expectation([](double) { return 1.0; }), 1, 1e-9);
    const auto density = [&](double x) { return law.density(x).value; };
    for (const double position : {-4., -1., 0.5, 3.}) {
      const double x = law.centre() + position * law.scale();
      const double far_left = law.centre() - 12 * law.scale();
      const double left =
          numerics::integrate(density, far_left, x, {.relative_tolerance = 1e-10}).value;
      CHECK(law.distribution(x).value == doctest::Approx(left).epsilon(1e-8));
      const Estimate sum = law.distribution(x) + law.upper_tail(x);
      check_estimate(sum, 1, 1e-9);
    }
  }
}

TEST_CASE("target score: quantiles invert the distribution, far tails included") {
  for (const double k : {2., 3., 10., 1000., 1e12, 1e300}) {
    for (const double margin : {0.0, 2.0}) {
      const TargetScoreLaw law(k, margin);
      CAPTURE(k);
      CAPTURE(margin);
      for (const double u : {1e-280, 1e-100, 1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9}) {
        CAPTURE(u);
        const Estimate x = law.quantile(u);
        REQUIRE(x.converged());
        CHECK(x.error < 1e-6 * (1 + std::abs(x.value)));
        const double back =
            u < 0.5 ? law.distribution(x.value).value / u : law.upper_tail(x.value).value / (1 - u);
        CHECK(back == doctest::Approx(1).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("target score: the median's error bound against a 20-digit distribution value") {
  // P(h* <= 0.282) = 0.51416912889536133428 at K = 2 (tests/reference/target_score.tsv)
  check_estimate(TargetScoreLaw(2).quantile(0.51416912889536133428), 0.282, 1e-12);
}

TEST_CASE("target score: random scores agree within 4 standard errors") {
  constexpr int samples = 20000;
  lamcap::testing::RandomGaussian gaussian(11);
  for (const int k : {3, 20, 200}) {
    std::vector<double> scores(static_cast<std::size_t>(k - 1));
    double sum = 0;
    double squares = 0;
    int below = 0;
    const TargetScoreLaw law(k, 0.5);
    const double point = law.centre();
    for (int i = 0; i < samples; ++i) {
      const double target = gaussian() - 0.5;
      std::generate(scores.begin(), scores.end(), [&] { return gaussian(); });
      const double h = lamcap::testing::project(target, scores).target;
      sum += h;
      squares += h * h;
      below += h <= point ? 1 : 0;
    }
    const double mean = sum / samples;
    const double variance = squares / samples - mean * mean;
    CAPTURE(k);
    CHECK(std::abs(mean - law.mean().value) < 4 * std::sqrt(variance / samples));
    // s.e. of a variance: sqrt((kurtosis - 1)/n) variance; 4 is generous for the kurtosis here
    CHECK(std::abs(variance / law.variance().value - 1) < 4 * std::sqrt(3.0 / samples));
    const double fraction = static_cast<double>(below) / samples;
    CHECK(std::abs(fraction - law.distribution(point).value) < 4 * std::sqrt(0.25 / samples));
  }
}

TEST_CASE("target score: lower for a larger margin, higher for more candidates") {
  CHECK(TargetScoreLaw(100, 1).mean().value < TargetScoreLaw(100).mean().value);
  double last = -1;
  for (const double k : {2., 3., 10., 100., 1e4, 1e9, 1e50, 1e300}) {
    const double mean = TargetScoreLaw(k).mean().value;
    CHECK(mean > last);
    last = mean;
  }
}

TEST_CASE("target score: extreme positions give tiny numbers, not NaN") {
  for (const double k : {2., 100., 1e300}) {
    const TargetScoreLaw law(k);
    for (const double distance : {-30., -15., 15., 30.}) {
      const double x = law.centre() + distance * law.scale();
      const Estimate f = law.density(x);
      const Estimate low = law.distribution(x);
      CAPTURE(k);
      CAPTURE(distance);
      CHECK(f.converged());
      CHECK(low.converged());
      CHECK(f.value + f.error >= 0);
      CHECK(low.value >= -low.error);
      CHECK(low.value <= 1 + low.error);
    }
  }
}

TEST_CASE("target score: far tails at a large margin and K = 2 are those of one Gaussian") {
  // Where both scores count, h* <= x is xi_0 + xi_1 <= 2 x + mu but for P(xi_1 < x).
  const TargetScoreLaw law(2, 50);
  for (const double x : {-38.5, -37., -33., -25.}) {
    const double truth = 0.5 * std::erfc(-(2 * x + 50) / 2);
    check_estimate(law.distribution(x), truth, 1e-7);
  }
  for (const double x : {-25., -15., -12., -5.}) {
    const double truth = 0.5 * std::erfc((2 * x + 50) / 2);
    check_estimate(law.upper_tail(x), truth, 1e-7);
  }
}

TEST_CASE("target score: tails far out shrink steadily or say that they are not known") {
  for (const double k : {2., 61., 500., 1e20, 1e200}) {
    for (const double margin : {0., 3., 12.15, 50.}) {
      const TargetScoreLaw law(k, margin);
      double last = 1;
      for (double x = -60; x < 60; x += 1.37) {
        CAPTURE(k);
        CAPTURE(margin);
        CAPTURE(x);
        const Estimate upper = law.upper_tail(x);
        const Estimate lower = law.distribution(x);
        const Estimate density = law.density(x);
        CHECK((!density.converged() || density.value >= -density.error));
        if (upper.converged() && lower.converged()) {
          CHECK(std::abs(upper.value + lower.value - 1) <= upper.error + lower.error);
          CHECK(upper.value <= last * (1 + 1e-5) + 1e-9);
          last = upper.value;
        } else {
          CHECK(x > law.centre() + 5 * law.scale()); // only far right, only with a margin
          CHECK(margin > 0);
        }
      }
    }
  }
}

TEST_CASE("target score: infinite positions and counts beyond double") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Count &k : {Count(10), Count(1e300), Count::from_log(1000)}) {
    const TargetScoreLaw law(k);
    check_estimate(law.distribution(-infinity), 0, 0, 1e-300);
    check_estimate(law.upper_tail(infinity), 0, 0, 1e-300);
    check_estimate(law.distribution(infinity), 1, 1e-15);
    check_estimate(law.density(infinity), 0, 0, 1e-300);
    check_estimate(law.density(-3), law.density(-3).value, 1e-6, 1e-300);
  }
  check_estimate(TargetScoreLaw(1e300).distribution(-1), 0, 0, 1e-300);
  check_estimate(TargetScoreLaw(10).expectation([](double) { return 0.0; }), 0, 0, 1e-300);
  const Estimate lost = TargetScoreLaw(10).quantile(std::numeric_limits<double>::denorm_min());
  CHECK((lost.status == Status::not_converged || lost.error < 1));
}

TEST_CASE("target score: bad input is named") {
  CHECK(refusal<std::domain_error>([] { return TargetScoreLaw(0.5); }).find("candidates = 0.5") ==
        0);
  CHECK(refusal<std::domain_error>([] { return TargetScoreLaw(2.5); }) ==
        "candidates = 2.5: must be a whole number below 65");
  CHECK(refusal<std::domain_error>([] { return TargetScoreLaw(10, -0.1); }).find("margin = -0.1") ==
        0);
  CHECK(refusal<std::domain_error>([] {
          return TargetScoreLaw(10).quantile(1);
        }).find("probability = 1") == 0);
  CHECK(refusal<std::domain_error>([] {
          return TargetScoreLaw(10).quantile(0);
        }).find("probability = 0") == 0);
  CHECK(refusal<std::domain_error>([] {
          return TargetScoreLaw(10).density(std::nan(""));
        }).find("x = nan") == 0);
}
