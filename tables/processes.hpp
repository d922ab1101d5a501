// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes that share a job: MPI, where the program was built with it.
#pragma once

#include <string>

namespace lamcap::program {

/// The processes that a launcher such as mpirun started together; one by itself without a launcher.
/// Make one per run.
class Processes {
public:
  /// Throws std::invalid_argument if a launcher started several and this build has no MPI.
  Processes();
  ~Processes();
  Processes(const Processes &) = delete;
  Processes &operator=(const Processes &) = delete;

  [[nodiscard]] int rank() const { return rank_; } ///< from 0
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }

  /// The first process's text, in all of them.
  [[nodiscard]] std::string broadcast(std::string text) const;

  /// Whether the flag is set in any of them; waits for all.
  [[nodiscard]] bool any(bool flag) const;

private:
  int rank_ = 0;
  int size_ = 1;
};

} // namespace lamcap::program
