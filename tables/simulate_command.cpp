// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap simulate: stores facts in a memory and measures what it recalls.
#include "adam_options.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "law_file.hpp"
#include "simulation_options.hpp"

#include "lamcap/estimate.hpp"
#include "lamcap/simulation/npy.hpp"
#include "lamcap/simulation/score_samples.hpp"
#include "lamcap/simulation/spectrum.hpp"
#include "lamcap/simulation/training.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace lamcap::program {
namespace {

using simulation::Instance;
using simulation::Matrix;
using simulation::Stop;
using simulation::Training;
using simulation::TrainingOptions;
using simulation::Vector;

enum class Rule { hebbian, adam };
enum class Rows { none, singular_values, scores };

constexpr std::array<Choice<Rule>, 2> rules{{{"hebbian", Rule::hebbian}, {"adam", Rule::adam}}};
constexpr std::array<Choice<Rows>, 3> row_kinds{
    {{"none", Rows::none}, {"singular-values", Rows::singular_values}, {"scores", Rows::scores}}};
constexpr double most_bins = 10000;

struct Options {
  explicit Options(CLI::App &app)
      : instance(app, SimulationOptions::Use::one_instance),
        adam(app),
        bins(app, "--bins", "A:B:N", "scores: N bins from A to B (default -6:6:60)", most_bins),
        threads(app, "--threads", "T", "default: all; the result does not depend on it"),
        format(app) {
    add_choice(app, "--rule", rule, rules, "how the facts are stored (default hebbian)");
    add_choice(app, "--rows", rows, row_kinds,
               "singular values of the memory, or histograms of its scores (default none)");
    law_option =
        app.add_option("--law", law,
                       "a law of singular values as numbers: how far the memory's are from it")
            ->type_name("FILE");
    save_option = app.add_option("--save", save, "write the memory")->type_name("W.npy");
  }

  SimulationOptions instance;
  AdamOptions adam;
  RangeOption bins;
  NumberOption threads;
  Rule rule = Rule::hebbian; // these are set by the parser
  Rows rows = Rows::none;
  std::string law, save;
  CLI::Option *law_option;
  CLI::Option *save_option;
  FormatOption format;
};

void put_recall(Json &record, const Training &t, const Instance &instance) {
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
}

/// W as a d_out x d_in matrix, which the problem iid has as a vector.
Matrix shaped(const Matrix &memory, const Instance &instance) {
  return memory.reshaped(instance.dim_out(), instance.dim_in());
}

void put_spectrum(Json &record, const Vector &values,
                  const std::optional<simulation::TabulatedLaw> &law) {
  const auto moments = simulation::moments(values);
  for (std::size_t n = 0; n < moments.size(); ++n) {
    record[fmt::format("spectrum_moment_{}", n + 1)] = number(moments[n]);
  }
  if (law) {
    const auto d = simulation::distance(values, *law);
    record["law_kolmogorov"] = number(d.kolmogorov);
    record["law_wasserstein"] = number(d.wasserstein);
  }
}

Json singular_value_rows(const Vector &values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    Json row;
    row["memory_s"] = number(values[i]);
    row["memory_distribution"] =
        number(static_cast<double>(i + 1) / static_cast<double>(values.size()));
    rows.push_back(row);
  }
  return rows;
}

simulation::Bins bins_of(const Options &o) {
  if (!o.bins.get()) {
    return {};
  }
  const Range &r = *o.bins.get();
  return {.low = r.first, .high = r.last, .count = r.count};
}

/// Densities with the standard error of counting.
Json score_rows(const Instance &instance, const Matrix &memory, const Options &o, int threads) {
  const auto bins = bins_of(o);
  const auto samples = simulation::score_samples(instance, memory, bins, threads);
  const auto target = simulation::histogram(samples.target, bins);
  const auto best = simulation::histogram(samples.best, bins);
  const auto facts = static_cast<double>(instance.facts());
  const double competitors = facts * static_cast<double>(instance.candidates() - 1);
  Json rows = Json::array();
  for (std::size_t i = 0; i < target.counts.size(); ++i) {
    Json row;
    row["score"] = number(bins.low + (static_cast<double>(i) + 0.5) * bins.width());
    const auto put_density = [&](const std::string &name, const simulation::Histogram &h,
                                 double samples_in_all) {
      const auto count = static_cast<double>(h.counts[i]);
      const double unit = samples_in_all * bins.width();
      row[name] = number(count / unit);
      row[name + "_error"] = number(std::sqrt(count) / unit);
    };
    put_density("target_density", target, facts);
    put_density("best_density", best, facts);
    put_density("competitor_density", samples.competitors, competitors);
    rows.push_back(row);
  }
  return rows;
}

Json input_of(const Options &o, const TrainingOptions &options, const Instance &instance) {
  Json input;
  o.instance.describe(input, instance);
  input["rule"] = name_of(o.rule, rules);
  if (o.rule == Rule::adam) {
    AdamOptions::describe(input, options);
  } else {
    input["logit_scale"] = number(options.logit_scale);
  }
  input["margin_unit"] = "scores of a memory of Frobenius norm 1";
  input["score_unit"] = "length / sqrt(dim_in dim_out)";
  return input;
}

void add_warning(Json &warnings, Stop stop) {
  if (stop == Stop::step_limit || stop == Stop::loss_stalled) {
    warnings.push_back(
        fmt::format("training ended by {}: accuracy is that of this memory, not the best possible",
                    stop == Stop::step_limit ? "its step limit" : "a loss that stopped moving"));
  } else if (stop == Stop::gap_stalled) {
    warnings.push_back(
        "training ended by a gap that stopped falling: `lamcap separable --gap` closes it");
  }
}

void check(const Options &o) {
  if (o.rule != Rule::adam) {
    o.adam.refuse(true);
  }
  if (o.bins.get() && o.rows != Rows::scores) {
    throw std::invalid_argument("bins: belongs to --rows scores");
  }
  if (o.save_option->count() > 0) {
    require_writable(o.save);
  }
}

void run(const Options &o) {
  check(o);
  std::optional<simulation::TabulatedLaw> law;
  if (o.law_option->count() > 0) {
    law = read_law(o.law);
  }
  const bool adam = o.rule == Rule::adam;
  TrainingOptions options = o.adam.get();
  options.seed = o.instance.seed();
  options.memory_limit = o.instance.memory_limit();
  options.blocking.threads = threads_of(o.threads);
  const Instance instance = o.instance.instance("simulate");
  const Training t = adam ? simulation::train(instance, options)
                          : simulation::hebbian(instance, options.logit_scale,
                                                options.blocking.threads, options.memory_limit);
  const bool diverged = adam && t.stop == Stop::diverged; // the state before is no result

  Json record;
  put_recall(record, t, instance);
  const Vector values = simulation::singular_values(shaped(t.memory, instance));
  put_spectrum(record, values, law);
  if (diverged) {
    for (auto &[key, value] : record.items()) {
      value = nullptr;
    }
  }
  record["steps"] = adam ? Json(t.steps) : Json(nullptr);
  record["stop"] = adam ? Json(to_string(t.stop)) : Json(nullptr);
  record["load"] = number(load_of(instance));
  record["status"] = to_string(diverged ? Status::not_converged : Status::converged);
  record["input"] = input_of(o, options, instance);
  record["warnings"] = Json::array();
  if (adam) {
    add_warning(record["warnings"], t.stop);
  }
  if (o.rows == Rows::singular_values && !diverged) {
    record["rows"] = singular_value_rows(values);
  } else if (o.rows == Rows::scores && !diverged) {
    record["rows"] = score_rows(instance, t.memory, o, options.blocking.threads);
  }
  if (o.save_option->count() > 0 && !diverged) {
    replace_file(o.save, simulation::to_npy(shaped(t.memory, instance)));
  }
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_simulate_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "simulate", "Stores facts in a memory, trained or Hebbian, and measures its recall");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer("accuracy is the share of facts whose target scores strictly highest.  The "
                  "largest margin of\n"
                  "any memory of norm 1 is between margin_lower, this memory's, and margin_upper, "
                  "a certificate\n"
                  "(of full rank).  adam stops once all facts are recalled; stop says why it "
                  "ended.  Moments are\n"
                  "of the singular values, rescaled to mean square 1; law_kolmogorov and "
                  "law_wasserstein, their\n"
                  "distances from --law, a table such as `lamcap spectrum --format csv` makes.  "
                  "Scores in rows are\n"
                  "in standard deviations of a free score, their densities' errors one standard "
                  "error of counting.\n"
                  "All else is what this one memory does, to a relative 1e-12 of rounding (s.d.: "
                  "1e-8 of the mean).\n"
                  "Examples:\n"
                  "  lamcap simulate --dim 128 --facts 634\n"
                  "  lamcap simulate --rule adam --dim 50 --facts 300 --seed 3 --rows scores\n"
                  "  lamcap simulate --rule adam --dim 50 --facts 200 --rank 10 --schedule cosine\n"
                  "  lamcap simulate --rule adam --problem iid --dim 8 --facts 10 --candidates 20\n"
                  "  lamcap simulate --rule adam --inputs E.npy --outputs U.npy --save W.npy");
}

} // namespace lamcap::program
