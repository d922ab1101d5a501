// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace lamcap::program {

/// Every way in which the program ends.
enum class ExitCode {
  good = 0,
  different = 1,     ///< `table --check` found another header, or a cell beyond its error
  bad_input = 2,     ///< an argument was refused
  not_converged = 3, ///< a number could not be computed to its tolerance, or for want of memory
  io_error = 4       ///< a file or directory could not be read or written
};

/// Ends the program with a code and one line on standard error.
struct Failure : std::runtime_error {
  Failure(ExitCode exit_code, const std::string &message)
      : std::runtime_error(message), code(exit_code) {}
  ExitCode code;
};

} // namespace lamcap::program
