// SPDX-License-Identifier: GPL-3.0-or-later
// Bracketed roots by Boost.Math's TOMS 748, with the status that it leaves to its caller.
#include "lamcap/numerics/root_finding.hpp"

#include "domain.hpp"

#include <boost/math/tools/toms748_solve.hpp>

namespace lamcap::numerics {
namespace {

void check(double lower, double upper, const RootOptions &o) {
  require_interval(lower, upper);
  if (!(o.absolute_tolerance >= 0)) {
    throw_domain("absolute_tolerance", o.absolute_tolerance, "at least 0");
  }
  const double least = o.absolute_tolerance > 0 ? 0 : 2 * epsilon;
  if (!(o.relative_tolerance >= least)) {
    throw_domain("relative_tolerance", o.relative_tolerance,
                 "at least 2 epsilon, or at least 0 beside a positive absolute_tolerance");
  }
  if (o.max_evaluations < 3) {
    throw_domain("max_evaluations", o.max_evaluations, "at least 3");
  }
}

} // namespace

Estimate find_root(const std::function<double(double)> &f, double lower, double upper,
                   const RootOptions &options) {
  check(lower, upper, options);
  std::int64_t evaluations = 2;
  bool finite = true;
  const auto counted = [&](double x) {
    ++evaluations;
    const double y = f(x);
    finite = finite && std::isfinite(y);
    return finite ? y : 0.0; // 0 stops the iteration; the status tells why
  };
  const double at_lower = f(lower);
  const double at_upper = f(upper);
  if (!std::isfinite(at_lower) || !std::isfinite(at_upper)) {
    return {0.5 * (lower + upper), 0.5 * (upper - lower), evaluations, Status::not_finite};
  }
  if (at_lower == 0 || at_upper == 0) {
    return {at_lower == 0 ? lower : upper, 0, evaluations, Status::converged};
  }
  if (std::signbit(at_lower) == std::signbit(at_upper)) {
    return {0.5 * (lower + upper), 0.5 * (upper - lower), evaluations, Status::no_sign_change};
  }
  const auto narrow = [&options](double a, double b) {
    const double width = b - a;
    return width <= options.absolute_tolerance +
                        options.relative_tolerance * std::max(std::abs(a), std::abs(b)) ||
           std::nextafter(a, b) == b;
  };
  auto iterations = static_cast<std::uintmax_t>(options.max_evaluations);
  const auto [a, b] = boost::math::tools::toms748_solve(counted, lower, upper, at_lower, at_upper,
                                                        narrow, iterations);
  const Status status = !finite                  ? Status::not_finite
                        : a == b || narrow(a, b) ? Status::converged
                                                 : Status::not_converged;
  const double error = finite ? 0.5 * (b - a) : std::numeric_limits<double>::infinity();
  return {a + 0.5 * (b - a), error, evaluations, status};
}

} // namespace lamcap::numerics
