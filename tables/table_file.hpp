// SPDX-License-Identifier: GPL-3.0-or-later
// Tables on disk: written whole or not at all, and compared with what is there.
#pragma once

#include "table.hpp"

#include <filesystem>

namespace lamcap::program {

/// Writes directory/<name>.csv, or what that name links to: to a temporary file beside it, then
/// renamed.  Throws Failure (io_error) naming path and reason; neither file nor new directory is left
/// behind then.  Temporaries that a killed process left are removed by the next one.
void write_table(const Table &table, const std::filesystem::path &directory);

/// Compares directory/<name>.csv with the table.  Header comments (but for the version) and inputs
/// must be equal; computed values may differ by the sum of both error bounds; error bounds themselves
/// by a factor of ten.  Throws Failure: `different` naming the first header line or cell that is not
/// so, io_error if the file cannot be read or is no regular file of a table's size.
void check_table(const Table &table, const std::filesystem::path &directory);

} // namespace lamcap::program
