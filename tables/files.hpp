// SPDX-License-Identifier: GPL-3.0-or-later
// Files read whole, and files replaced whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lamcap::program {

/// Throws Failure (io_error): "cannot <action> <path>: <reason>", or what the error number says.
[[noreturn]] void io_failure(std::string_view action, const std::filesystem::path &path,
                             std::string_view reason);
[[noreturn]] void io_failure(std::string_view action, const std::filesystem::path &path, int error);

/// A whole regular file of at most `largest` bytes.  Throws Failure (io_error).
[[nodiscard]] std::string contents(const std::filesystem::path &path, std::size_t largest);

/// A cell that is a number and nothing else.
[[nodiscard]] std::optional<double> as_number(const std::string &cell);

/// Throws Failure (io_error) if replace_file could not write there, as far as can be told beforehand.
void require_writable(const std::filesystem::path &link);

/// Writes to a temporary file beside `link`, or what it links to, and renames.  Throws Failure
/// (io_error), and then leaves nothing behind.  Temporaries of killed processes are removed.
void replace_file(const std::filesystem::path &link, const std::string &text);

} // namespace lamcap::program
