// SPDX-License-Identifier: GPL-3.0-or-later
// A law given as a file of numbers.
#pragma once

#include "lamcap/simulation/spectrum.hpp"

#include <filesystem>

namespace lamcap::program {

/// Reads values x and P(X <= x) from two columns of a text file, separated by commas, blanks or tabs;
/// lines that are empty or start with # are passed over.  A first line of names may choose the columns
/// memory_s and memory_distribution, as `lamcap spectrum --format csv` has them; else the first two
/// count.  Throws std::invalid_argument naming file and line, Failure (io_error) if it cannot be read.
[[nodiscard]] simulation::TabulatedLaw read_law(const std::filesystem::path &path);

} // namespace lamcap::program
