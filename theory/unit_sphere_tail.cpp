// SPDX-License-Identifier: GPL-3.0-or-later
// Competitors on the unit sphere: see unit_sphere_tail.hpp.
#include "unit_sphere_tail.hpp"

#include "lamcap/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace lamcap {
namespace {

constexpr double log_negligible = -32; // e^-32 = 1e-14
constexpr double negligible = 1e-14;

// Gauss-Legendre, four points on [0, 1].
constexpr std::array<double, 4> gauss_points{0.0694318442029737, 0.3300094782075719,
                                             0.6699905217924281, 0.9305681557970263};
constexpr std::array<double, 4> gauss_weights{0.1739274225687269, 0.3260725774312731,
                                              0.3260725774312731, 0.1739274225687269};

double log_cosh(double y) {
  const double size = std::abs(y);
  return size + std::log1p(std::exp(-2 * size)) - std::numbers::ln2;
}

/// log of Int sech(y)^(d-1) exp(kappa tanh y - curb tanh^2 y / 2) dy, that is of the mean of
/// exp(kappa t - curb t^2 / 2) up to a constant of d: a trapezoidal sum about the peak.
double log_tilted_mass(double d, double kappa, double curb) {
  const double half = 0.5 * (d - 1 + curb);
  const double peak_t = kappa / (half + std::hypot(half, kappa)); // nearly, for small curb
  const double peak = std::atanh(peak_t);
  const auto exponent = [&](double y) {
    const double t = std::tanh(y);
    return (kappa - 0.5 * curb * t) * t - (d - 1) * log_cosh(y);
  };
  const double top = exponent(peak);
  constexpr double steps_per_sd = 1.5;
  const double curvature = (1 - peak_t) * (1 + peak_t) * (d - 1 + curb + 2 * kappa * peak_t);
  const double step = 1 / (steps_per_sd * std::sqrt(curvature));
  double sum = 1;
  for (const int side : {-1, 1}) {
    for (int i = 1;; ++i) {
      const double height = exponent(peak + side * i * step) - top;
      if (height < log_negligible) {
        break;
      }
      sum += std::exp(height);
    }
  }
  return top + std::log(sum * step);
}

/// E_c exp(kappa t - curb t^2 / 2) / Z as a sum over c.
class Tilt {
public:
  Tilt(double dim_in, double dim_out, double cross_talk, double slope, double largest_t) {
    const double factor = dim_out * std::abs(slope);
    if (std::isinf(cross_talk)) { // not stored
      rates_ = {0};
      half_curbs_ = {0};
      log_weights_ = {0};
      return;
    }
    // As if Gaussian: given t, c has mean factor t / precision and variance 1 / precision or less.
    const double precision = dim_in + factor * factor / dim_out;
    const double step = 0.7 / std::sqrt(precision);
    constexpr double spread = 8.5;
    const double sd = 1 / std::sqrt(dim_in - 1);
    const double lowest = -spread / std::sqrt(precision); // t >= 0
    const double highest =
        std::min(std::atanh(std::min(factor * largest_t / precision, 0.999)), spread * sd) +
        spread / std::sqrt(precision);
    const double log_zero = log_tilted_mass(dim_out, 0, 0);
    const double log_norm = log_tilted_mass(dim_in, 0, 0);
    const double curb = dim_out / ((1 + dim_in * cross_talk) * (1 + cross_talk)); // mean of own
    for (int i = static_cast<int>(lowest / step); i * step <= highest; ++i) {
      const double c = std::tanh(i * step);
      const double own = c * c / (cross_talk + c * c); // share of the cross-talk
      const double kappa = factor * c * (1 + own);
      rates_.push_back(kappa);
      half_curbs_.push_back(0.5 * curb);
      log_weights_.push_back(std::log(step) - (dim_in - 1) * log_cosh(i * step) - log_norm -
                             (log_tilted_mass(dim_out, kappa, curb) - log_zero));
    }
  }

  /// The exponents rise to one peak and fall: found by bisection, then summed to both sides.
  [[nodiscard]] double log_value(double t) const {
    const auto exponent = [&](std::size_t k) {
      return (rates_[k] - half_curbs_[k] * t) * t + log_weights_[k];
    };
    std::size_t peak = 0;
    for (std::size_t end = rates_.size() - 1; peak < end;) {
      const std::size_t middle = (peak + end) / 2;
      if (exponent(middle + 1) > exponent(middle)) {
        peak = middle + 1;
      } else {
        end = middle;
      }
    }
    const double top = exponent(peak);
    double sum = 1;
    for (std::size_t k = peak + 1; k < rates_.size(); ++k) {
      const double term = std::exp(exponent(k) - top);
      sum += term;
      if (term < negligible) {
        break;
      }
    }
    for (std::size_t k = peak; k-- > 0;) {
      const double term = std::exp(exponent(k) - top);
      sum += term;
      if (term < negligible) {
        break;
      }
    }
    return top + std::log(sum);
  }

private:
  std::vector<double> rates_;
  std::vector<double> half_curbs_;
  std::vector<double> log_weights_;
};

} // namespace

double UnitSphereTail::q_of(double slope) const {
  return 1 / (1 + slope * slope * dim_out_ / dim_in_);
}

UnitSphereTail::UnitSphereTail(double dim_in, double dim_out, double cross_talk, double step,
                               int last, double least_slope, double largest_slope)
    : dim_in_(dim_in), dim_out_(dim_out), cross_talk_(cross_talk), step_(step), last_(last) {
  const double a = q_of(least_slope);
  const double b = q_of(largest_slope);
  low_ = std::min(a, b);
  high_ = least_slope * largest_slope < 0 ? 1 : std::max(a, b);
  if (high_ - low_ < 1e-9) {
    low_ = high_ * (1 - 1e-9);
  }
  // The nearest singularity is q = 0: convergence like rho^-N.
  const double ratio = (high_ + low_) / (high_ - low_);
  const double rate = std::log(ratio + std::sqrt(ratio * ratio - 1));
  constexpr double digits = 16; // the tails' logarithms vary little: e^-16 of that is enough
  const int intervals = 2 * std::clamp(static_cast<int>(std::ceil(0.5 * digits / rate)), 2, 24);
  const auto count = static_cast<std::size_t>(intervals + 1);
  const auto rows = static_cast<std::size_t>(last_ + 1);
  table_.resize(rows * count);
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / intervals;
    const double q = 0.5 * (high_ + low_) + 0.5 * (high_ - low_) * std::cos(angle);
    nodes_.push_back(q);
    const std::vector<double> values =
        column(std::sqrt(std::max(0.0, 1 - q) / q * dim_in_ / dim_out_));
    for (std::size_t i = 0; i < rows; ++i) {
      table_[i * count + k] = values[i];
    }
  }
  // Every second node is the rule of half the degree: its error, squared, is that of the whole.
  double difference = 0;
  for (std::size_t i = 0; i < rows; i += std::max<std::size_t>(1, rows / 8)) {
    for (std::size_t k = 1; k < count; k += 2) {
      difference = std::max(difference, std::abs(interpolate(&table_[i * count], nodes_[k], 2) -
                                                 table_[i * count + k]));
    }
  }
  relative_error_ = difference * std::min(1.0, difference) + 1e-13 + 16 * epsilon * dim_out_;
}

std::vector<double> UnitSphereTail::column(double slope) const {
  const Tilt tilt(dim_in_, dim_out_, cross_talk_, slope, std::tanh(last_ * step_));
  const double log_norm = log_tilted_mass(dim_out_, 0, 0);
  const auto log_density = [&](double y) {
    return tilt.log_value(std::tanh(y)) - (dim_out_ - 1) * log_cosh(y) - log_norm;
  };
  // Panels upward from y = 0 until the density is negligible against that at the last point.
  std::vector<double> tops;
  std::vector<double> masses; // in units of exp(top)
  double reference = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    std::array<double, 4> logs{};
    for (std::size_t g = 0; g < 4; ++g) {
      logs[g] = log_density((i + gauss_points[g]) * step_);
    }
    const double top = *std::max_element(logs.begin(), logs.end());
    double mass = 0;
    for (std::size_t g = 0; g < 4; ++g) {
      mass += gauss_weights[g] * std::exp(logs[g] - top);
    }
    tops.push_back(top);
    masses.push_back(mass * step_);
    if (i == last_) {
      reference = top;
    }
    if (i > last_ && top < reference + log_negligible) {
      break;
    }
  }
  std::vector<double> tails(static_cast<std::size_t>(last_ + 1));
  double scale = tops.back();
  double sum = 0;
  for (std::size_t i = tops.size(); i-- > 0;) {
    if (tops[i] > scale) {
      sum *= std::exp(scale - tops[i]);
      scale = tops[i];
    }
    sum += masses[i] * std::exp(tops[i] - scale);
    if (i < tails.size()) {
      tails[i] = scale + std::log(sum);
    }
  }
  return tails;
}

double UnitSphereTail::interpolate(const double *values, double q, std::size_t stride) const {
  double numerator = 0;
  double denominator = 0;
  const std::size_t last_node = nodes_.size() - 1;
  double sign = 1;
  for (std::size_t k = 0; k < nodes_.size(); k += stride) {
    const double distance = q - nodes_[k];
    if (distance == 0) {
      return values[k];
    }
    const double weight = (k == 0 || k == last_node ? 0.5 : 1) * sign / distance;
    numerator += weight * values[k];
    denominator += weight;
    sign = -sign;
  }
  return numerator / denominator;
}

double UnitSphereTail::log_tail(int i, double slope) const {
  const double q = std::clamp(q_of(slope), low_, high_);
  return interpolate(&table_[static_cast<std::size_t>(i) * nodes_.size()], q, 1);
}

UnitSphereTail::Point UnitSphereTail::at(double y, double slope) const {
  // Six points about y; those below 0 mirror the law: P(t > -x) = 1 - P(t > x).
  constexpr int points = 6;
  const int first = static_cast<int>(std::floor(y / step_)) - 2;
  std::array<double, points> values{};
  for (int k = 0; k < points; ++k) {
    const int i = first + k;
    const double mirrored = log_tail(std::abs(i), slope);
    values[static_cast<std::size_t>(k)] = i < 0 ? std::log(-std::expm1(mirrored)) : mirrored;
  }
  // Newton's divided differences on 0 .. 5, and the derivative of the polynomial.
  const double u = y / step_ - first;
  for (std::size_t order = 1; order < points; ++order) {
    for (std::size_t k = points - 1; k >= order; --k) {
      values[k] = (values[k] - values[k - 1]) / static_cast<double>(order);
    }
  }
  double value = values[points - 1];
  double derivative = 0;
  for (int k = points - 2; k >= 0; --k) {
    derivative = derivative * (u - k) + value;
    value = value * (u - k) + values[static_cast<std::size_t>(k)];
  }
  return {value, derivative / step_};
}

} // namespace lamcap
