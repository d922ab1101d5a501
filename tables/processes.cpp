// SPDX-License-Identifier: GPL-3.0-or-later
#include "processes.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#ifdef LAMCAP_MPI
#include <mpi.h>
#endif

namespace lamcap::program {
namespace {

/// How many processes the launcher says there are (Open MPI, MPICH and Intel MPI, Slurm's PMI).
int launched() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char *size = std::getenv(name)) {
      return std::atoi(size);
    }
  }
  return 0;
}

} // namespace

#ifdef LAMCAP_MPI

Processes::Processes() {
  if (launched() == 0) { // starting MPI takes time, and may fail for want of a network
    return;
  }
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Processes::~Processes() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) {
    MPI_Finalize();
  }
}

std::string Processes::broadcast(std::string text) const {
  if (size_ > 1) {
    auto length = static_cast<unsigned long long>(text.size());
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    text.resize(length);
    MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  return text;
}

bool Processes::any(bool flag) const {
  int set = flag ? 1 : 0;
  if (size_ > 1) {
    MPI_Allreduce(MPI_IN_PLACE, &set, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  return set != 0;
}

#else

Processes::Processes() {
  if (launched() > 1) {
    throw std::invalid_argument(fmt::format(
        "{} processes were started, but this lamcap is built for one (CMake: -DLAMCAP_MPI=ON)",
        launched()));
  }
}

Processes::~Processes() = default;

std::string Processes::broadcast(std::string text) const {
  return text;
}

bool Processes::any(bool flag) const {
  return flag;
}

#endif

} // namespace lamcap::program
