// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap separable: whether some memory recalls all facts of an instance, with certificates.
#include "commands.hpp"
#include "files.hpp"
#include "simulation_options.hpp"

#include "lamcap/estimate.hpp"
#include "lamcap/simulation/npy.hpp"
#include "lamcap/simulation/separability.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace lamcap::program {
namespace {

using simulation::Verdict;

enum class Rows { none, binding };

constexpr std::array<Choice<Rows>, 2> row_kinds{{{"none", Rows::none}, {"binding", Rows::binding}}};

struct Options {
  explicit Options(CLI::App &app)
      : instance(app, SimulationOptions::Use::one_instance),
        resolution(app, "--resolution", "r",
                   "no margin above r counts as inseparable (default 1e-8)"),
        gap(app, "--gap", "g",
            "go on until the bounds differ by the share g (default: verdict only)"),
        steps(app, "--steps", "N", "most steps of the solver (default 200)"),
        format(app) {
    add_choice(app, "--rows", rows, row_kinds,
               "with --gap: facts by their number of binding competitors (default none)");
    save_option = app.add_option("--save", save, "write the memory of that margin, if separable")
                      ->type_name("W.npy");
  }

  SimulationOptions instance;
  NumberOption resolution, gap, steps;
  Rows rows = Rows::none; // set by the parser
  std::string save;
  CLI::Option *save_option;
  FormatOption format;
};

/// How many facts have how many binding competitors.
Json binding_rows(const std::vector<std::int64_t> &binding) {
  std::vector<std::int64_t> facts(
      static_cast<std::size_t>(*std::max_element(binding.begin(), binding.end())) + 1);
  for (const std::int64_t n : binding) {
    ++facts[static_cast<std::size_t>(n)];
  }
  Json rows = Json::array();
  for (std::size_t n = 0; n < facts.size(); ++n) {
    rows.push_back({{"binding_competitors", n}, {"facts", facts[n]}});
  }
  return rows;
}

void run(const Options &o) {
  simulation::SeparabilityOptions options;
  options.resolution = o.resolution.value_or(options.resolution);
  options.gap = o.gap.value_or(options.gap);
  constexpr double most_steps = 1e6;
  if (o.steps) {
    options.most_steps = static_cast<int>(whole_of("steps", o.steps, 1, most_steps));
  }
  if (o.rows == Rows::binding && options.gap == 0) {
    throw std::invalid_argument("rows: which competitors bind is known only with --gap");
  }
  if (o.save_option->count() > 0) {
    require_writable(o.save);
  }
  const simulation::Instance instance = o.instance.instance("separable");
  const simulation::Separability s =
      simulation::separability(instance, options, o.instance.memory_limit());
  const bool separable = s.verdict == Verdict::separable;
  const bool closed = separable && s.margin_upper - s.margin_lower <= options.gap * s.margin_upper;
  const bool reached =
      s.verdict == Verdict::inseparable || (separable && (options.gap == 0 || closed));

  Json record;
  record["verdict"] = to_string(s.verdict);
  record["margin_lower"] = number(s.margin_lower);
  record["margin_upper"] = number(s.margin_upper);
  record["binding"] =
      closed && options.gap > 0
          ? Json(std::accumulate(s.binding.begin(), s.binding.end(), std::int64_t{0}))
          : Json(nullptr);
  record["steps"] = s.steps;
  record["load"] = number(load_of(instance));
  record["status"] = to_string(reached ? Status::converged : Status::not_converged);
  Json input;
  o.instance.describe(input, instance);
  input["resolution"] = number(options.resolution);
  input["gap"] = number(options.gap);
  input["margin_unit"] = "scores of a memory of Frobenius norm 1";
  record["input"] = input;
  record["warnings"] = Json::array();
  if (o.rows == Rows::binding && closed) {
    record["rows"] = binding_rows(s.binding);
  }
  if (o.save_option->count() > 0 && separable) {
    replace_file(o.save,
                 simulation::to_npy(s.memory.reshaped(instance.dim_out(), instance.dim_in())));
  }
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_separable_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "separable", "Whether any memory recalls all facts of an instance, with certificates");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "The largest margin of a memory of norm 1 lies between margin_lower, which one has, and\n"
      "margin_upper, which none exceeds.  binding: with --gap (1e-6, say), the number of "
      "competitors that\n"
      "hold the margin down.  A step takes D^3/3 + P D^2 multiplications and 8 D^2 bytes, D = "
      "dim_in dim_out;\n"
      "steps = 0: a training of 200 steps that comes first had proved it.\n"
      "Examples:\n"
      "  lamcap separable --dim 12 --facts 30\n"
      "  lamcap separable --problem iid --dim 8 --facts 12 --candidates 20 --gap 1e-6 --seed 7\n"
      "  lamcap separable --inputs E.npy --outputs U.npy --facts 500");
}

} // namespace lamcap::program
