// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.hpp"

#include "exit_code.hpp"

#include <fmt/format.h>

#include <signal.h> // kill() is POSIX
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

namespace lamcap::program {

namespace fs = std::filesystem;

void io_failure(std::string_view action, const fs::path &path, std::string_view reason) {
  throw Failure(ExitCode::io_error, fmt::format("cannot {} {}: {}", action, path.string(), reason));
}

void io_failure(std::string_view action, const fs::path &path, int error) {
  io_failure(action, path, std::generic_category().message(error != 0 ? error : EIO));
}

namespace {

/// A pipe could block for ever, a device have no end or be replaced by a file.
void require_regular(std::string_view action, const fs::path &path, const fs::file_status &status) {
  if (fs::is_directory(status)) {
    io_failure(action, path, EISDIR);
  }
  if (!fs::is_regular_file(status)) {
    io_failure(action, path, "not a regular file");
  }
}

} // namespace

std::string contents(const fs::path &path, std::size_t largest) {
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

std::optional<double> as_number(const std::string &cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc() && end == cell.data() + cell.size();
  return whole ? std::optional(value) : std::nullopt;
}

namespace {

/// Where a file is.
fs::path directory_of(const fs::path &path) {
  return path.has_parent_path() ? path.parent_path() : ".";
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
  for (fs::directory_iterator entry(directory_of(path), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto process = maker(entry->path(), path);
    if (process && has_ended(*process)) {
      std::error_code unremovable; // then it stays, and does no harm
      fs::remove(entry->path(), unremovable);
    }
  }
}

} // namespace

void require_writable(const fs::path &link) {
  const fs::path path = target_of(link);
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  if (fs::exists(status)) {
    require_regular("write", path, status);
  }
  if (path.empty() || ::access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
    io_failure("write", link, path.empty() ? ENOENT : errno);
  }
}

void replace_file(const fs::path &link, const std::string &text) {
  require_writable(link);
  const fs::path path = target_of(link);
  std::error_code failed;
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

} // namespace lamcap::program
