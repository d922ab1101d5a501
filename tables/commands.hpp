// SPDX-License-Identifier: GPL-3.0-or-later
// One function per command, each in its own file.
#pragma once

#include <CLI/CLI.hpp>

namespace lamcap::program {

void add_capacity_command(CLI::App &app);
void add_accuracy_command(CLI::App &app);
void add_threshold_command(CLI::App &app);
void add_spectrum_command(CLI::App &app);
void add_free_entropy_command(CLI::App &app);
void add_phase_command(CLI::App &app);
void add_scores_command(CLI::App &app);
void add_simulate_command(CLI::App &app);
void add_separable_command(CLI::App &app);
void add_sweep_command(CLI::App &app);
void add_table_command(CLI::App &app);

} // namespace lamcap::program
