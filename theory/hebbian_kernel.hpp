// SPDX-License-Identifier: GPL-3.0-or-later
// The joint law behind Hebbian recall, formulas as in include/lamcap/hebbian.hpp.
#pragma once

#include "gaussian_kernel.hpp"
#include "lamcap/hebbian.hpp"

#include <algorithm>
#include <cmath>

namespace lamcap::hebbian_kernel {

inline constexpr double largest_facts = 1e12;

/// The numbers of a memory with p stored facts.
struct Problem {
  double dim_in;
  double dim_out;
  double others;   ///< p - 1 facts beside the target's, >= 1
  double stored;   ///< competitors that are stored: min(K, p) - 1
  double unstored; ///< competitors that are not: K - min(K, p)
  Embeddings embeddings;

  [[nodiscard]] bool sphere() const { return embeddings == Embeddings::unit_sphere; }
};

/// Throws std::domain_error naming what is out of range; facts >= 1.
[[nodiscard]] Problem problem_of(const HebbianMemory &memory, double facts);

/// Law of log v, v = |cross-talk coefficients|^2 / b^2: density up to the peak's height.
class CrossTalk {
public:
  explicit CrossTalk(const Problem &problem);
  [[nodiscard]] double peak() const { return peak_; } ///< most probable log v
  [[nodiscard]] double sd() const { return sd_; }     ///< of log v, from the curvature there
  /// log density at peak + offset, less that at the peak.
  [[nodiscard]] double log_density(double offset) const;

private:
  bool sphere_;
  double a_;        // of both laws: v^a
  double c_ = 0;    // gaussian: (1 + v)^-(a + c)
  double peak_ = 0; // log v
  double sd_ = 1;
};

/// Law of (x, log R) at given v.
class Polar {
public:
  Polar(const Problem &problem, double v);

  /// Position on the grid's axis: y = x (gaussian), y = atanh x (unit sphere).
  [[nodiscard]] double x_of(double y) const { return sphere_ ? std::tanh(y) : y; }
  [[nodiscard]] double y_mean() const;
  [[nodiscard]] double y_sd() const;
  /// Most probable R at x and the s.d. of log R about it.
  [[nodiscard]] double radius(double x) const;
  [[nodiscard]] double log_radius_sd(double r) const;
  /// log of the joint density of y and log R, normalised.
  [[nodiscard]] double log_density(double y, double x, double r, double log_r) const;
  /// Coefficient of c_j / b in a stored competitor's score / |r|.
  [[nodiscard]] double slope(double x, double r) const { return (r - x) / v_; }

private:
  bool sphere_;
  double dim_;
  double v_;
  double log_norm_;
};

/// S.d. of a stored competitor's score / |r|, Gaussian embeddings.
[[nodiscard]] inline double stored_sd(const Problem &problem, double v, double slope) {
  const double own = 1 / problem.others; // a competitor's share of the cross-talk
  return std::sqrt((1 - own) / problem.dim_out + slope * slope * v * own);
}

/// log of P(max <= .) from the log tails' complements: n log(1 - tail), 0 if n = 0.
[[nodiscard]] inline double power_log(double n, double log_probability) {
  return n == 0 ? 0 : n * log_probability;
}

/// log(1 - e^t), t < 0.
[[nodiscard]] inline double log_complement(double t) {
  return t > -0.5 ? std::log(-std::expm1(t)) : std::log1p(-std::exp(t));
}

} // namespace lamcap::hebbian_kernel
