// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace lamcap::program {
namespace {

constexpr std::array<Choice<Format>, 3> formats{
    {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}}};

} // namespace

double parse_number(const std::string &name, const std::string &text) {
  double value = 0;
  const char *first = text.data();
  const char *last = first + text.size();
  if (first != last && *first == '+') {
    ++first;
  }
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    throw std::domain_error(
        fmt::format("{} = {}: must be zero or in size within the range of double, 4.9e-324 to "
                    "1.79e308",
                    name, text));
  }
  if (error != std::errc() || end != last) {
    throw std::invalid_argument(
        fmt::format("{} = '{}': must be a number such as 4096, 0.5 or 1e100", name, text));
  }
  return value;
}

NumberOption::NumberOption(CLI::App &app, const std::string &flag, const std::string &metavar,
                           const std::string &help)
    : value_(std::make_shared<std::optional<double>>()) {
  const std::string name = flag.substr(flag.find_first_not_of('-'));
  option = app.add_option_function<std::string>(
      flag, [name, value = value_](const std::string &text) { *value = parse_number(name, text); },
      help);
  option->type_name(metavar);
}

namespace {

/// The numbers between colons; there must be three.
Range parse_range(const std::string &name, const std::string &text, double most) {
  const std::size_t first_colon = text.find(':');
  const std::size_t second_colon = text.find(':', first_colon + 1);
  if (first_colon == std::string::npos || second_colon == std::string::npos ||
      text.find(':', second_colon + 1) != std::string::npos) {
    throw std::invalid_argument(fmt::format(
        "{} = '{}': must be A:B:N, N numbers from A to B, such as 0.1:0.5:9", name, text));
  }
  const double first = parse_number(name, text.substr(0, first_colon));
  const double last =
      parse_number(name, text.substr(first_colon + 1, second_colon - first_colon - 1));
  const double count =
      require_whole("N in " + name, parse_number(name, text.substr(second_colon + 1)), 1, most);
  if (!(std::isfinite(first) && std::isfinite(last) &&
        (count == 1 ? first == last : first < last))) {
    throw std::invalid_argument(
        fmt::format("{} = '{}': A:B:N must be finite with A < B, or A = B if N = 1", name, text));
  }
  return {first, last, static_cast<int>(count)};
}

} // namespace

std::vector<double> Range::points() const {
  std::vector<double> values{first};
  for (int i = 1; i < count; ++i) {
    values.push_back(first + (last - first) * i / (count - 1)); // round steps stay round
  }
  return values;
}

RangeOption::RangeOption(CLI::App &app, const std::string &flag, const std::string &metavar,
                         const std::string &help, double most)
    : value_(std::make_shared<std::optional<Range>>()) {
  const std::string name = flag.substr(flag.find_first_not_of('-'));
  option = app.add_option_function<std::string>(
                  flag,
                  [name, most, value = value_](const std::string &text) {
                    *value = parse_range(name, text, most);
                  },
                  help)
               ->type_name(metavar);
}

double require_whole(const std::string &name, double value, double least, double most) {
  if (!(value >= least && value <= most && std::isfinite(value) && value == std::floor(value))) {
    const std::string range = std::isfinite(most) ? fmt::format("from {} to {}", least, most)
                                                  : fmt::format("of at least {}", least);
    throw std::domain_error(fmt::format("{} = {}: must be a whole number {}", name, value, range));
  }
  return value;
}

HelpFormatter::HelpFormatter() {
  column_width(34);
}

std::string HelpFormatter::make_option_opts(const CLI::Option *option) const {
  const std::string type = option->get_type_name();
  return (type.empty() ? "" : " " + type) + (option->get_required() ? " (required)" : "");
}

FormatOption::FormatOption(CLI::App &app)
    : option(add_choice(app, "--format", *value_, formats,
                        "text for people (default), json or csv for programs, with all digits")) {}

} // namespace lamcap::program
