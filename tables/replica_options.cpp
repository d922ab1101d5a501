// SPDX-License-Identifier: GPL-3.0-or-later
#include "replica_options.hpp"

#include "lamcap/critical_load.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace lamcap::program {
namespace {

constexpr std::array<Choice<Competitors>, 3> methods{{{"leading", Competitors::leading},
                                                      {"mean-field", Competitors::mean_field},
                                                      {"quenched", Competitors::quenched}}};
constexpr double least_samples = 2;
constexpr double most_samples = 1e9;
constexpr double largest_seed = 9007199254740991; // whole numbers up to it are doubles

} // namespace

ReplicaOptions::ReplicaOptions(CLI::App &app)
    : candidates_(app, "--candidates", "K", "candidate outputs per fact, the target among them"),
      margin_(app, "--margin", "mu", "win by mu standard deviations of a free score (default 0)"),
      samples_(app, "--samples", "N", "method quenched: Monte Carlo samples (default 20000)"),
      seed_(app, "--seed", "S", "method quenched: seed of the samples (default 1)") {
  candidates_.option->required();
  add_choice(app, "--method", competitors, methods,
             "how a fact's competitors are averaged (default mean-field)");
}

ReplicaModel ReplicaOptions::model() const {
  ReplicaModel model{.candidates = Count(require_whole("candidates", *candidates_.get(), 2)),
                     .margin = margin_.value_or(0),
                     .competitors = competitors};
  if (competitors != Competitors::quenched && (samples_ || seed_)) {
    throw std::invalid_argument(samples_ ? "samples: belongs to method quenched"
                                         : "seed: belongs to method quenched");
  }
  if (samples_) {
    model.samples = static_cast<std::int64_t>(
        require_whole("samples", *samples_.get(), least_samples, most_samples));
  }
  if (seed_) {
    model.seed = static_cast<std::uint64_t>(require_whole("seed", *seed_.get(), 0, largest_seed));
  }
  return model;
}

void put_model(Json &input, const ReplicaModel &model) {
  const bool quenched = model.competitors == Competitors::quenched;
  input["candidates"] = number(model.candidates.value());
  input["margin"] = number(model.margin);
  input["method"] = name_of(model.competitors, methods);
  if (quenched) {
    input["samples"] = model.samples;
    input["seed"] = model.seed;
  }
  input["errors"] = quenched ? "one standard error" : "bound";
  input["load_unit"] = load_unit;
}

void put_state(Json &record, const ReplicaState &state) {
  const bool shown = state.status == Status::converged;
  const auto add = [&](const char *name, const Estimate &e) {
    put(record, name, shown ? e : Estimate{});
  };
  add("overlap", state.overlap);
  add("free_entropy", state.free_entropy);
  add("residual", state.residual);
  add("energy", state.energy);
  add("slope", state.slope);
}

std::string mean_field_warning(const Count &candidates, double margin, double mean_field_load) {
  return fmt::format("mean field: not exact at finite K; its overlap reaches 1 at load {:.6g}, the "
                     "exact critical load is {:.6g}",
                     mean_field_load, critical_load(candidates, margin).value);
}

Json warnings_of(const ReplicaModel &model, const Replica &replica) {
  Json warnings = Json::array();
  switch (model.competitors) {
  case Competitors::leading:
    warnings.push_back(fmt::format("leading order: the limit K -> infinity, where a margin does "
                                   "not count; the exact critical load is {:.6g}",
                                   critical_load(model.candidates, model.margin).value));
    break;
  case Competitors::mean_field:
    warnings.push_back(
        mean_field_warning(model.candidates, model.margin, replica.critical_load().value));
    break;
  case Competitors::quenched:
    warnings.push_back("quenched: the errors are one standard error of the Monte Carlo samples, no "
                       "bounds (but critical_load's)");
    break;
  }
  return warnings;
}

} // namespace lamcap::program
