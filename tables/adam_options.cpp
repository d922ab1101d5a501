// SPDX-License-Identifier: GPL-3.0-or-later
#include "adam_options.hpp"

#include "simulation_options.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <stdexcept>

namespace lamcap::program {
namespace {

using simulation::Precision;
using simulation::Schedule;
using simulation::TrainingOptions;

constexpr std::array<Choice<Precision>, 2> precisions{
    {{"float", Precision::single}, {"double", Precision::full}}};
constexpr std::array<Choice<Schedule>, 3> schedules{{{"constant", Schedule::constant},
                                                     {"cosine", Schedule::cosine},
                                                     {"step-down", Schedule::step_down}}};
constexpr double most_steps = 1e9;

} // namespace

AdamOptions::AdamOptions(CLI::App &app)
    : rank_(app, "--rank", "M", "adam: W = Q R^T of this rank (default: full)"),
      steps_(app, "--steps", "N", "adam: most steps (default 10000)"),
      rate_(app, "--rate", "x", "adam: learning rate (default 0.1)"),
      ridge_(app, "--ridge", "l", "adam: adds l/2 ||W||^2 to the loss (default 0)"),
      gap_(app, "--gap", "g", "adam: go on until the margin's bounds differ by the share g"),
      logit_scale_(app, "--logit-scale", "beta", "of scores in the softmax (default 1)"),
      schedule_option_(add_choice(app, "--schedule", schedule_, schedules,
                                  "adam: learning rate over the steps (default constant)")),
      precision_option_(add_choice(app, "--precision", precision_, precisions,
                                   "adam: of the steps (default float); results are in double")) {}

void AdamOptions::refuse(bool shows_loss) const {
  for (const CLI::Option *option :
       {rank_.option, steps_.option, rate_.option, ridge_.option, gap_.option, schedule_option_,
        precision_option_, shows_loss ? nullptr : logit_scale_.option}) {
    if (option != nullptr && option->count() > 0) {
      throw std::invalid_argument(
          fmt::format("{}: belongs to rule adam", option->get_single_name()));
    }
  }
}

TrainingOptions AdamOptions::get() const {
  TrainingOptions t;
  t.rate = rate_.value_or(t.rate);
  t.ridge = ridge_.value_or(t.ridge);
  t.logit_scale = logit_scale_.value_or(t.logit_scale);
  t.schedule = schedule_;
  t.precision = precision_;
  if (rank_) {
    t.rank = whole_of("rank", rank_, 1, most_steps);
  }
  if (steps_) {
    t.most_steps = whole_of("steps", steps_, 1, most_steps);
  }
  if (gap_) {
    if (!(*gap_.get() > 0 && *gap_.get() < 1)) {
      throw std::invalid_argument(fmt::format("gap = {}: must be in (0, 1)", *gap_.get()));
    }
    t.gap = *gap_.get();
    t.target_margin = std::numeric_limits<double>::infinity();
  }
  return t;
}

void AdamOptions::describe(Json &input, const TrainingOptions &options) {
  input["logit_scale"] = number(options.logit_scale);
  input["rank"] = options.rank == 0 ? Json("full") : Json(options.rank);
  input["steps"] = options.most_steps;
  input["rate"] = number(options.rate);
  input["schedule"] = name_of(options.schedule, schedules);
  input["ridge"] = number(options.ridge);
  input["gap"] = number(options.gap);
  input["precision"] = name_of(options.precision, precisions);
}

} // namespace lamcap::program
