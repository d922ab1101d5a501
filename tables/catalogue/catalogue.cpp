// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"

namespace lamcap::program {

const std::vector<Entry> &catalogue() {
  static const std::vector<Entry> entries{
      {{"critical_load_facts",
        "Finite-size critical load: alpha_c(K) = log K / delta(K) exceeds 1/2 at every size people "
        "have and falls to it only like log log K / log K."},
       &critical_load_facts},
      {{"critical_load_rank",
        "Rank-constrained critical load alpha_c(kappa): the largest singular values do most of the "
        "storing; half the rank keeps 89 percent of the capacity."},
       &critical_load_rank},
      {{"critical_load_rectangular",
        "Rectangular memories: at full rank only the product d_in d_out matters; under a rank "
        "constraint a thinner shape loses more, because its singular values differ less."},
       &critical_load_rectangular},
      {{"critical_load_margin", "The price of robustness: critical load when every target must win "
                                "by a margin mu; K = 2 is Gardner's formula."},
       &critical_load_margin},
      {{"capacity_by_dimension",
        "Facts that memories of real sizes store: square memories whose stored outputs all "
        "compete, and matrices of public language models against their vocabulary."},
       &capacity_by_dimension},
      {{"extreme_value", "Extreme-value mechanism: the best of n competitors is far below sqrt(2 "
                         "log n) at real sizes; in the optimal memory the target stops near h*, "
                         "below that maximum, because the competitors above it are pushed down."},
       &extreme_value},
      {{"rules",
        "Rules compared: the optimal memory stores several times what the Hebbian memory recalls "
        "strictly (1/2 against 1/8 in the limit); beating only the mean of the top fraction r of "
        "competitors costs a number of dimensions that does not grow with K."},
       &rules},
      {{"hebbian_accuracy",
        "The Hebbian memory at finite size: accuracy falls gradually around the limit load 1/2; "
        "all facts are recalled only up to about the load 1/8, at small d less, and unit-sphere "
        "embeddings recall more than Gaussian ones."},
       &hebbian_accuracy_table},
      {{"separability_measured",
        "Theory against exact separability of random instances: the decoupled problem lies on the "
        "theory within its noise of half a percent, the original problem (shared outputs) 2.7 to "
        "3.6 percent above it at d = 8 to 32 and 6 to 10 percent in two narrow shapes."},
       &separability_measured},
      {{"free_entropy",
        "Memories that recall everything, below capacity: at a given fraction of capacity they are "
        "more alike than the limit's q = alpha / alpha_c (at half of it q = 0.57 at K = 100 and "
        "0.56 at K = 1e6), at a given load less alike than its q = 2 alpha; half of capacity "
        "leaves the share exp(-0.61 D) of all memories at K = 100, exp(-0.49 D) at 1e6 and "
        "exp(-0.35 D) in the limit."},
       &free_entropy},
      {{"score_laws", "With load the target and its best competitor sink together (at K = 1e6 the "
                      "target's mean from 4.83, where the best of K - 1 free competitors stands, "
                      "to 4.13) and close in: the area under both densities grows from 0.65 at a "
                      "tenth of capacity to 0.91 to 0.93 at nine tenths; at capacity the two laws "
                      "are one but for 0.4 / K, and 5 to 20 competitors are tied with the target."},
       &score_laws},
  };
  return entries;
}

} // namespace lamcap::program
