// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include <omp.h>

namespace lamcap::simulation {

/// While it lives, a matrix product takes one thread: with several, rounding depends on how many.
/// Within a parallel region products are serial anyway.
class SerialProducts {
public:
  SerialProducts() : active_(omp_in_parallel() == 0), before_(Eigen::nbThreads()) {
    if (active_) {
      Eigen::setNbThreads(1);
    }
  }
  ~SerialProducts() {
    if (active_) {
      Eigen::setNbThreads(before_ == omp_get_max_threads() ? 0 : before_);
    }
  }
  SerialProducts(const SerialProducts &) = delete;
  SerialProducts &operator=(const SerialProducts &) = delete;

private:
  bool active_;
  int before_;
};

} // namespace lamcap::simulation
