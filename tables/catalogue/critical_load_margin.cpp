// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/target_score.hpp"

#include <utility>

namespace lamcap::program {

Table critical_load_margin(Heading heading) {
  Table table(std::move(heading), "margin mu in standard deviations of a free score, full rank",
              {{"candidates", "number of candidates K", Kind::input},
               {"margin", "mu", Kind::input},
               {"delta", "statistical dimension delta(K, mu), exact"},
               {"alpha_c", "critical load log K / delta(K, mu)"},
               {"delta_mean_field", "delta with competitors in mean field"},
               {"target_mean", "E h*: the level to which the competitors are pushed down"},
               {"target_sd", "standard deviation of h*"}});
  for (const double k : {2., 10., 100., 1e3, 1e4, 1e6, 1e9, 1e12}) {
    for (const double margin : {0., 0.1, 0.25, 0.5, 0.75, 1., 1.5, 2., 3., 4.}) {
      const TargetScoreLaw law(k, margin);
      table.add({k, margin, statistical_dimension(k, margin), critical_load(k, margin),
                 statistical_dimension(k, margin, Method::mean_field), law.mean(),
                 law.standard_deviation()});
    }
  }
  return table;
}

} // namespace lamcap::program
