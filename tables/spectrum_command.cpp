// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap spectrum: singular values of the optimal memory of a given rank ratio.
#include "commands.hpp"
#include "options.hpp"

#include "lamcap/singular_law.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace lamcap::program {
namespace {

constexpr double most_points = 100000;

struct Options {
  explicit Options(CLI::App &app)
      : rank_ratio(app, "--rank-ratio", "k", "rank over the smaller dimension, in (0, 1]"),
        aspect(app, "--aspect", "beta", "smaller over larger dimension, in (0, 1] (default 1)"),
        points(app, "--points", "N", "rows of the density table, 2 to 100000 (default 41)"),
        format(app) {
    rank_ratio.option->required();
  }
  NumberOption rank_ratio, aspect, points;
  FormatOption format;
};

void run(const Options &o) {
  const SingularLaw law(o.aspect.value_or(1));
  const double kappa = *o.rank_ratio.get();
  const double points = require_whole("points", o.points.value_or(41), 2, most_points);

  Json record;
  Status status = Status::converged;
  const auto add = [&status](Json &into, const std::string &name, const Estimate &e) {
    put(into, name, e, status);
  };
  const Estimate cutoff = law.cutoff(kappa);
  const Estimate factor = law.rank_factor(kappa);
  const Estimate rms = sqrt(factor); // rescales the kept singular values to mean square 1
  add(record, "cutoff", cutoff);
  add(record, "alpha_c", exactly(0.5) * factor);
  add(record, "rank_factor", factor);
  for (const int k : {1, 2, 3, 4}) {
    add(record, fmt::format("moment_{}", k), law.moment(k));
  }
  for (const int k : {1, 2, 3, 4}) {
    Estimate moment = law.kept_moment(k, kappa);
    for (int i = 0; i < k; ++i) { // one by one, as rms^k may underflow
      moment = moment / rms;
    }
    add(record, fmt::format("memory_moment_{}", k), moment);
  }
  record["lower_edge"] = number(law.lower_edge());
  record["upper_edge"] = number(law.upper_edge());
  record["atom_at_zero"] = number(1 - kappa);

  Json rows = Json::array();
  for (int i = 0; i < static_cast<int>(points); ++i) {
    const double part = i / (points - 1);
    const double s = (1 - part) * law.lower_edge() + part * law.upper_edge();
    Json row;
    row["s"] = number(s);
    const Estimate density = law.density(s);
    add(row, "density", density);
    const Estimate distribution = law.distribution(s);
    add(row, "distribution", distribution);
    row["memory_s"] = number(s / rms.value);
    const bool cut = s < cutoff.value;
    add(row, "memory_density", cut ? exactly(0) : density * rms);
    add(row, "memory_distribution", cut ? exactly(1 - kappa) : distribution);
    rows.push_back(row);
  }
  record["status"] = to_string(status);
  record["input"] = {{"rank_ratio", number(kappa)},
                     {"aspect", number(o.aspect.value_or(1))},
                     {"points", number(points)}};
  record["warnings"] = Json::array();
  record["density"] = rows;
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_spectrum_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "spectrum", "Law of singular values, its cut at a rank ratio, and what the cut costs");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "The optimal memory keeps the singular values s >= cutoff of a Gaussian matrix (mean s^2 = "
      "1),\n"
      "rescaled to mean square 1: memory_* columns; the rest sits in an atom 1 - k at zero.  As\n"
      "csv, the table is a law for `lamcap simulate --law`.\n"
      "alpha_c is the critical load for many candidates, 1/2 at full rank.\n"
      "Example: lamcap spectrum --rank-ratio 0.25 --aspect 0.5");
}

} // namespace lamcap::program
