// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lamcap::testing {

/// A line of tables/data/separability_measured.tsv: the p at which half of random instances are
/// separable, measured elsewhere by another method.
struct Measured {
  std::string problem; ///< decoupled or original
  int dim_in = 0;
  int dim_out = 0;
  double half = 0;
  double standard_error = 0;
};

inline std::vector<Measured> all_measured() {
  std::ifstream file(LAMCAP_MEASURED);
  std::vector<Measured> all;
  for (std::string line; std::getline(file, line);) {
    Measured m;
    std::istringstream fields(line);
    if (line[0] != '#' &&
        fields >> m.problem >> m.dim_in >> m.dim_out >> m.half >> m.standard_error) {
      all.push_back(m);
    }
  }
  return all;
}

} // namespace lamcap::testing
