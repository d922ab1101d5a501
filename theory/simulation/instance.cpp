// SPDX-License-Identifier: GPL-3.0-or-later
// Random instances: see include/lamcap/simulation/instance.hpp.
#include "lamcap/simulation/instance.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

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
        fmt::format("candidates = {}: the original problem has K = p = {}", s.candidates, s.facts));
  }
  if (s.problem == Problem::iid && s.embeddings != Embeddings::gaussian) {
    throw std::invalid_argument("embeddings: the problem iid is Gaussian");
  }
  if (s.number >= (std::uint64_t{1} << 31)) {
    throw std::invalid_argument(fmt::format("instance = {}: must be below 2^31", s.number));
  }
}

/// Bytes of the arrays.
double memory_of(const InstanceSpec &s, std::int64_t candidates) {
  const auto in = static_cast<double>(s.dim_in);
  const auto out = static_cast<double>(s.dim_out);
  const auto p = static_cast<double>(s.facts);
  const auto k = static_cast<double>(candidates);
  switch (s.problem) {
  case Problem::original:
    return 8 * p * (in + out);
  case Problem::decoupled:
    return 8 * p * (in + k * out);
  case Problem::iid:
    break;
  }
  return 8 * p * k * in * out;
}

/// Scales Gaussian components to variance 1/d, or the column to length 1.
void scale(Eigen::Ref<Vector> column, Embeddings embeddings) {
  if (embeddings == Embeddings::gaussian) {
    column /= std::sqrt(static_cast<double>(column.size()));
  } else {
    column.normalize();
  }
}

} // namespace

Instance::Instance(const InstanceSpec &spec)
    : problem_(spec.problem),
      dim_in_(spec.dim_in),
      dim_out_(spec.dim_out),
      facts_(spec.facts),
      candidates_(spec.candidates == 0 ? spec.facts : spec.candidates) {
  check(spec);
  const double need = memory_of(spec, candidates_);
  if (!(need <= spec.memory_limit)) {
    throw std::invalid_argument(
        fmt::format("memory: this instance needs {:.3g} MB, the limit is {:.3g} MB", need / 1e6,
                    spec.memory_limit / 1e6));
  }
  const auto fill = [&](Eigen::Ref<Vector> column, Array array, std::int64_t row, std::int64_t of) {
    fill_gaussian(column, spec.seed, spec.number, array, static_cast<std::uint32_t>(row),
                  static_cast<std::uint32_t>(of));
    scale(column, spec.embeddings);
  };
  if (problem_ != Problem::iid) {
    inputs_.resize(dim_in_, facts_);
    for (std::int64_t mu = 0; mu < facts_; ++mu) {
      fill(inputs_.col(mu), Array::inputs, mu, 0);
    }
  }
  const bool shared = problem_ == Problem::original;
  const std::int64_t rows = problem_ == Problem::iid ? dim_in_ * dim_out_ : dim_out_;
  outputs_.resize(rows, shared ? facts_ : facts_ * candidates_);
  for (Eigen::Index c = 0; c < outputs_.cols(); ++c) {
    fill(outputs_.col(c), Array::outputs, shared ? c : c % candidates_,
         shared ? 0 : c / candidates_);
  }
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
}

Eigen::Map<const Matrix> Instance::outputs(std::int64_t fact) const {
  const bool shared = problem_ == Problem::original;
  return {outputs_.data() + (shared ? 0 : fact * candidates_ * outputs_.rows()), outputs_.rows(),
          candidates_};
}

} // namespace lamcap::simulation
