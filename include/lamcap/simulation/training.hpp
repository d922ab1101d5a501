// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/cross_entropy.hpp"
#include "lamcap/simulation/instance.hpp"
#include "lamcap/simulation/recall.hpp"

#include <cstdint>
#include <string_view>

namespace lamcap::simulation {

/// Learning rate at step t = 0, 1, ... of `most_steps` = N.
enum class Schedule {
  constant,
  cosine,   ///< rate (1 + cos(pi t / N)) / 2
  step_down ///< a tenth from N / 2 on, a hundredth from 3 N / 4
};

/// Floating-point type of scores, gradients and steps.  What is reported is recomputed in double.
enum class Precision { single, full };

/// Why training ended.
enum class Stop {
  recalled,     ///< all facts recalled, with the margin asked for
  certified,    ///< the margin is the largest possible, to `gap`
  inseparable,  ///< no unit W has a margin above `resolution`, per unit of score
  loss_stalled, ///< the loss stopped moving
  gap_stalled,  ///< the margin's bounds stopped moving, while `gap` was asked for
  step_limit,
  diverged ///< loss or W beyond the range of the type; what is returned is the last finite state
};

[[nodiscard]] std::string_view to_string(Stop stop) noexcept;

/// Full-batch Adam on cross-entropy (+ ridge).  Margins are those of W / ||W||_F.
struct TrainingOptions {
  double rate = 0.1; ///< of the entries of W (or Q, R), per step; > 0
  Schedule schedule = Schedule::constant;
  double beta1 = 0.9; ///< decay of the mean gradient, in [0, 1)
  double beta2 = 0.999;
  double epsilon = 1e-12; ///< added to the root of the mean square gradient; > 0
  double logit_scale = 1; ///< beta of the softmax, from 1e-30 to 1e30
  double ridge = 0;       ///< adds (ridge / 2) ||W||_F^2 to the loss; >= 0
  std::int64_t rank = 0;  ///< W = Q R^T with this many columns; 0: W itself, started at 0
  double spread = 0.1;    ///< s.d. of the Gaussian entries that Q and R start from; > 0
  std::uint64_t seed = 1; ///< of Q and R
  Precision precision = Precision::single;

  std::int64_t most_steps = 10000;
  std::int64_t check_interval = 50; ///< steps between the checks below
  /// Stop once all facts are recalled with margin > target_margin; infinity: go on.
  double target_margin = 0;
  /// Stop once margin_upper - margin_lower <= gap margin_upper; 0: no such check.  The gap closes
  /// like log(p K) / (beta ||W|| margin), best with a small ridge; separability() is the tool for
  /// small ones.
  double gap = 0;
  /// Stop once margin_upper <= resolution max |u| max |e|.
  double resolution = 1e-8;
  /// Stop once the lowest loss (with `gap`, the smallest relative gap) has not fallen by more than
  /// this share in `patience` checks in a row; 0: no such check.
  double least_progress = 1e-4;
  std::int64_t patience = 20;

  Blocking blocking{};
  double memory_limit =
      4e9; ///< bytes, the instance's included; more is refused with the need stated
};

/// A stored memory and what it is worth, measured in double.
struct Training {
  Matrix memory;      ///< d_out x d_in (problem iid: D x 1)
  Matrix left, right; ///< Q (d_out x m) and R (d_in x m), if the rank is limited
  Recall recall;
  double loss = 0; ///< cross-entropy of the memory, without the ridge
  double margin_lower = 0;
  double margin_upper = 0; ///< the lowest bound seen in double, for full rank; +infinity: none
  std::int64_t steps = 0;
  Stop stop = Stop::step_limit;
};

/// Throws std::invalid_argument naming the option out of range.
void require_valid(const TrainingOptions &options, const InstanceSpec &spec);

/// Bytes that training takes, the instance's included.
[[nodiscard]] double training_bytes(const Instance &instance, const TrainingOptions &options = {});

/// Trains a memory.  A step costs one CrossEntropy::evaluate with gradient, and is the same to the
/// bit for any number of threads.  Every check that would end the training by a margin is repeated
/// in double first.
/// Accuracy: what is reported is measured in double; the margins are certificates, rounding included.
/// Source: Adam, Kingma and Ba (2015).
/// Throws std::invalid_argument naming the option out of range, or the memory needed.
[[nodiscard]] Training train(const Instance &instance, const TrainingOptions &options = {});

/// The Hebbian memory in the same terms, certified at that scale of logits; stop and steps mean
/// nothing.  Throws like measure and certify, and std::invalid_argument naming the memory needed if
/// that is above the limit in bytes.
[[nodiscard]] Training hebbian(const Instance &instance, double logit_scale = 1, int threads = 0,
                               double memory_limit = 4e9);

} // namespace lamcap::simulation
