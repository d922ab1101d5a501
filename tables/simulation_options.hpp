// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands on random instances share.
#pragma once

#include "options.hpp"

#include "lamcap/simulation/instance.hpp"

#include <string>

namespace lamcap::program {

/// --problem, dimensions, --facts, --candidates, --embeddings, --seed, --instance and --memory.
class SimulationOptions {
public:
  explicit SimulationOptions(CLI::App &app);

  /// Throws naming what is missing or out of range; `command` goes into the message.
  [[nodiscard]] simulation::InstanceSpec spec(const std::string &command) const;

private:
  NumberOption dim_, dim_in_, dim_out_, facts_, candidates_, seed_, instance_, memory_;
  simulation::Problem problem_ = simulation::Problem::original;   // set by the parser
  simulation::Embeddings law_ = simulation::Embeddings::gaussian; // set by the parser
};

/// A whole number of an option that was given.
[[nodiscard]] std::int64_t whole_of(const std::string &name, const NumberOption &option,
                                    double least, double most);

/// facts log(candidates) / (dim_in dim_out).
[[nodiscard]] double load_of(const simulation::Instance &instance);

/// Appends what the instance was.
void put_instance(Json &input, const simulation::InstanceSpec &spec,
                  const simulation::Instance &instance);

} // namespace lamcap::program
