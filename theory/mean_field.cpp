// SPDX-License-Identifier: GPL-3.0-or-later
#include "mean_field.hpp"

#include "gaussian_kernel.hpp"
#include "trapezoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lamcap {
namespace {

constexpr double reach = 9;            // of xi_0, in s.d.
constexpr double coarse_spacing = 0.5; // of xi_0
constexpr double outer_tolerance = 1e-12;
constexpr int most_halvings = 4;
constexpr double node_spacing = 0.25; // of h, in widths of its density: Gumbel tails need this
constexpr double negligible = 1e-17;
constexpr int most_nodes = 4000;
constexpr int most_steps = 100;

/// Several averages over xi_0 at once, with their errors.
template <std::size_t N>
struct Averages {
  std::array<double, N> value{};
  std::array<double, N> error{};
  std::int64_t nodes = 0;
};

/// E f(xi_0) by a trapezoidal sum, halved until its error is below tolerance.
template <std::size_t N, class Function>
Averages<N> gaussian_average(Function f) {
  std::array<double, N> sum{};
  std::array<double, N> magnitude{};
  Averages<N> result;
  const auto add = [&](double first, double step) {
    for (double xi = first; xi <= reach; xi += step) {
      const double weight = gaussian_kernel::inv_sqrt_two_pi * std::exp(-0.5 * xi * xi);
      const std::array<double, N> terms = f(xi);
      for (std::size_t i = 0; i < N; ++i) {
        sum[i] += weight * terms[i];
        magnitude[i] += weight * std::abs(terms[i]);
      }
      ++result.nodes;
    }
  };
  double spacing = coarse_spacing;
  add(-reach, spacing);
  for (int i = 0; i < most_halvings; ++i) {
    const std::array<double, N> coarse = sum;
    add(-reach + 0.5 * spacing, spacing);
    spacing *= 0.5;
    bool done = true;
    for (std::size_t k = 0; k < N; ++k) {
      const double size = spacing * magnitude[k];
      result.value[k] = spacing * sum[k];
      result.error[k] = halving_error(2 * spacing * coarse[k], result.value[k], size);
      done = done && result.error[k] <= outer_tolerance * size;
    }
    if (done) {
      break;
    }
  }
  return result;
}

} // namespace

MeanFieldEnergy::MeanFieldEnergy(const Count &candidates, double margin, double overlap)
    : log_n_(candidates.minus(1).log()),
      margin_(margin),
      q_(overlap),
      s_(std::sqrt(1 - overlap)),
      potential_(overlap),
      guess_(std::sqrt(2 * std::max(log_n_, 0.0))) {}

double MeanFieldEnergy::minus_g(double h) {
  return std::exp(log_n_ + potential_(h - margin_)[0]);
}

double MeanFieldEnergy::slope_of_g(double h) {
  const auto jet = potential_.log_minus_g_jet(h - margin_);
  return -std::exp(log_n_ + jet.value) * jet.slope;
}

double MeanFieldEnergy::log_density(double h, double x) {
  const double z = (h - x) / s_;
  return -0.5 * z * z - minus_g(h);
}

/// The maximum of A, which is concave: Newton inside a bracket, from the last peak.
MeanFieldEnergy::Peak MeanFieldEnergy::peak(double x) {
  double low = x; // G increases
  double high = std::numeric_limits<double>::infinity();
  double h = std::max(guess_, x);
  double width = s_;
  for (int i = 0; i < most_steps; ++i) {
    const auto jet = potential_.log_minus_g_jet(h - margin_);
    const double g = std::exp(log_n_ + jet.value);
    const double slope = -(h - x) / (s_ * s_) - g * jet.slope;
    const double curvature = 1 / (s_ * s_) + g * (jet.curvature + jet.slope * jet.slope);
    if (!std::isfinite(slope) || !(curvature > 0)) {
      return {h, std::numeric_limits<double>::quiet_NaN()};
    }
    (slope > 0 ? low : high) = h;
    width = 1 / std::sqrt(curvature);
    double next = h + slope / curvature;
    if (!(next >= low && next <= high)) {
      next = std::isinf(high) ? h + s_ : 0.5 * (low + high);
    }
    const double move = std::abs(next - h);
    h = next;
    if (move < 0.01 * width) {
      break;
    }
  }
  guess_ = h;
  return {h, width};
}

TiltedScore MeanFieldEnergy::tilt(double x) {
  const Peak top = peak(x);
  const double step = node_spacing * top.width;
  const double level = log_density(top.h, x);
  struct Sums {
    double norm = 0;
    double shift = 0;
    double force = 0;
    double shift_squared = 0;
    double force_squared = 0;
    double potential = 0; // of |G|
  };
  std::array<Sums, 2> halves; // even and odd nodes
  std::int64_t nodes = 0;
  const auto add = [&](int k) {
    const double h = top.h + k * step;
    const auto [log_minus_g, log_t] = potential_(h - margin_);
    const double z = (h - x) / s_;
    const double minus_g = std::exp(log_n_ + log_minus_g);
    const double weight = std::exp(-0.5 * z * z - minus_g - level);
    Sums &half = halves[static_cast<std::size_t>(k & 1)];
    half.norm += weight;
    if (weight > 0) {
      const double force = s_ * s_ * std::exp(log_n_ + log_t);
      half.shift += weight * (h - x);
      half.force += weight * force;
      half.shift_squared += weight * (h - x) * (h - x);
      half.force_squared += weight * force * force;
      half.potential += weight * minus_g;
    }
    ++nodes;
    return weight;
  };
  for (const int direction : {1, -1}) {
    for (int k = direction > 0 ? 0 : 1; k < most_nodes; ++k) {
      if (!(add(direction * k) > negligible)) {
        break;
      }
    }
  }
  const double norm = halves[0].norm + halves[1].norm;
  TiltedScore result{};
  result.log_norm = level + std::log(norm * step / s_) - gaussian_kernel::log_sqrt_two_pi;
  const auto mean = [&](double Sums::*sum) { return (halves[0].*sum + halves[1].*sum) / norm; };
  const auto deviation = [&](double average, double Sums::*square) {
    return std::sqrt(std::max(0.0, mean(square) - average * average));
  };
  result.shift = mean(&Sums::shift);
  result.force = mean(&Sums::force);
  // d<f> = Cov(f, dG), |dG| <= error |G|.
  result.sensitivity =
      result.force + mean(&Sums::potential) * (2 * std::abs(result.shift) *
                                                   deviation(result.shift, &Sums::shift_squared) +
                                               deviation(result.force, &Sums::force_squared));
  result.error = halving_error(2 * halves[0].norm, norm, norm) / norm;
  result.nodes = nodes;
  return result;
}

Energy MeanFieldEnergy::energy() {
  double tilt_error = 0;
  std::int64_t nodes = 0;
  double sensitivity = 0;
  const auto average = gaussian_average<2>([&](double xi) -> std::array<double, 2> {
    const TiltedScore t = tilt(std::sqrt(q_) * xi);
    const double weight = coarse_spacing * gaussian_kernel::density(xi); // at least the final one
    tilt_error += weight * t.error;
    sensitivity += weight * t.sensitivity;
    nodes += t.nodes;
    return {t.log_norm, t.shift * t.shift + t.force};
  });
  // An error of log(-g) is relative in G, whose mean is below |E| + O(1); A is rounded at its size.
  const double potential_error = potential_.error();
  const double magnitude = std::abs(average.value[0]) + 1;
  Energy result;
  result.value = {average.value[0],
                  average.error[0] + tilt_error + magnitude * (potential_error + 8 * epsilon),
                  nodes, Status::converged};
  const double s = average.value[1];
  result.resistance = {
      s, average.error[1] + s * (tilt_error + 8 * epsilon) + sensitivity * potential_error, nodes,
      Status::converged};
  for (Estimate *e : {&result.value, &result.resistance}) {
    if (!std::isfinite(e->value) || !std::isfinite(e->error)) {
      e->status = Status::not_finite;
    }
  }
  return result;
}

Estimate mean_field_resistance_at_capacity(const Count &candidates, double margin) {
  const double log_n = candidates.minus(1).log();
  const auto total = [&](int k, double h) { // (K - 1) E (xi - h + mu)_+^k
    return std::exp(log_n + gaussian_kernel::log_excess_moment(k, h - margin));
  };
  double h = std::sqrt(2 * std::max(log_n, 0.0)) + margin;
  const auto average = gaussian_average<1>([&](double xi) -> std::array<double, 1> {
    // h - xi_0 = (K - 1) E (xi - h + mu)_+; the right side is convex and decreasing, so Newton from
    // the left of the root converges monotonically; xi_0 is always to its left.
    double low = xi;
    double high = std::numeric_limits<double>::infinity();
    h = std::max(h, xi);
    for (int i = 0; i < most_steps; ++i) {
      const double excess = h - xi - total(1, h);
      (excess < 0 ? low : high) = h;
      double next = h - excess / (1 + total(0, h));
      if (!(next >= low && next <= high)) {
        next = std::isinf(high) ? h + 1 : 0.5 * (low + high);
      }
      const double move = std::abs(next - h);
      h = next;
      if (move <= 1e-9) { // the minimum is flat: squared
        break;
      }
    }
    return {(h - xi) * (h - xi) + total(2, h)};
  });
  const double value = average.value[0];
  Estimate result = rounded(value, 16 * (1 + std::abs(log_n)));
  result.error += average.error[0] + 1e-16 * value;
  result.evaluations = average.nodes;
  return result;
}

} // namespace lamcap
