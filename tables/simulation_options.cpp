// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation_options.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace lamcap::program {
namespace {

using simulation::Embeddings;
using simulation::Instance;
using simulation::InstanceSpec;
using simulation::Problem;

constexpr std::array<Choice<Problem>, 3> problems{
    {{"original", Problem::original}, {"decoupled", Problem::decoupled}, {"iid", Problem::iid}}};
constexpr std::array<Choice<Embeddings>, 2> laws{
    {{"gaussian", Embeddings::gaussian}, {"unit-sphere", Embeddings::unit_sphere}}};
constexpr double largest_count = 2e9;
constexpr double largest_seed = 9007199254740991; // whole numbers up to it are doubles
constexpr double largest_instance = 2147483647;
constexpr double bytes_per_mb = 1e6;

} // namespace

std::int64_t whole_of(const std::string &name, const NumberOption &option, double least,
                      double most) {
  return static_cast<std::int64_t>(require_whole(name, *option.get(), least, most));
}

SimulationOptions::SimulationOptions(CLI::App &app)
    : dim_(app, "--dim", "D", "side of a square memory"),
      dim_in_(app, "--dim-in", "A", "input dimension (with --dim-out)"),
      dim_out_(app, "--dim-out", "B", "output dimension (with --dim-in)"),
      facts_(app, "--facts", "P", "number of facts p"),
      candidates_(app, "--candidates", "K",
                  "outputs that compete for a fact (default p; original: always p)"),
      seed_(app, "--seed", "S", "seed of the random numbers (default 1)"),
      instance_(app, "--instance", "I", "which of the seed's instances (default 0)"),
      memory_(app, "--memory", "MB", "refuse to take more than this (default 4000)") {
  add_choice(app, "--problem", problem_, problems,
             "one set of outputs for all facts (default), a set for each, or free vectors");
  add_choice(app, "--embeddings", law_, laws, "law of inputs and outputs (default gaussian)");
  dim_.option->excludes(dim_in_.option)->excludes(dim_out_.option);
  dim_in_.option->needs(dim_out_.option);
  dim_out_.option->needs(dim_in_.option);
  facts_.option->required();
}

InstanceSpec SimulationOptions::spec(const std::string &command) const {
  if (!dim_ && !dim_in_) {
    throw std::invalid_argument(command + " needs dimensions: --dim, or --dim-in and --dim-out");
  }
  InstanceSpec s{.problem = problem_, .embeddings = law_};
  s.dim_in = dim_ ? whole_of("dim", dim_, 1, largest_count)
                  : whole_of("dim_in", dim_in_, 1, largest_count);
  s.dim_out = dim_ ? s.dim_in : whole_of("dim_out", dim_out_, 1, largest_count);
  s.facts = whole_of("facts", facts_, 1, largest_count);
  if (candidates_) {
    s.candidates = whole_of("candidates", candidates_, 2, largest_count);
  }
  if (seed_) {
    s.seed = static_cast<std::uint64_t>(whole_of("seed", seed_, 0, largest_seed));
  }
  if (instance_) {
    s.number = static_cast<std::uint64_t>(whole_of("instance", instance_, 0, largest_instance));
  }
  if (memory_) {
    if (!(*memory_.get() > 0)) {
      throw std::invalid_argument("memory = " + round_trip(*memory_.get()) + ": must be above 0");
    }
    s.memory_limit = bytes_per_mb * *memory_.get();
  }
  return s;
}

double load_of(const Instance &instance) {
  return static_cast<double>(instance.facts()) *
         std::log(static_cast<double>(instance.candidates())) /
         (static_cast<double>(instance.dim_in()) * static_cast<double>(instance.dim_out()));
}

void put_instance(Json &input, const InstanceSpec &spec, const Instance &instance) {
  input["problem"] = name_of(spec.problem, problems);
  input["dim_in"] = instance.dim_in();
  input["dim_out"] = instance.dim_out();
  input["facts"] = instance.facts();
  input["candidates"] = instance.candidates();
  input["embeddings"] = name_of(spec.embeddings, laws);
  input["seed"] = spec.seed;
  input["instance"] = spec.number;
  input["load_unit"] = "facts log(candidates) / (dim_in dim_out)";
}

} // namespace lamcap::program
