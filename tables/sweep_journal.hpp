// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a sweep on disk, a JSON object per line, added as they come.
#pragma once

#include "output.hpp"

#include <filesystem>
#include <functional>
#include <mutex>

namespace lamcap::program {

/// A file whose first line holds the parameters of a sweep, {"lamcap": "sweep", "parameters": {...}},
/// and every other one a record.
///
/// The owner makes the file, or reads what an earlier run left: a last line without its end, torn by a
/// kill, is cut off.  It locks the file while it lives, so that two sweeps cannot mix.  Helpers, other
/// processes of the same run, only add.  Each line goes out in one piece under a lock.
class Journal {
public:
  enum class Role { owner, helper };

  /// `accept` takes every record that is there; what it throws makes the line a foreign one.  Throws
  /// std::invalid_argument if the file is no sweep, has other parameters (the first is named), or a
  /// line that is no record; Failure (io_error) if it cannot be read or written, or is in use.
  Journal(std::filesystem::path path, const Json &parameters, Role role,
          const std::function<void(const Json &)> &accept);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// Throws Failure (io_error), also if the file was removed or cut; it then ends with the line
  /// before.  For any thread.
  void append(const Json &record);

  /// Throws Failure (io_error) if the file was removed or cut.
  void require_intact();

  /// Hands over all records again, those of helpers too.
  void read(const std::function<void(const Json &)> &accept) const;

private:
  [[nodiscard]] std::string text() const;
  void start(const Json &parameters);
  void write_line(const std::string &line);
  void lock(bool wanted, long byte, bool wait) const;
  [[noreturn]] void fail(const char *action) const;

  std::filesystem::path path_;
  int file_ = -1;
  long long size_ = 0; // of the file, at least
  std::mutex mutex_;
};

} // namespace lamcap::program
