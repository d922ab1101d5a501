// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands on random instances share.
#pragma once

#include "options.hpp"

#include "lamcap/simulation/instance.hpp"

#include <memory>
#include <string>

namespace lamcap::program {

/// --problem, dimensions, --candidates, --embeddings, --seed, --storage and --memory; for one instance
/// also --facts, --instance, and a user's own --inputs and --outputs.
class SimulationOptions {
public:
  enum class Use { one_instance, sweep };
  SimulationOptions(CLI::App &app, Use use);

  /// Facts (1 in a sweep) and number as given.  Throws naming what is missing or out of range;
  /// `command` goes into the message.
  [[nodiscard]] simulation::InstanceSpec spec(const std::string &command) const;

  /// The random instance, or the one read from files.
  [[nodiscard]] simulation::Instance instance(const std::string &command) const;

  [[nodiscard]] std::uint64_t seed() const;
  [[nodiscard]] double memory_limit() const; // bytes

  /// Appends what the instance was.
  void describe(Json &input, const simulation::Instance &instance) const;

private:
  [[nodiscard]] bool own() const; // embeddings
  [[nodiscard]] simulation::Instance own_instance() const;

  struct Single; // options of one instance only
  NumberOption dim_, dim_in_, dim_out_, candidates_, seed_, memory_;
  std::shared_ptr<Single> single_;                              // empty in a sweep
  simulation::Problem problem_ = simulation::Problem::original; // these are set by the parser
  simulation::Embeddings law_ = simulation::Embeddings::gaussian;
  simulation::Storage storage_ = simulation::Storage::stored;
};

/// What makes up a random instance but for facts, instance number and storage.
[[nodiscard]] Json parameters_of(const simulation::InstanceSpec &spec);

/// A whole number of an option that was given.
[[nodiscard]] std::int64_t whole_of(const std::string &name, const NumberOption &option,
                                    double least, double most);

/// An option for the number of threads; 0: as many as there are.
[[nodiscard]] int threads_of(const NumberOption &option);

/// facts log(candidates) / (dim_in dim_out), facts >= 1 whole or not; candidates = 0: as many as facts.
[[nodiscard]] double load_of(double facts, std::int64_t candidates, std::int64_t dim_in,
                             std::int64_t dim_out);
[[nodiscard]] double load_of(const simulation::Instance &instance);

} // namespace lamcap::program
