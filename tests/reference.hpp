// SPDX-License-Identifier: GPL-3.0-or-later
// Reference values and the one way in which results are compared with them.
#pragma once

#include "lamcap/estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lamcap::testing {

/// Rows of tests/reference/<name>: '#' lines are comments, the rest whitespace-separated numbers.
inline std::vector<std::vector<double>> reference(const std::string &name) {
  std::ifstream file(std::string(LAMCAP_REFERENCE_DIR) + "/" + name);
  if (!file) {
    throw std::runtime_error("cannot read reference file " + name);
  }
  std::vector<std::vector<double>> rows;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream fields(line);
    std::vector<double> row;
    for (std::string field; fields >> field;) {
      row.push_back(std::stod(field));
    }
    rows.push_back(row);
  }
  if (rows.empty()) {
    throw std::runtime_error("no rows in reference file " + name);
  }
  return rows;
}

/// The error promise: converged, |value - truth| <= error (truth itself rounded to double), and the
/// bound not above `largest_relative` |truth| + `largest_absolute`.
inline void check_estimate(const Estimate &e, double truth, double largest_relative,
                           double largest_absolute = 0) {
  CAPTURE(truth);
  CAPTURE(e.value);
  CAPTURE(e.error);
  CHECK(e.status == Status::converged);
  CHECK(std::abs(e.value - truth) <= e.error + epsilon * std::abs(truth));
  CHECK(e.error <= largest_relative * std::abs(truth) + largest_absolute);
}

} // namespace lamcap::testing
