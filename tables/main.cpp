// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap: storage capacity of linear associative memories, on the command line.
#include "commands.hpp"
#include "exit_code.hpp"
#include "lamcap/version.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using lamcap::program::ExitCode;
using lamcap::program::Failure;

int fail(ExitCode code, std::string message) {
  for (char &c : message) { // one line, whatever the parser's message looks like
    if (c == '\n') {
      c = ' ';
    }
  }
  fmt::print(stderr, "lamcap: {}\n", message);
  return static_cast<int>(code);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"How many facts a linear associative memory stores, and how: critical loads,\n"
               "extreme-value thresholds, spectra and tables.",
               "lamcap"};
  app.set_version_flag("--version", std::string("lamcap ") + std::string(lamcap::version));
  app.formatter(std::make_shared<lamcap::program::HelpFormatter>()); // inherited by the commands
  app.footer(
      "Example: lamcap capacity --dim 4096\n"
      "Exit codes: 0 good, 1 tables differ, 2 bad input, 3 not converged, 4 input or output.");
  lamcap::program::add_capacity_command(app);
  lamcap::program::add_threshold_command(app);
  lamcap::program::add_spectrum_command(app);
  lamcap::program::add_table_command(app);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      return fail(ExitCode::bad_input,
                  "a command is needed: capacity, threshold, spectrum or table (see --help)");
    }
    if (std::fflush(stdout) != 0) {
      throw Failure(ExitCode::io_error, "cannot write to standard output");
    }
    return static_cast<int>(ExitCode::good);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help, --version
      return app.exit(error);
    }
    return fail(ExitCode::bad_input, std::string(error.what()) + " (see --help)");
  } catch (const Failure &failure) {
    return fail(failure.code, failure.what());
  } catch (const std::exception &error) { // refused by the library
    return fail(ExitCode::bad_input, error.what());
  }
}
