// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap separable: whether some memory recalls all facts of a random instance, with certificates.
#include "commands.hpp"
#include "simulation_options.hpp"

#include "lamcap/estimate.hpp"
#include "lamcap/simulation/separability.hpp"

#include <memory>
#include <string>

namespace lamcap::program {
namespace {

using simulation::Verdict;

struct Options {
  explicit Options(CLI::App &app)
      : instance(app),
        resolution(app, "--resolution", "r",
                   "no margin above r counts as inseparable (default 1e-8)"),
        gap(app, "--gap", "g",
            "go on until the bounds differ by the share g (default: verdict only)"),
        steps(app, "--steps", "N", "most steps of the solver (default 200)"),
        format(app) {}

  SimulationOptions instance;
  NumberOption resolution, gap, steps;
  FormatOption format;
};

void run(const Options &o) {
  const simulation::InstanceSpec spec = o.instance.spec("separable");
  simulation::SeparabilityOptions options;
  options.resolution = o.resolution.value_or(options.resolution);
  options.gap = o.gap.value_or(options.gap);
  constexpr double most_steps = 1e6;
  if (o.steps) {
    options.most_steps = static_cast<int>(whole_of("steps", o.steps, 1, most_steps));
  }
  const simulation::Instance instance(spec);
  const simulation::Separability s = simulation::separability(instance, options, spec.memory_limit);
  const bool reached = s.verdict != Verdict::undecided &&
                       (s.verdict == Verdict::inseparable || options.gap == 0 ||
                        s.margin_upper - s.margin_lower <= options.gap * s.margin_upper);

  Json record;
  record["verdict"] = to_string(s.verdict);
  record["margin_lower"] = number(s.margin_lower);
  record["margin_upper"] = number(s.margin_upper);
  record["binding"] = s.binding;
  record["steps"] = s.steps;
  record["load"] = number(load_of(instance));
  record["status"] = to_string(reached ? Status::converged : Status::not_converged);
  Json input;
  put_instance(input, spec, instance);
  input["resolution"] = number(options.resolution);
  input["gap"] = number(options.gap);
  input["margin_unit"] = "scores of a memory of Frobenius norm 1";
  record["input"] = input;
  record["warnings"] = Json::array();
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_separable_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "separable", "Whether any memory recalls all facts of a random instance, with certificates");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "The largest margin of a memory of norm 1 lies between margin_lower, which one has, and\n"
      "margin_upper, which none exceeds.  binding counts the competitors that hold the margin "
      "down:\n"
      "exact with --gap 1e-6.  A step takes D^3/3 + P D^2 multiplications and 8 D^2 bytes, D = "
      "dim_in dim_out.\n"
      "Examples:\n"
      "  lamcap separable --dim 12 --facts 30\n"
      "  lamcap separable --problem iid --dim 8 --facts 12 --candidates 20 --gap 1e-6 --seed 7");
}

} // namespace lamcap::program
