// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options shared by the commands: numbers read whole, and the output format.
#pragma once

#include "lamcap/count.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
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

/// A count of things: whole, at least `least`.
[[nodiscard]] double require_whole(const std::string &name, double value, double least);

/// Help without the parser's notes on which options exclude which: the texts say it.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter();
  [[nodiscard]] std::string make_option_opts(const CLI::Option *option) const override;
};

/// An option that takes one of a few names; the help shows them as a|b|c.
CLI::Option *add_choice(CLI::App &app, const std::string &flag, std::string &value,
                        const std::vector<std::string> &choices, const std::string &help);

/// --format text|json|csv.
class FormatOption {
public:
  explicit FormatOption(CLI::App &app);
  [[nodiscard]] Format get() const;

private:
  std::shared_ptr<std::string> value_ = std::make_shared<std::string>("text");

public:
  CLI::Option *option; // made with value_, hence after it
};

} // namespace lamcap::program
