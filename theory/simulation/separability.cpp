// SPDX-License-Identifier: GPL-3.0-or-later
// Separability by the least-norm point of a hull: see include/lamcap/simulation/separability.hpp.
#include "lamcap/simulation/separability.hpp"

#include "lamcap/simulation/training.hpp"

#include "constraints.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lamcap::simulation {

double separability_bytes(const Instance &instance) {
  const double dimension =
      static_cast<double>(instance.memory_rows()) * static_cast<double>(instance.memory_cols());
  const double constraints =
      static_cast<double>(instance.facts()) * static_cast<double>(instance.candidates());
  const double moments = instance.problem() == Problem::iid
                             ? dimension * static_cast<double>(instance.candidates())
                             : static_cast<double>(instance.facts()) *
                                   std::pow(static_cast<double>(instance.dim_out()), 2);
  constexpr double arrays = 12; // weights, slacks, margins, two directions and their scratch
  return instance.bytes() + 8 * (dimension * dimension + arrays * constraints + moments);
}

namespace {

constexpr double to_boundary = 0.995; // of the longest feasible step
constexpr int steps_per_attempt = 3;  // at balancing the weights
constexpr double least_gap = 1e-26;   // of complementarity at unit scores: below it rounding rules

void check(const SeparabilityOptions &o, const Instance &instance, double memory_limit) {
  if (!(o.resolution > 0 && std::isfinite(o.resolution))) {
    throw std::invalid_argument(
        fmt::format("resolution = {}: must be above 0 and finite", o.resolution));
  }
  if (!(o.gap >= 0 && o.gap < 1)) {
    throw std::invalid_argument(fmt::format("gap = {}: must be in [0, 1)", o.gap));
  }
  if (o.most_steps < 1) {
    throw std::invalid_argument(fmt::format("most_steps = {}: must be at least 1", o.most_steps));
  }
  if (o.training_steps < 0) {
    throw std::invalid_argument(
        fmt::format("training_steps = {}: must be at least 0", o.training_steps));
  }
  if (o.start.size() > 0 && (o.start.rows() != instance.memory_rows() ||
                             o.start.cols() != instance.memory_cols() || !o.start.allFinite())) {
    throw std::invalid_argument(fmt::format("start: must be finite, {} x {}",
                                            instance.memory_rows(), instance.memory_cols()));
  }
  require_memory("the solver", separability_bytes(instance), memory_limit);
}

/// A memory trained for a while, with a rate that suits the length of the embeddings.
Matrix trained_start(const Instance &instance, std::int64_t steps, double memory_limit) {
  constexpr double usual_rate = 0.3;
  TrainingOptions options;
  options.rate = usual_rate / instance.longest();
  constexpr double far = 1e6; // where float would lose the small or overflow with the large
  if (instance.longest() > far || instance.longest() < 1 / far) {
    options.precision = Precision::full;
    options.epsilon *= instance.longest();
  }
  options.most_steps = steps;
  options.check_interval = 10;
  options.resolution = 0; // verdicts are the solver's
  options.memory_limit = memory_limit;
  return train(instance, options).memory;
}

/// The interior-point method, with the best certificates seen.
class Solver {
public:
  Solver(const Instance &instance, const SeparabilityOptions &options, const Matrix &start)
      : constraints_(instance),
        options_(options),
        instance_(instance),
        resolution_(options.resolution * instance.longest()),
        least_gap_(least_gap * instance.longest() * instance.longest()) {
    const Eigen::Index facts = instance.facts();
    const Eigen::Index candidates = instance.candidates();
    count_ = static_cast<double>(facts * (candidates - 1));
    weights_.setConstant(candidates, facts, 1 / count_);
    clear_targets(weights_, 0);
    if (start.size() > 0) {
      start_from(start);
    }
    w_ = constraints_.combine(weights_);
    constraints_.margins(w_, margins_);
    const double spread =
        std::max(w_.norm() * instance.longest(), std::numeric_limits<double>::min());
    t_ = margins_.minCoeff() - spread;
    slack_ = margins_.array() - t_;
    clear_targets(slack_, instance.longest() * instance.longest());
  }

  Separability solve() {
    certify();
    while (!done() && result_.steps < options_.most_steps && complementarity() > least_gap_) {
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
    if (options_.gap > 0 || !done()) {
      polish();
    }
    return finish();
  }

private:
  using Index = Constraints::Index;

  /// Tries a given memory, and takes its softmax errors for weights; a share of equal ones keeps
  /// them all positive.
  void start_from(const Matrix &memory) {
    constexpr double equal_share = 1e-3;
    w_ = memory.reshaped();
    constraints_.margins(w_, margins_);
    certify_memory();
    Matrix errors(margins_.rows(), margins_.cols());
    for (Eigen::Index mu = 0; mu < errors.cols(); ++mu) {
      const auto margins = margins_.col(mu).array();
      const double lowest = std::min(0.0, margins.minCoeff());
      errors.col(mu) = (lowest - margins).exp();
      errors.col(mu) /= std::exp(lowest) + errors.col(mu).sum();
    }
    const double sum = errors.sum();
    if (sum > 0) {
      weights_ = equal_share * weights_ + (1 - equal_share) / sum * errors;
    }
  }

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
    certify_memory();
    const double upper = w_.norm() / weights_.sum() * (1 + 1e-14) + constraints_.combine_rounding();
    best_upper_ = std::min(best_upper_, upper);
  }

  void certify_memory() {
    const double length = w_.norm();
    if (length > 0) {
      const double lowest =
          margins_.minCoeff() / length * (1 - 1e-14) - constraints_.margin_rounding();
      if (lowest > result_.margin_lower) {
        result_.margin_lower = lowest;
        best_memory_ = w_ / length;
      }
    }
  }

  /// Tries to balance the weights exactly: lambda - lambda^2 A y with A^T lambda^2 A y = W, the smallest
  /// relative change that makes their combination vanish, weights far below the rest left out.  What
  /// stays non-negative proves inseparability to rounding.
  void balance(double left_out) {
    Matrix weights = weights_ / weights_.maxCoeff();
    weights = (weights.array() < left_out).select(0, weights);
    for (int i = 0; i < 2; ++i) {
      const double tiny = 1e-13 * instance_.longest() * instance_.longest();
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

  /// Constraints whose weight outweighs their slack, the clearest first, one more than dimensions at
  /// most.
  [[nodiscard]] std::vector<Index> outweighing() const {
    std::vector<std::pair<double, Index>> found;
    const double unit = slack_.mean() / weights_.mean();
    for (Eigen::Index mu = 0; mu < weights_.cols(); ++mu) {
      for (Eigen::Index rho = 0; rho < weights_.rows(); ++rho) {
        const double ratio = weights_(rho, mu) / slack_(rho, mu) * unit;
        if (ratio > 1) {
          found.push_back({ratio, {mu, rho}});
        }
      }
    }
    std::sort(found.begin(), found.end(),
              [](const auto &a, const auto &b) { return a.first > b.first; });
    found.resize(std::min(found.size(), static_cast<std::size_t>(constraints_.dimension() + 1)));
    std::vector<Index> set;
    for (const auto &entry : found) {
      set.push_back(entry.second);
    }
    return set;
  }

  /// Ends exactly, by active sets.  The weights of sum 1 that bring sum lambda a nearest to 0, of
  /// either sign, are (B^T B)^-1 1 up to their sum, B the columns (a_i, c) for any c: B = QR.
  /// Constraints of negative weight leave the set, the most violated one enters it.
  void polish() {
    constexpr int most_changes = 100;
    const auto dimension = static_cast<double>(constraints_.dimension());
    const double most_work = 2e11 + 20 * std::pow(dimension, 3); // multiplications: minutes
    double work = 0;
    normal_.resize(0, 0); // its memory is for the columns
    std::vector<Index> set = outweighing();
    for (int change = 0; change < most_changes && !set.empty(); ++change) {
      const auto count = static_cast<Eigen::Index>(set.size());
      work += dimension * std::pow(static_cast<double>(count), 2);
      if (count > constraints_.dimension() + 1 || work > most_work) {
        return;
      }
      Matrix columns(constraints_.dimension() + 1, count);
      columns << constraints_.vectors(set), Matrix::Constant(1, count, instance_.longest());
      const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(columns);
      const auto r = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
      Vector weights = r.solve(r.transpose().solve(Vector::Ones(count)));
      weights /= weights.sum();
      if (!weights.allFinite()) {
        return;
      }
      if (weights.minCoeff() < 0) {
        std::vector<Index> rest;
        for (std::size_t i = 0; i < set.size(); ++i) {
          if (weights[static_cast<Eigen::Index>(i)] >= 0) {
            rest.push_back(set[i]);
          }
        }
        set = std::move(rest);
        continue;
      }
      if (!extend(set, weights)) {
        return;
      }
    }
  }

  /// Takes the bounds of these weights; whether a violated constraint was added to the set.
  bool extend(std::vector<Index> &set, const Vector &weights) {
    weights_.setZero();
    for (std::size_t i = 0; i < set.size(); ++i) {
      weights_(set[i].rho, set[i].mu) = weights[static_cast<Eigen::Index>(i)];
    }
    w_ = constraints_.combine(weights_);
    constraints_.margins(w_, margins_);
    certify();
    Index worst{};
    constexpr double rounding = 1e-9;
    if (margins_.minCoeff(&worst.rho, &worst.mu) < (1 - rounding) * w_.squaredNorm() &&
        weights_(worst.rho, worst.mu) == 0) {
      set.push_back(worst);
      return true;
    }
    binding_ = set;
    return false;
  }

  [[nodiscard]] bool done() const {
    if (result_.margin_lower > 0) {
      return options_.gap == 0 || best_upper_ - result_.margin_lower <= options_.gap * best_upper_;
    }
    return best_upper_ <= resolution_;
  }

  Separability finish() {
    result_.margin_upper = best_upper_;
    result_.binding.assign(static_cast<std::size_t>(weights_.cols()), 0);
    for (const Index &index : binding_.empty() ? outweighing() : binding_) {
      ++result_.binding[static_cast<std::size_t>(index.mu)];
    }
    result_.verdict = result_.margin_lower > 0     ? Verdict::separable
                      : best_upper_ <= resolution_ ? Verdict::inseparable
                                                   : Verdict::undecided;
    if (best_memory_.size() > 0) {
      result_.memory = best_memory_.reshaped(instance_.memory_rows(), instance_.memory_cols());
    }
    return result_;
  }

  Constraints constraints_;
  SeparabilityOptions options_;
  const Instance &instance_;
  double resolution_; // in this instance's scores
  double least_gap_;
  Vector w_;       // sum lambda a
  double t_ = 0;   // the margin aimed at, times ||w||
  Matrix margins_; // of w
  Matrix weights_; // lambda > 0, sum 1
  Matrix slack_;   // s = m - t > 0
  Matrix normal_;
  double count_ = 0;           // constraints
  std::vector<Index> binding_; // after polishing
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
  check(options, instance, memory_limit);
  const bool train_first = options.start.size() == 0 && options.training_steps > 0;
  return Solver(instance, options,
                train_first ? trained_start(instance, options.training_steps, memory_limit)
                            : options.start)
      .solve();
}

} // namespace lamcap::simulation
