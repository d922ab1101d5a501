// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/critical_load.hpp"

#include <utility>

namespace lamcap::program {

Table critical_load_facts(Heading heading) {
  Table table(
      std::move(heading),
      "K candidates per fact, margin 0, full rank; approximations carry their distance from exact",
      {{"candidates", "number of candidates K (K = p for p stored facts)", Kind::input},
       {"delta", "statistical dimension delta(K), exact"},
       {"alpha_c", "critical load log K / delta(K), exact"},
       {"delta_mean_field", "delta with competitors in mean field"},
       {"alpha_c_mean_field", "log K / delta_mean_field"},
       {"delta_expansion", "2L - 3 log(2L) - log 2pi + 3, L = log K"},
       {"alpha_c_expansion", "log K / delta_expansion"},
       {"alpha_c_leading", "K -> infinity"},
       {"dim", "side d of the square memory at capacity when p = K: sqrt(K delta(K))"}});
  for (const double k :
       {2.,   3.,      4.,      5.,   6.,    8.,   10.,    12.,  16.,    20.,  24.,
        32.,  50.,     64.,     100., 128.,  200., 256.,   500., 512.,   1e3,  1024.,
        2e3,  2048.,   4096.,   5e3,  8192., 1e4,  16384., 2e4,  32768., 5e4,  65536.,
        1e5,  131072., 262144., 1e6,  1e7,   1e8,  1e9,    1e10, 1e12,   1e14, 1e16,
        1e18, 1e20,    1e25,    1e30, 1e40,  1e50, 1e60,   1e70, 1e80,   1e90, 1e100}) {
    const Estimate delta = statistical_dimension(k);
    table.add({k, delta, critical_load(k), statistical_dimension(k, 0, Method::mean_field),
               critical_load(k, 0, Method::mean_field),
               statistical_dimension(k, 0, Method::expansion),
               critical_load(k, 0, Method::expansion), critical_load(k, 0, Method::leading),
               sqrt(exactly(k) * delta)});
  }
  return table;
}

} // namespace lamcap::program
