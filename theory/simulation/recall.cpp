// SPDX-License-Identifier: GPL-3.0-or-later
// What a memory recalls: see include/lamcap/simulation/recall.hpp.
#include "lamcap/simulation/recall.hpp"

#include "lamcap/simulation/cross_entropy.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lamcap::simulation {
namespace {

double deviation(double mean, double mean_square) {
  return std::sqrt(std::max(0.0, mean_square - mean * mean));
}

Evaluation evaluated(CrossEntropy<double> &objective, const Matrix &memory, double beta,
                     Matrix *gradient) {
  const Evaluation e = objective.evaluate(memory, beta, gradient);
  if (!e.finite) {
    throw std::invalid_argument("memory: its scores overflow, or it is not finite");
  }
  return e;
}

/// max ||a||: twice the longest output times the longest input.
double largest_constraint(const Instance &instance) {
  double output = 0;
  const bool shared = instance.problem() == Problem::original;
  for (std::int64_t mu = 0; mu < (shared ? 1 : instance.facts()); ++mu) {
    output = std::max(output, instance.outputs(mu).colwise().norm().maxCoeff());
  }
  const bool iid = instance.problem() == Problem::iid;
  return 2 * output * (iid ? 1 : instance.inputs().colwise().norm().maxCoeff());
}

} // namespace

Matrix hebbian_memory(const Instance &instance) {
  if (instance.problem() == Problem::original) {
    return instance.outputs(0) * instance.inputs().transpose();
  }
  const bool iid = instance.problem() == Problem::iid;
  Matrix targets(instance.outputs(0).rows(), instance.facts());
  for (std::int64_t mu = 0; mu < instance.facts(); ++mu) {
    targets.col(mu) = instance.outputs(mu).col(instance.target(mu));
  }
  return iid ? Matrix(targets.rowwise().sum()) : Matrix(targets * instance.inputs().transpose());
}

Recall measure(const Instance &instance, const Matrix &memory, int threads) {
  CrossEntropy<double> objective(instance, {.threads = threads});
  const Evaluation e = evaluated(objective, memory, 1, nullptr);
  Recall r;
  r.facts = instance.facts();
  r.lost = r.facts - e.recalled;
  r.accuracy = static_cast<double>(e.recalled) / static_cast<double>(r.facts);
  r.margin = e.margin;
  r.length = memory.norm();
  r.target_mean = e.target_mean;
  r.target_sd = deviation(e.target_mean, e.target_square);
  r.best_mean = e.best_mean;
  r.best_sd = deviation(e.best_mean, e.best_square);
  r.competitor_mean = e.competitor_mean;
  r.competitor_sd = deviation(e.competitor_mean, e.competitor_square);
  return r;
}

Certificate certify(const Instance &instance, const Matrix &memory, double beta, int threads) {
  CrossEntropy<double> objective(instance, {.threads = threads});
  Matrix gradient;
  const Evaluation e = evaluated(objective, memory, beta, &gradient);
  const double length = memory.norm();
  const double largest = largest_constraint(instance);
  const double unit = 0.5 * std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(memory.rows() + memory.cols() + 8);
  // A margin: two inner products and a difference, per unit of ||W|| max ||a||.
  const double margin_rounding = 1.1 * terms * unit * largest;
  // sum lambda a: sums over candidates and over facts of terms that add up, in absolute value, to
  // at most max ||a||; component by component, so sqrt(rank) in the norm.  sum lambda likewise.
  const auto sums = static_cast<double>(instance.facts() + instance.candidates() + 64);
  const double sum_rounding =
      1.1 * sums * unit * largest *
      std::sqrt(static_cast<double>(std::min(memory.rows(), memory.cols())));
  Certificate c;
  c.loss = e.loss;
  c.margin_lower = length > 0 ? e.margin / length * (e.margin > 0 ? 1 - 1e-14 : 1) - margin_rounding
                              : -margin_rounding;
  constexpr double least_error = 1e-250; // its gradient's components are far from underflow
  c.margin_upper = e.error > least_error
                       ? (gradient / (beta * e.error)).norm() * (1 + 1e-14) + sum_rounding
                       : std::numeric_limits<double>::infinity();
  return c;
}

std::array<double, 4> spectrum_moments(const Matrix &memory) {
  const double largest = memory.cwiseAbs().maxCoeff();
  if (!(largest > 0)) {
    return {};
  }
  const Matrix w = memory / largest; // squares neither overflow nor vanish
  const Matrix gram = w.rows() < w.cols() ? Matrix(w * w.transpose()) : Matrix(w.transpose() * w);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  const Eigen::ArrayXd squares = solver.eigenvalues().array().max(0);
  const Eigen::ArrayXd values = (squares / squares.mean()).sqrt();
  return {values.mean(), values.square().mean(), values.cube().mean(),
          values.square().square().mean()};
}

} // namespace lamcap::simulation
