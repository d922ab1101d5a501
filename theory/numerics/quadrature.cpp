// SPDX-License-Identifier: GPL-3.0-or-later
// Quadrature: GSL's QAG family and Boost.Math's double-exponential rules behind one interface.
#include "lamcap/numerics/quadrature.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace lamcap::numerics {
namespace {

constexpr double rounding_ulps = 8;
constexpr int kronrod_points = 21;
constexpr double least_tolerance = 1e-14; // GSL refuses relative tolerances below 50 epsilon

/// The integrand with its count; keeps an exception from crossing C frames.
struct Integrand {
  const std::function<double(double)> &f;
  int limit;
  int evaluations = 0;
  bool finite = true;
  std::exception_ptr exception = nullptr;

  double operator()(double x) noexcept {
    if (exception) {
      return 0;
    }
    ++evaluations;
    try {
      const double y = f(x);
      if (std::isfinite(y)) {
        return y;
      }
      finite = false;
    } catch (...) {
      exception = std::current_exception();
    }
    return 0; // the result is discarded: by the status or by the exception
  }
};

Estimate finish(const Integrand &g, double value, double difference, double magnitude,
                const QuadratureOptions &o) {
  if (g.exception) {
    std::rethrow_exception(g.exception);
  }
  const double error = difference + rounding_ulps * epsilon * magnitude;
  Status status = Status::converged;
  if (!g.finite || !std::isfinite(value)) {
    status = Status::not_finite;
  } else if (!(difference <= std::max(o.absolute_tolerance, o.relative_tolerance * std::abs(value)) ||
               difference <= rounding_ulps * epsilon * magnitude)) {
    status = Status::not_converged;
  }
  return {value, error, g.evaluations, status};
}

double call_integrand(double x, void *g) { return (*static_cast<Integrand *>(g))(x); }

Estimate gauss_kronrod(Integrand &g, double a, double b, const QuadratureOptions &o) {
  // GSL's default handler aborts the process; errors are read from the return codes instead.
  static std::once_flag handler_off;
  std::call_once(handler_off, [] { gsl_set_error_handler_off(); });

  using Workspace = std::unique_ptr<gsl_integration_workspace,
                                    decltype(&gsl_integration_workspace_free)>;
  constexpr std::size_t capacity = 1000;
  thread_local const Workspace workspace(gsl_integration_workspace_alloc(capacity),
                                         &gsl_integration_workspace_free);
  // One bisection costs two rules (an unbounded range maps to two 15-point halves).
  const auto limit = std::min(capacity, static_cast<std::size_t>(std::max(
                                            1, g.limit / (2 * kronrod_points))));
  gsl_function f{&call_integrand, &g};
  double value = 0;
  double difference = 0;
  const double absolute = o.absolute_tolerance;
  const double relative = o.relative_tolerance;
  if (std::isinf(a) && std::isinf(b)) {
    gsl_integration_qagi(&f, absolute, relative, limit, workspace.get(), &value, &difference);
  } else if (std::isinf(b)) {
    gsl_integration_qagiu(&f, a, absolute, relative, limit, workspace.get(), &value, &difference);
  } else if (std::isinf(a)) {
    gsl_integration_qagil(&f, b, absolute, relative, limit, workspace.get(), &value, &difference);
  } else {
    gsl_integration_qag(&f, a, b, absolute, relative, limit, GSL_INTEG_GAUSS21, workspace.get(),
                        &value, &difference);
  }
  // GSL's code repeats what the difference says, so `finish` judges by the difference alone.
  return finish(g, value, difference, std::abs(value), o);
}

/// Boost's levels each double the points: the deepest level that the evaluation limit allows.
std::size_t deepest_level(int max_evaluations) {
  constexpr int points_at_level_zero = 12;
  std::size_t level = 0;
  for (int points = points_at_level_zero; points * 2 <= max_evaluations && level < 12; points *= 2) {
    ++level;
  }
  return level;
}

Estimate double_exponential(Integrand &g, double a, double b, const QuadratureOptions &o) {
  namespace bq = boost::math::quadrature;
  const auto levels = deepest_level(g.limit);
  double difference = 0;
  double magnitude = 0;
  double value = 0;
  const auto f = [&g](double x) { return g(x); };
  const double tolerance = o.relative_tolerance;
  if (std::isinf(a) && std::isinf(b)) {
    value = bq::sinh_sinh<double>(levels).integrate(f, tolerance, &difference, &magnitude);
  } else if (std::isinf(a) || std::isinf(b)) {
    value = bq::exp_sinh<double>(levels).integrate(f, a, b, tolerance, &difference, &magnitude);
  } else {
    value = bq::tanh_sinh<double>(levels).integrate(f, a, b, tolerance, &difference, &magnitude);
  }
  return finish(g, value, difference, magnitude, o);
}

void check(double lower, double upper, const QuadratureOptions &o) {
  if (std::isnan(lower) || std::isnan(upper)) {
    throw std::invalid_argument("integration limits must be numbers, not NaN");
  }
  if (!(o.relative_tolerance >= least_tolerance && o.relative_tolerance < 1)) {
    throw std::invalid_argument("relative_tolerance must lie in [1e-14, 1)");
  }
  if (!(o.absolute_tolerance >= 0)) {
    throw std::invalid_argument("absolute_tolerance must not be negative");
  }
  if (o.max_evaluations < 100) {
    throw std::invalid_argument("max_evaluations must be at least 100");
  }
}

} // namespace

Estimate integrate(const std::function<double(double)> &f, double lower, double upper,
                   const QuadratureOptions &options) {
  check(lower, upper, options);
  if (lower == upper) {
    return exactly(0);
  }
  if (lower > upper) {
    Estimate reversed = integrate(f, upper, lower, options);
    reversed.value = -reversed.value;
    return reversed;
  }
  Integrand g{f, options.max_evaluations};
  return options.integrator == Integrator::gauss_kronrod
             ? gauss_kronrod(g, lower, upper, options)
             : double_exponential(g, lower, upper, options);
}

} // namespace lamcap::numerics
