// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap threshold: what a target must exceed, and what it reaches at capacity.
#include "commands.hpp"
#include "options.hpp"

#include "lamcap/extreme_value.hpp"
#include "lamcap/target_score.hpp"

#include <memory>
#include <string>

namespace lamcap::program {
namespace {

struct Options {
  explicit Options(CLI::App &app)
      : candidates(app, "--candidates", "K", "candidate outputs per fact, the target among them"),
        format(app) {
    candidates.option->required();
  }
  NumberOption candidates;
  FormatOption format;
};

void run(const Options &o) {
  const Count candidates(require_whole("candidates", *o.candidates.get(), 2));
  const GaussianMaximum maximum(candidates.minus(1));
  const TargetScoreLaw target(candidates);
  const bool has_limit = candidates.value() > 2; // one competitor has no extreme-value limit
  constexpr double law_ulps = 16;
  const double scale_ulps = law_ulps * (1 + candidates.log());

  Json record;
  Status status = Status::converged;
  const auto add = [&](const std::string &name, const Estimate &e) {
    put(record, name, e, status);
  };
  add("leading", rounded(maximum.leading(), law_ulps));
  add("median", maximum.median());
  add("mean", maximum.mean());
  add("variance", maximum.variance());
  if (has_limit) {
    const ExtremeValueLaw law = maximum.penultimate();
    add("gumbel_location", rounded(law.location, law_ulps));
    add("gumbel_scale", rounded(law.scale, scale_ulps));
    add("penultimate_shape", rounded(law.shape, law_ulps));
  } else {
    for (const char *name : {"gumbel_location", "gumbel_scale", "penultimate_shape"}) {
      put(record, name, Estimate{});
    }
  }
  add("target_mean", target.mean());
  add("target_sd", target.standard_deviation());
  record["status"] = to_string(status);
  record["input"] = {{"candidates", number(candidates.value())},
                     {"competitors", number(candidates.minus(1).value())}};
  record["warnings"] = Json::array();
  if (!has_limit) {
    record["warnings"].push_back("one competitor: the extreme-value laws need at least two");
  }
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_threshold_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "threshold", "Maximum over K - 1 free competitors, and the target's score at capacity");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "Scores are in standard deviations of a free (non-target) score.  leading is sqrt(2 "
      "log(K-1));\n"
      "median, mean and variance are exact; gumbel_* and penultimate_shape are the constants of "
      "the\n"
      "extreme-value laws; target_* describe h*, the target's score in the optimal memory.\n"
      "Example: lamcap threshold --candidates 1e6");
}

} // namespace lamcap::program
