// SPDX-License-Identifier: GPL-3.0-or-later
#include "lamcap/count.hpp"

#include "domain.hpp"

namespace lamcap {

Count::Count(double value) : value_(value), log_(std::log(value)) {
  if (!(value >= 0) || std::isinf(value)) {
    throw_domain("count", value, "a finite number of at least 0");
  }
}

Count Count::from_log(double log_value) {
  if (!std::isfinite(log_value)) {
    throw_domain("log_value", log_value, "finite (the logarithm of a count)");
  }
  return {std::exp(log_value), log_value};
}

Count Count::minus(double k) const {
  constexpr double exact_limit = 9007199254740992.0; // 2^53: above it the value cannot resolve k
  if (value_ < exact_limit) {
    return Count(value_ - k);
  }
  return {value_, std::isinf(value_) ? log_ : log_ + std::log1p(-k / value_)};
}

} // namespace lamcap
