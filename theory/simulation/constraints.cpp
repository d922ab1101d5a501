// SPDX-License-Identifier: GPL-3.0-or-later
#include "constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lamcap::simulation {

Constraints::Constraints(const Instance &instance)
    : instance_(instance),
      dim_in_(iid() ? 1 : instance.dim_in()),
      dim_out_(iid() ? instance.dim_in() * instance.dim_out() : instance.dim_out()) {}

void Constraints::margins(const Vector &w, Matrix &out) const {
  const std::int64_t facts = instance_.facts();
  out.resize(instance_.candidates(), facts);
  const Eigen::Map<const Matrix> memory(w.data(), dim_out_, dim_in_);
  if (instance_.problem() == Problem::original) {
    const Matrix images = memory * instance_.inputs();
    out.noalias() = instance_.outputs(0).transpose() * images;
  } else {
#pragma omp parallel for schedule(static)
    for (std::int64_t mu = 0; mu < facts; ++mu) {
      const Vector image = iid() ? w : Vector(memory * instance_.inputs().col(mu));
      out.col(mu).noalias() = instance_.outputs(mu).transpose() * image;
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
#pragma omp parallel for schedule(static)
  for (std::int64_t mu = 0; mu < facts; ++mu) {
    Vector coefficients = -weights.col(mu);
    coefficients(instance_.target(mu)) += weights.col(mu).sum();
    images.col(mu).noalias() = instance_.outputs(mu) * coefficients;
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
  const auto differences = [&](std::int64_t mu) {
    const auto outputs = instance_.outputs(mu);
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
    for (std::int64_t mu = 0; mu < facts; ++mu) {
      out.selfadjointView<Eigen::Lower>().rankUpdate(differences(mu));
    }
    return;
  }
  const Eigen::Index block = dim_out_ * dim_out_;
  Matrix moments(block, facts);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t mu = 0; mu < facts; ++mu) {
    const Matrix d = differences(mu);
    Eigen::Map<Matrix>(moments.col(mu).data(), dim_out_, dim_out_).noalias() = d * d.transpose();
  }
  // out = sum_mu (e e^T) x M_mu: block column j needs the blocks i >= j only.
  const Matrix &inputs = instance_.inputs();
#pragma omp parallel for schedule(dynamic)
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

double Constraints::largest_constraint() const {
  double largest = 0;
  for (std::int64_t mu = 0; mu < instance_.facts(); ++mu) {
    const double output = instance_.outputs(mu).colwise().norm().maxCoeff();
    const double input = iid() ? 1 : instance_.inputs().col(mu).norm();
    largest = std::max(largest, 2 * output * input);
    if (instance_.problem() == Problem::original) { // the outputs are the same for every fact
      const double all_inputs = instance_.inputs().colwise().norm().maxCoeff();
      return 2 * output * all_inputs;
    }
  }
  return largest;
}

double Constraints::margin_rounding() const {
  // Two inner products in a row and a difference: (n + 2) u of the product of absolute values, whose
  // sums are at most the products of norms.
  const double unit = 0.5 * std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(dim_in_ + dim_out_ + 4);
  return 1.1 * terms * unit * largest_constraint();
}

double Constraints::combine_rounding() const {
  const double unit = 0.5 * std::numeric_limits<double>::epsilon();
  const auto terms = static_cast<double>(instance_.facts() + instance_.candidates() + 8);
  // Component by component, then in the norm: sqrt(D) at most.
  return 1.1 * terms * unit * largest_constraint() *
         std::sqrt(static_cast<double>(std::min(dim_in_, dim_out_)));
}

} // namespace lamcap::simulation
