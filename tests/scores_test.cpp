// SPDX-License-Identifier: GPL-3.0-or-later
// Score laws: normalisation, derivatives, exact identities, limits, random scores.
#include "lamcap/scores.hpp"

#include "lamcap/critical_load.hpp"
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/replica.hpp"
#include "lamcap/target_score.hpp"
#include "random_scores.hpp"
#include "reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

using namespace lamcap;
using lamcap::testing::check_estimate;

namespace {

constexpr std::array scores{Score::target, Score::competitor, Score::maximum};

struct Case {
  double candidates;
  double load_ratio; // 1: at capacity
  double margin;
};

constexpr std::array cases{Case{2, 0.5, 0},   Case{100, 0.1, 0}, Case{1000, 0.6, 1},
                           Case{1e9, 0.4, 0}, Case{50, 0.97, 0}, Case{2, 1, 0},
                           Case{1000, 1, 0},  Case{100, 1, 1.5}};

std::unique_ptr<ScoreLaws> laws(const Case &c) {
  if (c.load_ratio == 1) {
    return optimal_scores_at_capacity(c.candidates, c.margin);
  }
  const Replica replica({.candidates = c.candidates, .margin = c.margin});
  return optimal_scores(c.candidates, c.load_ratio * replica.critical_load().value, c.margin);
}

Estimate integral(const ScoreLaws &l, Score score, double upper) {
  const auto f = [&](double x) { return l.density(score, x).value; };
  const auto range = l.range(score);
  const numerics::QuadratureOptions options{.relative_tolerance = 1e-11,
                                            .absolute_tolerance = 1e-12};
  Estimate sum = exactly(0);
  double from = range.lower;
  for (const double to : {range.centre - 10 * range.width, range.centre,
                          range.centre + 10 * range.width, range.upper}) {
    const double end = std::min(to, upper);
    if (end > from) {
      sum = sum + numerics::integrate(f, from, end, options);
      from = end;
    }
  }
  return sum;
}

} // namespace

TEST_CASE("scores: densities integrate to 1 within 1e-10, and to the distribution function") {
  for (const Case &c : cases) {
    const auto l = laws(c);
    for (const Score score : scores) {
      CAPTURE(c.candidates);
      CAPTURE(c.load_ratio);
      CAPTURE(static_cast<int>(score));
      CHECK(std::abs(integral(*l, score, l->range(score).upper).value - 1) < 1e-10);
      for (const double x : {l->range(score).centre - 0.3, l->range(score).centre + 0.2}) {
        const Estimate f = l->distribution(score, x);
        CHECK(f.converged());
        CHECK(f.error < 1e-8);
        CHECK(std::abs(f.value - integral(*l, score, x).value) < 1e-9);
      }
    }
  }
}

TEST_CASE("scores: the sum of all scores is free") {
  for (const Case &c : cases) {
    const auto l = laws(c);
    const auto range = l->range(Score::competitor);
    const auto first = [&](double x) { return x * l->density(Score::competitor, x).value; };
    const auto second = [&](double x) { return x * first(x); };
    const auto split = [&](auto f) {
      return numerics::integrate(f, range.lower, 0, {.relative_tolerance = 1e-10}).value +
             numerics::integrate(f, 0, range.upper, {.relative_tolerance = 1e-10}).value;
    };
    const double mean = split(first);
    CAPTURE(c.candidates);
    CHECK(std::abs(mean + l->mean(Score::target).value / (c.candidates - 1)) < 1e-8);
    CHECK(std::abs(l->mean(Score::competitor).value - mean) < 1e-8);
    CHECK(l->standard_deviation(Score::competitor).value ==
          doctest::Approx(std::sqrt(split(second) - mean * mean)).epsilon(1e-8));
  }
}

TEST_CASE("scores: at capacity the target is h*, tied with delta(K) competitors") {
  for (const double k : {2., 5., 1000., 1e6}) {
    const auto l = optimal_scores_at_capacity(k);
    const TargetScoreLaw law(k);
    check_estimate(l->mean(Score::target), law.mean().value, 1e-9);
    check_estimate(l->standard_deviation(Score::target), law.standard_deviation().value, 1e-9);
    check_estimate(l->tied_competitors(), statistical_dimension(k).value, 1e-9);
    CHECK(l->mean(Score::maximum).value < l->mean(Score::target).value);
  }
  CHECK(optimal_scores(100, 0.3)->tied_competitors().value == 0);
}

TEST_CASE("scores: at capacity against projected random scores, 4 standard errors") {
  lamcap::testing::RandomGaussian gaussian(5);
  constexpr int samples = 20000;
  constexpr int k = 20;
  constexpr double margin = 0.5;
  const auto l = optimal_scores_at_capacity(k, margin);
  const double x = 1.2; // where the competitor and the maximum are compared
  int one_below = 0;
  int all_below = 0;
  int tied = 0;
  std::vector<double> free(k - 1);
  for (int i = 0; i < samples; ++i) {
    const double target = gaussian() - margin;
    std::generate(free.begin(), free.end(), [&] { return gaussian(); });
    const double first = free.front();
    const double h = lamcap::testing::project(target, free).target; // sorts `free`
    one_below += std::min(first, h) <= x ? 1 : 0;
    all_below += std::min(free.front(), h) <= x ? 1 : 0;
    tied +=
        static_cast<int>(std::count_if(free.begin(), free.end(), [h](double s) { return s > h; }));
  }
  const double error = std::sqrt(0.25 / samples);
  CHECK(std::abs(one_below / double{samples} - l->distribution(Score::competitor, x).value) <
        4 * error);
  CHECK(std::abs(all_below / double{samples} - l->distribution(Score::maximum, x).value) <
        4 * error);
  CHECK(std::abs(tied / double{samples} - l->tied_competitors().value) <
        4 * std::sqrt(k / double{samples}));
}

TEST_CASE("scores: towards load 0 the target is the largest of K, the rest what it leaves") {
  // A random W that happens to recall: P(h) = K phi(h) Phi(h)^(K-1).
  const double k = 50;
  const auto l = optimal_scores(k, 1e-7);
  for (const double h : {1., 2., 3.}) {
    const double density = std::exp(-0.5 * h * h) / std::sqrt(2 * std::numbers::pi);
    const double expected = k * density * std::exp((k - 1) * gaussian::log_cdf(h).value);
    CHECK(l->density(Score::target, h).value == doctest::Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("scores: towards capacity target and maximum merge, as in the exact law") {
  const double k = 1000;
  double last = 0;
  const double capacity = Replica({.candidates = k}).critical_load().value;
  for (const double ratio : {0.2, 0.5, 0.8, 0.95, 0.99}) {
    const Estimate area = optimal_scores(k, ratio * capacity)->overlap_area();
    CHECK(area.converged());
    CHECK(area.value > last);
    last = area.value;
  }
  CHECK(last > 0.99);
  // Mean field and exact law agree in mean to a percent at K = 1000.
  CHECK(optimal_scores(k, 0.999 * capacity)->mean(Score::target).value ==
        doctest::Approx(optimal_scores_at_capacity(k)->mean(Score::target).value).epsilon(0.01));
}

TEST_CASE("scores: at huge K the two laws at capacity are one, as narrow as they are") {
  for (const double k : {1e40, 1e80, 1e100}) {
    const auto l = optimal_scores_at_capacity(k);
    CAPTURE(k);
    const Estimate target = l->mean(Score::target);
    const Estimate sd = l->standard_deviation(Score::target);
    CHECK(l->mean(Score::maximum).value == doctest::Approx(target.value).epsilon(1e-6));
    CHECK(l->standard_deviation(Score::maximum).value == doctest::Approx(sd.value).epsilon(1e-4));
    CHECK(l->overlap_area().value > 0.9999);
    const Estimate competitor = l->standard_deviation(Score::competitor);
    CHECK(competitor.converged());
    CHECK(competitor.value == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("scores: bounds below capacity stay near 1e-9 for any K and load") {
  for (const double k : {2., 1e4, 1e6, 1e12}) {
    const double capacity = Replica({.candidates = k}).critical_load().value;
    for (const double ratio : {0.1, 0.5, 0.7, 0.9}) {
      const auto l = optimal_scores(k, ratio * capacity);
      for (const Score score : scores) {
        CHECK(l->mean(score).converged());
        CHECK(l->mean(score).error < 1e-8);
        CHECK(l->standard_deviation(score).error < 1e-8);
      }
      CHECK(l->overlap_area().error < 1e-8);
    }
  }
}

TEST_CASE("scores: a margin separates target and maximum") {
  const auto l = optimal_scores(100, 0.15, 3);
  CHECK(l->mean(Score::target).value > l->mean(Score::maximum).value + 3);
  CHECK(l->overlap_area().value < 1e-3);
  CHECK(l->density(Score::target, -100).value == 0);
  CHECK(l->distribution(Score::maximum, 100).value == 1);
}

TEST_CASE("scores: at a large margin the laws are apart, and still laws") {
  for (const double k : {2., 5., 1000., 1e12}) {
    for (const double margin : {10., 20., 50.}) {
      const double capacity = Replica({.candidates = k, .margin = margin}).critical_load().value;
      const auto l = optimal_scores(k, 0.5 * capacity, margin);
      CAPTURE(k);
      CAPTURE(margin);
      CHECK(l->overlap_area().value < 1e-9);
      CHECK(l->mean(Score::maximum).value < l->mean(Score::target).value - margin);
      CHECK(std::abs(integral(*l, Score::maximum, l->range(Score::maximum).upper).value - 1) <
            1e-8);
      // The best competitor stays below the target less the margin.
      const double x = l->mean(Score::maximum).value;
      CHECK(l->distribution(Score::maximum, x).value >=
            l->distribution(Score::target, x + margin).value - 1e-9);
      CHECK(l->standard_deviation(Score::maximum).value > 0.01);
      if (k == 2) { // one competitor is the best of one, but for what the mean field averages
        CHECK(l->mean(Score::maximum).value ==
              doctest::Approx(l->mean(Score::competitor).value).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("scores: refused arguments are named") {
  const auto message = [](auto call) -> std::string {
    try {
      (void)call();
    } catch (const std::domain_error &error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message([] { return optimal_scores(100, 0.95); }).find("load = 0.95: must be above 0") ==
        0);
  CHECK(message([] { return optimal_scores(100, -1); }).find("load = -1") == 0);
  CHECK(message([] { return optimal_scores(100, 0.9177); }).find("load = 0.9177: must be small") ==
        0);
  CHECK(message([] {
          return hebbian_scores({.dim_in = 64, .dim_out = 64, .candidates = Count(1e15)}, 200);
        }).find("facts = 200, candidates = 1e+15: the laws") == 0);
  CHECK(message([] { return optimal_scores_at_capacity(1); }).find("candidates = 1") == 0);
  CHECK(message([] { return optimal_scores_at_capacity(10, 60); }).find("margin = 60") == 0);
  CHECK(message([] {
          return optimal_scores(100, 0.3)->density(Score::target, std::nan("")).value;
        }).find("x = nan") == 0);
}
