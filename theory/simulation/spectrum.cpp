// SPDX-License-Identifier: GPL-3.0-or-later
// Singular values of a memory: see include/lamcap/simulation/spectrum.hpp.
#include "lamcap/simulation/spectrum.hpp"

#include <Eigen/SVD>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace lamcap::simulation {
namespace {

void check(const TabulatedLaw &law) {
  if (law.x.empty() || law.x.size() != law.distribution.size()) {
    throw std::invalid_argument(
        fmt::format("law: {} points and {} values of the distribution, must be as many, at least 1",
                    law.x.size(), law.distribution.size()));
  }
  for (std::size_t i = 0; i < law.x.size(); ++i) {
    const double least = i == 0 ? 0 : law.distribution[i - 1];
    const bool increasing = std::isfinite(law.x[i]) && (i == 0 || law.x[i] > law.x[i - 1]);
    if (!increasing || !(law.distribution[i] >= least && law.distribution[i] <= 1)) {
      throw std::invalid_argument(
          fmt::format("law: point {} is ({}, {}); x must increase, and the distribution from 0 to "
                      "1 without decreasing",
                      i + 1, law.x[i], law.distribution[i]));
    }
  }
}

/// P(X <= x), or P(X < x).
double distribution(const TabulatedLaw &law, double x, bool below) {
  if (x < law.x.front() || (below && x == law.x.front())) {
    return 0;
  }
  const auto after = std::upper_bound(law.x.begin(), law.x.end(), x);
  if (after == law.x.end()) {
    return law.distribution.back();
  }
  const auto i = static_cast<std::size_t>(after - law.x.begin());
  const double part = (x - law.x[i - 1]) / (law.x[i] - law.x[i - 1]);
  return (1 - part) * law.distribution[i - 1] + part * law.distribution[i];
}

/// Integral of |f| over a piece of length dx where f is linear from `first` to `last`.
double absolute_integral(double first, double last, double dx) {
  if ((first < 0) == (last < 0)) {
    return dx * std::abs(first + last) / 2;
  }
  return dx * (first * first + last * last) / (2 * (std::abs(first) + std::abs(last)));
}

} // namespace

Vector singular_values(const Matrix &memory) {
  if (memory.size() == 0 || !memory.allFinite()) {
    throw std::invalid_argument("W: must be finite and not empty");
  }
  const double largest = memory.cwiseAbs().maxCoeff();
  const Eigen::Index count = std::min(memory.rows(), memory.cols());
  if (!(largest > 0)) {
    return Vector::Zero(count);
  }
  constexpr double noise = 1e-13;
  Vector values = Eigen::BDCSVD<Matrix>(memory / largest).singularValues().reverse();
  values = (values.array() < noise * values.maxCoeff()).select(0, values);
  return values / std::sqrt(values.squaredNorm() / static_cast<double>(count));
}

std::array<double, 4> moments(const Vector &values) {
  const auto v = values.array();
  return {v.mean(), v.square().mean(), v.cube().mean(), v.square().square().mean()};
}

LawDistance distance(const Vector &values, const TabulatedLaw &law) {
  check(law);
  if (values.size() == 0) {
    throw std::invalid_argument("values: none");
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());

  std::vector<double> corners = law.x; // between these, F_n - F is linear
  corners.insert(corners.end(), sorted.begin(), sorted.end());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());

  LawDistance d;
  double after = 0; // F_n - F just above the corner before
  std::size_t passed = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double x = corners[i];
    const double before = static_cast<double>(passed) / count - distribution(law, x, true);
    if (i > 0) {
      d.wasserstein += absolute_integral(after, before, x - corners[i - 1]);
    }
    while (passed < sorted.size() && sorted[passed] <= x) {
      ++passed;
    }
    after = static_cast<double>(passed) / count - distribution(law, x, false);
    d.kolmogorov = std::max({d.kolmogorov, std::abs(before), std::abs(after)});
  }
  return d;
}

} // namespace lamcap::simulation
