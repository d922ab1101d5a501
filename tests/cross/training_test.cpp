// SPDX-License-Identifier: GPL-3.0-or-later
// Theory against simulation: what gradient descent on cross-entropy reaches, full and limited rank.
#include "lamcap/capacity.hpp"
#include "lamcap/hebbian.hpp"
#include "lamcap/scores.hpp"
#include "lamcap/simulation/training.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace simulation = lamcap::simulation;

namespace {

constexpr std::int64_t dim = 50;
constexpr int seeds = 5;

/// How many of five instances end with all facts recalled.
int recalled(std::int64_t facts, const simulation::TrainingOptions &options) {
  int all = 0;
  for (std::uint64_t number = 0; number < seeds; ++number) {
    const simulation::Instance instance(
        {.dim_in = dim, .dim_out = dim, .facts = facts, .seed = 1, .number = number});
    all += simulation::train(instance, options).recall.lost == 0 ? 1 : 0;
  }
  return all;
}

double theory(std::int64_t rank) {
  return lamcap::capacity({.dim_in = dim, .dim_out = dim, .rank = static_cast<double>(rank)})
      .facts.value;
}

} // namespace

TEST_CASE("cross: training recalls all up to the capacity of its rank, and not 8 percent beyond") {
  // Full rank: 360 and 420 facts; the theory has 376.
  const simulation::TrainingOptions full{.rate = 0.3};
  CHECK(recalled(360, full) == seeds);
  CHECK(recalled(420, full) == 0);
  CHECK(theory(dim) > 360);
  CHECK(theory(dim) < 420);
  for (const std::int64_t rank : {10, 25}) {
    CAPTURE(rank);
    const double predicted = theory(rank);
    CAPTURE(predicted);
    const simulation::TrainingOptions limited{
        .rate = 0.1, .schedule = simulation::Schedule::cosine, .rank = rank};
    CHECK(recalled(std::lround(0.98 * predicted), limited) == seeds);
    CHECK(recalled(std::lround(1.08 * predicted), limited) == 0);
  }
}

TEST_CASE("cross: Hebbian memories recall what the finite-size theory says, 3 standard errors") {
  // The theory takes facts as independent: 0.2 points at d = 128 (hebbian.hpp).
  constexpr double theory_error = 0.002;
  for (const std::int64_t facts : {349, 634, 1500}) {
    CAPTURE(facts);
    constexpr int instances = 12;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t number = 0; number < instances; ++number) {
      const simulation::Instance instance(
          {.dim_in = 128, .dim_out = 128, .facts = facts, .seed = 9, .number = number});
      const double accuracy =
          simulation::measure(instance, simulation::hebbian_memory(instance)).accuracy;
      sum += accuracy;
      squares += accuracy * accuracy;
    }
    const double mean = sum / instances;
    const double error = std::sqrt((squares / instances - mean * mean) / (instances - 1));
    const double predicted =
        lamcap::hebbian_accuracy({.dim_in = 128, .dim_out = 128}, static_cast<double>(facts)).value;
    CAPTURE(mean);
    CAPTURE(error);
    CAPTURE(predicted);
    CHECK(std::abs(mean - predicted) < 3 * error + theory_error);
  }
}

TEST_CASE("cross: scores of Hebbian memories have the theory's moments, 4 standard errors") {
  constexpr std::int64_t facts = 634;
  constexpr double side = 128;
  constexpr int instances = 16;
  struct Case {
    lamcap::Score score;
    double simulation::Recall::*mean;
    double simulation::Recall::*deviation;
  };
  const auto laws = lamcap::hebbian_scores({.dim_in = side, .dim_out = side}, facts);
  std::vector<simulation::Recall> recalls;
  for (std::uint64_t number = 0; number < instances; ++number) {
    const simulation::Instance instance(
        {.dim_in = 128, .dim_out = 128, .facts = facts, .seed = 10, .number = number});
    recalls.push_back(simulation::measure(instance, simulation::hebbian_memory(instance)));
  }
  // Mean over instances, and its standard error.
  const auto averaged = [&](double simulation::Recall::*value) {
    double sum = 0;
    double squares = 0;
    for (const simulation::Recall &r : recalls) {
      sum += r.*value;
      squares += r.*value * r.*value;
    }
    const double mean = sum / instances;
    return std::pair(mean, std::sqrt((squares / instances - mean * mean) / (instances - 1)));
  };
  using simulation::Recall;
  for (const Case &c :
       {Case{lamcap::Score::target, &Recall::target_mean, &Recall::target_sd},
        Case{lamcap::Score::maximum, &Recall::best_mean, &Recall::best_sd},
        Case{lamcap::Score::competitor, &Recall::competitor_mean, &Recall::competitor_sd}}) {
    CAPTURE(static_cast<int>(c.score));
    const auto averages = std::pair(averaged(c.mean), averaged(c.deviation));
    const double mean = averages.first.first; // clang 14 captures no structured bindings
    const double mean_error = averages.first.second;
    const double deviation = averages.second.first;
    const double deviation_error = averages.second.second;
    CAPTURE(mean);
    CAPTURE(mean_error);
    CAPTURE(deviation);
    CAPTURE(deviation_error);
    const double predicted_mean = laws->mean(c.score).value;
    const double predicted_deviation = laws->standard_deviation(c.score).value;
    CAPTURE(predicted_mean);
    CAPTURE(predicted_deviation);
    CHECK(std::abs(mean - predicted_mean) < 4 * mean_error);
    CHECK(std::abs(deviation - predicted_deviation) < 4 * deviation_error);
  }
}
