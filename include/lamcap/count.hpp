// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace lamcap {

/// A number of facts, candidates or variables, from 1 to far beyond the range of double.
///
/// Held as the value and its natural logarithm, so that K = 1e300 (or e^1e5) and K - 1, K - 2 keep
/// their precision: up to 2^53 the value is exact, beyond that the logarithm carries the number.
/// A Count need not be whole: functions of a Count say what they do in between.
class Count {
public:
  /// From the number itself, value >= 0 and finite.  Throws std::domain_error otherwise.
  Count(double value); // NOLINT(google-explicit-constructor): a number is a count by intent

  /// From its natural logarithm, any finite number (value becomes infinite above 709.78).
  /// Throws std::domain_error if it is not finite.
  [[nodiscard]] static Count from_log(double log_value);

  [[nodiscard]] double value() const noexcept { return value_; } ///< infinity if beyond double
  [[nodiscard]] double log() const noexcept { return log_; }     ///< natural logarithm; -inf at 0
  [[nodiscard]] bool whole() const noexcept { ///< true for integers and beyond 2^53
    return std::isinf(value_) || value_ == std::floor(value_);
  }

  /// This count less k (0 <= k <= value), with full relative precision of the logarithm.
  [[nodiscard]] Count minus(double k) const;

private:
  Count(double value, double log_value) noexcept : value_(value), log_(log_value) {}
  double value_;
  double log_;
};

} // namespace lamcap
