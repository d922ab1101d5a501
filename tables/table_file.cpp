// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_file.hpp"

#include "exit_code.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace lamcap::program {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void io_failure(std::string_view action, const fs::path &path, int error) {
  throw Failure(ExitCode::io_error,
                fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(error)));
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

/// Lines of a table file that are not comments.
std::vector<std::vector<std::string>> read_rows(const fs::path &path) {
  errno = 0;
  std::ifstream file(path);
  if (!file) {
    io_failure("read", path, errno != 0 ? errno : EIO);
  }
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() != '#') {
      rows.push_back(split(line));
    }
  }
  if (file.bad()) {
    io_failure("read", path, errno != 0 ? errno : EIO);
  }
  return rows;
}

std::optional<double> as_number(const std::string &cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc() && end == cell.data() + cell.size();
  return whole ? std::optional(value) : std::nullopt;
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

} // namespace

void write_table(const Table &table, const fs::path &directory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    io_failure("make directory", directory, failed.value());
  }
  const fs::path path = path_of(table, directory);
  const fs::path temporary = path.string() + fmt::format(".{}.tmp", ::getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::trunc);
  file << table.csv();
  file.close();
  if (!file) {
    const int error = errno != 0 ? errno : EIO;
    fs::remove(temporary, failed);
    io_failure("write", temporary, error);
  }
  fs::rename(temporary, path, failed);
  if (failed) {
    const int error = failed.value();
    fs::remove(temporary, failed);
    io_failure("write", path, error);
  }
}

void check_table(const Table &table, const fs::path &directory) {
  const fs::path path = path_of(table, directory);
  const auto found = read_rows(path);
  const auto headers = table.headers();
  const auto different = [&](const std::string &what) {
    throw Failure(ExitCode::different, fmt::format("{}: {}", path.string(), what));
  };
  if (found.empty() || found.front() != headers) {
    different(fmt::format("columns are not '{}'", fmt::join(headers, ",")));
  }
  const auto &rows = table.rows();
  for (std::size_t i = 0; i < rows.size() && i + 1 < found.size(); ++i) {
    const auto &row = found[i + 1];
    if (const auto j = first_difference(headers, rows[i], row)) {
      const std::string name = *j < headers.size() ? headers[*j] : "beyond the last";
      different(fmt::format("row {} ({}), column {}: found {}, made {}", i + 1, rows[i].front(),
                            name, *j < row.size() ? row[*j] : "nothing",
                            *j < rows[i].size() ? rows[i][*j] : "nothing"));
    }
  }
  if (found.size() != rows.size() + 1) {
    different(fmt::format("found {} rows, made {}", found.size() - 1, rows.size()));
  }
}

} // namespace lamcap::program
