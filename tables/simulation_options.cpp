// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation_options.hpp"

#include "lamcap/simulation/npy.hpp"

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
using simulation::Storage;

constexpr std::array<Choice<Problem>, 3> problems{
    {{"original", Problem::original}, {"decoupled", Problem::decoupled}, {"iid", Problem::iid}}};
constexpr std::array<Choice<Embeddings>, 2> laws{
    {{"gaussian", Embeddings::gaussian}, {"unit-sphere", Embeddings::unit_sphere}}};
constexpr std::array<Choice<Storage>, 2> storages{
    {{"stored", Storage::stored}, {"regenerated", Storage::regenerated}}};
constexpr double largest_count = 2e9;
constexpr double largest_seed = 9007199254740991; // whole numbers up to it are doubles
constexpr double largest_instance = 2147483647;
constexpr double most_threads = 1024;
constexpr double bytes_per_mb = 1e6;

} // namespace

std::int64_t whole_of(const std::string &name, const NumberOption &option, double least,
                      double most) {
  return static_cast<std::int64_t>(require_whole(name, *option.get(), least, most));
}

int threads_of(const NumberOption &option) {
  return option ? static_cast<int>(whole_of("threads", option, 1, most_threads)) : 0;
}

struct SimulationOptions::Single {
  explicit Single(CLI::App &app)
      : facts(app, "--facts", "P", "number of facts p"),
        number(app, "--instance", "I", "which of the seed's instances (default 0)"),
        inputs_option(app.add_option("--inputs", inputs,
                                     "a NumPy file of your own inputs, a row per fact ...")
                          ->type_name("E.npy")),
        outputs_option(app.add_option("--outputs", outputs,
                                      "... and of their outputs, instead of random ones; --facts: "
                                      "the first P rows")
                           ->type_name("U.npy")) {
    inputs_option->needs(outputs_option);
    outputs_option->needs(inputs_option);
  }
  NumberOption facts, number;
  std::string inputs, outputs;
  CLI::Option *inputs_option, *outputs_option;
};

SimulationOptions::SimulationOptions(CLI::App &app, Use use)
    : dim_(app, "--dim", "D", "side of a square memory"),
      dim_in_(app, "--dim-in", "A", "input dimension (with --dim-out)"),
      dim_out_(app, "--dim-out", "B", "output dimension (with --dim-in)"),
      candidates_(app, "--candidates", "K",
                  "outputs that compete for a fact (default p; original: always p)"),
      seed_(app, "--seed", "S", "seed of the random numbers (default 1)"),
      memory_(app, "--memory", "MB", "refuse to take more than this (default 4000)") {
  CLI::Option *problem =
      add_choice(app, "--problem", problem_, problems,
                 "one set of outputs for all facts (default), a set for each, or free vectors");
  CLI::Option *law =
      add_choice(app, "--embeddings", law_, laws, "law of inputs and outputs (default gaussian)");
  CLI::Option *storage =
      add_choice(app, "--storage", storage_, storages,
                 "outputs that belong to one fact: in memory (default), or drawn "
                 "anew when needed");
  dim_.option->excludes(dim_in_.option)->excludes(dim_out_.option);
  dim_in_.option->needs(dim_out_.option);
  dim_out_.option->needs(dim_in_.option);
  if (use == Use::one_instance) {
    single_ = std::make_shared<Single>(app);
    for (CLI::Option *random : {dim_.option, dim_in_.option, dim_out_.option, candidates_.option,
                                single_->number.option, problem, law, storage}) {
      single_->inputs_option->excludes(random);
    }
  }
}

bool SimulationOptions::own() const {
  return single_ && single_->inputs_option->count() > 0;
}

std::uint64_t SimulationOptions::seed() const {
  return seed_ ? static_cast<std::uint64_t>(whole_of("seed", seed_, 0, largest_seed)) : 1;
}

double SimulationOptions::memory_limit() const {
  if (!memory_) {
    return InstanceSpec().memory_limit;
  }
  if (!(*memory_.get() > 0)) {
    throw std::invalid_argument("memory = " + round_trip(*memory_.get()) + ": must be above 0");
  }
  return bytes_per_mb * *memory_.get();
}

InstanceSpec SimulationOptions::spec(const std::string &command) const {
  if (!dim_ && !dim_in_) {
    throw std::invalid_argument(command + " needs dimensions: --dim, or --dim-in and --dim-out" +
                                (single_ ? ", or --inputs and --outputs" : ""));
  }
  InstanceSpec s{.problem = problem_, .embeddings = law_, .storage = storage_};
  s.dim_in = dim_ ? whole_of("dim", dim_, 1, largest_count)
                  : whole_of("dim_in", dim_in_, 1, largest_count);
  s.dim_out = dim_ ? s.dim_in : whole_of("dim_out", dim_out_, 1, largest_count);
  s.facts = 1;
  if (single_) {
    if (!single_->facts) {
      throw std::invalid_argument(command + " needs --facts");
    }
    const bool one_is_enough = problem_ != Problem::original && candidates_;
    s.facts = whole_of("facts", single_->facts, one_is_enough ? 1 : 2, largest_count);
    if (single_->number) {
      s.number =
          static_cast<std::uint64_t>(whole_of("instance", single_->number, 0, largest_instance));
    }
  }
  if (candidates_) {
    s.candidates = whole_of("candidates", candidates_, 2, largest_count);
  }
  s.seed = seed();
  s.memory_limit = memory_limit();
  return s;
}

Instance SimulationOptions::own_instance() const {
  Instance all = simulation::read_instance(single_->inputs, single_->outputs, memory_limit());
  if (!single_->facts) {
    return all;
  }
  const std::int64_t facts = whole_of("facts", single_->facts, 2, static_cast<double>(all.facts()));
  return {all.inputs().leftCols(facts), all.stored_outputs().leftCols(facts)};
}

Instance SimulationOptions::instance(const std::string &command) const {
  return own() ? own_instance() : Instance(spec(command));
}

double load_of(double facts, std::int64_t candidates, std::int64_t dim_in, std::int64_t dim_out) {
  const double k = candidates > 0 ? static_cast<double>(candidates) : facts;
  return facts * std::log(k) / (static_cast<double>(dim_in) * static_cast<double>(dim_out));
}

double load_of(const Instance &instance) {
  return load_of(static_cast<double>(instance.facts()), instance.candidates(), instance.dim_in(),
                 instance.dim_out());
}

Json parameters_of(const InstanceSpec &spec) {
  Json parameters;
  parameters["problem"] = name_of(spec.problem, problems);
  parameters["dim_in"] = spec.dim_in;
  parameters["dim_out"] = spec.dim_out;
  parameters["candidates"] = spec.candidates == 0 ? Json("facts") : Json(spec.candidates);
  parameters["embeddings"] = name_of(spec.embeddings, laws);
  parameters["seed"] = spec.seed;
  return parameters;
}

void SimulationOptions::describe(Json &input, const Instance &instance) const {
  if (own()) {
    input["inputs"] = single_->inputs;
    input["outputs"] = single_->outputs;
  }
  input["problem"] = name_of(instance.problem(), problems);
  input["dim_in"] = instance.dim_in();
  input["dim_out"] = instance.dim_out();
  input["facts"] = instance.facts();
  input["candidates"] = instance.candidates();
  if (!own()) {
    input["embeddings"] = name_of(law_, laws);
    input["seed"] = seed();
    input["instance"] = static_cast<std::uint64_t>(single_->number.value_or(0));
  }
  input["load_unit"] = load_unit;
}

} // namespace lamcap::program
