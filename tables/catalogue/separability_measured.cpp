// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/capacity.hpp"
#include "measured_data.hpp"

#include <cmath>
#include <sstream>

#include <utility>

namespace lamcap::program {

Table separability_measured(Heading heading) {
  Table table(
      std::move(heading),
      "K = p; measured p at which half the instances are separable (active-set dual solver "
      "checked against a linear program; tables/data/separability_measured.tsv)",
      {{"problem", "decoupled: own outputs per fact; original: shared outputs", Kind::input},
       {"dim_in", "d_in", Kind::input},
       {"dim_out", "d_out", Kind::input},
       {"facts_measured", "mean over instances of the largest separable p, plus 1/2",
        Kind::measured},
       {"facts_theory", "p delta(p) = d_in d_out"},
       {"ratio", "measured over theory", Kind::measured},
       {"deviation", "(measured - theory) / standard error"}});
  std::istringstream lines(separability_measured_tsv);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    std::istringstream fields(line);
    std::string problem;
    double dim_in = 0;
    double dim_out = 0;
    double p50 = 0;
    double standard_error = 0;
    if (!(fields >> problem >> dim_in >> dim_out >> p50 >> standard_error)) {
      throw std::logic_error("measured separability: malformed line: " + line);
    }
    const Estimate theory = capacity({.dim_in = dim_in, .dim_out = dim_out}).facts;
    table.add({problem, dim_in, dim_out, measured(p50, standard_error), theory,
               measured(p50 / theory.value, standard_error / theory.value),
               (exactly(p50) - theory) / exactly(standard_error)});
  }
  return table;
}

} // namespace lamcap::program
