// SPDX-License-Identifier: GPL-3.0-or-later
// What all score laws share: moments and overlap by integrals of their densities.
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "lamcap/scores.hpp"
#include "score_integrals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lamcap {

Estimate integrate_law(const std::function<Estimate(double)> &f, double lower, double centre,
                       double upper, double tolerance) {
  double largest_error = 0;
  Status status = Status::converged;
  const auto value = [&](double x) {
    const Estimate e = f(x);
    if (std::isfinite(e.value) && std::isfinite(e.error)) { // a poor far tail is in the error
      largest_error = std::max(largest_error, e.error);
    } else {
      status = worse(status, Status::not_finite);
    }
    return e.value;
  };
  const numerics::QuadratureOptions options{.relative_tolerance = tolerance,
                                            .absolute_tolerance = 0.1 * tolerance};
  const double middle = std::clamp(centre, lower, upper);
  Estimate result = exactly(0);
  if (middle > lower) {
    result = result + numerics::integrate(value, lower, middle, options);
  }
  if (upper > middle) {
    result = result + numerics::integrate(value, middle, upper, options);
  }
  result.error += largest_error * (upper - lower);
  result.status = worse(result.status, status);
  const double worst = 1e5 * tolerance; // of all error, values' own included
  if (result.converged() && !(result.error <= worst * std::max(1.0, std::abs(result.value)))) {
    result.status = Status::not_converged;
  }
  return result;
}

Estimate ScoreLaws::moment(Score score, double about, int power) const {
  const Range r = range();
  const auto term = [&](double x) {
    return exactly(std::pow(x - about, power)) * density(score, x);
  };
  return integrate_law(term, r.lower, r.centre, r.upper, tolerance());
}

Estimate ScoreLaws::mean(Score score) const {
  return moment(score, 0, 1);
}

Estimate ScoreLaws::standard_deviation(Score score) const {
  const double about = mean(score).value;
  return sqrt(moment(score, about, 2));
}

Estimate ScoreLaws::overlap_area() const {
  const Range r = range();
  const auto difference = [this](double x) {
    return density(Score::target, x).value - density(Score::maximum, x).value;
  };
  // The minimum has a kink where the densities cross: integrate from crossing to crossing.
  constexpr int pieces = 200;
  std::vector<double> ends{r.lower};
  double before = difference(r.lower);
  for (int i = 1; i <= pieces; ++i) {
    const double left = r.lower + (r.upper - r.lower) * (i - 1) / pieces;
    const double right = r.lower + (r.upper - r.lower) * i / pieces;
    const double after = difference(right);
    if (before * after < 0) {
      constexpr double precision = 1e-10;
      ends.push_back(
          numerics::find_root(difference, left, right, {.absolute_tolerance = precision}).value);
    }
    before = after;
  }
  ends.push_back(r.upper);
  const auto smaller = [this](double x) {
    const Estimate target = density(Score::target, x);
    const Estimate maximum = density(Score::maximum, x);
    return target.value < maximum.value ? target : maximum;
  };
  Estimate sum = exactly(0);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    sum =
        sum + integrate_law(smaller, ends[i - 1], r.centre, ends[i], std::max(tolerance(), 1e-10));
  }
  return sum;
}

} // namespace lamcap
