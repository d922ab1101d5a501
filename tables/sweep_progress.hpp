// SPDX-License-Identifier: GPL-3.0-or-later
// How far a sweep is, for people who watch.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lamcap::program {

/// A line on standard error that is drawn over and over, if that is a terminal and `visible`; nothing
/// otherwise.
class Progress {
public:
  Progress(std::int64_t total, bool visible);
  ~Progress(); ///< wipes the line

  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// One more is done.  Not for several threads at once.
  void advance();

private:
  void draw() const;

  std::int64_t total_;
  std::int64_t done_ = 0;
  bool visible_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The line: a bar, counts, and the time that the rest takes at the pace so far.
[[nodiscard]] std::string progress_line(std::int64_t done, std::int64_t total, double seconds);

} // namespace lamcap::program
