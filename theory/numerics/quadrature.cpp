// SPDX-License-Identifier: GPL-3.0-or-later
// Quadrature: GSL's QAG family and Boost.Math's double-exponential rules behind one interface.
#include "lamcap/numerics/quadrature.hpp"

#include "domain.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace lamcap::numerics {
namespace {

constexpr double rounding_ulps = 8;
constexpr int kronrod_points = 21;
constexpr double least_tolerance = 1.2e-14; // GSL refuses relative tolerances below 50 epsilon
constexpr int fewest_evaluations = 100;

/// The integrand with its count; keeps to the limit, and keeps exceptions from crossing C frames.
struct Integrand {
  const std::function<double(double)> &f;
  int limit;
  int evaluations = 0;
  bool finite = true;
  bool exhausted = false;
  std::exception_ptr exception = nullptr;

  double operator()(double x) noexcept {
    if (exception || exhausted) {
      return 0; // the result is discarded: by the exception or by the status
    }
    if (evaluations == limit) {
      exhausted = true;
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
    return 0;
  }
};

/// What a rule reports: value, its own error estimate, integral of |f| (or a lower bound of it).
struct Outcome {
  double value = 0;
  double difference = 0;
  double magnitude = 0;
  bool trusted = true; // false if the rule itself found the integral divergent
};

double wanted(const QuadratureOptions &o, double value) {
  return std::max(o.absolute_tolerance, o.relative_tolerance * std::abs(value));
}

Estimate finish(const Integrand &g, const Outcome &r, const QuadratureOptions &o) {
  if (g.exception) {
    std::rethrow_exception(g.exception);
  }
  const double rounding = rounding_ulps * epsilon * r.magnitude;
  Status status = Status::converged;
  if (!g.finite || !std::isfinite(r.value)) {
    status = Status::not_finite;
  } else if (!r.trusted || g.exhausted ||
             !(r.difference <= wanted(o, r.value) || r.difference <= rounding)) {
    status = Status::not_converged;
  }
  return {r.value, r.difference + rounding, g.evaluations, status};
}

/// A workspace on loan from this thread's store: one for each level of nested integrals.
class Workspace {
public:
  Workspace() {
    if (store().empty()) {
      workspace_.reset(gsl_integration_workspace_alloc(capacity));
    } else {
      workspace_ = std::move(store().back());
      store().pop_back();
    }
  }
  ~Workspace() { store().push_back(std::move(workspace_)); }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  [[nodiscard]] gsl_integration_workspace *get() const { return workspace_.get(); }

  static constexpr std::size_t capacity = 1000;

private:
  struct Free {
    void operator()(gsl_integration_workspace *w) const { gsl_integration_workspace_free(w); }
  };
  using Owner = std::unique_ptr<gsl_integration_workspace, Free>;
  static std::vector<Owner> &store() {
    thread_local std::vector<Owner> spare;
    return spare;
  }
  Owner workspace_;
};

double call_integrand(double x, void *g) {
  return (*static_cast<Integrand *>(g))(x);
}

Outcome gauss_kronrod(Integrand &g, double a, double b, const QuadratureOptions &o) {
  // GSL's default handler aborts the process; errors are read from the return codes instead.
  static std::once_flag handler_off;
  std::call_once(handler_off, [] { gsl_set_error_handler_off(); });

  const Workspace workspace;
  // One bisection costs two rules (an unbounded range maps to two 15-point halves).
  const int bisections = std::max(1, g.limit / (2 * kronrod_points));
  const auto limit = std::min(Workspace::capacity, static_cast<std::size_t>(bisections));
  gsl_function f{&call_integrand, &g};
  Outcome r;
  const double absolute = o.absolute_tolerance;
  const double relative = o.relative_tolerance;
  int code = GSL_SUCCESS;
  if (std::isinf(a) && std::isinf(b)) {
    code = gsl_integration_qagi(&f, absolute, relative, limit, workspace.get(), &r.value,
                                &r.difference);
  } else if (std::isinf(b)) {
    code = gsl_integration_qagiu(&f, a, absolute, relative, limit, workspace.get(), &r.value,
                                 &r.difference);
  } else if (std::isinf(a)) {
    code = gsl_integration_qagil(&f, b, absolute, relative, limit, workspace.get(), &r.value,
                                 &r.difference);
  } else {
    code = gsl_integration_qag(&f, a, b, absolute, relative, limit, GSL_INTEG_GAUSS21,
                               workspace.get(), &r.value, &r.difference);
  }
  // Limits of iterations and of rounding show in the difference; other failures do not.
  r.trusted = code == GSL_SUCCESS || code == GSL_EMAXITER || code == GSL_EROUND;
  r.magnitude = std::abs(r.value);
  return r;
}

Outcome double_exponential_once(Integrand &g, double a, double b, double tolerance) {
  namespace bq = boost::math::quadrature;
  constexpr std::size_t levels =
      12; // each doubles the points; the limit of evaluations ends earlier
  thread_local bq::sinh_sinh<double> whole_line(levels);
  thread_local bq::exp_sinh<double> half_line(levels);
  thread_local bq::tanh_sinh<double> interval(levels);
  const auto f = [&g](double x) { return g(x); };
  Outcome r;
  try {
    if (std::isinf(a) && std::isinf(b)) {
      r.value = whole_line.integrate(f, tolerance, &r.difference, &r.magnitude);
    } else if (std::isinf(a) || std::isinf(b)) {
      r.value = half_line.integrate(f, a, b, tolerance, &r.difference, &r.magnitude);
    } else {
      r.value = interval.integrate(f, a, b, tolerance, &r.difference, &r.magnitude);
    }
  } catch (const std::exception &) { // Boost's own: f grows without bound towards a limit
    r.trusted = false;
  }
  return r;
}

Outcome double_exponential(Integrand &g, double a, double b, const QuadratureOptions &o) {
  // Boost stops at tolerance times the integral of |f|; where the integral cancels, ask again for
  // what is wanted of its value.
  Outcome r = double_exponential_once(g, a, b, o.relative_tolerance);
  const double tolerance = 0.5 * wanted(o, r.value) / r.magnitude;
  if (r.trusted && r.difference > wanted(o, r.value) && tolerance > epsilon) {
    r = double_exponential_once(g, a, b, std::min(tolerance, o.relative_tolerance));
  }
  return r;
}

void check(double lower, double upper, const QuadratureOptions &o) {
  require_number("lower", lower);
  require_number("upper", upper);
  if (!(o.relative_tolerance >= least_tolerance && o.relative_tolerance < 1)) {
    throw_domain("relative_tolerance", o.relative_tolerance, "in [1.2e-14, 1)");
  }
  if (!(o.absolute_tolerance >= 0)) {
    throw_domain("absolute_tolerance", o.absolute_tolerance, "at least 0");
  }
  if (o.max_evaluations < fewest_evaluations) {
    throw_domain("max_evaluations", o.max_evaluations, "at least 100");
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
  const Outcome outcome = options.integrator == Integrator::gauss_kronrod
                              ? gauss_kronrod(g, lower, upper, options)
                              : double_exponential(g, lower, upper, options);
  return finish(g, outcome, options);
}

} // namespace lamcap::numerics
