// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_journal.hpp"

#include "exit_code.hpp"
#include "files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace lamcap::program {
namespace {

// Bytes far beyond the end that stand for locks.
constexpr long owner_lock = 1L << 60;
constexpr long write_lock = owner_lock + 1;

Json header_of(const Json &parameters) {
  Json header;
  header["lamcap"] = "sweep";
  header["parameters"] = parameters;
  return header;
}

std::string line_of(const Json &record) {
  return record.dump() + "\n";
}

/// A line of JSON; discarded if it is none, or longer (hence deeper) than any of ours.
Json parsed(std::string_view line) {
  constexpr std::size_t longest = 10000;
  return line.size() <= longest ? Json::parse(line, nullptr, false)
                                : Json(Json::value_t::discarded);
}

/// Refuses a first line that is not this sweep's.
void check_header(const std::string &path, std::string_view line, const Json &parameters) {
  const Json found = parsed(line);
  if (!found.is_object() || found.value("lamcap", Json()) != "sweep" ||
      !found.value("parameters", Json()).is_object()) {
    throw std::invalid_argument(fmt::format("{}: is no file of lamcap sweep", path));
  }
  const Json &theirs = found["parameters"];
  for (const auto &[key, value] : parameters.items()) {
    const Json other = theirs.value(key, Json());
    if (other != value) {
      throw std::invalid_argument(fmt::format("{}: holds a sweep with {} = {}, not {}", path, key,
                                              other.dump(), value.dump()));
    }
  }
  for (const auto &[key, value] : theirs.items()) {
    if (!parameters.contains(key)) {
      throw std::invalid_argument(fmt::format(
          "{}: holds a sweep with {} = {}, which this one has not", path, key, value.dump()));
    }
  }
}

} // namespace

Journal::Journal(std::filesystem::path path, const Json &parameters, Role role,
                 const std::function<void(const Json &)> &accept)
    : path_(std::move(path)) {
  constexpr mode_t readable = 0644;
  file_ = ::open(path_.c_str(),
                 O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | (role == Role::owner ? O_CREAT : 0),
                 readable);
  if (file_ < 0) {
    fail("open");
  }
  try {
    struct stat status {};
    if (::fstat(file_, &status) != 0) {
      fail("read");
    }
    if (!S_ISREG(status.st_mode)) {
      io_failure("write", path_, "not a regular file");
    }
    if (role == Role::owner) {
      lock(true, owner_lock, false);
      start(parameters);
      read(accept);
    }
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
} // and with it all locks

void Journal::fail(const char *action) const {
  io_failure(action, path_, errno);
}

void Journal::lock(bool wanted, long byte, bool wait) const {
  struct flock region {};
  region.l_type = static_cast<short>(wanted ? F_WRLCK : F_UNLCK);
  region.l_whence = SEEK_SET;
  region.l_start = byte;
  region.l_len = 1;
  int result = 0;
  do {
    result = ::fcntl(file_, wait ? F_SETLKW : F_SETLK, &region);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && !wait && (errno == EACCES || errno == EAGAIN)) {
    io_failure("write", path_, "another sweep is writing to it");
  }
  if (result != 0) {
    fail("lock");
  }
}

std::string Journal::text() const {
  std::string all;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t got = ::pread(file_, part.data(), part.size(), static_cast<off_t>(all.size()));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      fail("read");
    }
    if (got == 0) {
      return all;
    }
    all.append(part.data(), static_cast<std::size_t>(got));
  }
}

void Journal::start(const Json &parameters) {
  const std::string header = line_of(header_of(parameters));
  const std::string all = text();
  const std::size_t whole = all.rfind('\n') + 1; // npos + 1 is 0
  if (whole == 0 && !header.starts_with(all)) {
    throw std::invalid_argument(fmt::format("{}: is no file of lamcap sweep", path_.string()));
  }
  if (whole > 0) {
    check_header(path_.string(), std::string_view(all).substr(0, all.find('\n')), parameters);
  }
  if (whole < all.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) {
    fail("write");
  }
  if (whole == 0) {
    write_line(header);
  }
}

void Journal::read(const std::function<void(const Json &)> &accept) const {
  const std::string all = text();
  std::size_t number = 1;
  std::size_t from = all.find('\n') + 1;
  while (from < all.size()) {
    ++number;
    const std::size_t end = all.find('\n', from);
    if (end == std::string::npos) {
      break; // being written by another process
    }
    const Json record = parsed(std::string_view(all).substr(from, end - from));
    try {
      accept(record);
    } catch (const std::exception &) {
      throw std::invalid_argument(
          fmt::format("{}, line {}: is no record of this sweep", path_.string(), number));
    }
    from = end + 1;
  }
}

void Journal::append(const Json &record) {
  const std::lock_guard guard(mutex_);
  lock(true, write_lock, true);
  try {
    require_intact();
    write_line(line_of(record));
  } catch (...) {
    lock(false, write_lock, false);
    throw;
  }
  lock(false, write_lock, false);
}

void Journal::require_intact() {
  struct stat status {};
  if (::fstat(file_, &status) != 0) {
    fail("write");
  }
  if (status.st_nlink == 0) {
    io_failure("write", path_, "it was removed while the sweep ran");
  }
  if (status.st_size < size_) {
    io_failure("write", path_, "it was cut while the sweep ran");
  }
  size_ = status.st_size;
}

void Journal::write_line(const std::string &line) {
  const off_t before = ::lseek(file_, 0, SEEK_END);
  std::size_t done = 0;
  while (before >= 0 && done < line.size()) {
    const ssize_t put = ::write(file_, line.data() + done, line.size() - done);
    if (put >= 0) {
      done += static_cast<std::size_t>(put);
    } else if (errno != EINTR) {
      break;
    }
  }
  if (done < line.size()) {
    const int error = errno;
    if (before >= 0 && ::ftruncate(file_, before) != 0) {
      // the torn line stays: the next run cuts it off
    }
    io_failure("write", path_, error);
  }
  size_ = before + static_cast<long long>(done);
}

} // namespace lamcap::program
