// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/singular_law.hpp"

#include <utility>

namespace lamcap::program {

Table critical_load_rectangular(Heading heading) {
  Table table(
      std::move(heading),
      "aspect beta = smaller over larger dimension, kappa = rank over smaller dimension; load "
      "p log K / (d_in d_out)",
      {{"aspect", "beta", Kind::input},
       {"rank_ratio", "kappa", Kind::input},
       {"cutoff", "smallest singular value kept (mean s^2 = 1)"},
       {"alpha_c", "critical load, K -> infinity"},
       {"alpha_c_1e3", "critical load at K = 1e3"},
       {"alpha_c_1e6", "critical load at K = 1e6"}});
  const Estimate thousand = critical_load(1e3);
  const Estimate million = critical_load(1e6);
  for (const double aspect : {1., 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01}) {
    const SingularLaw law(aspect);
    for (const double kappa : {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.}) {
      const Estimate factor = law.rank_factor(kappa);
      table.add({aspect, kappa, law.cutoff(kappa), rank_constrained_load(kappa, aspect),
                 thousand * factor, million * factor});
    }
  }
  return table;
}

} // namespace lamcap::program
