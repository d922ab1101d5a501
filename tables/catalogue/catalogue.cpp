// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"

namespace lamcap::program {

const std::vector<Entry> &catalogue() {
  static const std::vector<Entry> entries{
      {"critical_load_facts", &critical_load_facts},
      {"critical_load_rank", &critical_load_rank},
      {"critical_load_rectangular", &critical_load_rectangular},
      {"critical_load_margin", &critical_load_margin},
      {"capacity_by_dimension", &capacity_by_dimension},
      {"extreme_value", &extreme_value},
      {"rules", &rules},
      {"separability_measured", &separability_measured},
  };
  return entries;
}

} // namespace lamcap::program
