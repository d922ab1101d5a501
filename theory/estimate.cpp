// SPDX-License-Identifier: GPL-3.0-or-later
// Error propagation for Estimate: interval arithmetic to first order plus one rounding.
#include "lamcap/estimate.hpp"

#include <algorithm>

namespace lamcap {
namespace {

Estimate combine(double value, double error, const Estimate &a, const Estimate &b) noexcept {
  const double total = error + rounding_bound(value, 1);
  Status status = worse(a.status, b.status);
  if (status == Status::converged && !(std::isfinite(value) && std::isfinite(total))) {
    status = Status::not_finite;
  }
  return {value, total, a.evaluations + b.evaluations, status};
}

} // namespace

std::string_view to_string(Status status) noexcept {
  switch (status) {
  case Status::converged:
    return "converged";
  case Status::not_converged:
    return "not converged";
  case Status::no_sign_change:
    return "no sign change";
  case Status::not_finite:
    return "not finite";
  case Status::not_computed:
    break;
  }
  return "not computed";
}

Estimate operator+(const Estimate &a, const Estimate &b) noexcept {
  return combine(a.value + b.value, a.error + b.error, a, b);
}

Estimate operator-(const Estimate &a, const Estimate &b) noexcept {
  return combine(a.value - b.value, a.error + b.error, a, b);
}

Estimate operator*(const Estimate &a, const Estimate &b) noexcept {
  const double error =
      std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
  const double value = a.value * b.value;
  const bool vanished = value == 0 && a.value != 0 && b.value != 0;
  return combine(value, error + (vanished ? least_positive : 0), a, b);
}

Estimate operator/(const Estimate &a, const Estimate &b) noexcept {
  const double value = a.value / b.value;
  const double margin = std::abs(b.value) - b.error; // distance of the divisor's interval from 0
  const double error = margin > 0 ? (a.error + std::abs(value) * b.error) / margin
                                  : std::numeric_limits<double>::infinity();
  const bool vanished = value == 0 && a.value != 0;
  return combine(value, error + (vanished ? least_positive : 0), a, b);
}

Estimate sqrt(const Estimate &a) noexcept {
  const double value = std::sqrt(a.value);
  const double low = std::sqrt(std::max(0.0, a.value - a.error));
  const double error = value + low > 0 ? a.error / (value + low) : std::sqrt(a.error);
  return combine(value, a.error == 0 ? 0 : error, a, exactly(0));
}

} // namespace lamcap
