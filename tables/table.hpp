// SPDX-License-Identifier: GPL-3.0-or-later
// A table as the program makes it: described columns, rows of inputs and computed values.
#pragma once

#include "lamcap/estimate.hpp"

#include <string>
#include <variant>
#include <vector>

namespace lamcap::program {

/// What a column holds decides how `table --check` compares it.
enum class Kind {
  input,    ///< text, or a number known exactly: compared as it stands
  computed, ///< a value with its error bound, in two columns `name` and `name_error`
  measured  ///< the same in the file, but the error is one standard error
};

struct Column {
  std::string name;
  std::string meaning;
  Kind kind = Kind::computed;
};

using Cell = std::variant<std::string, double, Estimate>;

/// What a table is called and which claim it stands for.
struct Heading {
  std::string name;
  std::string claim;
};

/// Rows of a named table.
class Table {
public:
  /// `parameters` says what was assumed.
  Table(Heading heading, std::string parameters, std::vector<Column> columns);

  /// Appends a row: per column text or a number (input), or an Estimate.  Throws Failure with
  /// `not_converged` if an estimate did not converge: no table is made with a hole in it.
  void add(std::vector<Cell> cells);

  [[nodiscard]] const std::string &name() const { return heading_.name; }
  [[nodiscard]] const std::string &claim() const { return heading_.claim; }

  /// The whole file: header comments, a line of column names, rows.
  [[nodiscard]] std::string csv() const;

  /// Header comments, a line each: version and command, claim, parameters, numbered columns.
  [[nodiscard]] std::vector<std::string> comments() const;

  /// Names of the file's columns, errors included.
  [[nodiscard]] std::vector<std::string> headers() const;
  /// The file's rows, every cell as it is printed.
  [[nodiscard]] const std::vector<std::vector<std::string>> &rows() const { return rows_; }

private:
  Heading heading_;
  std::string parameters_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A measured mean with its standard error, as a cell.
[[nodiscard]] inline Estimate measured(double mean, double standard_error) {
  return {mean, standard_error, 1, Status::converged};
}

} // namespace lamcap::program
