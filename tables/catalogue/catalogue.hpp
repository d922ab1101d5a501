// SPDX-License-Identifier: GPL-3.0-or-later
// Every table of the program, one source file each.
#pragma once

#include "table.hpp"

#include <string>
#include <vector>

namespace lamcap::program {

Table critical_load_facts(Heading heading);
Table critical_load_rank(Heading heading);
Table critical_load_rectangular(Heading heading);
Table critical_load_margin(Heading heading);
Table capacity_by_dimension(Heading heading);
Table extreme_value(Heading heading);
Table rules(Heading heading);
Table hebbian_accuracy_table(Heading heading);
Table separability_measured(Heading heading);
Table free_entropy(Heading heading);
Table score_laws(Heading heading);

struct Entry {
  Heading heading;
  Table (*maker)(Heading);

  [[nodiscard]] Table make() const { return maker(heading); }
};

/// In the order in which they are listed and made.
[[nodiscard]] const std::vector<Entry> &catalogue();

} // namespace lamcap::program
