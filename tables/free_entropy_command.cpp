// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap free-entropy: the replica saddle point at one load.
#include "commands.hpp"
#include "replica_options.hpp"

#include <memory>
#include <string>

namespace lamcap::program {
namespace {

struct Options {
  explicit Options(CLI::App &app)
      : load(app, "--load", "A", "load p log K / (d_in d_out), above 0 and below capacity"),
        replica(app),
        format(app) {
    load.option->required();
  }
  NumberOption load;
  ReplicaOptions replica;
  FormatOption format;
};

void run(const Options &o) {
  const ReplicaModel model = o.replica.model();
  const Replica replica(model);
  const ReplicaState state = replica.solve(*o.load.get());
  Json record;
  put_state(record, state);
  put(record, "critical_load", replica.critical_load());
  record["status"] = to_string(worse(state.status, replica.critical_load().status));
  record["input"] = {{"load", number(state.load)}};
  put_model(record["input"], model);
  record["warnings"] = warnings_of(model, replica);
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_free_entropy_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "free-entropy", "Memories that recall every fact below capacity: how many, how alike");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(std::string(state_help) +
                  "critical_load: the load at which this method's overlap reaches 1.\n"
                  "Examples:\n"
                  "  lamcap free-entropy --load 0.5 --candidates 1000\n"
                  "  lamcap free-entropy --load 0.5 --candidates 100 --method quenched "
                  "--samples 2000");
}

} // namespace lamcap::program
