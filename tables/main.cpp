// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap: storage capacity of linear associative memories, on the command line.
#include "commands.hpp"
#include "exit_code.hpp"
#include "lamcap/version.hpp"
#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using lamcap::program::ExitCode;
using lamcap::program::Failure;

/// One line without control characters: what stands in an argument or a file must neither break the
/// message nor steer the terminal.
std::string printable(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += std::iscntrl(byte) != 0 ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return line;
}

/// Standard error may be closed or full: the exit code says it then, so no failure is reported here.
int fail(ExitCode code, std::string_view message) {
  if (message.empty()) { // another process of the same run reports it
    return static_cast<int>(code);
  }
  std::fputs(("lamcap: " + printable(message) + "\n").c_str(), stderr);
  return static_cast<int>(code);
}

bool is_command(const CLI::App &app, const std::string &name) {
  const auto commands = app.get_subcommands([](const CLI::App *) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App *command) { return command->get_name() == name; });
}

std::invalid_argument unknown_command(const std::string &name) {
  return std::invalid_argument(
      fmt::format("command '{}': must be capacity, accuracy, threshold, spectrum, free-entropy, "
                  "phase, scores, simulate, separable, sweep or table",
                  name));
}

void add_commands(CLI::App &app) {
  app.set_version_flag("--version", std::string("lamcap ") + std::string(lamcap::version));
  app.formatter(std::make_shared<lamcap::program::HelpFormatter>()); // inherited by the commands
  app.footer(
      "Example: lamcap capacity --dim 4096\n"
      "Exit codes: 0 good, 1 tables differ, 2 bad input, 3 not converged, 4 input or output.");
  app.require_subcommand(0, 1); // none is refused below, in words of our own
  lamcap::program::add_capacity_command(app);
  lamcap::program::add_accuracy_command(app);
  lamcap::program::add_threshold_command(app);
  lamcap::program::add_spectrum_command(app);
  lamcap::program::add_free_entropy_command(app);
  lamcap::program::add_phase_command(app);
  lamcap::program::add_scores_command(app);
  lamcap::program::add_simulate_command(app);
  lamcap::program::add_separable_command(app);
  lamcap::program::add_sweep_command(app);
  lamcap::program::add_table_command(app);
}

void run(int argc, char **argv) {
  CLI::App app{
      "How many facts a linear associative memory stores, and how: critical loads,\n"
      "extreme-value thresholds, spectra, the memories below capacity, score laws, tables, and\n"
      "memories trained and certified on random facts.",
      "lamcap"};
  add_commands(app);
  const std::string first = argc < 2 ? "" : argv[1];
  if (first.empty() || (first.front() != '-' && !is_command(app, first))) {
    throw unknown_command(first);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) { // --help, --version
    std::ostringstream text;
    app.exit(request, text);
    lamcap::program::write_output(text.str());
    return;
  }
  if (app.get_subcommands().empty()) { // as after `lamcap --`
    throw unknown_command("");
  }
}

/// Runs the command and reports how it failed.
int outcome(int argc, char **argv) {
  try {
    run(argc, argv);
    return static_cast<int>(ExitCode::good);
  } catch (const CLI::ParseError &error) {
    return fail(ExitCode::bad_input, std::string(error.what()) + " (see --help)");
  } catch (const Failure &failure) {
    return fail(failure.code, failure.what());
  } catch (const std::system_error &error) { // a directory that cannot be read
    return fail(ExitCode::io_error, error.what());
  } catch (const std::bad_alloc &) { // Eigen's own, past the new-handler
    throw;
  } catch (const std::exception &error) { // refused by the library
    return fail(ExitCode::bad_input, error.what());
  }
}

/// Ends at once: unwinding would run destructors of JSON values, which allocate and may not throw.
[[noreturn]] void out_of_memory() {
  std::fputs("lamcap: out of memory\n", stderr);
  std::_Exit(static_cast<int>(ExitCode::not_converged));
}

} // namespace

int main(int argc, char **argv) {
  std::set_new_handler(out_of_memory);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
  try {
    return outcome(argc, argv);
  } catch (...) { // for want of memory alone
    out_of_memory();
  }
}
