// SPDX-License-Identifier: GPL-3.0-or-later
// Results as text, JSON or CSV on standard output.
#pragma once

#include "lamcap/estimate.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lamcap::program {

using Json = nlohmann::ordered_json;

enum class Format { text, json, csv };

/// A JSON number, as an integer where it is one; null if not finite.
[[nodiscard]] Json number(double value);

/// Sets record[name] and record[name_error]; both null where the estimate was not computed or did
/// not converge (a number that cannot be trusted is never shown).
void put(Json &record, const std::string &name, const Estimate &estimate);

/// The same, keeping the worst status of a record's numbers.
void put(Json &record, const std::string &name, const Estimate &estimate, Status &worst);

/// What a load counts, but for the listwise rule.
inline constexpr const char *load_unit = "facts log(candidates) / (dim_in dim_out)";

/// Shortest decimal that reads back as the same double.
[[nodiscard]] std::string round_trip(double value);

/// One record: scalars, an `input` object, a list of `warnings`, and at most one array of rows.
/// text: aligned lines, errors beside values, then the rows.  json: indented.  csv: a header line
/// and a value line with `input.` columns, or, if there are rows, the scalars as comments above the
/// rows.
[[nodiscard]] std::string render(const Json &record, Format format);

/// Text to standard output, at once.  Throws Failure (io_error) if it does not get there.
void write_output(std::string_view text);

/// Exit code of a record by its `status`.
void require_converged(const Json &record);

} // namespace lamcap::program
