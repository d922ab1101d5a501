// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace lamcap {

/// A number of facts, candidates or variables, from 1 to far beyond the range of double.
///
/// Held as the value and its natural logarithm, so that K = 1e300 (or e^1e5) and K - 1, K - 2 keep
/// their precision: up to 2^53 the value is exact, beyond that the logarithm carries the number.
/// A Count need not be whole: functions of a Count say what they do in between.
class Count {
public:
  /// From the number itself, value >= 0 and finite.  Throws std::invalid_argument otherwise.
  Count(double value) : value_(value), log_(std::log(value)) { // NOLINT: implicit by intent
    if (!(value >= 0) || std::isinf(value)) {
      throw std::invalid_argument("count = " + std::to_string(value) +
                                  ": must be a finite number of at least 0");
    }
  }

  /// From its natural logarithm, any finite number (value becomes infinite above 709.78).
  static Count from_log(double log_value) {
    if (!std::isfinite(log_value)) {
      throw std::invalid_argument("log_value = " + std::to_string(log_value) +
                                  ": must be finite (the logarithm of a count)");
    }
    return {std::exp(log_value), log_value};
  }

  [[nodiscard]] double value() const noexcept { return value_; } ///< infinity if beyond double
  [[nodiscard]] double log() const noexcept { return log_; }     ///< natural logarithm; -inf at 0
  [[nodiscard]] bool whole() const noexcept { ///< true for integers and beyond 2^53
    return std::isinf(value_) || value_ == std::floor(value_);
  }

  /// This count less k (0 <= k <= value), with full relative precision of the logarithm.
  [[nodiscard]] Count minus(double k) const {
    constexpr double exact_limit = 9007199254740992.0; // 2^53: above it the value cannot resolve k
    if (value_ < exact_limit) {
      return Count(value_ - k);
    }
    return {value_, std::isinf(value_) ? log_ : log_ + std::log1p(-k / value_)};
  }

private:
  Count(double value, double log_value) noexcept : value_(value), log_(log_value) {}
  double value_;
  double log_;
};

} // namespace lamcap
