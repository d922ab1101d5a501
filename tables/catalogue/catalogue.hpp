// SPDX-License-Identifier: GPL-3.0-or-later
// Every table of the program, one source file each.
#pragma once

#include "table.hpp"

#include <string>
#include <vector>

namespace lamcap::program {

Table critical_load_facts();
Table critical_load_rank();
Table critical_load_rectangular();
Table critical_load_margin();
Table capacity_by_dimension();
Table extreme_value();
Table rules();
Table separability_measured();

struct Entry {
  std::string name;
  Table (*make)();
};

/// In the order in which they are listed and made.
[[nodiscard]] const std::vector<Entry> &catalogue();

} // namespace lamcap::program
