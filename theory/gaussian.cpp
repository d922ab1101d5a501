// SPDX-License-Identifier: GPL-3.0-or-later
// Public face of gaussian_kernel.hpp: argument checks and error bounds.
#include "lamcap/gaussian.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"

namespace lamcap::gaussian {
namespace {

Estimate special_value(double value) {
  Estimate result = rounded(value, gaussian_ulps);
  result.error += std::numeric_limits<double>::min(); // for values that underflow
  if (!std::isfinite(value)) {
    result.status = Status::not_finite;
  }
  return result;
}

void require_order(int k) {
  if (k < 0 || k > 2) {
    throw_domain("k", k, "0, 1 or 2");
  }
}

double check_log_probability(const char *name, double value) {
  if (!(value < 0 && std::isfinite(value))) {
    throw_domain(name, value, "finite and below 0 (a logarithm of a probability)");
  }
  return value;
}

} // namespace

Estimate log_upper_tail(double x) {
  return special_value(gaussian_kernel::log_upper_tail(require_number("x", x)));
}

Estimate log_cdf(double x) {
  return log_upper_tail(-require_number("x", x));
}

Estimate mills_ratio(double x) {
  return special_value(numerics::mills_ratio(require_number("x", x)));
}

Estimate excess_moment(int k, double x) {
  require_order(k);
  const auto index = static_cast<std::size_t>(k);
  return special_value(gaussian_kernel::excess_moments(require_number("x", x))[index]);
}

Estimate log_excess_moment(int k, double x) {
  require_order(k);
  Estimate result = special_value(gaussian_kernel::log_excess_moment(k, require_number("x", x)));
  if (k > 0) { // the moment passes 1, its logarithm 0
    result.error += gaussian_ulps * epsilon;
  }
  return result;
}

Estimate upper_quantile(double log_tail) {
  // Relative rounding of log_tail moves x by epsilon |log_tail| M(x), which near x = 0 is absolute.
  const double x = gaussian_kernel::upper_quantile(check_log_probability("log_tail", log_tail));
  Estimate result = special_value(x);
  result.error += gaussian_ulps * epsilon;
  return result;
}

Estimate quantile(double log_probability) {
  Estimate result = upper_quantile(check_log_probability("log_probability", log_probability));
  result.value = -result.value;
  return result;
}

} // namespace lamcap::gaussian
