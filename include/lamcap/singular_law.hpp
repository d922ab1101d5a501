// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/estimate.hpp"

namespace lamcap {

/// Limit law of the singular values of G / sqrt(d_in), G a d_out x d_in standard Gaussian matrix:
/// the quarter circle and its rectangular generalisation (square root of Marchenko-Pastur).
///
///     rho(s) = sqrt((s+^2 - s^2)(s^2 - s-^2)) / (pi beta s),  s-+ = 1 -+ sqrt(beta),
/// beta = d_out / d_in in (0, 1] the aspect ratio (of a wide memory; transpose a tall one).
/// beta = 1: sqrt(4 - s^2)/pi on [0, 2].  Mean of s^2 is 1.
///
/// Method: the angle psi in [0, pi], s^2 = 1 + beta + 2 sqrt(beta) cos psi, counted from the upper
/// edge, turns tail mass and second moment into integrals of smooth positive functions,
///     kappa(psi) = (2/pi) Int_0^psi sin^2 t / (1 + beta + 2 sqrt(beta) cos t) dt,
///     Int s^2 rho = (psi - sin psi cos psi) / pi   (closed for every beta).
/// At beta = 1 kappa = (psi - sin psi)/pi, Kepler's equation at eccentricity 1; otherwise adaptive
/// quadrature, over the arc to the nearer edge, so that neither small kappa nor small 1 - kappa
/// lose relative precision.
/// Accuracy: 1e-14 relative at beta = 1, 1e-12 otherwise (tests/singular_law_test.cpp).
/// Arguments out of range throw std::domain_error.
/// Source: Marchenko and Pastur (1967); rank-constrained capacity of arXiv:2605.10795.
class SingularLaw {
public:
  explicit SingularLaw(double aspect = 1); ///< beta in (0, 1]

  [[nodiscard]] double lower_edge() const noexcept; ///< s- = 1 - sqrt(beta)
  [[nodiscard]] double upper_edge() const noexcept; ///< s+ = 1 + sqrt(beta)

  [[nodiscard]] Estimate density(double s) const;            ///< 0 outside the support
  [[nodiscard]] Estimate upper_tail(double s) const;         ///< Int_s^{s+} rho
  [[nodiscard]] Estimate distribution(double s) const;       ///< Int_{s-}^s rho
  [[nodiscard]] Estimate quantile(double probability) const; ///< probability in [0, 1)

  /// Cutoff s_k with Int_{s_k}^{s+} rho = kappa: the smallest singular value that a memory of rank
  /// ratio kappa in (0, 1] keeps.
  [[nodiscard]] Estimate cutoff(double rank_ratio) const;

  /// Int_{s}^{s+} t^2 rho(t) dt, in [0, 1].
  [[nodiscard]] Estimate partial_second_moment(double s) const;

  /// The same at the cutoff of a rank ratio, without passing through s: R(kappa), the factor by
  /// which rank lowers capacity; R -> 4 kappa as kappa -> 0 at beta = 1.
  [[nodiscard]] Estimate rank_factor(double rank_ratio) const;

  /// E s^k over the whole law, k >= 0 real (closed form at beta = 1, quadrature otherwise).
  [[nodiscard]] Estimate moment(double k) const;

  /// Int over the singular values kept at a rank ratio of s^k rho ds.
  [[nodiscard]] Estimate kept_moment(double k, double rank_ratio) const;

private:
  /// A point of the half circle, as the arcs to both ends, each with its own relative precision.
  struct Arc {
    double from_upper; // psi
    double from_lower; // pi - psi
  };
  struct SolvedArc {
    Arc arc;
    double error; // absolute, of either arc
    std::int64_t evaluations;
    Status status;
  };
  enum class Edge { upper, lower };

  [[nodiscard]] double below_upper(double s) const; // s+ - s, without rounding of s+
  [[nodiscard]] double above_lower(double s) const; // s - s-
  [[nodiscard]] Arc arc_of(double s) const;
  [[nodiscard]] double position(const Arc &arc) const;
  [[nodiscard]] double arc_density(const Arc &arc) const;
  [[nodiscard]] Estimate arc_moment(double k, Edge edge, double length) const;
  [[nodiscard]] Estimate mass(Edge edge, double length) const;
  [[nodiscard]] SolvedArc arc_of_tail(double tail) const;
  [[nodiscard]] Estimate second_moment_above(const Arc &arc) const;

  double aspect_;
  double root_;      // sqrt(beta), rounded
  double root_rest_; // sqrt(beta) - root_
};

/// Rank-constrained critical load at K -> infinity: alpha_c(kappa, beta) = R(kappa)/2, with
/// R = Int_{s_k}^{s+} s^2 rho.  kappa in (0, 1], beta in (0, 1]; 1/2 at full rank, 2 kappa as
/// kappa -> 0 at beta = 1.  Matrices of bounded rank are not convex: R is the squared Gaussian
/// width of their unit sphere per dimension, which bounds the load from above (Gordon); that it is
/// reached is the replica result of arXiv:2605.10795.
[[nodiscard]] Estimate rank_constrained_load(double rank_ratio, double aspect = 1);

} // namespace lamcap
