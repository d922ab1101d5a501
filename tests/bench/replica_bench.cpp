// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the replica theory: one energy, one saddle point, a curve, Monte Carlo, score laws.
#include "lamcap/replica.hpp"
#include "lamcap/scores.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

using namespace lamcap;

namespace {

void mean_field_energy(benchmark::State &state) {
  const Replica replica({.candidates = 1000.});
  const double q = 1 - 1.0 / static_cast<double>(state.range(0));
  for (auto unused : state) {
    benchmark::DoNotOptimize(replica.energy(q));
  }
  state.SetLabel("K = 1000, q = " + std::to_string(q));
}
BENCHMARK(mean_field_energy)->Arg(2)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void saddle_point(benchmark::State &state) {
  const Replica replica({.candidates = 1000.});
  const double load = 0.01 * static_cast<double>(state.range(0)) * replica.critical_load().value;
  for (auto unused : state) {
    benchmark::DoNotOptimize(replica.solve(load));
  }
  state.SetLabel("K = 1000, percent of capacity");
}
BENCHMARK(saddle_point)->Arg(1)->Arg(50)->Arg(99)->Unit(benchmark::kMillisecond);

void curve_of_100_points(benchmark::State &state) {
  const Replica replica({.candidates = 1000.});
  std::vector<double> loads;
  for (int i = 1; i <= 100; ++i) {
    loads.push_back(replica.critical_load().value * i / 101);
  }
  for (auto unused : state) {
    benchmark::DoNotOptimize(replica.curve(loads));
  }
}
BENCHMARK(curve_of_100_points)->Unit(benchmark::kMillisecond);

void quenched_energy(benchmark::State &state) {
  const Replica replica(
      {.candidates = 1000., .competitors = Competitors::quenched, .samples = 2000});
  for (auto unused : state) {
    benchmark::DoNotOptimize(replica.energy(0.6));
  }
  state.SetLabel("K = 1000, 2000 samples, all threads");
}
BENCHMARK(quenched_energy)->Unit(benchmark::kMillisecond)->UseRealTime();

void score_densities(benchmark::State &state) {
  const auto laws = optimal_scores(1000, 0.5);
  const auto score = static_cast<Score>(state.range(0));
  for (auto unused : state) {
    benchmark::DoNotOptimize(laws->density(score, 2.5));
  }
  state.SetLabel(score == Score::target       ? "target"
                 : score == Score::competitor ? "competitor"
                                              : "maximum");
}
BENCHMARK(score_densities)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

} // namespace
