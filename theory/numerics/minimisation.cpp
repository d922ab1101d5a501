// SPDX-License-Identifier: GPL-3.0-or-later
// Minimisation by Boost.Math's Brent method, then a verified bracket as the error.
#include "lamcap/numerics/minimisation.hpp"

#include "domain.hpp"

#include <boost/math/tools/minima.hpp>

#include <algorithm>

namespace lamcap::numerics {
namespace {

constexpr int half_precision_bits = 26; // f is flat to epsilon within sqrt(epsilon) of its minimum
constexpr int most_widenings = 40;
constexpr double value_ulps = 4;

struct Point {
  double x;
  double f;
};

/// How far a convex function may fall below `level` on [q.x, to], beyond q as seen from p: there it
/// stays above the line through p and q.
double fall_beyond(const Point &p, const Point &q, double to, double level) {
  const double line_at_end = q.f + (q.f - p.f) * (to - q.x) / (q.x - p.x);
  return std::max(0.0, level - std::min(q.f, line_at_end));
}

} // namespace

Minimum minimise(const std::function<double(double)> &f, double lower, double upper,
                 int max_evaluations) {
  require_interval(lower, upper);
  if (max_evaluations < 10) {
    throw_domain("max_evaluations", max_evaluations, "at least 10");
  }
  std::int64_t evaluations = 0;
  const auto at = [&](double x) {
    ++evaluations;
    return Point{x, f(x)};
  };
  auto iterations = static_cast<std::uintmax_t>(max_evaluations);
  const auto brent = boost::math::tools::brent_find_minima([&](double x) { return at(x).f; }, lower,
                                                           upper, half_precision_bits, iterations);
  const bool in_time = iterations < static_cast<std::uintmax_t>(max_evaluations);
  Point best{brent.first, brent.second};
  for (const double end : {lower, upper}) { // Brent never evaluates the ends
    const Point candidate = at(end);
    best = candidate.f <= best.f ? candidate : best;
  }

  // Widen until f has risen beyond rounding on both sides, or the side has ended.
  const double rounding = value_ulps * epsilon * std::abs(best.f);
  double width =
      std::sqrt(epsilon) * std::max(std::abs(best.x), std::sqrt(epsilon) * (upper - lower));
  Point left = best;
  Point right = best;
  bool bracketed = false;
  for (int i = 0; i < most_widenings; ++i) {
    left = at(std::max(lower, best.x - width));
    right = at(std::min(upper, best.x + width));
    bracketed = (left.x == lower || left.f > best.f + rounding) &&
                (right.x == upper || right.f > best.f + rounding);
    if (bracketed || !std::isfinite(best.f)) {
      break;
    }
    width *= 4;
  }
  double fall = 0;
  if (best.x > lower && best.x < upper) {
    fall = std::max(fall_beyond(left, best, right.x, best.f),
                    fall_beyond(right, best, left.x, best.f));
  } else { // at an end there is only one side: the line through two points of it
    const Point &near = best.x == lower ? right : left;
    const Point further = at(std::clamp(best.x + 2 * (near.x - best.x), lower, upper));
    fall = further.x == near.x ? near.f - best.f : fall_beyond(further, near, best.x, best.f);
  }
  const Status status = !std::isfinite(best.f) ? Status::not_finite
                        : bracketed && in_time ? Status::converged
                                               : Status::not_converged;
  return {{best.x, width, evaluations, status}, {best.f, fall + rounding, evaluations, status}};
}

} // namespace lamcap::numerics
