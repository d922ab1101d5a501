// SPDX-License-Identifier: GPL-3.0-or-later
// Law of the target's score h* at capacity: see include/lamcap/target_score.hpp.
#include "lamcap/target_score.hpp"

#include "contour.hpp"
#include "domain.hpp"
#include "lamcap/numerics/root_finding.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace lamcap {
namespace {

constexpr double largest_log_candidates = 1000;

// Steps and shifts in units of the spread they resolve (tilted s.d. for the contour, scale for x).
constexpr double node_spacing = 0.3;
constexpr double density_step = 0.65;
constexpr double density_lift = 1.2;      // above the saddle: thins the right tail of X
constexpr double distribution_lift = 1.8; // least distance from the pole at s = 0
constexpr double distribution_steps = 6;  // per distance from the pole: aliases below exp(-37)

// Between whole numbers K means the analytic continuation, which needs Re psi > 0 wherever psi^n
// matters; from here on it does.
constexpr double continuation_from = 65;

constexpr double negligible = 1e-17; // last term of a sum over x, relative to the largest
constexpr double target_tolerance =
    1e-11; // of estimated errors, relative; above it the sum is refined
constexpr double worst_tolerance = 1e-9;       // above it the result is not called converged
constexpr double worst_point_tolerance = 1e-6; // the same for a density or a tail at one point
constexpr double negligible_tail = 1e-290;     // below it only smallness is claimed
constexpr int most_refinements = 3;
constexpr int most_nodes = 20000;

Estimate to_estimate(const Bounded &b) {
  const double error = b.error() + std::numeric_limits<double>::min();
  Status status = Status::converged;
  if (!std::isfinite(b.value) || !std::isfinite(error)) {
    status = Status::not_finite;
  } else if (error > worst_point_tolerance * std::abs(b.value) + negligible_tail) {
    status = Status::not_converged;
  }
  return {b.value, error, 1, status};
}

/// One trapezoidal sum over x of g times the density.
struct Sum {
  double value = 0;     // spacing * sum over all nodes
  double magnitude = 0; // the same of absolute values
  double aliasing = 0;  // estimated error of the spacing, see `aliasing_error`
  double contour = 0;   // summed truncation bounds of the density
  double rounding = 0;  // summed rounding bounds of the density
  double last = 0;      // size of the last terms
  std::int64_t nodes = 0;
  bool complete = true;
};

/// Error of a trapezoidal sum from its four interleaved parts.  With spacing h the sum is wrong by
/// the Fourier transform at 1/h (and multiples).  The parts show its modulus at 1/(4h) and, up to a
/// phase, at 1/(2h); for an analytic integrand it falls at least exponentially, so that at 1/h it
/// is below the fourth power of the first and the square of the second, relative to the sum of
/// absolute terms.  Powers 7/2 and 3/2 are taken, which leaves room for the constants.
double aliasing_error(const std::array<double, 4> &part, double spacing, double magnitude) {
  if (magnitude == 0) {
    return 0;
  }
  const double quarter = std::hypot(part[0] - part[2], part[1] - part[3]) * spacing / magnitude;
  const double half = std::abs(part[0] - part[1] + part[2] - part[3]) * spacing / magnitude;
  return magnitude * std::max(std::pow(quarter, 3.5), std::pow(half, 1.5));
}

} // namespace

TargetScoreLaw::TargetScoreLaw(Count candidates, double margin)
    : competitors_(candidates.log() >= 0 ? candidates.minus(1) : candidates), margin_(margin) {
  if (!(candidates.log() >= 0 && candidates.log() <= largest_log_candidates)) {
    throw std::domain_error(fmt::format("candidates = {} (logarithm {}): must be from 1 to e^{:g}",
                                        candidates.value(), candidates.log(),
                                        largest_log_candidates));
  }
  require_margin(margin);
  if (!candidates.whole() && candidates.value() < continuation_from) {
    throw_domain("candidates", candidates.value(),
                 fmt::format("a whole number below {}", continuation_from));
  }
  if (competitors_.value() == 0) {
    centre_ = -margin;
    return;
  }
  // h + mu - n E(xi - h)_+ increases from negative at -mu to positive beyond sqrt(2 log n).
  const double log_n = competitors_.log();
  constexpr double overflow = 700; // of exp; far from the root, where only the sign matters
  const auto balance = [&](double h) {
    const double log_total = log_n + gaussian_kernel::log_excess_moment(1, h);
    return h + margin - std::exp(std::min(log_total, overflow));
  };
  const double upper = std::sqrt(2 * std::max(log_n, 0.0)) + 3;
  const Estimate root =
      numerics::find_root(balance, -margin - 1, upper, {.absolute_tolerance = 1e-10});
  centre_ = root.value;
  located_ = root.status;
  const auto excess = [this](int k) {
    return std::exp(gaussian_kernel::log_excess_moment(k, centre_));
  };
  const auto total = [&](int k) { // n E(xi - h)_+^k, where n may be beyond double
    return std::exp(log_n + gaussian_kernel::log_excess_moment(k, centre_));
  };
  tilted_sd_ = std::sqrt(1 + total(2) - total(1) * excess(1));
  scale_ = tilted_sd_ / (1 + total(0));
}

namespace {

/// Beyond this both tails and the density are below every double, and squares of x may overflow.
constexpr double farthest = 1e4;
double within_reach(double x) {
  return std::clamp(require_number("x", x), -farthest, farthest);
}

} // namespace

Estimate TargetScoreLaw::density(double x) const {
  const Contour contour(competitors_, margin_, within_reach(x));
  const double eta = contour.saddle(0) + density_lift / tilted_sd_;
  return to_estimate(
      contour.density(eta, density_step / std::max(tilted_sd_, contour.spread(eta))));
}

namespace {

/// Both tails from one line: below the pole for upper tails, above it otherwise, through the saddle
/// point unless that is too close to the pole.
struct Tails {
  Estimate lower;
  Estimate upper;
};

Tails tails(const Count &competitors, double margin, double tilted_sd, double x) {
  const Contour contour(competitors, margin, within_reach(x));
  const double eta = contour.saddle(0);
  const double lift = distribution_lift / tilted_sd;
  const bool above = eta > -lift;
  const double line = above ? std::max(eta, lift) : eta;
  const double step = std::min(density_step / std::max(tilted_sd, contour.spread(line)),
                               std::abs(line) / distribution_steps);
  Estimate tail = to_estimate(contour.distribution(line, step));
  tail.value = above ? tail.value : -tail.value;
  const Estimate rest = exactly(1) - tail;
  return above ? Tails{tail, rest} : Tails{rest, tail};
}

} // namespace

Estimate TargetScoreLaw::distribution(double x) const {
  return tails(competitors_, margin_, tilted_sd_, x).lower;
}

Estimate TargetScoreLaw::upper_tail(double x) const {
  return tails(competitors_, margin_, tilted_sd_, x).upper;
}

Estimate TargetScoreLaw::quantile(double probability) const {
  require_open_unit("probability", probability);
  // Solve for the logarithm of the smaller tail, which is nearly quadratic in x.
  const bool low = probability <= 0.5;
  const double target = std::log(low ? probability : 1 - probability);
  const auto tail = [&](double x) { return low ? distribution(x) : upper_tail(x); };
  const auto excess = [&](double x) {
    constexpr double least_log = -745; // of a double; a tail below it still has its place
    const double value = tail(x).value;
    const double log_value =
        value > 0 ? std::log(value) : least_log - std::abs(x - centre_) / scale_;
    return (low ? 1 : -1) * (log_value - target);
  };
  double lower = centre_ - scale_;
  double upper = centre_ + scale_;
  constexpr int most_widenings = 60;
  for (int i = 0; i < most_widenings && excess(lower) > 0; ++i) {
    lower -= scale_ * (i + 1);
  }
  for (int i = 0; i < most_widenings && excess(upper) < 0; ++i) {
    upper += scale_ * (i + 1);
  }
  Estimate root = numerics::find_root(
      excess, lower, upper,
      {.relative_tolerance = 4 * epsilon, .absolute_tolerance = epsilon * scale_});
  // An error of the tail (or of `target`) moves the root by error / density.
  const Estimate f = density(root.value);
  const double tail_error = tail(root.value).error + 4 * epsilon * std::exp(target);
  root.error += tail_error / std::max(f.value - f.error, 0.0) + 4 * epsilon * std::abs(root.value);
  root.evaluations += 2;
  root.status = worse(worse(located_, root.status), f.status);
  if (root.converged() && !std::isfinite(root.error)) { // no density to divide by
    root.status = Status::not_converged;
  }
  return root;
}

Estimate TargetScoreLaw::expectation(const std::function<double(double)> &g,
                                     double relative_rounding) const {
  const auto sum = [&](double spacing, double step) {
    Sum s;
    std::array<double, 4> interleaved{}; // nodes k = 0, 1, 2, 3 modulo 4
    double largest = 0;
    for (const int direction : {-1, 1}) {
      double eta = 0;
      bool ended = false;
      for (int k = direction < 0 ? 1 : 0; k < most_nodes && !ended; ++k) {
        const double x = centre_ + direction * k * spacing;
        const Contour contour(competitors_, margin_, x);
        eta = contour.saddle(eta);
        const Bounded f = contour.density(eta + density_lift / tilted_sd_, step);
        const double weight = g(x);
        const double term = f.value * weight;
        interleaved[static_cast<std::size_t>((4 + direction * (k % 4)) % 4)] += term;
        s.contour += spacing * f.truncation * std::abs(weight);
        s.rounding += spacing * f.rounding * std::abs(weight);
        s.magnitude += spacing * std::abs(term);
        largest = std::max(largest, std::abs(term));
        // Past the bulk, where a zero of g cannot be mistaken for the end of the law.
        ended = std::abs(term) <= negligible * largest && k * spacing > scale_;
        s.last += ended ? spacing * std::abs(term) / node_spacing : 0;
        ++s.nodes;
      }
      s.complete = s.complete && ended;
    }
    s.value = spacing * std::accumulate(interleaved.begin(), interleaved.end(), 0.0);
    s.aliasing = aliasing_error(interleaved, spacing, s.magnitude);
    return s;
  };

  double spacing = node_spacing * scale_;
  double step = density_step / tilted_sd_;
  Sum s = sum(spacing, step);
  std::int64_t nodes = s.nodes;
  const auto tolerance = [&] { return target_tolerance * s.magnitude; };
  for (int i = 0; i < most_refinements && (s.aliasing > tolerance() || s.contour > tolerance());
       ++i) {
    spacing *= s.aliasing > tolerance() ? 0.5 : 1;
    step *= s.contour > tolerance() ? 0.7 : 1;
    s = sum(spacing, step);
    nodes += s.nodes;
  }
  const double error = s.aliasing + s.contour + s.rounding + s.last +
                       (relative_rounding + 4 * epsilon) * s.magnitude;
  Status status = located_;
  if (!std::isfinite(s.value) || !std::isfinite(error)) {
    status = Status::not_finite;
  } else if (!s.complete || error > worst_tolerance * s.magnitude) {
    status = Status::not_converged;
  }
  return {s.value, error, nodes, status};
}

Estimate TargetScoreLaw::mean() const {
  // About the centre, which carries most of the value and is exact as a number.
  const Estimate shift = expectation([this](double x) { return x - centre_; });
  Estimate result = exactly(centre_) + shift;
  result.error += epsilon * std::abs(centre_);
  return result;
}

Estimate TargetScoreLaw::variance() const {
  const Estimate first = expectation([this](double x) { return x - centre_; });
  const Estimate second = expectation([this](double x) { return (x - centre_) * (x - centre_); });
  return second - first * first;
}

Estimate TargetScoreLaw::standard_deviation() const {
  return sqrt(variance());
}

} // namespace lamcap
