// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap: storage capacity of linear associative memories, on the command line.
#include "commands.hpp"
#include "exit_code.hpp"
#include "lamcap/version.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

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

bool is_command(const CLI::App &app, const std::string &name) {
  const auto commands = app.get_subcommands([](const CLI::App *) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App *command) { return command->get_name() == name; });
}

std::invalid_argument unknown_command(const std::string &name) {
  return std::invalid_argument(
      fmt::format("command '{}': must be capacity, accuracy, threshold, spectrum or table", name));
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
  lamcap::program::add_accuracy_command(app);
  lamcap::program::add_threshold_command(app);
  lamcap::program::add_spectrum_command(app);
  lamcap::program::add_table_command(app);
  try {
    const std::string first = argc < 2 ? "" : argv[1];
    if (first.empty() || (first.front() != '-' && !is_command(app, first))) {
      throw unknown_command(first);
    }
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) { // as after `lamcap --`
      throw unknown_command("");
    }
    if (std::fflush(stdout) != 0) {
      throw Failure(ExitCode::io_error, "cannot write to standard output");
    }
    return static_cast<int>(ExitCode::good);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help, --version
      const int code = app.exit(error);
      return std::cout.flush() ? code : fail(ExitCode::io_error, "cannot write to standard output");
    }
    return fail(ExitCode::bad_input, std::string(error.what()) + " (see --help)");
  } catch (const Failure &failure) {
    return fail(failure.code, failure.what());
  } catch (const std::system_error &error) { // fmt, on a full disk or a closed pipe
    return fail(ExitCode::io_error,
                std::string("cannot write to standard output: ") + error.what());
  } catch (const std::exception &error) { // refused by the library
    return fail(ExitCode::bad_input, error.what());
  }
}
