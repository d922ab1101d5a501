// SPDX-License-Identifier: GPL-3.0-or-later
// What a memory recalls: see include/lamcap/simulation/recall.hpp.
#include "lamcap/simulation/recall.hpp"

#include "lamcap/simulation/cross_entropy.hpp"

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
    throw std::invalid_argument("W: its scores overflow, or it is not finite");
  }
  return e;
}

} // namespace

Matrix hebbian_memory(const Instance &instance) {
  if (instance.problem() == Problem::original) {
    return instance.stored_outputs() * instance.inputs().transpose();
  }
  const bool iid = instance.problem() == Problem::iid;
  Matrix targets(instance.memory_rows(), instance.facts());
  Matrix scratch;
  for (std::int64_t mu = 0; mu < instance.facts(); ++mu) {
    targets.col(mu) = instance.outputs(mu, scratch).col(instance.target(mu));
  }
  return iid ? Matrix(targets.rowwise().sum()) : Matrix(targets * instance.inputs().transpose());
}

double recall_bytes(const Instance &instance) {
  constexpr double copies = 8; // W, its decomposition into singular values, scratch
  return instance.bytes() + CrossEntropy<double>::bytes(instance) +
         8 * copies * static_cast<double>(instance.memory_rows()) *
             static_cast<double>(instance.memory_cols());
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
  const double largest = 2 * instance.longest(); // at least max ||a||
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

} // namespace lamcap::simulation
