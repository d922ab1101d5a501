// SPDX-License-Identifier: GPL-3.0-or-later
#include "output.hpp"

#include "exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

namespace lamcap::program {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0; // 2^53

std::string scalar(const Json &value) {
  if (value.is_null()) {
    return "-";
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return round_trip(value.get<double>());
  }
  return value.dump();
}

/// Twelve digits for people; JSON and CSV carry all of them.
std::string readable(const Json &value) {
  return value.is_number_float() ? fmt::format("{:.12g}", value.get<double>()) : scalar(value);
}

bool is_rows(const Json &value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

bool is_error_of_sibling(const Json &record, const std::string &key) {
  constexpr std::string_view suffix = "_error";
  return key.size() > suffix.size() && key.ends_with(suffix) &&
         record.contains(key.substr(0, key.size() - suffix.size()));
}

/// An error for people: what counts is its size.
std::string readable_error(const Json &value) {
  return value.is_number() && value != 0 ? fmt::format("{:.1e}", value.get<double>())
                                         : scalar(value);
}

/// Right-aligned columns; an error's is headed +- and stands beside its value's.
std::string text_rows(const Json &rows) {
  std::vector<std::vector<std::string>> columns;
  for (const auto &[name, unused] : rows.front().items()) {
    const bool error = is_error_of_sibling(rows.front(), name);
    std::vector<std::string> &column = columns.emplace_back();
    column.push_back(error ? "+-" : name);
    for (const Json &row : rows) {
      column.push_back(error ? readable_error(row[name]) : readable(row[name]));
    }
  }
  std::vector<std::size_t> widths;
  for (const auto &column : columns) {
    const auto widest = std::max_element(
        column.begin(), column.end(),
        [](const std::string &a, const std::string &b) { return a.size() < b.size(); });
    widths.push_back(widest->size());
  }
  std::string out;
  for (std::size_t line = 0; line <= rows.size(); ++line) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out += fmt::format("{:>{}}{}", columns[i][line], widths[i],
                         i + 1 < columns.size() ? "  " : "\n");
    }
  }
  return out;
}

/// "title name = value; name = value ..." in lines of at most 80 characters.
std::string wrapped(const std::string &title, const Json &values) {
  constexpr std::size_t line_length = 80;
  std::string out = title;
  std::size_t length = title.size();
  for (const auto &[name, value] : values.items()) {
    const std::string item = fmt::format(" {} = {};", name, readable(value));
    if (length + item.size() > line_length) {
      out += "\n ";
      length = 1;
    }
    out += item;
    length += item.size();
  }
  out.back() = '\n'; // instead of the last semicolon
  return out;
}

std::string text(const Json &record) {
  std::size_t width = 0;
  for (const auto &[key, value] : record.items()) {
    if (!value.is_structured() && !is_error_of_sibling(record, key)) {
      width = std::max(width, key.size());
    }
  }
  std::string out;
  std::string rows;
  for (const auto &[key, value] : record.items()) {
    if (is_rows(value)) {
      rows = text_rows(value);
    } else if (key == "input") {
      out += wrapped("assumed:", value);
    } else if (key == "warnings") {
      for (const Json &warning : value) {
        out += "warning: " + warning.get<std::string>() + "\n";
      }
    } else if (!is_error_of_sibling(record, key) && !value.is_null()) {
      out += fmt::format("{:<{}}  {}", key, width, readable(value));
      const std::string error = key + "_error";
      if (record.contains(error) && record[error].is_number() && record[error] != 0) {
        out += " +- " + readable_error(record[error]);
      }
      out += "\n";
    }
  }
  return rows.empty() ? out : fmt::format("{}\n{}", out, rows);
}

std::string csv_cell(const Json &value) {
  const std::string plain = value.is_null() ? "" : scalar(value);
  if (plain.find_first_of(",\"\n") == std::string::npos) {
    return plain;
  }
  std::string quoted(1, '"');
  for (const char c : plain) {
    quoted.append(c == '"' ? 2 : 1, c); // a quote is doubled
  }
  quoted += '"';
  return quoted;
}

/// Top level and `input.` members side by side; warnings joined into one cell.
std::vector<std::pair<std::string, Json>> flatten(const Json &record) {
  std::vector<std::pair<std::string, Json>> cells;
  for (const auto &[key, value] : record.items()) {
    if (is_rows(value)) {
      continue;
    }
    if (value.is_object()) {
      for (const auto &[name, inner] : value.items()) {
        cells.emplace_back(key + "." + name, inner);
      }
    } else if (value.is_array()) {
      std::string joined;
      for (const Json &entry : value) {
        joined += (joined.empty() ? "" : "; ") + scalar(entry);
      }
      cells.emplace_back(key, joined);
    } else {
      cells.emplace_back(key, value);
    }
  }
  return cells;
}

std::string csv_line(const std::vector<std::string> &cells) {
  return fmt::format("{}\n", fmt::join(cells, ","));
}

std::string csv(const Json &record) {
  const auto cells = flatten(record);
  const auto rows = std::find_if(record.begin(), record.end(), is_rows);
  std::string out;
  if (rows == record.end()) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto &[name, value] : cells) {
      names.push_back(name);
      values.push_back(csv_cell(value));
    }
    return csv_line(names) + csv_line(values);
  }
  for (const auto &[name, value] : cells) {
    out += fmt::format("# {} = {}\n", name, scalar(value));
  }
  std::vector<std::string> names;
  for (const auto &[name, unused] : rows->front().items()) {
    names.push_back(name);
  }
  out += csv_line(names);
  for (const Json &row : *rows) {
    std::vector<std::string> values;
    for (const std::string &name : names) {
      values.push_back(csv_cell(row[name]));
    }
    out += csv_line(values);
  }
  return out;
}

} // namespace

std::string round_trip(double value) {
  return fmt::format("{}", value);
}

Json number(double value) {
  if (!std::isfinite(value)) {
    return nullptr;
  }
  if (value == std::floor(value) && std::abs(value) < largest_exact_integer) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

void put(Json &record, const std::string &name, const Estimate &estimate) {
  const bool shown = estimate.converged();
  record[name] = shown ? number(estimate.value) : Json(nullptr);
  record[name + "_error"] = shown ? number(estimate.error) : Json(nullptr);
}

void put(Json &record, const std::string &name, const Estimate &estimate, Status &worst) {
  put(record, name, estimate);
  worst = worse(worst, estimate.status);
}

std::string render(const Json &record, Format format) {
  switch (format) {
  case Format::json:
    return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; // file names
  case Format::csv:
    return csv(record);
  case Format::text:
    break;
  }
  return text(record);
}

void write_output(std::string_view text) {
  errno = 0;
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw Failure(ExitCode::io_error,
                  fmt::format("cannot write to standard output: {}",
                              std::generic_category().message(errno != 0 ? errno : EIO)));
  }
}

void require_converged(const Json &record) {
  if (record.at("status") != to_string(Status::converged)) {
    throw Failure(ExitCode::not_converged,
                  fmt::format("result not reached: {}; numbers that could not be computed are left "
                              "out",
                              record.at("status").get<std::string>()));
  }
}

} // namespace lamcap::program
