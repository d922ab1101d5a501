// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_file.hpp"

#include "exit_code.hpp"

#include <fmt/format.h>

#include <signal.h> // kill() is POSIX
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace lamcap::program {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void io_failure(std::string_view action, const fs::path &path,
                             std::string_view reason) {
  throw Failure(ExitCode::io_error, fmt::format("cannot {} {}: {}", action, path.string(), reason));
}

[[noreturn]] void io_failure(std::string_view action, const fs::path &path, int error) {
  io_failure(action, path, std::generic_category().message(error != 0 ? error : EIO));
}

[[noreturn]] void different(const fs::path &path, std::string_view what) {
  throw Failure(ExitCode::different, fmt::format("{}: {}", path.string(), what));
}

/// A pipe could block for ever, a device have no end or be replaced by a file.
void require_regular(std::string_view action, const fs::path &path, const fs::file_status &status) {
  if (fs::is_directory(status)) {
    io_failure(action, path, EISDIR);
  }
  if (!fs::is_regular_file(status)) {
    io_failure(action, path, "not a regular file");
  }
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

/// A whole file, unless it is larger than any table.
std::string contents(const fs::path &path) {
  constexpr std::size_t largest = 64'000'000;
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) {
    io_failure("read", path, failed.value());
  }
  require_regular("read", path, status);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> part{};
  while (file && text.size() <= largest) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() && !file) {
    io_failure("read", path, errno);
  }
  if (text.size() > largest) {
    io_failure("read", path, fmt::format("larger than {} bytes", largest));
  }
  return text;
}

struct Content {
  std::vector<std::string> comments;
  std::vector<std::vector<std::string>> rows; ///< the column names first
};

Content read_table(const fs::path &path) {
  Content content;
  std::istringstream lines(contents(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() == '#') {
      content.comments.push_back(line);
    } else {
      content.rows.push_back(split(line));
    }
  }
  return content;
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

/// What a path stands for when symbolic links are followed, whether it exists yet or not.
fs::path target_of(fs::path path) {
  constexpr int most_links = 40; // as the kernel
  std::error_code unknown;
  for (int links = 0; fs::is_symlink(path, unknown); ++links) {
    if (links == most_links) {
      io_failure("write", path, ELOOP);
    }
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

constexpr std::string_view temporary_suffix = ".tmp";

fs::path temporary_name(const fs::path &path, pid_t process) {
  return path.string() + fmt::format(".{}{}", process, temporary_suffix);
}

/// The process that made this temporary of `path`; nothing if it is another file.
std::optional<pid_t> maker(const fs::path &temporary, const fs::path &path) {
  const std::string name = temporary.filename().string();
  const std::string start = path.filename().string() + ".";
  pid_t process = 0;
  if (name.starts_with(start)) {
    std::from_chars(name.data() + start.size(), name.data() + name.size(), process);
  }
  const bool whole = process > 0 && temporary_name(path, process).filename() == name;
  return whole ? std::optional(process) : std::nullopt;
}

bool has_ended(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Processes that were killed could not remove their temporaries.
void remove_abandoned(const fs::path &path) {
  std::error_code failed;
  for (fs::directory_iterator entry(path.parent_path(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto process = maker(entry->path(), path);
    if (process && has_ended(*process)) {
      std::error_code unremovable; // then it stays, and does no harm
      fs::remove(entry->path(), unremovable);
    }
  }
}

void replace_file(const fs::path &path, const std::string &text) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (fs::exists(status)) {
    require_regular("write", path, status);
  }
  remove_abandoned(path);
  const fs::path temporary = temporary_name(path, ::getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  int error = file ? 0 : errno != 0 ? errno : EIO;
  if (error == 0) {
    fs::rename(temporary, path, failed);
    error = failed.value();
  }
  if (error != 0) {
    fs::remove(temporary, failed);
    io_failure("write", path, error);
  }
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
    replace_file(target_of(path_of(table, directory)), table.csv());
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
