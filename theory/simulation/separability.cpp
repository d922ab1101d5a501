// SPDX-License-Identifier: GPL-3.0-or-later
// Separability by the least-norm point of a hull: see include/lamcap/simulation/separability.hpp.
#include "lamcap/simulation/separability.hpp"

#include "constraints.hpp"

#include <Eigen/Cholesky>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lamcap::simulation {
namespace {

constexpr double to_boundary = 0.995; // of the longest feasible step
constexpr int steps_per_attempt = 3;  // at balancing the weights
constexpr double least_gap = 1e-26;   // of complementarity: below it rounding rules

void check(const SeparabilityOptions &o, Eigen::Index dimension, double memory_limit) {
  if (!(o.resolution > 0)) {
    throw std::invalid_argument(fmt::format("resolution = {}: must be above 0", o.resolution));
  }
  if (!(o.gap >= 0)) {
    throw std::invalid_argument(fmt::format("gap = {}: must be at least 0", o.gap));
  }
  if (o.most_steps < 1) {
    throw std::invalid_argument(fmt::format("most_steps = {}: must be at least 1", o.most_steps));
  }
  const double need = 8 * std::pow(static_cast<double>(dimension), 2);
  if (!(need <= memory_limit)) {
    throw std::invalid_argument(
        fmt::format("memory: the solver needs {:.3g} MB for {} dimensions, the limit is {:.3g} MB",
                    need / 1e6, dimension, memory_limit / 1e6));
  }
}

/// The interior-point method, with the best certificates seen.
class Solver {
public:
  Solver(const Instance &instance, const SeparabilityOptions &options)
      : constraints_(instance), options_(options), instance_(instance) {
    const Eigen::Index facts = instance.facts();
    const Eigen::Index candidates = instance.candidates();
    count_ = static_cast<double>(facts * (candidates - 1));
    weights_.setConstant(candidates, facts, 1 / count_);
    clear_targets(weights_, 0);
    w_ = constraints_.combine(weights_);
    constraints_.margins(w_, margins_);
    const double spread = std::max(w_.norm(), std::numeric_limits<double>::min());
    t_ = margins_.minCoeff() - spread;
    slack_ = margins_.array() - t_;
    clear_targets(slack_, 1);
  }

  Separability solve() {
    certify();
    while (!done() && result_.steps < options_.most_steps && complementarity() > least_gap) {
      if (!step()) {
        break;
      }
      certify();
      if (!done() && result_.steps % steps_per_attempt == 0) {
        balance(1e-6);
      }
    }
    for (const double left_out : {1e-2, 1e-3, 1e-4, 1e-5}) { // a face of few constraints may do
      if (!done()) {
        balance(left_out);
      }
    }
    return finish();
  }

private:
  /// The target's own entries are no constraints.
  void clear_targets(Matrix &m, double value) const {
    for (Eigen::Index mu = 0; mu < m.cols(); ++mu) {
      m(instance_.target(mu), mu) = value;
    }
  }

  [[nodiscard]] double complementarity() const {
    return weights_.cwiseProduct(slack_).sum() / count_;
  }

  struct Direction {
    Vector w;
    double t;
    Matrix weights;
    Matrix slack;
  };

  /// Newton direction towards (lambda + dl) (s + ds) = lambda s - excess, entrywise, to first order;
  /// dw = A^T dl, ds = A dw - dt and sum dl = 0 keep the linear conditions.
  template <class Factor>
  [[nodiscard]] Direction direction(const Factor &factor, const Matrix &ratio, const Vector &pull,
                                    const Vector &shift, const Matrix &excess) const {
    const Matrix scaled = excess.cwiseQuotient(slack_);
    const Vector still = factor.solve(-constraints_.combine(scaled));
    Direction d;
    d.t = (scaled.sum() + pull.dot(still)) / (ratio.sum() - pull.dot(shift));
    d.w = still + d.t * shift;
    constraints_.margins(d.w, d.slack);
    d.slack.array() -= d.t;
    clear_targets(d.slack, 0);
    d.weights = -scaled - ratio.cwiseProduct(d.slack);
    return d;
  }

  /// Longest step, at most 1, that keeps weights and slacks positive.
  [[nodiscard]] double longest(const Direction &d) const {
    double t = 1 / to_boundary;
    for (Eigen::Index i = 0; i < weights_.size(); ++i) {
      if (d.weights(i) < 0) {
        t = std::min(t, -weights_(i) / d.weights(i));
      }
      if (d.slack(i) < 0) {
        t = std::min(t, -slack_(i) / d.slack(i));
      }
    }
    return to_boundary * t;
  }

  /// Mehrotra's predictor and corrector with one factorisation; false where rounding ends it.
  bool step() {
    ++result_.steps;
    const Matrix ratio = weights_.cwiseQuotient(slack_);
    constraints_.normal_matrix(ratio, 1, normal_);
    const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(normal_);
    if (factor.info() != Eigen::Success) {
      return false;
    }
    const Vector pull = constraints_.combine(ratio);
    const Vector shift = factor.solve(pull);
    const double gap = complementarity();
    Matrix excess = weights_.cwiseProduct(slack_);
    const Direction predictor = direction(factor, ratio, pull, shift, excess);
    const double reach = std::min(1.0, longest(predictor) / to_boundary);
    const double reached = (weights_ + reach * predictor.weights)
                               .cwiseProduct(slack_ + reach * predictor.slack)
                               .sum() /
                           count_;
    excess += predictor.weights.cwiseProduct(predictor.slack);
    excess.array() -= std::pow(reached / gap, 3) * gap;
    clear_targets(excess, 0);
    const Direction d = direction(factor, ratio, pull, shift, excess);
    const double length = std::min(1.0, longest(d));
    weights_ += length * d.weights;
    weights_ /= weights_.sum(); // against drift
    // W and s anew from the weights, so that rounding does not pile up.
    t_ += length * d.t;
    w_ = constraints_.combine(weights_);
    constraints_.margins(w_, margins_);
    slack_ += length * d.slack;
    return w_.allFinite() && slack_.allFinite();
  }

  /// Both bounds, from W and from the weights as they are now.
  void certify() {
    const double length = w_.norm();
    if (length > 0) {
      const double lowest =
          margins_.minCoeff() / length * (1 - 1e-14) - constraints_.margin_rounding();
      if (lowest > result_.margin_lower) {
        result_.margin_lower = lowest;
        best_memory_ = w_ / length;
      }
    }
    const double upper = length / weights_.sum() * (1 + 1e-14) + constraints_.combine_rounding();
    best_upper_ = std::min(best_upper_, upper);
  }

  /// Tries to balance the weights exactly: lambda - lambda^2 A y with A^T lambda^2 A y = W, the smallest
  /// relative change that makes their combination vanish, weights far below the rest left out.  What
  /// stays non-negative proves inseparability to rounding.
  void balance(double left_out) {
    Matrix weights = weights_ / weights_.maxCoeff();
    weights = (weights.array() < left_out).select(0, weights);
    for (int i = 0; i < 2; ++i) {
      constexpr double tiny = 1e-13;
      constraints_.normal_matrix(weights.cwiseAbs2(), tiny, normal_);
      const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(normal_);
      if (factor.info() != Eigen::Success) {
        return;
      }
      const Vector y = factor.solve(constraints_.combine(weights));
      Matrix change;
      constraints_.margins(y, change);
      clear_targets(change, 0);
      weights = (weights - weights.cwiseAbs2().cwiseProduct(change)).cwiseMax(0.0);
    }
    const double sum = weights.sum();
    if (sum > 0) {
      best_upper_ = std::min(best_upper_, constraints_.combine(weights).norm() / sum * (1 + 1e-14) +
                                              constraints_.combine_rounding());
    }
  }

  [[nodiscard]] bool done() const {
    if (result_.margin_lower > 0) {
      return options_.gap == 0 || best_upper_ - result_.margin_lower <= options_.gap * best_upper_;
    }
    return best_upper_ <= options_.resolution;
  }

  Separability finish() {
    result_.margin_upper = best_upper_;
    result_.binding = (weights_.array() * slack_.mean() > slack_.array() * weights_.mean()).count();
    result_.verdict = result_.margin_lower > 0             ? Verdict::separable
                      : best_upper_ <= options_.resolution ? Verdict::inseparable
                                                           : Verdict::undecided;
    const bool iid = instance_.problem() == Problem::iid;
    if (best_memory_.size() > 0) {
      result_.memory = Eigen::Map<const Matrix>(best_memory_.data(),
                                                iid ? best_memory_.size() : instance_.dim_out(),
                                                iid ? 1 : instance_.dim_in());
    }
    return result_;
  }

  Constraints constraints_;
  SeparabilityOptions options_;
  const Instance &instance_;
  Vector w_;       // sum lambda a
  double t_ = 0;   // the margin aimed at, times ||w||
  Matrix margins_; // of w
  Matrix weights_; // lambda > 0, sum 1
  Matrix slack_;   // s = m - t > 0
  Matrix normal_;
  double count_ = 0; // constraints
  Vector best_memory_;
  double best_upper_ = std::numeric_limits<double>::infinity();
  Separability result_;
};

} // namespace

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
  case Verdict::separable:
    return "separable";
  case Verdict::inseparable:
    return "inseparable";
  case Verdict::undecided:
    break;
  }
  return "undecided";
}

Separability separability(const Instance &instance, const SeparabilityOptions &options,
                          double memory_limit) {
  check(options, instance.dim_in() * instance.dim_out(), memory_limit);
  return Solver(instance, options).solve();
}

} // namespace lamcap::simulation
