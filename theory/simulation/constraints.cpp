// SPDX-License-Identifier: GPL-3.0-or-later
#include "constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lamcap::simulation {
namespace {

/// Threads cost more than they give below some multiplications.
bool worth_threads(double work) {
  constexpr double least = 2e6;
  return work > least;
}

} // namespace

Constraints::Constraints(const Instance &instance)
    : instance_(instance), dim_in_(instance.memory_cols()), dim_out_(instance.memory_rows()) {}

void Constraints::margins(const Vector &w, Matrix &out) const {
  const std::int64_t facts = instance_.facts();
  out.resize(instance_.candidates(), facts);
  const Eigen::Map<const Matrix> memory(w.data(), dim_out_, dim_in_);
  if (instance_.problem() == Problem::original) {
    const Matrix images = memory * instance_.inputs();
    out.noalias() = instance_.stored_outputs().transpose() * images;
  } else {
#pragma omp parallel if (worth_threads(scoring_work()))
    {
      Matrix scratch;
#pragma omp for schedule(static)
      for (std::int64_t mu = 0; mu < facts; ++mu) {
        const Vector image = iid() ? w : Vector(memory * instance_.inputs().col(mu));
        out.col(mu).noalias() = instance_.outputs(mu, scratch).transpose() * image;
      }
    }
  }
  for (std::int64_t mu = 0; mu < facts; ++mu) {
    const std::int64_t target = instance_.target(mu);
    out.col(mu) = out(target, mu) - out.col(mu).array();
    out(target, mu) = std::numeric_limits<double>::infinity();
  }
}

Vector Constraints::combine(const Matrix &weights) const {
  // sum_rho weight (u_target - u_rho) = U (c e_target - weights), c their sum.
  const std::int64_t facts = instance_.facts();
  Matrix images(dim_out_, facts);
#pragma omp parallel if (worth_threads(scoring_work()))
  {
    Matrix scratch;
#pragma omp for schedule(static)
    for (std::int64_t mu = 0; mu < facts; ++mu) {
      Vector coefficients = -weights.col(mu);
      coefficients(instance_.target(mu)) += weights.col(mu).sum();
      images.col(mu).noalias() = instance_.outputs(mu, scratch) * coefficients;
    }
  }
  if (iid()) {
    return images.rowwise().sum();
  }
  const Matrix total = images * instance_.inputs().transpose();
  return Eigen::Map<const Vector>(total.data(), total.size());
}

void Constraints::normal_matrix(const Matrix &weights, double ridge, Matrix &out) const {
  const std::int64_t facts = instance_.facts();
  const Eigen::Index size = dimension();
  const double least = 1e-14 * weights.maxCoeff(); // the rest does not show
  // M_mu = sum weight (u_target - u_rho)(u_target - u_rho)^T = D D^T.
  const auto differences = [&](std::int64_t mu, Matrix &scratch) {
    const auto outputs = instance_.outputs(mu, scratch);
    Matrix d(dim_out_, outputs.cols());
    Eigen::Index used = 0;
    for (Eigen::Index rho = 0; rho < outputs.cols(); ++rho) {
      const double weight = weights(rho, mu);
      if (weight > least) {
        d.col(used++) = std::sqrt(weight) * (outputs.col(instance_.target(mu)) - outputs.col(rho));
      }
    }
    return Matrix(d.leftCols(used));
  };
  out.setZero(size, size);
  out.diagonal().setConstant(ridge);
  if (iid()) {
    Matrix scratch;
    for (std::int64_t mu = 0; mu < facts; ++mu) {
      const Matrix d = differences(mu, scratch);
      if (d.cols() > 0) { // Eigen's update divides by the number of columns
        out.selfadjointView<Eigen::Lower>().rankUpdate(d);
      }
    }
    return;
  }
  const Eigen::Index block = dim_out_ * dim_out_;
  Matrix moments(block, facts);
#pragma omp parallel if (worth_threads(moment_work()))
  {
    Matrix scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t mu = 0; mu < facts; ++mu) {
      const Matrix d = differences(mu, scratch);
      Eigen::Map<Matrix>(moments.col(mu).data(), dim_out_, dim_out_).noalias() = d * d.transpose();
    }
  }
  // out = sum_mu (e e^T) x M_mu: block column j needs the blocks i >= j only.
  const Matrix &inputs = instance_.inputs();
#pragma omp parallel for schedule(dynamic) if (worth_threads(moment_work()))
  for (Eigen::Index j = 0; j < dim_in_; ++j) {
    const Eigen::Index rest = dim_in_ - j;
    const Matrix products =
        (inputs.bottomRows(rest).array().rowwise() * inputs.row(j).array()).matrix();
    const Matrix blocks = moments * products.transpose(); // d_out^2 x rest
    for (Eigen::Index i = 0; i < rest; ++i) {
      out.block((j + i) * dim_out_, j * dim_out_, dim_out_, dim_out_) +=
          Eigen::Map<const Matrix>(blocks.col(i).data(), dim_out_, dim_out_);
    }
  }
}

Matrix Constraints::vectors(const std::vector<Index> &indices) const {
  Matrix columns(dimension(), static_cast<Eigen::Index>(indices.size()));
  Matrix scratch;
  Eigen::Index next = 0;
  for (const auto &[mu, rho] : indices) {
    const auto outputs = instance_.outputs(mu, scratch);
    const Vector difference = outputs.col(instance_.target(mu)) - outputs.col(rho);
    if (iid()) {
      columns.col(next++) = difference;
    } else {
      columns.col(next++) = (difference * instance_.inputs().col(mu).transpose()).reshaped();
    }
  }
  return columns;
}

double Constraints::scoring_work() const {
  return static_cast<double>(instance_.facts()) * static_cast<double>(instance_.candidates()) *
         static_cast<double>(dim_out_);
}

double Constraints::moment_work() const {
  return scoring_work() * static_cast<double>(dim_out_);
}

double Constraints::margin_rounding() const {
  // Two inner products in a row and a difference: (n + 2) u of the product of absolute values, whose
  // sums are at most the products of norms.
  const double unit = 0.5 * std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(dim_in_ + dim_out_ + 4);
  return 1.1 * terms * unit * 2 * instance_.longest();
}

double Constraints::combine_rounding() const {
  const double unit = 0.5 * std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(instance_.facts() + instance_.candidates() + 8);
  // Component by component, then in the norm: sqrt(D) at most.
  return 1.1 * terms * unit * 2 * instance_.longest() *
         std::sqrt(static_cast<double>(std::min(dim_in_, dim_out_)));
}

} // namespace lamcap::simulation
