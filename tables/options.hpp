// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options shared by the commands: numbers read whole, and the output format.
#pragma once

#include "output.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lamcap::program {

/// Reads a number such as 4096, 0.5 or 1e100 and nothing else; `name` goes into the message.
[[nodiscard]] double parse_number(const std::string &name, const std::string &text);

/// A numeric option, empty until given.
class NumberOption {
public:
  NumberOption(CLI::App &app, const std::string &flag, const std::string &metavar,
               const std::string &help);
  [[nodiscard]] std::optional<double> get() const { return *value_; }
  [[nodiscard]] double value_or(double fallback) const { return value_->value_or(fallback); }
  [[nodiscard]] explicit operator bool() const { return value_->has_value(); }
  CLI::Option *option; ///< for needs() and excludes()

private:
  std::shared_ptr<std::optional<double>> value_; // shared with the parser's callback
};

/// Equally spaced numbers, both ends among them.
struct Range {
  double first;
  double last;
  int count;

  [[nodiscard]] std::vector<double> points() const;
};

/// An option A:B:N: N numbers from A to B, A < B, or A = B if N = 1; empty until given.
class RangeOption {
public:
  RangeOption(CLI::App &app, const std::string &flag, const std::string &metavar,
              const std::string &help, double most);
  [[nodiscard]] const std::optional<Range> &get() const { return *value_; }

private:
  std::shared_ptr<std::optional<Range>> value_; // shared with the parser's callback

public:
  CLI::Option *option; // made with value_, hence after it
};

/// A count of things: whole, from `least` to `most`.
[[nodiscard]] double require_whole(const std::string &name, double value, double least,
                                   double most = std::numeric_limits<double>::infinity());

/// Help without the parser's notes on which options exclude which: the texts say it.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter();
  [[nodiscard]] std::string make_option_opts(const CLI::Option *option) const override;
};

/// A name that an option takes, and what it stands for.
template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

/// The choice of that name; null if there is none.
template <typename T, std::size_t N>
[[nodiscard]] const Choice<T> *find_choice(std::string_view name,
                                           const std::array<Choice<T>, N> &choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [name](const Choice<T> &choice) { return choice.name == name; });
  return found == choices.end() ? nullptr : &*found;
}

/// An option that takes one of a few names, which the help shows as a|b|c, and sets `value`.  Both
/// `value` and `choices` must outlive the parser.
template <typename Value, typename T, std::size_t N>
CLI::Option *add_choice(CLI::App &app, const std::string &flag, Value &value,
                        const std::array<Choice<T>, N> &choices, const std::string &help) {
  const auto names = [&choices](std::string_view separator) {
    std::string joined;
    for (const auto &choice : choices) {
      joined.append(joined.empty() ? "" : separator).append(choice.name);
    }
    return joined;
  };
  const auto set = [flag, &value, &choices, all = names(", ")](const std::string &given) {
    const auto *choice = find_choice(given, choices);
    if (choice == nullptr) {
      throw CLI::ValidationError(flag, "'" + given + "' must be one of " + all);
    }
    value = choice->value;
  };
  return app.add_option_function<std::string>(flag, set, help)->type_name(names("|"));
}

/// The name of a value that stands among the choices.
template <typename T, std::size_t N>
[[nodiscard]] std::string name_of(T value, const std::array<Choice<T>, N> &choices) {
  const auto found = std::find_if(choices.begin(), choices.end(), [value](const Choice<T> &choice) {
    return choice.value == value;
  });
  return std::string(found->name);
}

/// --format text|json|csv.
class FormatOption {
public:
  explicit FormatOption(CLI::App &app);
  [[nodiscard]] Format get() const { return *value_; }

private:
  std::shared_ptr<Format> value_ = std::make_shared<Format>(Format::text);

public:
  CLI::Option *option; // made with value_, hence after it
};

} // namespace lamcap::program
