// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap scores: laws of the scores of target and competitors in a memory.
#include "commands.hpp"
#include "replica_options.hpp"

#include "lamcap/critical_load.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace lamcap::program {
namespace {

constexpr double most_points = 10000;
constexpr double default_points = 81;

enum class ScoreRule { optimal };
constexpr std::array<Choice<ScoreRule>, 1> rules{{{"optimal", ScoreRule::optimal}}};

struct Options {
  explicit Options(CLI::App &app)
      : candidates(app, "--candidates", "K", "candidate outputs per fact, the target among them"),
        load(app, "--load", "A", "load p log K / (d_in d_out), above 0 and below capacity"),
        margin(app, "--margin", "mu", "win by mu standard deviations of a free score (default 0)"),
        points(app, "--points", "N", "rows of the table of laws, 2 to 10000 (default 81)"),
        format(app) {
    candidates.option->required();
    auto *capacity_option = app.add_flag("--at-capacity", at_capacity,
                                         "the laws at capacity, exact in K, instead of --load");
    load.option->excludes(capacity_option);
    add_choice(app, "--rule", rule, rules,
               "which memory: optimal, drawn from all that recall every fact");
  }
  NumberOption candidates, load, margin, points;
  bool at_capacity = false;
  ScoreRule rule = ScoreRule::optimal;
  FormatOption format;
};

/// Laws of one memory, and what the record says about it.
struct Memory {
  std::unique_ptr<ScoreLaws> laws;
  Estimate critical_load;
  Json input;
  Json warnings = Json::array();
};

Memory optimal_memory(const Options &o, const Count &candidates) {
  const double margin = o.margin.value_or(0);
  if (!o.load && !o.at_capacity) {
    throw std::invalid_argument("scores needs --load A or --at-capacity");
  }
  Memory memory;
  if (o.at_capacity) {
    memory.laws = optimal_scores_at_capacity(candidates, margin);
    memory.critical_load = critical_load(candidates, margin);
    memory.input["load"] = "at capacity";
    memory.input["method"] = "exact";
  } else {
    memory.laws = optimal_scores(candidates, *o.load.get(), margin);
    memory.critical_load = Replica({.candidates = candidates, .margin = margin}).critical_load();
    memory.input["load"] = number(*o.load.get());
    memory.input["method"] = "mean-field";
    memory.warnings.push_back(mean_field_warning(candidates, margin, memory.critical_load.value));
    memory.warnings.push_back("mean field: leaves out the fluctuations of the competitors, so that "
                              "target_sd and maximum_sd are too small near capacity");
  }
  memory.input["margin"] = number(margin);
  return memory;
}

Memory memory_of(const Options &o, const Count &candidates) {
  switch (o.rule) {
  case ScoreRule::optimal:
    break;
  }
  return optimal_memory(o, candidates);
}

struct Named {
  Score score;
  const char *name;
};
constexpr std::array<Named, 3> scores{
    {{Score::target, "target"}, {Score::competitor, "competitor"}, {Score::maximum, "maximum"}}};

/// Where at least one of the laws is visible: a few standard deviations about the means, widened to
/// halves.
Range visible(const std::array<Estimate, scores.size()> &means,
              const std::array<Estimate, scores.size()> &deviations, double points) {
  constexpr double reach = 4; // standard deviations
  double lower = means[0].value;
  double upper = means[0].value;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    lower = std::min(lower, means[i].value - reach * deviations[i].value);
    upper = std::max(upper, means[i].value + reach * deviations[i].value);
  }
  return {std::floor(2 * lower) / 2, std::ceil(2 * upper) / 2, static_cast<int>(points)};
}

/// Scalars and rows; returns the worst status.
Status put_laws(Json &record, Json &rows, const ScoreLaws &laws, double points) {
  Status status = Status::converged;
  const auto add = [&status](Json &into, const std::string &name, const Estimate &e) {
    put(into, name, e);
    status = worse(status, e.status);
  };
  std::array<Estimate, scores.size()> means;
  std::array<Estimate, scores.size()> deviations;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::string name = scores[i].name;
    means[i] = laws.mean(scores[i].score);
    deviations[i] = laws.standard_deviation(scores[i].score);
    add(record, name + "_mean", means[i]);
    add(record, name + "_sd", deviations[i]);
  }
  add(record, "overlap_area", laws.overlap_area());
  add(record, "tied_competitors", laws.tied_competitors());
  if (status != Status::converged) {
    return status; // without means there is no range
  }
  for (const double x : visible(means, deviations, points).points()) {
    Json row;
    row["score"] = number(x);
    for (const auto &[score, name] : scores) {
      add(row, std::string(name) + "_density", laws.density(score, x));
      add(row, std::string(name) + "_distribution", laws.distribution(score, x));
    }
    rows.push_back(row);
  }
  return status;
}

void run(const Options &o) {
  const Count candidates(require_whole("candidates", *o.candidates.get(), 2));
  const double points = require_whole("points", o.points.value_or(default_points), 2, most_points);
  const Memory memory = memory_of(o, candidates);
  const Estimate threshold = GaussianMaximum(candidates.minus(1)).median();
  Json record;
  Json rows = Json::array();
  Status status = put_laws(record, rows, *memory.laws, points);
  for (const auto &[name, e] :
       {std::pair("threshold", threshold), std::pair("critical_load", memory.critical_load)}) {
    put(record, name, e);
    status = worse(status, e.status);
  }
  record["status"] = to_string(status);
  record["input"] = {{"rule", name_of(o.rule, rules)}, {"candidates", number(candidates.value())}};
  record["input"].update(memory.input);
  record["input"]["points"] = number(points);
  record["input"]["errors"] = "bound";
  record["input"]["load_unit"] = load_unit;
  record["warnings"] = memory.warnings;
  record["laws"] = rows;
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_scores_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "scores", "Laws of the scores of the target, a competitor and the best competitor");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "Scores are in standard deviations of a free (untrained) score.  maximum: the best of the\n"
      "K - 1 competitors; _distribution is P(score <= x), _density its derivative.\n"
      "overlap_area: the area under both the target's and the maximum's density, 1 if they "
      "coincide;\n"
      "tied_competitors: mean number that end at the target's score (less the margin), 0 below\n"
      "capacity; threshold: median of the maximum if all competitors were free; critical_load: of\n"
      "the theory used.  +- is a bound on the numerical error.\n"
      "Examples:\n"
      "  lamcap scores --load 0.5 --candidates 1000\n"
      "  lamcap scores --at-capacity --candidates 1000 --points 41 --format csv");
}

} // namespace lamcap::program
