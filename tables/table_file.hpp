// SPDX-License-Identifier: GPL-3.0-or-later
// Tables on disk: written whole or not at all, and compared with what is there.
#pragma once

#include "table.hpp"

#include <filesystem>

namespace lamcap::program {

/// Writes directory/<name>.csv: to a temporary file first, then renamed.  Throws Failure (io_error)
/// naming path and reason; nothing is left behind then.
void write_table(const Table &table, const std::filesystem::path &directory);

/// Compares directory/<name>.csv with the table.  Inputs must be equal; computed values may differ
/// by the sum of both error bounds; error bounds themselves by a factor of ten.  Throws Failure:
/// `different` naming the first cell that is not so, io_error if the file cannot be read.
void check_table(const Table &table, const std::filesystem::path &directory);

} // namespace lamcap::program
