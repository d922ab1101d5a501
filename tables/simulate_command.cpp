// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap simulate: stores random facts in a memory and measures what it recalls.
#include "commands.hpp"
#include "simulation_options.hpp"

#include "lamcap/estimate.hpp"
#include "lamcap/simulation/training.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace lamcap::program {
namespace {

using simulation::Precision;
using simulation::Schedule;
using simulation::Stop;
using simulation::Training;
using simulation::TrainingOptions;

enum class Storage { hebbian, adam };

constexpr std::array<Choice<Storage>, 2> rules{
    {{"hebbian", Storage::hebbian}, {"adam", Storage::adam}}};
constexpr std::array<Choice<Precision>, 2> precisions{
    {{"float", Precision::single}, {"double", Precision::full}}};
constexpr std::array<Choice<Schedule>, 3> schedules{{{"constant", Schedule::constant},
                                                     {"cosine", Schedule::cosine},
                                                     {"step-down", Schedule::step_down}}};
constexpr double most_steps = 1e9;
constexpr double most_threads = 1024;

struct Options {
  explicit Options(CLI::App &app)
      : instance(app),
        rank(app, "--rank", "M", "adam: W = Q R^T of this rank (default: full)"),
        steps(app, "--steps", "N", "adam: most steps (default 10000)"),
        rate(app, "--rate", "x", "adam: learning rate (default 0.1)"),
        ridge(app, "--ridge", "l", "adam: adds l/2 ||W||^2 to the loss (default 0)"),
        gap(app, "--gap", "g", "adam: go on until the margin's bounds differ by the share g"),
        logit_scale(app, "--logit-scale", "beta", "of scores in the softmax (default 1)"),
        threads(app, "--threads", "T", "default: all; the result does not depend on it"),
        format(app) {
    add_choice(app, "--rule", rule, rules, "how the facts are stored (default hebbian)");
    schedule_option = add_choice(app, "--schedule", schedule, schedules,
                                 "adam: learning rate over the steps (default constant)");
    precision_option = add_choice(app, "--precision", precision, precisions,
                                  "adam: of the steps (default float); results are in double");
  }

  SimulationOptions instance;
  NumberOption rank, steps, rate, ridge, gap, logit_scale, threads;
  Storage rule = Storage::hebbian;
  Schedule schedule = Schedule::constant;
  Precision precision = Precision::single;
  CLI::Option *schedule_option;
  CLI::Option *precision_option;
  FormatOption format;
};

void refuse_options_of_adam(const Options &o) {
  const std::array<std::pair<const char *, bool>, 7> given{
      {{"rank", bool(o.rank)},
       {"steps", bool(o.steps)},
       {"rate", bool(o.rate)},
       {"ridge", bool(o.ridge)},
       {"gap", bool(o.gap)},
       {"schedule", o.schedule_option->count() > 0},
       {"precision", o.precision_option->count() > 0}}};
  for (const auto &[name, set] : given) {
    if (set) {
      throw std::invalid_argument(fmt::format("{}: belongs to rule adam", name));
    }
  }
}

TrainingOptions training_options(const Options &o, const simulation::InstanceSpec &spec) {
  TrainingOptions t;
  t.rate = o.rate.value_or(t.rate);
  t.ridge = o.ridge.value_or(t.ridge);
  t.logit_scale = o.logit_scale.value_or(t.logit_scale);
  t.schedule = o.schedule;
  t.precision = o.precision;
  t.seed = spec.seed;
  t.memory_limit = spec.memory_limit;
  if (o.rank) {
    t.rank = whole_of("rank", o.rank, 1, most_steps);
  }
  if (o.steps) {
    t.most_steps = whole_of("steps", o.steps, 1, most_steps);
  }
  if (o.threads) {
    t.blocking.threads = static_cast<int>(whole_of("threads", o.threads, 1, most_threads));
  }
  if (o.gap) {
    if (!(*o.gap.get() > 0)) {
      throw std::invalid_argument(fmt::format("gap = {}: must be in (0, 1)", *o.gap.get()));
    }
    t.gap = *o.gap.get();
    t.target_margin = std::numeric_limits<double>::infinity();
  }
  return t;
}

/// The Hebbian memory in the same terms.
Training hebbian(const simulation::Instance &instance, const TrainingOptions &o) {
  const int threads = o.blocking.threads;
  Training t;
  t.memory = simulation::hebbian_memory(instance);
  t.recall = simulation::measure(instance, t.memory, threads);
  const auto certificate = simulation::certify(instance, t.memory, o.logit_scale, threads);
  t.loss = certificate.loss;
  t.margin_lower = certificate.margin_lower;
  t.margin_upper = certificate.margin_upper;
  return t;
}

void put_result(Json &record, const Training &t, const simulation::Instance &instance) {
  const simulation::Recall &r = t.recall;
  const double free_score = r.length / std::sqrt(static_cast<double>(instance.dim_in()) *
                                                 static_cast<double>(instance.dim_out()));
  const auto score = [&](double value) { return number(free_score > 0 ? value / free_score : 0); };
  record["accuracy"] = number(r.accuracy);
  record["lost"] = r.lost;
  record["loss"] = number(t.loss);
  record["margin_lower"] = number(t.margin_lower);
  record["margin_upper"] = number(t.margin_upper);
  record["target_mean"] = score(r.target_mean);
  record["target_sd"] = score(r.target_sd);
  record["best_mean"] = score(r.best_mean);
  record["best_sd"] = score(r.best_sd);
  record["competitor_mean"] = score(r.competitor_mean);
  record["competitor_sd"] = score(r.competitor_sd);
  record["length"] = number(r.length);
  const bool iid = instance.problem() == simulation::Problem::iid;
  const auto moments = simulation::spectrum_moments(
      iid ? simulation::Matrix(t.memory.reshaped(instance.dim_out(), instance.dim_in()))
          : t.memory);
  for (std::size_t n = 0; n < moments.size(); ++n) {
    record[fmt::format("spectrum_moment_{}", n + 1)] = number(moments[n]);
  }
}

void run(const Options &o) {
  const bool adam = o.rule == Storage::adam;
  if (!adam) {
    refuse_options_of_adam(o);
  }
  const simulation::InstanceSpec spec = o.instance.spec("simulate");
  const TrainingOptions options = training_options(o, spec);
  const simulation::Instance instance(spec);
  const Training t = adam ? simulation::train(instance, options) : hebbian(instance, options);

  Json record;
  put_result(record, t, instance);
  record["steps"] = adam ? Json(t.steps) : Json(nullptr);
  record["stop"] = adam ? Json(to_string(t.stop)) : Json(nullptr);
  record["load"] = number(load_of(instance));
  const bool diverged = adam && t.stop == Stop::diverged;
  if (diverged) { // the state before is no result
    for (auto &[key, value] : record.items()) {
      value = key == "steps" || key == "stop" || key == "load" ? value : Json(nullptr);
    }
  }
  record["status"] = to_string(diverged ? Status::not_converged : Status::converged);

  Json input;
  put_instance(input, spec, instance);
  input["rule"] = name_of(o.rule, rules);
  input["logit_scale"] = number(options.logit_scale);
  if (adam) {
    input["rank"] = options.rank == 0 ? Json("full") : Json(options.rank);
    input["steps"] = options.most_steps;
    input["rate"] = number(options.rate);
    input["schedule"] = name_of(options.schedule, schedules);
    input["ridge"] = number(options.ridge);
    input["gap"] = number(options.gap);
    input["precision"] = name_of(options.precision, precisions);
  }
  input["margin_unit"] = "scores of a memory of Frobenius norm 1";
  input["score_unit"] = "length / sqrt(dim_in dim_out)";
  record["input"] = input;
  record["warnings"] = Json::array();
  if (adam && !diverged && (t.stop == Stop::step_limit || t.stop == Stop::stalled)) {
    record["warnings"].push_back(
        fmt::format("training ended by {}: accuracy is that of this memory, not the best possible",
                    t.stop == Stop::stalled ? "a loss that stopped moving" : "its step limit"));
  }
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_simulate_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "simulate", "Stores random facts in a memory, trained or Hebbian, and measures its recall");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer("accuracy is the share of facts whose target scores strictly highest.  The "
                  "largest margin of\n"
                  "any memory of norm 1 is between margin_lower, this memory's, and margin_upper, "
                  "a certificate\n"
                  "(of full rank).  adam stops once all facts are recalled; stop says why it "
                  "ended.  Moments are\n"
                  "of the singular values, rescaled to mean square 1.\n"
                  "Examples:\n"
                  "  lamcap simulate --dim 128 --facts 634\n"
                  "  lamcap simulate --rule adam --dim 50 --facts 300 --seed 3\n"
                  "  lamcap simulate --rule adam --dim 50 --facts 200 --rank 10 --schedule cosine\n"
                  "  lamcap simulate --rule adam --problem iid --dim 8 --facts 10 --candidates 20");
}

} // namespace lamcap::program
