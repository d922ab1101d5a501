// SPDX-License-Identifier: GPL-3.0-or-later
// One gradient of cross-entropy, against bare matrix products of the same shapes; one step of Adam;
// peak memory.
#include "lamcap/simulation/cross_entropy.hpp"
#include "lamcap/simulation/training.hpp"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <limits>

using namespace lamcap::simulation;

namespace {

Instance square(std::int64_t facts, std::int64_t dim) {
  return Instance({.dim_in = dim, .dim_out = dim, .facts = facts});
}

/// 4 p^2 d flops count; those of W e and of the gradient's last product come on top.
double flops(std::int64_t facts, std::int64_t dim) {
  const auto p = static_cast<double>(facts);
  return 4 * p * p * static_cast<double>(dim);
}

void rate(benchmark::State &state, double work) {
  state.counters["flop/s"] =
      benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
}

void gradient_on_one_thread(benchmark::State &state) {
  const Instance instance = square(state.range(0), state.range(1));
  CrossEntropy<float> objective(instance, {.threads = 1});
  const Eigen::MatrixXf memory = hebbian_memory(instance).cast<float>();
  Eigen::MatrixXf gradient;
  for (auto unused : state) {
    benchmark::DoNotOptimize(objective.evaluate(memory, 1, &gradient));
  }
  rate(state, flops(state.range(0), state.range(1)));
}
BENCHMARK(gradient_on_one_thread)->Args({4000, 256})->Unit(benchmark::kMillisecond);

/// S = U^T X and U S, 500 columns at a time.
void products_on_one_thread(benchmark::State &state) {
  const std::int64_t facts = state.range(0);
  const std::int64_t dim = state.range(1);
  constexpr std::int64_t columns = 500;
  Eigen::setNbThreads(1);
  const Eigen::MatrixXf outputs = Eigen::MatrixXf::Random(dim, facts);
  const Eigen::MatrixXf images = Eigen::MatrixXf::Random(dim, columns);
  Eigen::MatrixXf scores(facts, columns);
  Eigen::MatrixXf pulls(dim, columns);
  for (auto unused : state) {
    for (std::int64_t from = 0; from < facts; from += columns) {
      scores.noalias() = outputs.transpose() * images;
      pulls.noalias() = outputs * scores;
      benchmark::DoNotOptimize(pulls.data());
    }
  }
  Eigen::setNbThreads(0);
  rate(state, flops(facts, dim));
}
BENCHMARK(products_on_one_thread)->Args({4000, 256})->Unit(benchmark::kMillisecond);

void gradient_on_all_threads(benchmark::State &state) {
  const Instance instance = square(state.range(0), state.range(1));
  CrossEntropy<float> objective(instance);
  const Eigen::MatrixXf memory = hebbian_memory(instance).cast<float>();
  Eigen::MatrixXf gradient;
  for (auto unused : state) {
    benchmark::DoNotOptimize(objective.evaluate(memory, 1, &gradient));
  }
  rate(state, flops(state.range(0), state.range(1)));
}
BENCHMARK(gradient_on_all_threads)
    ->Args({4000, 256})
    ->Args({360, 50})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// One step of train(), its update included: trainings of one and of nine steps differ by eight, and
/// what is done once a training drops out.
void adam_step(benchmark::State &state) {
  const Instance instance = square(state.range(0), state.range(1));
  TrainingOptions options;
  options.target_margin = std::numeric_limits<double>::infinity(); // no check ends it
  options.blocking.threads = static_cast<int>(state.range(2));
  const auto seconds = [&](std::int64_t steps) {
    options.most_steps = steps;
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(train(instance, options));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  constexpr std::int64_t steps = 8;
  for (auto unused : state) {
    const double once = seconds(1);
    state.SetIterationTime((seconds(1 + steps) - once) / static_cast<double>(steps));
  }
  rate(state, flops(state.range(0), state.range(1)));
}
BENCHMARK(adam_step)
    ->ArgNames({"facts", "dim", "threads"})
    ->Args({4000, 256, 1})
    ->Args({4000, 256, 2})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void all_facts_recalled(benchmark::State &state) {
  const Instance instance = square(state.range(0), state.range(1));
  TrainingOptions options;
  options.rate = 0.3;
  for (auto unused : state) {
    benchmark::DoNotOptimize(train(instance, options));
  }
}
BENCHMARK(all_facts_recalled)->Args({360, 50})->UseRealTime()->Unit(benchmark::kMillisecond);

/// The process's peak, so far: two steps with their measurements.
void peak_memory(benchmark::State &state) {
  for (auto unused : state) {
    TrainingOptions options;
    options.most_steps = 1;
    benchmark::DoNotOptimize(train(square(state.range(0), state.range(1)), options));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1e3;
}
BENCHMARK(peak_memory)
    ->Args({20000, 512})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

} // namespace
