// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.hpp"

#include "exit_code.hpp"
#include "lamcap/version.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace lamcap::program {

Table::Table(Heading heading, std::string parameters, std::vector<Column> columns)
    : heading_(std::move(heading)),
      parameters_(std::move(parameters)),
      columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error("table " + name() + ": a row has the wrong number of cells");
  }
  std::vector<std::string> row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto *text = std::get_if<std::string>(&cells[i])) {
      if (text->find_first_of(",\"\n") != std::string::npos) {
        throw std::logic_error("table " + name() + ": text that CSV would have to quote: " + *text);
      }
      row.push_back(*text);
    } else if (const auto *value = std::get_if<double>(&cells[i])) {
      row.push_back(round_trip(*value));
    } else {
      const auto &estimate = std::get<Estimate>(cells[i]);
      if (!estimate.converged() || !std::isfinite(estimate.error)) {
        throw Failure(ExitCode::not_converged,
                      fmt::format("table {}, row {} ({}), column {}: {}", name(), rows_.size() + 1,
                                  row.empty() ? "" : row.front(), columns_[i].name,
                                  to_string(estimate.status)));
      }
      row.push_back(round_trip(estimate.value));
      row.push_back(fmt::format("{:.2e}", estimate.error));
    }
    if ((columns_[i].kind == Kind::input) == std::holds_alternative<Estimate>(cells[i])) {
      throw std::logic_error("table " + name() + ": wrong kind of cell in " + columns_[i].name);
    }
  }
  rows_.push_back(std::move(row));
}

std::vector<std::string> Table::headers() const {
  std::vector<std::string> names;
  for (const Column &column : columns_) {
    names.push_back(column.name);
    if (column.kind != Kind::input) {
      names.push_back(column.name + "_error");
    }
  }
  return names;
}

std::vector<std::string> Table::comments() const {
  std::vector<std::string> lines{fmt::format("# lamcap {}: lamcap table {}", version, name()),
                                 "# " + heading_.claim, "# parameters: " + parameters_};
  int number = 1;
  for (const Column &column : columns_) {
    if (column.kind == Kind::input) {
      lines.push_back(fmt::format("# {}: {}: {}", number, column.name, column.meaning));
      ++number;
    } else {
      lines.push_back(fmt::format(
          "# {}: {}: {} ({}: {}_error, {})", number, column.name, column.meaning, number + 1,
          column.name, column.kind == Kind::computed ? "error bound" : "standard error"));
      number += 2;
    }
  }
  return lines;
}

std::string Table::csv() const {
  std::string out = fmt::format("{}\n{}\n", fmt::join(comments(), "\n"), fmt::join(headers(), ","));
  for (const auto &row : rows_) {
    out += fmt::format("{}\n", fmt::join(row, ","));
  }
  return out;
}

} // namespace lamcap::program
