// SPDX-License-Identifier: GPL-3.0-or-later
#include "law_file.hpp"

#include "files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lamcap::program {
namespace {

std::vector<std::string> cells_of(std::string line) {
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
  std::istringstream stream(line);
  std::vector<std::string> cells;
  for (std::string cell; stream >> cell;) {
    cells.push_back(cell);
  }
  return cells;
}

std::size_t position(const std::vector<std::string> &names, std::string_view name,
                     std::size_t otherwise) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? otherwise : static_cast<std::size_t>(found - names.begin());
}

} // namespace

simulation::TabulatedLaw read_law(const std::filesystem::path &path) {
  constexpr std::size_t largest = 64'000'000; // bytes
  std::istringstream lines(contents(path, largest));
  simulation::TabulatedLaw law;
  std::size_t x_column = 0;
  std::size_t distribution_column = 1;
  bool first = true;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty() || cells.front().front() == '#') {
      continue;
    }
    const auto number_at = [&cells](std::size_t column) {
      return column < cells.size() ? as_number(cells[column]) : std::nullopt;
    };
    const auto x = number_at(x_column);
    const auto distribution = number_at(distribution_column);
    if (x && distribution) {
      law.x.push_back(*x);
      law.distribution.push_back(*distribution);
    } else if (first && !as_number(cells.front())) {
      x_column = position(cells, "memory_s", 0);
      distribution_column = position(cells, "memory_distribution", 1);
    } else {
      throw std::invalid_argument(fmt::format("{}, line {}: must hold numbers in columns {} and {}",
                                              path.string(), count, x_column + 1,
                                              distribution_column + 1));
    }
    first = false;
  }
  if (law.x.empty()) {
    throw std::invalid_argument(fmt::format("{}: holds no law", path.string()));
  }
  return law;
}

} // namespace lamcap::program
