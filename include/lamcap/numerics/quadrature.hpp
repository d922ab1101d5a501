// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

#include <functional>

namespace lamcap::numerics {

/// Two independent rules behind one call, so that each can check the other.
enum class Integrator {
  /// GSL's adaptive 21-point Gauss-Kronrod bisection (15-point on mapped infinite ranges).  Best
  /// for
  /// smooth integrands and for narrow features; needs care only at integrable endpoint
  /// singularities.
  gauss_kronrod,
  /// Boost.Math's double-exponential rules (tanh-sinh, exp-sinh, sinh-sinh).  Best for analytic
  /// integrands and endpoint singularities; not adaptive, so poor on features much narrower than
  /// the range and on interior kinks (split there).
  double_exponential
};

/// Stopping rule: error <= max(absolute_tolerance, relative_tolerance * |integral|).
struct QuadratureOptions {
  double relative_tolerance = 1e-12; ///< in [1.2e-14, 1)
  double absolute_tolerance = 0;     ///< >= 0
  int max_evaluations = 20000;       ///< at least 100; reaching it gives `not_converged`
  Integrator integrator = Integrator::gauss_kronrod; ///< which rule
};

/// Integral of f over [lower, upper]; either limit may be infinite; lower > upper changes the sign.
///
/// The error is the rule's own difference estimate (Kronrod minus Gauss with QUADPACK's safety, or
/// the last change between double-exponential levels) plus 8 epsilon times the integral of |f| (of
/// its absolute value, for Gauss-Kronrod).  It bounds the truth for the integrands each rule is
/// meant for; no rule can do so for a function it is not shown.  If the tolerance is not met, the
/// limit is reached or the integral diverges, the status says `not_converged`; if f is not finite,
/// `not_finite`.  Exceptions from f pass through.  f may itself integrate; threads may integrate at
/// the same time.  The first call turns off GSL's process-wide error handler, which would abort.
/// Throws std::domain_error for NaN limits or options out of range.
[[nodiscard]] Estimate integrate(const std::function<double(double)> &f, double lower, double upper,
                                 const QuadratureOptions &options = {});

} // namespace lamcap::numerics
