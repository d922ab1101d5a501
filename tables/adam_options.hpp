// SPDX-License-Identifier: GPL-3.0-or-later
// How a memory is trained: options that commands with rule adam share.
#pragma once

#include "options.hpp"

#include "lamcap/simulation/training.hpp"

namespace lamcap::program {

class AdamOptions {
public:
  explicit AdamOptions(CLI::App &app);

  /// Throws naming what is out of range.  Seed, memory limit and threads are the caller's.
  [[nodiscard]] simulation::TrainingOptions get() const;

  /// Throws if an option was given that does nothing without training: all but --logit-scale, and
  /// that too unless a loss is shown.
  void refuse(bool shows_loss) const;

  /// Appends what the training was.
  static void describe(Json &input, const simulation::TrainingOptions &options);

private:
  NumberOption rank_, steps_, rate_, ridge_, gap_, logit_scale_;
  simulation::Schedule schedule_ = simulation::Schedule::constant;  // set by the parser
  simulation::Precision precision_ = simulation::Precision::single; // set by the parser
  CLI::Option *schedule_option_;
  CLI::Option *precision_option_;
};

} // namespace lamcap::program
