// SPDX-License-Identifier: GPL-3.0-or-later
// Inversion of the characteristic function of X(x) = xi_0 - mu + sum_{j=1}^n (xi_j - x)_+ along
// horizontal lines Im s = eta of the upper (or, for upper tails, lower) half plane.
#pragma once

#include "gaussian_kernel.hpp"
#include "lamcap/count.hpp"

#include <complex>

namespace lamcap {

/// A value with the two parts of its error bound, which call for different cures.
struct Bounded {
  double value;
  double truncation; // a finer step would lower it
  double rounding;   // nothing here would

  [[nodiscard]] double error() const { return truncation + rounding; }
};

/// The integrand exp(G(s)), G(s) = -s^2/2 - i s (x + mu) + n log psi(s; x), at one x.
class Contour {
public:
  Contour(const Count &competitors, double margin, double x);

  /// Minimum over eta > -(x + mu) of G(i eta), to a few percent; guess from a neighbouring x.
  [[nodiscard]] double saddle(double guess) const;

  /// S.d. of X under the tilt exp(-eta X), sqrt(d^2 G / d eta^2): what a step must resolve.
  [[nodiscard]] double spread(double eta) const;

  /// (1/2 pi) Int exp(G) (1 + n T / psi) dt on Im s = eta, trapezoidal sum of the given step.
  [[nodiscard]] Bounded density(double eta, double step) const;

  /// (1/2 pi) Int exp(G) / (-i s) dt: P(X <= x) if eta > 0, -P(X > x) if eta < 0.
  [[nodiscard]] Bounded distribution(double eta, double step) const;

private:
  using Complex = std::complex<double>;

  struct Term {
    Complex exponent; // G(s)
    Complex weight;   // 1 + n T / psi
  };
  struct RealTerm {
    double exponent; // G(i eta)
    double weight;   // 1 + n T / psi > 0
    double slope;    // dG / d eta
    double curvature;
  };

  /// Where Re(x - i s) is far to the left of 0 the Mills ratio overflows, while H(x - i s) is 1 to
  /// all digits: there T = exp(-i s x - s^2/2).  The same for real and complex s.
  template <class Number>
  struct FarLeft {
    Number n_log_psi; // n log psi
    Number n_share;   // n T / psi
    Number rest;      // 1 - T / psi
  };
  template <class Number>
  [[nodiscard]] FarLeft<Number> far_left(Number log_t) const;

  [[nodiscard]] Term at(Complex s) const;
  [[nodiscard]] RealTerm on_axis(double eta) const;

  /// Strip theorem: bound, in units of exp(G(i eta)), on what the sum gets wrong on one side, the
  /// least over a few displaced lines.  Passing the pole adds the alias of its residue.
  [[nodiscard]] double strip_bound(double eta, double step, double side, bool pole) const;
  [[nodiscard]] Bounded invert(double eta, double step, bool pole) const;
  [[nodiscard]] double rounding(double eta, double exponent) const;

  double n_;
  double log_n_;
  double x_;
  double offset_;    // x + mu
  bool right_;       // x >= 0: psi - 1 is formed; x < 0: log psi directly
  double log_phi_;   // log phi(x)
  double log_cdf_;   // log Phi(x)
  double phi_;       // phi(x)
  double n_phi_;     // n phi(x), formed from logarithms
  bool linear_;      // log psi = psi - 1 to all digits
  double mills_;     // M(|x|)
  double log_scale_; // log n + x^2/2: cancels in n phi, and so governs its rounding
};

} // namespace lamcap
