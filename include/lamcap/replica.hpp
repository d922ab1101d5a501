// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

#include <cstdint>
#include <vector>

namespace lamcap {

/// How the competitors of a fact enter the replica free entropy.
enum class Competitors {
  leading,    ///< K -> infinity at fixed load: E_K(q) = -L / (1 - q), L = log K
  mean_field, ///< self-averaging: their product is replaced by exp of its mean logarithm
  quenched ///< averaged over their scores by Monte Carlo: the replica-symmetric theory at finite K
};

/// One ensemble of memories.
struct ReplicaModel {
  Count candidates;  ///< K >= 2, log K <= 100; quenched: whole and at most 1e7
  double margin = 0; ///< mu in [0, 50], in units of a free score's s.d.
  Competitors competitors = Competitors::mean_field;
  std::int64_t samples = 20000; ///< quenched only: from 10 to 1e10 / K
  std::uint64_t seed = 1;       ///< quenched only
};

/// The saddle point at one load.
struct ReplicaState {
  double load = 0;       ///< alpha = p log K / D
  Estimate overlap;      ///< q of two memories drawn from the solutions
  Estimate free_entropy; ///< phi: log of the solutions' share of the sphere, per dimension
  Estimate energy;       ///< E_K(q), the mean log probability that a fact is recalled
  Estimate slope;        ///< d phi / d alpha along the curve, E_K(q) / L
  Estimate residual;     ///< q - alpha S(q) / L at the value of `overlap`: 0 at a stationary point
  Status status = Status::not_computed;
};

/// Replica-symmetric free entropy of memories that recall every fact (decoupled problem, full rank).
///
/// D = d_in d_out dimensions, p facts with K candidates each, load alpha = p L / D, L = log K.  Of the
/// sphere ||W||_F = const the share exp(D phi) recalls all facts, where phi is stationary in q:
///     phi(q) = (1/2) [log(1 - q) + q / (1 - q)] + (alpha / L) E_K(q),
///     E_K(q) = E_xi log Int Dz prod_{j=1}^{K-1} Phi((h - mu - sqrt(q) xi_j) / sqrt(1 - q)),
///     h = sqrt(q) xi_0 + sqrt(1 - q) z;   the competitors' product in mean field:
///     exp G(h),  G(h) = (K - 1) Int Dxi log Phi((h - mu - sqrt(q) xi) / sqrt(1 - q)).
/// By partial integration (heat equation) the slope is a mean square of forces,
///     dE_K/dq = -S(q) / (2 (1 - q)^2),
///     S(q) = E [<h - x_0>^2 + (1 - q) sum_j <lambda(v_j)>^2],   x = sqrt(q) xi, lambda = phi / Phi,
///     v_j = (h - mu - x_j) / sqrt(1 - q),   mean field: (K - 1) < E_xi lambda(v)^2 >,
/// < > over the law of h that exp G tilts.  Stationary points obey q = alpha S(q) / L, so each q has
/// its load alpha(q) = L q / S(q), and q reaches 1 at alpha_c = L / S(1): S(1) is delta(K, mu) of
/// critical_load.hpp (quenched), and E_xi0 min_h [(h - xi_0)^2 + (K-1) E(xi - h + mu)_+^2], which is
/// larger, in mean field.  E_K(0) = log P(fact recalled by a random W), -log K at mu = 0.
/// K = 2 is the spherical perceptron of Gardner (1988) at margin mu / sqrt(2), p / D = alpha / log 2.
///
/// Method (mean field): the competitors' potential by two quadratures (trapezoidal in xi; Gauss panels
/// either side of the kink once q / (1 - q) > 1.4) and Chebyshev panels of its logarithm; h and xi_0 by
/// trapezoidal sums, halved until they agree.  Errors: last coefficients, halved sums, rounding.
/// Accuracy: E_K and S to relative 1e-11 (bounds included) for K from 2 to 1e12, q up to 1 - 1e-6.
/// Quenched: all errors are one standard error (plus the grid's 1e-7); the same for any number of
/// threads.
/// Saddle: Newton on logit(q) with the secant's slope, kept in a bracket; the equation log alpha(q) =
/// log alpha is scaled so that its slope is near 1 at every load.  The residual is that of the last q,
/// undamped.  A load whose overlap or free entropy cannot
/// be told to 1e-6 (quenched: to 10 percent of 1 - q) is `not_converged`.
/// Throws std::domain_error or std::invalid_argument outside the domain.
/// Source: arXiv:2605.10795; Gardner (1988).
class Replica {
public:
  explicit Replica(const ReplicaModel &model);

  /// alpha_c = L / S(1), where q reaches 1.
  [[nodiscard]] Estimate critical_load() const { return critical_load_; }

  /// E_K(q), q in [0, 1).
  [[nodiscard]] Estimate energy(double overlap) const;
  /// dE_K/dq.
  [[nodiscard]] Estimate energy_slope(double overlap) const;
  /// (1/2) [log(1 - q) + q / (1 - q)], the entropic part: half the log volume left by overlap q.
  [[nodiscard]] static Estimate entropic(double overlap);
  /// phi(q) at a load alpha >= 0, not necessarily stationary.
  [[nodiscard]] Estimate free_entropy(double overlap, double load) const;

  /// The saddle point at a load in (0, alpha_c).
  [[nodiscard]] ReplicaState solve(double load) const;

  /// The same for several loads (in any order), each started from its converged neighbours: upwards
  /// first, then downwards where that failed.
  [[nodiscard]] std::vector<ReplicaState> curve(const std::vector<double> &loads) const;

private:
  [[nodiscard]] ReplicaState solve_from(double load, double guess) const;
  ReplicaModel model_;
  double log_k_;
  Estimate critical_load_;
};

} // namespace lamcap
