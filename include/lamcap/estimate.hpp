// lamcap: storage capacity of linear associative memories
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace lamcap {

/// How a computation ended.  A fresh Estimate has `not_computed`: failure is the default.
enum class Status {
  converged,      ///< the requested tolerance was met; value and error can be used
  not_converged,  ///< the evaluation limit or rounding stopped it short of the tolerance
  no_sign_change, ///< a root was asked for on an interval whose ends have the same sign
  not_finite,     ///< the function returned NaN or infinity where a number was needed
  not_computed    ///< nothing was computed
};

/// One or two English words for messages and result files.
[[nodiscard]] std::string_view to_string(Status status) noexcept;

/// A computed number as it travels through lamcap.
///
/// `error` is an absolute bound: |value - truth| <= error whenever status is `converged`.  It is
/// the sum of a truncation bound (derived or estimated as each function's comment says) and a
/// rounding bound.  If status is not `converged`, value is the last iterate (or NaN) and must not
/// be shown as a result.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN(); ///< the number
  double error = std::numeric_limits<double>::infinity();  ///< absolute error bound, >= 0
  std::int64_t evaluations = 0;                            ///< function evaluations spent
  Status status = Status::not_computed;                    ///< how it ended

  [[nodiscard]] bool converged() const noexcept { return status == Status::converged; }
  /// |error / value|; infinity where value is 0 and error is not.
  [[nodiscard]] double relative_error() const noexcept {
    return error == 0 ? 0 : std::abs(error / value);
  }
};

/// Unit roundoff times two: the spacing of doubles at 1, the unit of all rounding bounds here.
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The status of what needs both: the first that is not `converged`.
[[nodiscard]] inline Status worse(Status a, Status b) noexcept {
  return a == Status::converged ? b : a;
}

/// The least positive double: what rounding may add or lose among subnormal numbers.
inline constexpr double least_positive = std::numeric_limits<double>::denorm_min();

/// Bound of the rounding of a value to `ulps` relative units; among subnormal numbers it is absolute.
[[nodiscard]] inline double rounding_bound(double value, double ulps) noexcept {
  const double size = std::abs(value);
  const bool subnormal = size > 0 && size < std::numeric_limits<double>::min();
  return ulps * (subnormal ? least_positive : epsilon * size);
}

/// A number known up to `ulps` units of relative rounding; `not_finite` if it is not.
[[nodiscard]] inline Estimate rounded(double value, double ulps) noexcept {
  return {value, rounding_bound(value, ulps), 1,
          std::isfinite(value) ? Status::converged : Status::not_finite};
}

/// A number that is exact by definition (an input, a limit known in closed form).
[[nodiscard]] inline Estimate exactly(double value) noexcept {
  return {value, 0, 0, std::isfinite(value) ? Status::converged : Status::not_finite};
}

/// An approximation with its distance from an exact method's result as the error.
[[nodiscard]] inline Estimate measured_against(const Estimate &approximate,
                                               const Estimate &exact) noexcept {
  const double distance = std::abs(approximate.value - exact.value);
  return {approximate.value, distance + exact.error + 4 * epsilon * std::abs(exact.value),
          approximate.evaluations + exact.evaluations, worse(approximate.status, exact.status)};
}

/// First-order error propagation through the four operations, with one rounding added.
[[nodiscard]] Estimate operator+(const Estimate &a, const Estimate &b) noexcept;
[[nodiscard]] Estimate operator-(const Estimate &a, const Estimate &b) noexcept;
[[nodiscard]] Estimate operator*(const Estimate &a, const Estimate &b) noexcept;
/// The divisor's interval must not hold 0: otherwise the error is infinite, status `not_finite`.
[[nodiscard]] Estimate operator/(const Estimate &a, const Estimate &b) noexcept;
/// Non-negative square root: error <= error(a) / (2 sqrt(a - error)) where that exists.
[[nodiscard]] Estimate sqrt(const Estimate &a) noexcept;

} // namespace lamcap
