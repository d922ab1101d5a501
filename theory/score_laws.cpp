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

Estimate integrate_law(const std::function<Estimate(double)> &f, double from, double to,
                       const ScoreLaws::Range &range, double tolerance) {
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
  constexpr double bulk = 12; // widths
  std::vector<double> ends{from};
  for (const double widths : {-bulk, 0.0, bulk}) {
    const double end = range.centre + widths * range.width;
    if (end > ends.back() && end < to) {
      ends.push_back(end);
    }
  }
  ends.push_back(to);
  Estimate result = exactly(0);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] > ends[i - 1]) {
      result = result + numerics::integrate(value, ends[i - 1], ends[i], options);
    }
  }
  result.error += largest_error * (to - from);
  result.status = worse(result.status, status);
  const double worst = 1e5 * tolerance; // of all error, values' own included
  if (result.converged() && !(result.error <= worst * std::max(1.0, std::abs(result.value)))) {
    result.status = Status::not_converged;
  }
  return result;
}

Estimate ScoreLaws::moment(Score score, double about, int power) const {
  const Range r = range(score);
  const auto term = [&](double x) {
    return exactly(std::pow(x - about, power)) * density(score, x);
  };
  return integrate_law(term, r.lower, r.upper, r, tolerance());
}

Estimate ScoreLaws::mean(Score score) const {
  const double about = range(score).centre; // so that the error is that of the distance from it
  return exactly(about) + moment(score, about, 1);
}

Estimate ScoreLaws::standard_deviation(Score score) const {
  const double about = mean(score).value;
  return sqrt(moment(score, about, 2));
}

Estimate ScoreLaws::overlap_area() const {
  constexpr double bulk = 12; // widths
  constexpr double steps_per_width = 4;
  std::vector<double> places;
  for (const Score score : {Score::target, Score::maximum}) {
    const Range r = range(score);
    for (double k = -bulk * steps_per_width; k <= bulk * steps_per_width; ++k) {
      places.push_back(r.centre + k * r.width / steps_per_width);
    }
  }
  std::sort(places.begin(), places.end());
  const auto difference = [this](double x) {
    return density(Score::target, x).value - density(Score::maximum, x).value;
  };
  // From one crossing of the densities to the next the smaller one is known: its mass counts.
  Estimate area = exactly(0);
  Estimate target_below = exactly(0);
  Estimate maximum_below = exactly(0);
  const auto add_up_to = [&](const Estimate &target, const Estimate &maximum, bool target_smaller) {
    area = area + (target_smaller ? target - target_below : maximum - maximum_below);
    target_below = target;
    maximum_below = maximum;
  };
  double before = difference(places.front());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double after = difference(places[i]);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) { // a product may underflow
      constexpr double precision = 1e-9; // of the width; the area is flat there
      const double x =
          numerics::find_root(difference, places[i - 1], places[i],
                              {.relative_tolerance = 4 * epsilon,
                               .absolute_tolerance = precision * range(Score::target).width})
              .value;
      add_up_to(distribution(Score::target, x), distribution(Score::maximum, x), before < 0);
    }
    before = after != 0 ? after : before;
  }
  add_up_to(exactly(1), exactly(1), before < 0);
  return area;
}

} // namespace lamcap
