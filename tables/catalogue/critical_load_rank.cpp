// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/singular_law.hpp"

#include <utility>

namespace lamcap::program {

Table critical_load_rank(Heading heading) {
  Table table(std::move(heading),
              "square memory, rank ratio kappa = rank / d; columns at finite K are "
              "[log K / delta(K)] Int s^2 rho above the cutoff",
              {{"rank_ratio", "kappa", Kind::input},
               {"cutoff", "smallest singular value kept, s_k of the quarter circle on [0, 2]"},
               {"alpha_c", "critical load, K -> infinity"},
               {"alpha_c_100", "critical load at K = 100"},
               {"alpha_c_1e3", "critical load at K = 1e3"},
               {"alpha_c_1e4", "critical load at K = 1e4"},
               {"alpha_c_1e6", "critical load at K = 1e6"},
               {"alpha_c_1e9", "critical load at K = 1e9"}});
  const SingularLaw law;
  std::vector<Estimate> full_rank;
  for (const double k : {100., 1e3, 1e4, 1e6, 1e9}) {
    full_rank.push_back(critical_load(k));
  }
  for (int percent = 1; percent <= 100; ++percent) {
    const double kappa = percent / 100.0;
    const Estimate factor = law.rank_factor(kappa);
    std::vector<Cell> row{kappa, law.cutoff(kappa), rank_constrained_load(kappa)};
    for (const Estimate &load : full_rank) {
      row.emplace_back(load * factor);
    }
    table.add(row);
  }
  return table;
}

} // namespace lamcap::program
