// SPDX-License-Identifier: GPL-3.0-or-later
#include "lamcap/extreme_value.hpp"

#include "catalogue/catalogue.hpp"
#include "lamcap/target_score.hpp"

#include <utility>

namespace lamcap::program {

Table extreme_value(Heading heading) {
  Table table(std::move(heading), "n free standard Gaussian competitors, K = n + 1 candidates",
              {{"competitors", "n", Kind::input},
               {"median", "median of the maximum, exact law Phi(x)^n"},
               {"mean", "mean of the maximum"},
               {"variance", "variance of the maximum"},
               {"gumbel_mean", "mean of its Gumbel approximation"},
               {"penultimate_mean", "mean of its penultimate approximation"},
               {"leading", "sqrt(2 log n)"},
               {"target_mean", "E h*, the target's score at capacity"},
               {"target_sd", "standard deviation of h*"}});
  for (const double n :
       {2.,  3.,  5.,  10., 20.,  50.,  100., 200., 500., 1e3,  2e3,   5e3,   1e4,  1e5,
        1e6, 1e7, 1e8, 1e9, 1e10, 1e12, 1e15, 1e20, 1e30, 1e50, 1e100, 1e200, 1e300}) {
    const GaussianMaximum maximum(n);
    const TargetScoreLaw target(n + 1);
    table.add({n, maximum.median(), maximum.mean(), maximum.variance(), maximum.gumbel().mean(),
               maximum.penultimate().mean(), rounded(maximum.leading(), 4), target.mean(),
               target.standard_deviation()});
  }
  return table;
}

} // namespace lamcap::program
