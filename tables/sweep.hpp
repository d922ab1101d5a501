// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep: many instances tried, their results kept in a journal.
#pragma once

#include "options.hpp"
#include "processes.hpp"

#include "lamcap/simulation/half_point.hpp"
#include "lamcap/simulation/instance.hpp"
#include "lamcap/simulation/training.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lamcap::program {

/// Which memory has to recall the facts.
enum class SweepRule { separable, adam, hebbian };

inline constexpr std::array<Choice<SweepRule>, 3> sweep_rules{{{"separable", SweepRule::separable},
                                                               {"adam", SweepRule::adam},
                                                               {"hebbian", SweepRule::hebbian}}};

struct SweepPlan {
  SweepRule rule = SweepRule::separable;
  simulation::InstanceSpec spec;        ///< but for facts and number; the limit is for all threads
  simulation::TrainingOptions training; ///< for adam
  std::uint64_t instances = 0;          ///< numbers 0, 1, ...
  std::vector<std::int64_t> grid;       ///< of facts, increasing; empty: seek each one's crossing
  std::int64_t width = 1;               ///< of the crossing's bracket
  int threads = 1;
  std::string path; ///< of the journal
};

/// One instance: of how many facts, or 0 to seek its crossing.
struct Task {
  std::uint64_t number = 0;
  std::int64_t facts = 0;

  friend bool operator<(const Task &a, const Task &b) {
    return std::tie(a.number, a.facts) < std::tie(b.number, b.facts);
  }
};

/// What became of a task.
struct Result {
  simulation::Crossing crossing;                           ///< if that was sought
  simulation::Answer answer = simulation::Answer::unknown; ///< otherwise
  std::optional<double> accuracy;                          ///< of a trained or Hebbian memory
};

using Results = std::map<Task, Result>;

/// Fewest facts that an instance may have.
[[nodiscard]] std::int64_t least_facts(const simulation::InstanceSpec &spec);
inline constexpr std::int64_t most_facts = 2'000'000'000;

/// Everything that a result depends on.
[[nodiscard]] Json parameters_of(const SweepPlan &plan);

/// Does what the journal does not hold yet, an instance per thread as far as memory allows, shared
/// between the processes; returns what it holds in the end.  A failure in one process
/// ends all, once they are through with their shares.
[[nodiscard]] Results run_sweep(const SweepPlan &plan, const Processes &processes);

} // namespace lamcap::program
