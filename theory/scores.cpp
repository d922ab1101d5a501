// SPDX-License-Identifier: GPL-3.0-or-later
// Scores in the optimal memory, below and at capacity: see include/lamcap/scores.hpp.
#include "lamcap/scores.hpp"

#include "domain.hpp"
#include "gaussian_kernel.hpp"
#include "lamcap/critical_load.hpp"
#include "lamcap/extreme_value.hpp"
#include "lamcap/replica.hpp"
#include "lamcap/target_score.hpp"
#include "mean_field.hpp"
#include "score_integrals.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace lamcap {

namespace {

constexpr double reach = 9; // of a Gaussian, in s.d.

// ---- below capacity -----------------------------------------------------------------------------

class ScoresBelowCapacity final : public ScoreLaws {
public:
  ScoresBelowCapacity(const Count &candidates, double margin, double overlap);
  [[nodiscard]] Estimate density(Score score, double x) const override;
  [[nodiscard]] Estimate distribution(Score score, double x) const override;
  /// The sum of all K scores is free: a competitor's mean is -1/(K - 1) of the target's.
  [[nodiscard]] Estimate mean(Score score) const override;
  [[nodiscard]] Estimate standard_deviation(Score score) const override;
  [[nodiscard]] Range range(Score score) const override {
    if (score == Score::target) {
      return range_;
    }
    // The others stay below h - mu, and reach as far below it (or below 0) as free scores do.
    const double cut = range_.centre - margin_;
    const double lower = std::min(0.0, cut - 12 * range_.width) - reach - 0.5;
    return {lower, cut, range_.width, range_.upper - margin_};
  }

private:
  struct Node {
    double x;          // sqrt(q) xi_0
    double log_weight; // of the Gaussian sum, less log Z(x)
  };
  /// Where the law has nothing left that a double could hold beside its bulk.
  [[nodiscard]] bool beyond(Score score, double x) const;
  [[nodiscard]] Estimate with_error(double value) const;
  [[nodiscard]] double target_density(double h) const;
  [[nodiscard]] Estimate target_distribution(double h) const;
  [[nodiscard]] double log_mass_beyond(double h) const;
  [[nodiscard]] double competitor_density(double x, double h) const;
  [[nodiscard]] double competitor_distribution(double x, double h) const;
  [[nodiscard]] double competitor_deficit(double h) const;
  /// Int_{h > x + mu} P(h) f(h) dh.
  [[nodiscard]] Estimate above(double x, const std::function<double(double)> &f) const;

  mutable MeanFieldEnergy field_;
  Count competitors_;
  double margin_;
  double q_;
  double root_q_;
  double s_;
  std::vector<Node> nodes_;
  double error_ = 0; // relative, of every sum over the nodes
  Range range_{};
};

ScoresBelowCapacity::ScoresBelowCapacity(const Count &candidates, double margin, double overlap)
    : field_(candidates, margin, overlap),
      competitors_(candidates.minus(1)),
      margin_(margin),
      q_(overlap),
      root_q_(std::sqrt(overlap)),
      s_(std::sqrt(1 - overlap)) {
  // Given h, x_0 is Gaussian-like and at least as wide as s: half of it resolves it.
  const double step = std::min(0.25 * root_q_, 0.5 * s_);
  for (double x = -reach * root_q_; x <= reach * root_q_; x += step) {
    const TiltedScore tilt = field_.tilt(x);
    const double xi = x / root_q_;
    nodes_.push_back(
        {x, gaussian_kernel::log_density(xi) + std::log(step / root_q_) - tilt.log_norm});
    error_ += step / root_q_ * gaussian_kernel::density(xi) * tilt.error;
  }
  const double centre = field_.tilt(0).shift;
  error_ += 1e-12 + field_.potential_error() * (1 + field_.minus_g(centre));
  const double top = std::sqrt(2 * candidates.log());
  const double moved = root_q_ + field_.tilt(root_q_).shift - centre; // by one s.d. of x_0
  const double thermal = s_ / std::sqrt(1 + top * top);
  range_ = {-reach - 0.5, centre, moved + thermal, std::max(reach + 0.5, top + 6) + margin};
}

Estimate ScoresBelowCapacity::with_error(double value) const {
  Estimate result = rounded(value, 16);
  result.error += error_ * std::abs(value) + std::numeric_limits<double>::min();
  return result;
}

double ScoresBelowCapacity::target_density(double h) const {
  const double g = -field_.minus_g(h);
  double sum = 0;
  for (const Node &node : nodes_) {
    const double z = (h - node.x) / s_;
    sum += std::exp(g + node.log_weight - 0.5 * z * z);
  }
  return sum * gaussian_kernel::inv_sqrt_two_pi / s_;
}

Estimate ScoresBelowCapacity::target_distribution(double h) const {
  const auto f = [this](double x) { return with_error(target_density(x)); };
  if (h <= range_.lower) {
    return with_error(0);
  }
  if (h <= range_.centre) { // small values precise
    return integrate_law(f, range_.lower, h, range_, law_tolerance);
  }
  return exactly(1) -
         integrate_law(f, std::min(h, range_.upper), range_.upper, range_, law_tolerance);
}

/// log sum_i w_i H((h - x_i)/s) / Z_i + G(h): the mass beyond h if the potential stayed at G(h).
double ScoresBelowCapacity::log_mass_beyond(double h) const {
  const double g = -field_.minus_g(h);
  double sum = 0;
  for (const Node &node : nodes_) {
    sum += std::exp(g + node.log_weight + gaussian_kernel::log_upper_tail((h - node.x) / s_));
  }
  return std::log(sum);
}

/// N(x; sqrt(q) xi, 1 - q) / Phi((y - sqrt(q) xi)/s) averaged over xi, y = h - mu > x.  As a function of
/// eta, xi = sqrt(q) x + s eta, it is log-concave and at least as wide as 1.
double ScoresBelowCapacity::competitor_density(double x, double h) const {
  const double a = (h - margin_ - q_ * x) / s_;
  const auto exponent = [&](double eta) {
    return -0.5 * eta * eta - gaussian_kernel::log_upper_tail(root_q_ * eta - a);
  };
  constexpr double step = 0.4;
  constexpr double negligible = 1e-17;
  constexpr int most_nodes = 100000;
  // The peak is at eta = 0 or, if the cut binds, to the right of it: uphill in steps that double.
  double top = 0;
  for (double move = step; exponent(top + step) > exponent(top);) {
    if (exponent(top + move) > exponent(top)) {
      top += move;
      move *= 2;
    } else {
      move = std::max(step, 0.25 * move);
    }
  }
  const double level = exponent(top);
  double sum = 0;
  for (const int direction : {1, -1}) {
    for (int k = direction > 0 ? 0 : 1; k < most_nodes; ++k) {
      const double term = std::exp(exponent(top + direction * k * step) - level);
      sum += term;
      if (term < negligible) {
        break;
      }
    }
  }
  return gaussian_kernel::density(x) * gaussian_kernel::inv_sqrt_two_pi * step * sum *
         std::exp(level);
}

/// E_xi Phi((x - sqrt(q) xi)/s) / Phi((y - sqrt(q) xi)/s).
double ScoresBelowCapacity::competitor_distribution(double x, double h) const {
  const double y = h - margin_;
  const double step = std::min(0.5, 0.4 * s_ / root_q_);
  double sum = 0;
  for (double k = std::floor(-reach / step); k * step < reach; ++k) {
    const double u = root_q_ * k * step;
    sum += std::exp(gaussian_kernel::log_density(k * step) +
                    gaussian_kernel::log_upper_tail((u - x) / s_) -
                    gaussian_kernel::log_upper_tail((u - y) / s_));
  }
  return step * sum;
}

/// 1 - E[x^2 | h] of a competitor: with u = sqrt(q) xi, a Gaussian N(u, s^2) cut at y has the second
/// moment u^2 + s^2 - s lambda(v) (u + y), v = (y - u)/s.
double ScoresBelowCapacity::competitor_deficit(double h) const {
  const double y = h - margin_;
  const double step = std::min(0.5, 0.4 * s_ / root_q_);
  double sum = 0;
  for (double k = std::floor(-reach / step); k * step < reach + std::max(0.0, y); ++k) {
    const double u = root_q_ * k * step;
    const double v = (y - u) / s_;
    const double log_force = gaussian_kernel::log_density(v) - gaussian_kernel::log_upper_tail(-v);
    sum += std::exp(gaussian_kernel::log_density(k * step) + log_force) * (u + y);
  }
  return s_ * step * sum;
}

Estimate ScoresBelowCapacity::mean(Score score) const {
  if (score != Score::competitor) {
    return ScoreLaws::mean(score);
  }
  return ScoreLaws::mean(Score::target) / exactly(-competitors_.value());
}

Estimate ScoresBelowCapacity::standard_deviation(Score score) const {
  if (score != Score::competitor) {
    return ScoreLaws::standard_deviation(score);
  }
  const Estimate deficit =
      above(range_.lower - margin_, [this](double h) { return competitor_deficit(h); });
  const Estimate average = mean(score);
  return sqrt(exactly(1) - deficit - average * average);
}

Estimate ScoresBelowCapacity::above(double x, const std::function<double(double)> &f) const {
  const auto term = [&](double h) { return with_error(target_density(h) * f(h)); };
  const double from = std::max(x + margin_, range_.lower);
  return from < range_.upper ? integrate_law(term, from, range_.upper, range_, law_tolerance)
                             : exactly(0);
}

bool ScoresBelowCapacity::beyond(Score score, double x) const {
  const Range r = range(score);
  return !(x > 2 * r.lower && x < r.upper); // the lower ends are below 0
}

Estimate ScoresBelowCapacity::density(Score score, double x) const {
  require_number("x", x);
  if (beyond(score, x)) {
    return with_error(0);
  }
  switch (score) {
  case Score::target:
    return with_error(target_density(x));
  case Score::maximum:
    return with_error(field_.slope_of_g(x + margin_) * std::exp(log_mass_beyond(x + margin_)));
  case Score::competitor:
    break;
  }
  return above(x, [&](double h) { return competitor_density(x, h); });
}

Estimate ScoresBelowCapacity::distribution(Score score, double x) const {
  require_number("x", x);
  if (beyond(score, x)) {
    return with_error(x < range(score).centre ? 0 : 1);
  }
  switch (score) {
  case Score::target:
    return target_distribution(x);
  case Score::maximum:
    return target_distribution(x + margin_) + with_error(std::exp(log_mass_beyond(x + margin_)));
  case Score::competitor:
    break;
  }
  return target_distribution(x + margin_) +
         above(x, [&](double h) { return competitor_distribution(x, h); });
}

// ---- at capacity --------------------------------------------------------------------------------

class ScoresAtCapacity final : public ScoreLaws {
public:
  ScoresAtCapacity(const Count &candidates, double margin)
      : candidates_(candidates),
        margin_(margin),
        law_(candidates, margin),
        others_(candidates.minus(1), margin),
        free_maximum_(candidates.minus(1)) {}

  [[nodiscard]] Estimate density(Score score, double x) const override;
  [[nodiscard]] Estimate distribution(Score score, double x) const override;
  [[nodiscard]] Estimate mean(Score score) const override {
    const Estimate target = law_.mean() + exactly(margin_);
    return score == Score::target       ? target
           : score == Score::competitor ? target / exactly(1 - candidates_.value())
                                        : ScoreLaws::mean(score);
  }
  [[nodiscard]] Estimate standard_deviation(Score score) const override {
    return score == Score::target       ? law_.standard_deviation()
           : score == Score::competitor ? competitor_deviation()
                                        : ScoreLaws::standard_deviation(score);
  }
  [[nodiscard]] Estimate tied_competitors() const override {
    return active_competitors(candidates_, margin_);
  }
  [[nodiscard]] Range range(Score score) const override {
    const double centre = law_.centre() + (score == Score::target ? margin_ : 0);
    const double far = 14 * law_.scale();
    return {std::min(-reach, centre - far), centre, law_.scale(), std::max(reach, centre + far)};
  }

private:
  [[nodiscard]] Estimate raw_density(Score score, double x) const;
  [[nodiscard]] Estimate raw_distribution(Score score, double x) const;
  [[nodiscard]] Estimate competitor_deviation() const;

  Count candidates_;
  double margin_;
  TargetScoreLaw law_;
  TargetScoreLaw others_; // what h* would be without one of the competitors
  GaussianMaximum free_maximum_;
};

/// A projection and its residual are orthogonal: E h*^2 + (K - 1) E x_j^2 = K + mu^2 - delta.
Estimate ScoresAtCapacity::competitor_deviation() const {
  const Estimate target_mean = law_.mean();
  const Estimate excess = exactly(1 + margin_ * margin_) -
                          statistical_dimension(candidates_, margin_) - law_.variance() -
                          target_mean * target_mean;
  const Estimate average = mean(Score::competitor);
  return sqrt(exactly(1) + excess / exactly(candidates_.minus(1).value()) - average * average);
}

/// The laws promise an absolute error: a far tail whose relative precision is lost is still known.
Estimate in_absolute_terms(Estimate e) {
  constexpr double enough = 1e-12;
  if (std::isfinite(e.value) && e.error <= enough) {
    e.status = Status::converged;
  }
  return e;
}

Estimate upper_tail_of_target(double x) {
  return rounded(gaussian_kernel::upper_tail(x), 16);
}

Estimate ScoresAtCapacity::density(Score score, double x) const {
  return in_absolute_terms(raw_density(score, x));
}

Estimate ScoresAtCapacity::distribution(Score score, double x) const {
  return in_absolute_terms(raw_distribution(score, x));
}

Estimate ScoresAtCapacity::raw_density(Score score, double x) const {
  switch (score) {
  case Score::target:
    return law_.density(x - margin_);
  case Score::maximum: {
    const Estimate free = free_maximum_.distribution(x);
    const Estimate at_target = rounded(gaussian_kernel::density(x + margin_), 16);
    return law_.density(x) + free_maximum_.density(x) * upper_tail_of_target(x + margin_) -
           free * at_target;
  }
  case Score::competitor:
    break;
  }
  const Estimate phi = rounded(gaussian_kernel::density(x), 16);
  const Estimate cdf = rounded(gaussian_kernel::cdf(x), 16);
  return law_.density(x) + phi * others_.upper_tail(x) - cdf * others_.density(x);
}

Estimate ScoresAtCapacity::raw_distribution(Score score, double x) const {
  switch (score) {
  case Score::target:
    return law_.distribution(x - margin_);
  case Score::maximum:
    return law_.distribution(x) + free_maximum_.distribution(x) * upper_tail_of_target(x + margin_);
  case Score::competitor:
    break;
  }
  return law_.distribution(x) + rounded(gaussian_kernel::cdf(x), 16) * others_.upper_tail(x);
}

} // namespace

std::unique_ptr<ScoreLaws> optimal_scores(Count candidates, double load, double margin) {
  const ReplicaState state = Replica({.candidates = candidates, .margin = margin}).solve(load);
  constexpr double largest_overlap = 0.9995; // the sums grow like 1 / sqrt(1 - q)
  if (state.status != Status::converged || state.overlap.value > largest_overlap) {
    throw_domain(
        "load", load,
        fmt::format("small enough for an overlap of at most {} (it is {:.6g}); beyond, take "
                    "the laws at capacity",
                    largest_overlap, state.overlap.value));
  }
  return std::make_unique<ScoresBelowCapacity>(candidates, margin, state.overlap.value);
}

std::unique_ptr<ScoreLaws> optimal_scores_at_capacity(Count candidates, double margin) {
  if (!(candidates.value() >= 2)) {
    throw_domain("candidates", candidates.value(), "at least 2");
  }
  return std::make_unique<ScoresAtCapacity>(candidates, margin);
}

} // namespace lamcap
