// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap scores: laws of the scores of target and competitors in a memory.
#include "commands.hpp"
#include "hebbian_options.hpp"
#include "replica_options.hpp"

#include "lamcap/critical_load.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/scores.hpp"

#include <fmt/format.h>

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

enum class ScoreRule { optimal, hebbian };
constexpr std::array<Choice<ScoreRule>, 2> rules{
    {{"optimal", ScoreRule::optimal}, {"hebbian", ScoreRule::hebbian}}};

struct Options {
  explicit Options(CLI::App &app)
      : candidates(app, "--candidates", "K",
                   "candidate outputs per fact, the target among them (hebbian: default K = p)"),
        load(app, "--load", "A", "load p log K / (d_in d_out), above 0 and below capacity"),
        margin(app, "--margin", "mu", "win by mu standard deviations of a free score (default 0)"),
        hebbian(app),
        points(app, "--points", "N", "rows of the table of laws, 2 to 10000 (default 81)"),
        format(app) {
    auto *capacity_option = app.add_flag("--at-capacity", at_capacity,
                                         "the laws at capacity, exact in K, instead of --load");
    load.option->excludes(capacity_option);
    add_choice(app, "--rule", rule, rules,
               "which memory: optimal (default), drawn from all that recall every fact, or\n"
               "hebbian, of finite size");
  }
  NumberOption candidates, load, margin;
  HebbianOptions hebbian;
  NumberOption points;
  bool at_capacity = false;
  ScoreRule rule = ScoreRule::optimal;
  FormatOption format;
};

/// Laws of one memory, and what the record says about it.
struct Memory {
  std::unique_ptr<ScoreLaws> laws;
  Estimate threshold; // median of the maximum of free competitors, where it has the laws' unit
  Estimate critical_load;
  Json input;
  Json warnings = Json::array();
};

Memory optimal_memory(const Options &o) {
  if (!o.candidates) {
    throw std::invalid_argument("rule optimal needs --candidates K");
  }
  if (o.hebbian) {
    throw std::invalid_argument("dimensions and embeddings belong to rule hebbian");
  }
  const Count candidates(require_whole("candidates", *o.candidates.get(), 2));
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
  memory.threshold = GaussianMaximum(candidates.minus(1)).median();
  memory.input["candidates"] = number(candidates.value());
  memory.input["margin"] = number(margin);
  memory.input["score_unit"] = "standard deviation of a free score";
  return memory;
}

/// p with p log K = load d_in d_out; K = p unless given.
double facts_at(double load, const HebbianMemory &memory) {
  const double size = load * memory.dim_in * memory.dim_out;
  if (memory.candidates) {
    return size / memory.candidates->log();
  }
  double facts = std::max(2.0, size);
  constexpr int most_steps = 60; // of Newton on the convex p log p - size, from its right
  for (int i = 0; i < most_steps; ++i) {
    facts = std::max(1.5, (facts + size) / (std::log(facts) + 1));
  }
  return facts;
}

Memory hebbian_memory(const Options &o) {
  if (o.margin || o.at_capacity) {
    throw std::invalid_argument(o.margin ? "margin: belongs to rule optimal"
                                         : "--at-capacity: belongs to rule optimal");
  }
  if (!o.load) {
    throw std::invalid_argument("rule hebbian needs --load A");
  }
  const HebbianMemory hebbian = o.hebbian.memory("rule hebbian", o.candidates);
  const double load = *o.load.get();
  const double facts = facts_at(load, hebbian);
  if (!(facts >= 2)) {
    throw std::domain_error(fmt::format(
        "load = {}: must be at least that of 2 facts, which this memory reaches at {:.6g}", load,
        2 * (hebbian.candidates ? hebbian.candidates->log() : std::log(2.0)) /
            (hebbian.dim_in * hebbian.dim_out)));
  }
  constexpr double most_facts = 1e12;
  if (!(facts <= most_facts)) {
    throw std::domain_error(
        fmt::format("load = {}: must be at most that of {} facts", load, most_facts));
  }
  Memory memory;
  memory.laws = hebbian_scores(hebbian, facts);
  memory.input["load"] = number(load);
  memory.input["facts"] = number(facts);
  put_memory(memory.input, hebbian);
  memory.input["score_unit"] = "mean of the target's score";
  memory.warnings.push_back("competitors taken as independent given the output W e");
  return memory;
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
  const double points = require_whole("points", o.points.value_or(default_points), 2, most_points);
  const Memory memory = o.rule == ScoreRule::optimal ? optimal_memory(o) : hebbian_memory(o);
  Json record;
  Json rows = Json::array();
  Status status = put_laws(record, rows, *memory.laws, points);
  for (const auto &[name, e] : {std::pair("threshold", memory.threshold),
                                std::pair("critical_load", memory.critical_load)}) {
    put(record, name, e);
    status = e.status == Status::not_computed ? status : worse(status, e.status);
  }
  record["status"] = to_string(status);
  record["input"]["rule"] = name_of(o.rule, rules);
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
      "Scores are in standard deviations of a free (untrained) score; those of a Hebbian memory "
      "in\n"
      "units of the target's mean.  maximum: the best of the K - 1 competitors; _distribution is\n"
      "P(score <= x), _density its derivative.  overlap_area: the area under both the target's "
      "and\n"
      "the maximum's density, 1 if they coincide; tied_competitors: mean number that end at the\n"
      "target's score (less the margin), 0 below capacity; threshold: median of the maximum if "
      "all\n"
      "competitors were free; critical_load: of the theory used.  +- bounds the numerical error.\n"
      "Examples:\n"
      "  lamcap scores --load 0.5 --candidates 1000\n"
      "  lamcap scores --at-capacity --candidates 1000 --points 41 --format csv\n"
      "  lamcap scores --rule hebbian --dim 128 --load 0.25");
}

} // namespace lamcap::program
