// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_progress.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace lamcap::program {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  const long long minutes = whole / 60;
  const long long hours = minutes / 60;
  return hours > 0     ? fmt::format("{} h {:02} min", hours, minutes % 60)
         : minutes > 0 ? fmt::format("{} min {:02} s", minutes, whole % 60)
                       : fmt::format("{} s", whole);
}

} // namespace

std::string progress_line(std::int64_t done, std::int64_t total, double seconds) {
  constexpr std::int64_t width = 30;
  const auto filled = static_cast<std::size_t>(total > 0 ? width * done / total : width);
  const std::string rest =
      done > 0 ? duration(seconds / static_cast<double>(done) * static_cast<double>(total - done)) +
                     " left"
               : "";
  return fmt::format("[{:<30}] {}/{}  {}", std::string(filled, '#'), done, total, rest);
}

Progress::Progress(std::int64_t total, bool visible)
    : total_(total), visible_(visible && ::isatty(STDERR_FILENO) == 1) {
  draw();
}

Progress::~Progress() {
  if (visible_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void Progress::advance() {
  ++done_;
  draw();
}

void Progress::draw() const {
  if (visible_) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    std::fputs(("\r\x1b[K" + progress_line(done_, total_, passed.count())).c_str(), stderr);
  }
}

} // namespace lamcap::program
