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
/// quadrature.  No cancellation at either edge: small kappa keep their relative precision.
/// Accuracy: 1e-14 relative at beta = 1, 1e-12 otherwise (tests/singular_law_test.cpp).
/// Arguments out of range throw std::domain_error.
/// Source: Marchenko and Pastur (1967); rank-constrained capacity of arXiv:2605.10795.
class SingularLaw {
public:
  explicit SingularLaw(double aspect = 1); ///< beta in (0, 1]

  [[nodiscard]] double lower_edge() const noexcept; ///< s- = 1 - sqrt(beta)
  [[nodiscard]] double upper_edge() const noexcept; ///< s+ = 1 + sqrt(beta)

  [[nodiscard]] Estimate density(double s) const;      ///< 0 outside the support
  [[nodiscard]] Estimate upper_tail(double s) const;   ///< Int_s^{s+} rho
  [[nodiscard]] Estimate distribution(double s) const; ///< Int_{s-}^s rho
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
  [[nodiscard]] double angle_of(double s) const;
  [[nodiscard]] double position(double angle) const;
  [[nodiscard]] double angular_density(double angle) const;
  [[nodiscard]] Estimate tail_of_angle(double angle) const;
  [[nodiscard]] Estimate angle_of_tail(double tail) const;
  [[nodiscard]] Estimate angular_moment(double k, double angle) const;

  double aspect_;
  double root_; // sqrt(beta)
};

/// Rank-constrained critical load at K -> infinity: alpha_c(kappa, beta) = R(kappa)/2, with
/// R = Int_{s_k}^{s+} s^2 rho.  kappa in (0, 1], beta in (0, 1]; 1/2 at full rank, 2 kappa as
/// kappa -> 0 at beta = 1.
[[nodiscard]] Estimate rank_constrained_load(double rank_ratio, double aspect = 1);

} // namespace lamcap
