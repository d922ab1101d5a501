// SPDX-License-Identifier: GPL-3.0-or-later
// Statistical dimension and critical load: see include/lamcap/critical_load.hpp.
#include "lamcap/critical_load.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"
#include "lamcap/numerics/minimisation.hpp"
#include "lamcap/target_score.hpp"

namespace lamcap {
namespace {

/// K from 2 to e^1000; a K that rounding (as of a logarithm) left just below 2 counts as 2.
Count require_candidates(const Count &candidates) {
  constexpr double largest_log = 1000;
  constexpr double rounding = 4 * epsilon;
  if (!(candidates.value() >= 2 * (1 - rounding))) {
    throw_domain("candidates", candidates.value(), "at least 2");
  }
  if (candidates.log() > largest_log) {
    throw_domain("log(candidates)", candidates.log(), fmt::format("at most {}", largest_log));
  }
  return candidates.value() < 2 ? Count(2) : candidates;
}

constexpr double interpolated_below = 66; // the law at K - 1 candidates is continued from 65 on

Estimate exact_dimension(const Count &candidates, double margin) {
  const double k = candidates.value();
  if (!candidates.whole() && k < interpolated_below) {
    const double below = std::floor(k);
    const double part = k - below;
    return (exactly((1 - part) * below / k) * exact_dimension(Count(below), margin)) +
           (exactly(part * (below + 1) / k) * exact_dimension(Count(below + 1), margin));
  }
  const Estimate active = active_competitors(candidates, margin);
  if (margin == 0) {
    return active;
  }
  const Estimate displacement = TargetScoreLaw(candidates, margin).mean() + exactly(margin);
  return active + exactly(margin) * displacement;
}

Estimate mean_field_dimension(const Count &candidates, double margin) {
  const double log_k1 = candidates.minus(1).log();
  const auto squared_distance = [=](double h) {
    return 1 + (h + margin) * (h + margin) +
           std::exp(log_k1 + gaussian_kernel::log_excess_moment(2, h));
  };
  return numerics::minimise(squared_distance, -margin - 1, std::sqrt(2 * log_k1) + 3).value;
}

} // namespace

Estimate active_competitors(Count candidates, double margin) {
  candidates = require_candidates(candidates);
  const Count competitors = candidates.minus(1);
  const double log_k1 = competitors.log();
  const auto expected_above = [log_k1](double h) {
    return std::exp(log_k1 + gaussian_kernel::log_upper_tail(h));
  };
  // log H(h) and log(K-1) nearly cancel: each carries epsilon/2 of a number of size log K.
  const double rounding = 4 * epsilon * (1 + log_k1);
  return TargetScoreLaw(competitors, margin).expectation(expected_above, rounding);
}

Estimate approximate_statistical_dimension(Count candidates, double margin, Method method) {
  candidates = require_candidates(candidates);
  require_margin(margin);
  const double l2 = 2 * candidates.log();
  constexpr double log_two_pi = 2 * gaussian_kernel::log_sqrt_two_pi;
  switch (method) {
  case Method::mean_field:
    return mean_field_dimension(candidates, margin);
  case Method::expansion:
    return rounded(
        l2 - 3 * std::log(l2) - log_two_pi + 3 + 2 * margin * std::sqrt(l2) + margin * margin, 8);
  case Method::leading:
    return rounded(l2, 1);
  case Method::exact:
    break;
  }
  throw std::invalid_argument("method exact is not an approximation");
}

Estimate statistical_dimension(Count candidates, double margin, Method method) {
  candidates = require_candidates(candidates);
  require_margin(margin);
  const Estimate exact = exact_dimension(candidates, margin);
  return method == Method::exact
             ? exact
             : measured_against(approximate_statistical_dimension(candidates, margin, method),
                                exact);
}

Estimate critical_load(Count candidates, double margin, Method method) {
  const Estimate log_k = exactly(candidates.log());
  const Estimate exact = log_k / statistical_dimension(candidates, margin);
  return method == Method::exact
             ? exact
             : measured_against(
                   log_k / approximate_statistical_dimension(candidates, margin, method), exact);
}

} // namespace lamcap
