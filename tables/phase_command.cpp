// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap phase: the replica saddle point along a curve of loads.
#include "commands.hpp"
#include "replica_options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lamcap::program {
namespace {

constexpr double most_loads = 10000;
constexpr Range default_part{.first = 0.02, .last = 0.98, .count = 50}; // of the critical load

struct Options {
  explicit Options(CLI::App &app)
      : loads(app, "--loads", "A:B:N",
              "N loads (1 to 10000) from A to B, both included (default: 50, from "
              "0.02 to 0.98 of capacity)",
              most_loads),
        replica(app),
        format(app) {}
  RangeOption loads;
  ReplicaOptions replica;
  FormatOption format;
};

std::vector<double> loads_of(const Options &o, const Replica &replica) {
  if (o.loads.get()) {
    return o.loads.get()->points();
  }
  std::vector<double> loads = default_part.points();
  for (double &load : loads) {
    load *= replica.critical_load().value;
  }
  return loads;
}

void run(const Options &o) {
  const ReplicaModel model = o.replica.model();
  const Replica replica(model);
  const std::vector<double> loads = loads_of(o, replica);
  Status status = replica.critical_load().status;
  Json rows = Json::array();
  for (const ReplicaState &state : replica.curve(loads)) {
    Json row;
    row["load"] = number(state.load);
    put_state(row, state);
    row["status"] = to_string(state.status);
    status = worse(status, state.status);
    rows.push_back(row);
  }
  Json record;
  put(record, "critical_load", replica.critical_load());
  record["status"] = to_string(status);
  record["input"] = {{"first_load", number(loads.front())},
                     {"last_load", number(loads.back())},
                     {"loads", loads.size()}};
  put_model(record["input"], model);
  record["warnings"] = warnings_of(model, replica);
  record["curve"] = rows;
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_phase_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("phase", "The numbers of free-entropy along a curve of loads");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      std::string(state_help) +
      "Every row has its own status; one that did not converge has no numbers, and the\n"
      "exit code is then 3.\n"
      "Examples:\n"
      "  lamcap phase --candidates 1000\n"
      "  lamcap phase --candidates 100 --loads 0.05:0.45:9 --format csv");
}

} // namespace lamcap::program
