// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap sweep: many instances, over a grid of facts or for the p at which half of them pass.
#include "adam_options.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "simulation_options.hpp"
#include "sweep.hpp"

#include "lamcap/estimate.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lamcap::program {
namespace {

using simulation::Answer;
using Rule = SweepRule;

constexpr double most_instances = 1e6;
constexpr double most_points = 10000;

struct Options {
  explicit Options(CLI::App &app)
      : instance(app, SimulationOptions::Use::sweep),
        adam(app),
        facts(app, "--facts", "A:B:N", "N numbers of facts from A to B (default: seek p50)",
              most_points),
        instances(app, "--instances", "N",
                  "instances, or instances per number of facts (default 20)"),
        width(app, "--width", "w", "p50: bracket each instance's p to this (default 1)"),
        threads(app, "--threads", "T", "default: all; the result does not depend on it"),
        format(app) {
    add_choice(app, "--rule", rule, sweep_rules,
               "whether any memory recalls all facts (default), or the trained or Hebbian one");
    app.add_option("--out", out, "results so far, and new ones; a line each")
        ->type_name("FILE")
        ->required();
    width.option->excludes(facts.option);
  }

  SimulationOptions instance;
  AdamOptions adam;
  RangeOption facts;
  NumberOption instances, width, threads;
  Rule rule = Rule::separable; // set by the parser
  std::string out;
  FormatOption format;
};

std::vector<std::int64_t> grid_of(const Range &range, std::int64_t least) {
  std::vector<std::int64_t> grid;
  for (const double x : range.points()) {
    if (!(std::round(x) >= static_cast<double>(least) && x <= static_cast<double>(most_facts))) {
      throw std::invalid_argument(
          fmt::format("facts = {}: must be from {} to {}", round_trip(x), least, most_facts));
    }
    const auto facts = static_cast<std::int64_t>(std::llround(x));
    if (grid.empty() || facts > grid.back()) {
      grid.push_back(facts);
    }
  }
  return grid;
}

SweepPlan plan_of(const Options &o) {
  if (o.rule != Rule::adam) {
    o.adam.refuse(false);
  }
  SweepPlan plan;
  plan.rule = o.rule;
  plan.spec = o.instance.spec("sweep");
  plan.training = o.adam.get();
  plan.training.seed = plan.spec.seed;
  plan.instances = static_cast<std::uint64_t>(
      require_whole("instances", o.instances.value_or(20), 2, most_instances));
  if (o.facts.get()) {
    plan.grid = grid_of(*o.facts.get(), least_facts(plan.spec));
  }
  if (o.width) {
    plan.width = whole_of("width", o.width, 1, static_cast<double>(most_facts));
  }
  plan.threads = o.threads ? threads_of(o.threads) : omp_get_max_threads();
  plan.path = o.out;
  return plan;
}

double load_at(const SweepPlan &plan, double facts) {
  return load_of(facts, plan.spec.candidates, plan.spec.dim_in, plan.spec.dim_out);
}

/// Its derivative by the facts, whose number is that of the candidates too unless K is fixed.
double load_slope(const SweepPlan &plan, double facts) {
  const double dimension =
      static_cast<double>(plan.spec.dim_in) * static_cast<double>(plan.spec.dim_out);
  return load_at(plan, facts) / facts + (plan.spec.candidates > 0 ? 0 : 1 / dimension);
}

void put_half_point(Json &record, const SweepPlan &plan, const Results &results) {
  std::vector<simulation::Crossing> crossings;
  for (const auto &[task, result] : results) {
    if (task.number < plan.instances) {
      crossings.push_back(result.crossing);
    }
  }
  const simulation::HalfPoint half = simulation::half_point(crossings);
  const double error = half.standard_error + half.rounding;
  const bool enough = half.instances >= 2;
  const auto shown = [&](double value) { return enough ? number(value) : Json(nullptr); };
  const double load = enough ? load_at(plan, half.facts) : 0;
  record["p50"] = shown(half.facts);
  record["p50_error"] = shown(error);
  record["load"] = shown(load);
  record["load_error"] = shown(error * load_slope(plan, half.facts));
  record["deviation"] = shown(half.deviation);
  record["deviation_error"] = shown(half.deviation_error);
  record["median"] = shown(half.median);
  record["median_error"] = shown(half.median_error + half.rounding);
  record["decided"] = half.instances;
  record["status"] = to_string(enough ? Status::converged : Status::not_converged);
}

/// Mean over the instances of so many facts that gave an answer.
Json grid_row(const SweepPlan &plan, const Results &results, std::int64_t facts) {
  double count = 0;
  double passing = 0;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < plan.instances; ++i) {
    const Result &result = results.at({.number = i, .facts = facts});
    if (result.answer != Answer::unknown) {
      const double accuracy = result.accuracy.value_or(0);
      count += 1;
      passing += result.answer == Answer::passes ? 1 : 0;
      sum += accuracy;
      squares += accuracy * accuracy;
    }
  }
  Json row;
  row["facts"] = facts;
  row["load"] = number(load_at(plan, static_cast<double>(facts)));
  row["passing"] = number(passing / count);              // null if none gave an answer
  const double smoothed = (passing + 0.5) / (count + 1); // never 0 or 1
  row["passing_error"] = number(std::sqrt(smoothed * (1 - smoothed) / count));
  if (plan.rule != Rule::separable) {
    const double mean = sum / count;
    row["accuracy"] = number(mean);
    row["accuracy_error"] =
        number(std::sqrt(std::max(0.0, squares / count - mean * mean) / (count - 1)));
  }
  row["decided"] = number(count);
  return row;
}

Json record_of(const SweepPlan &plan, const Results &results) {
  Json record;
  Json rows = Json::array();
  if (plan.grid.empty()) {
    put_half_point(record, plan, results);
  } else {
    for (const std::int64_t facts : plan.grid) {
      rows.push_back(grid_row(plan, results, facts));
    }
    const bool all = std::none_of(rows.begin(), rows.end(),
                                  [](const Json &row) { return row["passing"].is_null(); });
    record["status"] = to_string(all ? Status::converged : Status::not_converged);
  }
  record["input"] = parameters_of(plan);
  record["input"]["instances"] = plan.instances;
  record["input"]["out"] = plan.path;
  record["input"]["load_unit"] = load_unit;
  record["warnings"] = Json::array();
  const auto unknown =
      std::count_if(results.begin(), results.end(), [&](const Results::value_type &r) {
        return r.first.number < plan.instances &&
               (plan.grid.empty() ? !r.second.crossing.decided
                                  : r.second.answer == Answer::unknown);
      });
  if (unknown > 0) {
    record["warnings"].push_back(
        fmt::format("{} results are unknown, and left out: see {}", unknown, plan.path));
  }
  if (plan.rule == Rule::adam) {
    record["warnings"].push_back("an instance fails where this training does not recall all of its "
                                 "facts: another training may");
  }
  if (!rows.empty()) {
    record["rows"] = rows;
  }
  return record;
}

void run(const Options &o) {
  const SweepPlan plan = plan_of(o);
  const Processes processes;
  const Results results = run_sweep(plan, processes);
  if (processes.first()) {
    const Json record = record_of(plan, results);
    write_output(render(record, o.format.get()));
    require_converged(record);
  }
}

} // namespace

void add_sweep_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "sweep", "Many instances: the p at which half of them pass, or a grid of numbers of facts");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "Without --facts, each instance is cut to the p at which it stops passing, by bisection: "
      "larger\n"
      "instances contain the smaller ones.  p50 is the mean of that p over instances (half way "
      "between\n"
      "the last that passes and the first that fails), p50_error its standard error, plus half of "
      "what\n"
      "--width leaves open.  With --facts, passing is the share of instances that pass, and "
      "accuracy the\n"
      "mean share of facts recalled, both with one standard error.  Results go to FILE as they "
      "come; the\n"
      "same command goes on where it was stopped, and more --instances or other --facts add to "
      "it.\n"
      "--memory limits one instance, and how many are worked on at a time.  mpirun shares the "
      "work, if\n"
      "the program is built with MPI.\n"
      "Examples:\n"
      "  lamcap sweep --problem decoupled --dim 12 --instances 100 --out p50.jsonl\n"
      "  lamcap sweep --rule adam --dim 50 --facts 300:440:8 --instances 5 --rate 0.3 --out "
      "adam.jsonl\n"
      "  lamcap sweep --rule hebbian --dim 64 --facts 100:400:7 --out hebbian.jsonl");
}

} // namespace lamcap::program
