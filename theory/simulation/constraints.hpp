// SPDX-License-Identifier: GPL-3.0-or-later
// The linear constraints m_{mu rho}(W) > 0 of an instance as operators on vec(W).
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <vector>

namespace lamcap::simulation {

/// Margins and weights are K x p matrices, a column per fact; the target's own entry is no constraint
/// (margins: +infinity there; weights: 0).
class Constraints {
public:
  explicit Constraints(const Instance &instance);

  [[nodiscard]] Eigen::Index dimension() const { return dim_in_ * dim_out_; } // of vec(W)

  /// m_{mu rho} = s_target - s_rho.
  void margins(const Vector &w, Matrix &out) const;

  /// sum of weight a_{mu rho}, as a vector.
  [[nodiscard]] Vector combine(const Matrix &weights) const;

  /// Lower half of ridge I + sum weight a a^T, weights >= 0.
  void normal_matrix(const Matrix &weights, double ridge, Matrix &out) const;

  /// One constraint: competitor rho of fact mu.
  struct Index {
    Eigen::Index mu;
    Eigen::Index rho;
  };

  /// Constraint vectors a_{mu rho} as columns.
  [[nodiscard]] Matrix vectors(const std::vector<Index> &indices) const;

  /// Bound on |m computed - m| over all entries, per unit of ||w||.
  [[nodiscard]] double margin_rounding() const;
  /// Bound on the rounding of ||combine(weights)||, weights of sum 1.
  [[nodiscard]] double combine_rounding() const;

private:
  [[nodiscard]] double scoring_work() const; // multiplications of all scores
  [[nodiscard]] double moment_work() const;  // of all second moments
  [[nodiscard]] bool iid() const { return instance_.problem() == Problem::iid; }

  const Instance &instance_;
  Eigen::Index dim_in_;  // iid: 1
  Eigen::Index dim_out_; // iid: D
};

} // namespace lamcap::simulation
