// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_file.hpp"

#include "exit_code.hpp"
#include "files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace lamcap::program {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void different(const fs::path &path, std::string_view what) {
  throw Failure(ExitCode::different, fmt::format("{}: {}", path.string(), what));
}

fs::path path_of(const Table &table, const fs::path &directory) {
  return directory / (table.name() + ".csv");
}

std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  if (!line.empty() && line.back() == ',') {
    cells.emplace_back();
  }
  return cells;
}

constexpr std::size_t largest_table = 64'000'000; // bytes

struct Content {
  std::vector<std::string> comments;
  std::vector<std::vector<std::string>> rows; ///< the column names first
};

Content read_table(const fs::path &path) {
  Content content;
  std::istringstream lines(contents(path, largest_table));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() == '#') {
      content.comments.push_back(line);
    } else {
      content.rows.push_back(split(line));
    }
  }
  return content;
}

constexpr std::string_view error_suffix = "_error";

/// Whether column j of the file is the error of column j - 1.
bool is_error(const std::vector<std::string> &headers, std::size_t j) {
  return j > 0 && j < headers.size() && headers[j] == headers[j - 1] + std::string(error_suffix);
}

bool same_error(double a, double b) {
  constexpr double factor = 10; // bounds hold rounding noise, which differs between machines
  return a >= 0 && b >= 0 && a <= factor * b && b <= factor * a;
}

/// Compares one row; returns the index of the first cell that differs.
std::optional<std::size_t> first_difference(const std::vector<std::string> &headers,
                                            const std::vector<std::string> &made,
                                            const std::vector<std::string> &found) {
  for (std::size_t j = 0; j < made.size(); ++j) {
    if (j >= found.size()) {
      return j;
    }
    if (made[j] == found[j]) {
      continue;
    }
    const auto a = as_number(made[j]);
    const auto b = as_number(found[j]);
    if (!a || !b || !std::isfinite(*b)) {
      return j;
    }
    if (is_error(headers, j)) {
      if (!same_error(*a, *b)) {
        return j;
      }
    } else if (is_error(headers, j + 1)) {
      const auto error_a = as_number(made[j + 1]);
      const auto error_b = j + 1 < found.size() ? as_number(found[j + 1]) : std::nullopt;
      if (!error_a || !error_b || !(std::abs(*a - *b) <= *error_a + *error_b)) {
        return j;
      }
    } else {
      return j;
    }
  }
  return found.size() > made.size() ? std::optional(made.size()) : std::nullopt;
}

/// A header line without the version, which may change while the table stays.
std::string_view unversioned(std::string_view line) {
  constexpr std::string_view start = "# lamcap ";
  return line.starts_with(start) ? line.substr(std::min(line.find(':'), line.size())) : line;
}

void compare_comments(const fs::path &path, const std::vector<std::string> &made,
                      const std::vector<std::string> &found) {
  const auto line = [](const std::vector<std::string> &lines, std::size_t i) {
    return i < lines.size() ? std::string_view(lines[i]) : std::string_view("nothing");
  };
  for (std::size_t i = 0; i < std::max(made.size(), found.size()); ++i) {
    const std::string_view a = line(made, i);
    const std::string_view b = line(found, i);
    if (unversioned(a) != unversioned(b)) {
      different(path, fmt::format("header line {}: found '{}', made '{}'", i + 1, b, a));
    }
  }
}

void compare_rows(const fs::path &path, const Table &table,
                  const std::vector<std::vector<std::string>> &found) {
  const auto headers = table.headers();
  if (found.empty() || found.front() != headers) {
    different(path, fmt::format("columns are not '{}'", fmt::join(headers, ",")));
  }
  const auto &rows = table.rows();
  for (std::size_t i = 0; i < rows.size() && i + 1 < found.size(); ++i) {
    const auto &row = found[i + 1];
    if (const auto j = first_difference(headers, rows[i], row)) {
      const std::string name = *j < headers.size() ? headers[*j] : "beyond the last";
      different(path, fmt::format("row {} ({}), column {}: found {}, made {}", i + 1,
                                  rows[i].front(), name, *j < row.size() ? row[*j] : "nothing",
                                  *j < rows[i].size() ? rows[i][*j] : "nothing"));
    }
  }
  if (found.size() != rows.size() + 1) {
    different(path, fmt::format("found {} rows, made {}", found.size() - 1, rows.size()));
  }
}

// ---- writing ------------------------------------------------------------------------------------

/// The directories of this path that do not exist, innermost first.
std::vector<fs::path> missing_directories(fs::path directory) {
  std::vector<fs::path> missing;
  std::error_code unknown;
  while (!directory.empty() && !fs::exists(fs::symlink_status(directory, unknown))) {
    missing.push_back(directory);
    directory = directory.parent_path();
  }
  return missing;
}

} // namespace

void write_table(const Table &table, const fs::path &directory) {
  const std::vector<fs::path> made = missing_directories(directory);
  try {
    std::error_code failed;
    fs::create_directories(directory, failed);
    if (failed) {
      io_failure("make directory", directory, failed.value());
    }
    replace_file(path_of(table, directory), table.csv());
  } catch (...) {
    for (const fs::path &path : made) {
      std::error_code in_use; // by another process: not ours any more
      fs::remove(path, in_use);
    }
    throw;
  }
}

void check_table(const Table &table, const fs::path &directory) {
  const fs::path path = path_of(table, directory);
  const Content found = read_table(path);
  compare_comments(path, table.comments(), found.comments);
  compare_rows(path, table, found.rows);
}

} // namespace lamcap::program
