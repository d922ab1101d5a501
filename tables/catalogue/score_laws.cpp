// SPDX-License-Identifier: GPL-3.0-or-later
#include "lamcap/critical_load.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/replica.hpp"
#include "lamcap/scores.hpp"

#include "catalogue/catalogue.hpp"

#include <utility>

namespace lamcap::program {

Table score_laws(Heading heading) {
  Table table(std::move(heading),
              "optimal memory, margin 0, scores in standard deviations of a free score; load ratio "
              "below 1: competitors in mean field, ratio to its critical load, the target's s.d. "
              "too small as the fluctuations of the competitors are left out; load ratio 1: exact",
              {{"candidates", "number of candidates K", Kind::input},
               {"load_ratio", "alpha / alpha_c", Kind::input},
               {"load", "alpha = p log K / (d_in d_out)"},
               {"target_mean", "mean of the target's score"},
               {"target_sd", "its standard deviation"},
               {"maximum_mean", "mean of the best competitor's score"},
               {"maximum_sd", "its standard deviation"},
               {"competitor_mean", "mean of a competitor's score"},
               {"competitor_sd", "its standard deviation"},
               {"overlap_area", "area under both densities, the target's and the maximum's"},
               {"tied_competitors", "mean number of competitors at the target's score"},
               {"threshold", "median of the maximum of K - 1 free competitors"}});
  const auto add = [&table](double k, double ratio, const Estimate &load, const ScoreLaws &laws) {
    table.add({k, ratio, load, laws.mean(Score::target), laws.standard_deviation(Score::target),
               laws.mean(Score::maximum), laws.standard_deviation(Score::maximum),
               laws.mean(Score::competitor), laws.standard_deviation(Score::competitor),
               laws.overlap_area(), laws.tied_competitors(), GaussianMaximum(k - 1).median()});
  };
  for (const double k : {100., 1e3, 1e4, 1e6}) {
    const Estimate capacity = Replica({.candidates = k}).critical_load();
    for (const double ratio : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
      const Estimate load = exactly(ratio) * capacity;
      add(k, ratio, load, *optimal_scores(k, load.value));
    }
    add(k, 1, critical_load(k), *optimal_scores_at_capacity(k));
  }
  return table;
}

} // namespace lamcap::program
