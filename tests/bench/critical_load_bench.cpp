// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the calls that users repeat: delta(K), capacities, the rank table.
#include "lamcap/capacity.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/singular_law.hpp"
#include "lamcap/target_score.hpp"

#include <benchmark/benchmark.h>

#include <cmath>

using namespace lamcap;

namespace {

void statistical_dimension_of(benchmark::State &state) {
  const Count k = Count::from_log(std::log(10.0) * static_cast<double>(state.range(0)));
  const Count whole = state.range(0) < 15 ? Count(std::round(k.value())) : k;
  for (auto unused : state) {
    benchmark::DoNotOptimize(statistical_dimension(whole));
  }
  state.SetLabel("K = 1e" + std::to_string(state.range(0)));
}
BENCHMARK(statistical_dimension_of)
    ->Arg(1)
    ->Arg(2)
    ->Arg(3)
    ->Arg(4)
    ->Arg(6)
    ->Arg(8)
    ->Arg(9)
    ->Arg(10)
    ->Arg(12)
    ->Arg(16)
    ->Arg(20)
    ->Arg(30)
    ->Arg(50)
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMicrosecond);

void statistical_dimension_with_margin(benchmark::State &state) {
  for (auto unused : state) {
    benchmark::DoNotOptimize(statistical_dimension(1e6, 1));
  }
}
BENCHMARK(statistical_dimension_with_margin)->Unit(benchmark::kMicrosecond);

void mean_field_dimension(benchmark::State &state) {
  for (auto unused : state) {
    benchmark::DoNotOptimize(approximate_statistical_dimension(1e6, 0, Method::mean_field));
  }
}
BENCHMARK(mean_field_dimension)->Unit(benchmark::kMicrosecond);

void rank_table_of_100_points(benchmark::State &state) {
  for (auto unused : state) {
    for (int i = 1; i <= 100; ++i) {
      benchmark::DoNotOptimize(rank_constrained_load(i / 100.0));
    }
  }
}
BENCHMARK(rank_table_of_100_points)->Unit(benchmark::kMicrosecond);

void rectangular_rank_factor(benchmark::State &state) {
  const SingularLaw law(0.5);
  for (auto unused : state) {
    benchmark::DoNotOptimize(law.rank_factor(0.3));
  }
}
BENCHMARK(rectangular_rank_factor)->Unit(benchmark::kMicrosecond);

void capacity_of_4096(benchmark::State &state) {
  for (auto unused : state) {
    benchmark::DoNotOptimize(capacity(square(4096)));
  }
}
BENCHMARK(capacity_of_4096)->Unit(benchmark::kMillisecond);

void target_score_distribution(benchmark::State &state) {
  const TargetScoreLaw law(1e6);
  for (auto unused : state) {
    benchmark::DoNotOptimize(law.distribution(4.1));
  }
}
BENCHMARK(target_score_distribution)->Unit(benchmark::kMicrosecond);

void gaussian_maximum_mean(benchmark::State &state) {
  const GaussianMaximum maximum(1e6);
  for (auto unused : state) {
    benchmark::DoNotOptimize(maximum.mean());
  }
}
BENCHMARK(gaussian_maximum_mean)->Unit(benchmark::kMicrosecond);

} // namespace
