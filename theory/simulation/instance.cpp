// SPDX-License-Identifier: GPL-3.0-or-later
// Random instances: see include/lamcap/simulation/instance.hpp.
#include "lamcap/simulation/instance.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lamcap::simulation {
namespace {

constexpr std::int64_t largest_count = 2'000'000'000; // rows and columns of counters have 32 bits

void require(const char *name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw std::invalid_argument(
        fmt::format("{} = {}: must be a whole number from {} to {}", name, value, least, most));
  }
}

void check(const InstanceSpec &s) {
  require("dim_in", s.dim_in, 1, largest_count);
  require("dim_out", s.dim_out, 1, largest_count);
  require("facts", s.facts, s.problem == Problem::original ? 2 : 1, largest_count);
  if (s.candidates != 0) {
    require("candidates", s.candidates, 2, largest_count);
  } else {
    require("facts (and candidates)", s.facts, 2, largest_count);
  }
  if (s.problem == Problem::original && s.candidates != 0 && s.candidates != s.facts) {
    throw std::invalid_argument(
        fmt::format("candidates = {}: the original problem has as many as facts", s.candidates));
  }
  if (s.problem == Problem::iid && s.embeddings != Embeddings::gaussian) {
    throw std::invalid_argument("embeddings: the problem iid is Gaussian");
  }
  if (s.number >= (std::uint64_t{1} << 31)) {
    throw std::invalid_argument(fmt::format("instance = {}: must be below 2^31", s.number));
  }
}

/// Bytes of the arrays, and of every thread's scratch for regenerated outputs.
double memory_of(const InstanceSpec &s) {
  const auto in = static_cast<double>(s.dim_in);
  const auto out = static_cast<double>(s.dim_out);
  const auto p = static_cast<double>(s.facts);
  const double k = s.candidates == 0 ? p : static_cast<double>(s.candidates);
  const double sets = s.storage == Storage::stored ? p : omp_get_max_threads();
  switch (s.problem) {
  case Problem::original:
    return 8 * p * (in + out);
  case Problem::decoupled:
    return 8 * (p * in + sets * k * out);
  case Problem::iid:
    break;
  }
  return 8 * sets * k * in * out;
}

/// Scales Gaussian components to variance 1/d, or the column to length 1.
void scale(Eigen::Ref<Vector> column, Embeddings embeddings) {
  if (embeddings == Embeddings::gaussian) {
    column /= std::sqrt(static_cast<double>(column.size()));
  } else {
    column.normalize();
  }
}

/// One column of an instance's random array.
void fill(Eigen::Ref<Vector> column, const InstanceSpec &s, Array array, std::int64_t row,
          std::int64_t of) {
  fill_gaussian(column, s.seed, s.number, array, static_cast<std::uint32_t>(row),
                static_cast<std::uint32_t>(of));
  scale(column, s.embeddings);
}

double longest_column(const Eigen::Ref<const Matrix> &m) {
  return m.colwise().norm().maxCoeff();
}

/// 1 without inputs (problem iid).
double longest_input(const Matrix &inputs) {
  return inputs.size() > 0 ? longest_column(inputs) : 1;
}

} // namespace

void require_valid(const InstanceSpec &spec) {
  check(spec);
  require_memory("this instance", memory_of(spec), spec.memory_limit);
}

void require_memory(std::string_view what, double need, double limit) {
  if (!(need <= limit)) {
    throw std::invalid_argument(fmt::format("memory: {} needs {:.3g} MB, the limit is {:.4g} MB",
                                            what, need / 1e6, limit / 1e6));
  }
}

Instance::Instance(const InstanceSpec &spec)
    : problem_(spec.problem),
      dim_in_(spec.dim_in),
      dim_out_(spec.dim_out),
      facts_(spec.facts),
      candidates_(spec.candidates == 0 ? spec.facts : spec.candidates),
      spec_(spec) {
  require_valid(spec);
  if (problem_ != Problem::iid) {
    inputs_.resize(dim_in_, facts_);
    for (std::int64_t mu = 0; mu < facts_; ++mu) {
      fill(inputs_.col(mu), spec, Array::inputs, mu, 0);
    }
  }
  const bool shared = problem_ == Problem::original;
  if (shared || spec.storage == Storage::stored) {
    outputs_.resize(memory_rows(), shared ? facts_ : facts_ * candidates_);
  }
  double longest_output = 0;
  const double numbers = static_cast<double>(memory_rows()) * static_cast<double>(facts_) *
                         static_cast<double>(shared ? 1 : candidates_);
  constexpr double least = 1e5; // numbers below which threads cost more than they give
  const int threads = numbers > least ? omp_get_max_threads() : 1;
  std::vector<Matrix> scratch(static_cast<std::size_t>(threads)); // too large fails here, not below
  if (outputs_.size() == 0) {
    for (Matrix &m : scratch) {
      m.resize(memory_rows(), candidates_);
    }
  }
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : longest_output)
  for (std::int64_t mu = 0; mu < (shared ? 1 : facts_); ++mu) {
    if (outputs_.size() > 0) {
      generate(mu, outputs_.middleCols(mu * candidates_, candidates_));
    }
    longest_output = std::max(
        longest_output,
        longest_column(outputs(mu, scratch[static_cast<std::size_t>(omp_get_thread_num())])));
  }
  longest_ = longest_output * longest_input(inputs_);
}

Instance::Instance(Matrix inputs, Matrix outputs)
    : problem_(Problem::original),
      dim_in_(inputs.rows()),
      dim_out_(outputs.rows()),
      facts_(inputs.cols()),
      candidates_(inputs.cols()),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {
  require("dim_in", dim_in_, 1, largest_count);
  require("dim_out", dim_out_, 1, largest_count);
  require("facts", facts_, 2, largest_count);
  if (outputs_.cols() != facts_) {
    throw std::invalid_argument(
        fmt::format("outputs: {} of them for {} inputs", outputs_.cols(), facts_));
  }
  if (!inputs_.allFinite() || !outputs_.allFinite()) {
    throw std::invalid_argument(inputs_.allFinite() ? "outputs: must be finite"
                                                    : "inputs: must be finite");
  }
  longest_ = longest_column(inputs_) * longest_column(outputs_);
  if (!(longest_ >= 1e-100 && longest_ <= 1e100)) {
    throw std::invalid_argument(fmt::format("embeddings: the longest output times the longest "
                                            "input is {}: must be from 1e-100 to 1e100",
                                            longest_));
  }
}

void Instance::generate(std::int64_t fact, Eigen::Ref<Matrix> outputs) const {
  const bool shared = problem_ == Problem::original;
  for (std::int64_t rho = 0; rho < candidates_; ++rho) {
    fill(outputs.col(rho), spec_, Array::outputs, rho, shared ? 0 : fact);
  }
}

void Instance::require_shape(std::int64_t rows, std::int64_t cols) const {
  if (rows != memory_rows() || cols != memory_cols()) {
    throw std::invalid_argument(
        fmt::format("W: {} x {}, must be {} x {}", rows, cols, memory_rows(), memory_cols()));
  }
}

Eigen::Map<const Matrix> Instance::outputs(std::int64_t fact, Matrix &scratch) const {
  const bool shared = problem_ == Problem::original;
  if (outputs_.size() == 0) {
    scratch.resize(memory_rows(), candidates_);
    generate(fact, scratch);
    return {scratch.data(), scratch.rows(), scratch.cols()};
  }
  return {outputs_.data() + (shared ? 0 : fact * candidates_ * outputs_.rows()), outputs_.rows(),
          candidates_};
}

double Instance::bytes() const noexcept {
  return outputs_.size() > 0 ? 8 * static_cast<double>(inputs_.size() + outputs_.size())
                             : memory_of(spec_);
}

} // namespace lamcap::simulation
