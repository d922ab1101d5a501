// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/replica.hpp"

#include <cmath>
#include <vector>

#include <utility>

namespace lamcap::program {
namespace {

std::vector<double> ratios() {
  std::vector<double> values;
  for (int percent = 5; percent <= 95; percent += 5) {
    values.push_back(percent / 100.0);
  }
  values.push_back(0.99);
  return values;
}

/// The state at a load that is itself known only to an error: d q / d alpha stays below 2 q / alpha,
/// d phi / d alpha is the slope, dE_K/dq / L = -(q / alpha) / (2 (1 - q)^2).
ReplicaState at(ReplicaState state, double load_error) {
  const double secant = state.overlap.value / state.load;
  const double rest = 1 - state.overlap.value;
  const double overlap_change = 2 * secant * load_error;
  state.overlap.error += overlap_change;
  state.free_entropy.error += std::abs(state.slope.value) * load_error;
  state.slope.error += secant / (2 * rest * rest) * overlap_change;
  return state;
}

} // namespace

Table free_entropy(Heading heading) {
  Table table(std::move(heading),
              "decoupled problem, full rank, margin 0; infinity: the leading theory, other K: "
              "competitors in mean field; load ratio = load over the critical load of the same "
              "theory",
              {{"candidates", "number of candidates K", Kind::input},
               {"load_ratio", "alpha / alpha_c", Kind::input},
               {"load", "alpha = p log K / (d_in d_out)"},
               {"overlap", "q of two memories drawn from all that recall every fact"},
               {"free_entropy", "phi: the share exp(D phi) of all memories recalls every fact"},
               {"slope", "d phi / d alpha: mean log probability of recall over log K"}});
  const auto add = [&table](const Cell &candidates, const ReplicaModel &model) {
    const Replica replica(model);
    std::vector<Estimate> loads;
    std::vector<double> values;
    for (const double ratio : ratios()) {
      loads.push_back(exactly(ratio) * replica.critical_load());
      values.push_back(loads.back().value);
    }
    const std::vector<ReplicaState> states = replica.curve(values);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const ReplicaState state = at(states[i], loads[i].error);
      table.add(
          {candidates, ratios()[i], loads[i], state.overlap, state.free_entropy, state.slope});
    }
  };
  for (const double k : {100., 1e3, 1e4, 1e6}) {
    add(k, {.candidates = k});
  }
  add("infinity", {.candidates = 100., .competitors = Competitors::leading}); // the same at every K
  return table;
}

} // namespace lamcap::program
