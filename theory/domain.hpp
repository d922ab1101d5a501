// SPDX-License-Identifier: GPL-3.0-or-later
// One wording for every refused argument: name, value, allowed range.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace lamcap {

[[noreturn]] inline void throw_domain(std::string_view name, double value,
                                      std::string_view allowed) {
  throw std::domain_error(fmt::format("{} = {}: must be {}", name, value, allowed));
}

inline double require_number(std::string_view name, double value) {
  if (std::isnan(value)) {
    throw_domain(name, value, "a number");
  }
  return value;
}

/// Finite lower < upper.
inline void require_interval(double lower, double upper) {
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper)) {
    throw std::domain_error(
        fmt::format("lower = {}, upper = {}: must be finite with lower < upper", lower, upper));
  }
}

/// A finite value with low <= value.
inline double require_at_least(std::string_view name, double value, double low) {
  if (!(value >= low && std::isfinite(value))) {
    throw_domain(name, value, fmt::format("finite and at least {}", low));
  }
  return value;
}

/// A margin, in units of a free score's s.d.
inline constexpr double largest_margin = 50;
inline double require_margin(double margin) {
  if (!(margin >= 0 && margin <= largest_margin)) {
    throw_domain("margin", margin, fmt::format("from 0 to {}", largest_margin));
  }
  return margin;
}

/// 0 < value < 1.
inline double require_open_unit(std::string_view name, double value) {
  if (!(value > 0 && value < 1)) {
    throw_domain(name, value, "in the open interval (0, 1)");
  }
  return value;
}

/// 0 < value <= 1.
inline double require_ratio(std::string_view name, double value) {
  if (!(value > 0 && value <= 1)) {
    throw_domain(name, value, "in (0, 1]");
  }
  return value;
}

} // namespace lamcap
