// SPDX-License-Identifier: GPL-3.0-or-later
// Score of a competitor with unit-sphere embeddings, in units of |W e|.
#pragma once

#include <vector>

namespace lamcap {

/// Upper tails of t = u.r / |r| for an output u, uniform on the unit sphere of d_out dimensions.  A
/// stored one is part of r = W e: with c = e_u . e, the first component of a uniform unit vector in
/// d_in dimensions, and w = `cross_talk`, the sum of c^2 over the other facts,
///     p(t) = f(t; d_out) E_c exp(kappa t - curb t^2 / 2) / Z,  f(t; d) prop. to (1 - t^2)^((d-3)/2),
///     kappa = d_out slope c (1 + c^2 / (c^2 + w)),  curb = d_out / ((1 + d_in w)(1 + w)),
/// Z the mean of the exponential under f (derivation: include/lamcap/hebbian.hpp).  An infinite w
/// is an output that is not stored: p = f.
///
/// Tabulated at t_i = tanh(i step), i = 0 .. last, at Chebyshev points in
/// q = 1 / (1 + slope^2 d_out / d_in), in which log P(t > t_i) is nearly linear; the tail is the sum
/// of Gauss-Legendre panels from above, all positive, so its relative precision holds however small
/// it is.
class UnitSphereTail {
public:
  UnitSphereTail(double dim_in, double dim_out, double cross_talk, double step, int last,
                 double least_slope, double largest_slope);

  /// log P(t > t_i) at slopes between the two given (others are moved to the nearer), 0 <= i <= last.
  [[nodiscard]] double log_tail(int i, double slope) const;
  /// The same between the grid's points, 0 <= y = atanh(t) <= (last - 3) step; and d/dy of it.
  struct Point {
    double log_tail;
    double derivative;
  };
  [[nodiscard]] Point at(double y, double slope) const;

  /// Estimated relative error of the tails (interpolation).
  [[nodiscard]] double relative_error() const noexcept { return relative_error_; }

private:
  [[nodiscard]] std::vector<double> column(double slope) const;
  [[nodiscard]] double q_of(double slope) const;
  [[nodiscard]] double interpolate(const double *values, double q, std::size_t stride) const;

  double dim_in_;
  double dim_out_;
  double cross_talk_;
  double step_;
  int last_;
  double low_ = 0;            // of q
  double high_ = 0;           // of q
  std::vector<double> nodes_; // in q, Chebyshev points of the second kind
  std::vector<double> table_; // [i * nodes + k]
  double relative_error_ = 0;
};

} // namespace lamcap
