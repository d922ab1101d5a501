// SPDX-License-Identifier: GPL-3.0-or-later
#include "contour.hpp"

#include <algorithm>
#include <limits>

namespace lamcap {
namespace {

using Complex = std::complex<double>;
using gaussian_kernel::inv_sqrt_two_pi;

constexpr double two_pi = 2 * std::numbers::pi;
constexpr double negligible = 1e-17; // of the first term of a sum: its terms fall like exp(-t^2/2)
constexpr double rounding_ulps = 4;
constexpr int most_terms = 4000;
// phi(x), T: below it log(1 + z) = z to all digits, even where n is beyond double.
constexpr double linear_below = 1e-100;
constexpr double log_linear_below = -230;
// Re(x - i s): |Im| stays below 10 on the lines that matter, so that |1 - H| < exp((10^2 - 20^2)/2).
constexpr double far_left_from = -20;

/// log(1 + z) with absolute error epsilon |z|: std::log(1 + z) loses small z, and so does the
/// complex log1p of many libraries.
Complex log1p(Complex z) {
  const double a = z.real();
  const double b = z.imag();
  return {0.5 * std::log1p(a * (2 + a) + b * b), std::atan2(b, 1 + a)};
}
double log1p(double z) {
  return std::log1p(z);
}

/// a / b without the scaling against overflow that the general quotient pays for; |b| is moderate.
Complex quotient(Complex a, Complex b) {
  return a * std::conj(b) / std::norm(b);
}

/// Trapezoidal sum over the real line of a function with f(-t) = conj f(t).
template <class Function>
double symmetric_sum(Function f, double step) {
  const Complex first = f(0.0);
  double sum = 0.5 * first.real();
  for (int k = 1; k < most_terms; ++k) {
    const Complex term = f(k * step);
    sum += term.real();
    if (std::norm(term) < negligible * negligible * std::norm(first)) {
      break;
    }
  }
  return 2 * step * sum;
}

} // namespace

Contour::Contour(const Count &competitors, double margin, double x)
    : n_(competitors.value()),
      log_n_(competitors.log()),
      x_(x),
      offset_(x + margin),
      right_(x >= 0),
      log_phi_(gaussian_kernel::log_density(x)),
      log_cdf_(gaussian_kernel::log_upper_tail(-x)),
      phi_(std::exp(log_phi_)),
      n_phi_(std::exp(competitors.log() + log_phi_)),
      linear_(phi_ < linear_below),
      mills_(numerics::mills_ratio(std::abs(x))),
      log_scale_(n_ == 0 ? 0 : std::abs(competitors.log()) + 0.5 * x * x) {}

template <class Number>
Contour::FarLeft<Number> Contour::far_left(Number log_t) const {
  constexpr double small = -1; // of log |T|: beyond it psi - 1 is no longer small
  if (!right_ || std::real(log_t) > small) {
    const Number ratio = std::exp(log_cdf_ - log_t); // Phi / T
    const Number share = 1.0 / (1.0 + ratio);
    return {n_ * (log_t + log1p(ratio)), n_ * share, ratio * share};
  }
  const Number t = std::exp(log_t);
  const Number n_t = std::exp(log_n_ + log_t);
  const Number z = t - phi_ * mills_; // psi - 1
  const bool linear = linear_ && std::real(log_t) < log_linear_below;
  return {linear ? n_t - n_phi_ * mills_ : n_ * log1p(z), n_t / (1.0 + z), 1.0 - t / (1.0 + z)};
}

Contour::Term Contour::at(Complex s) const {
  const Complex i(0, 1);
  const Complex gaussian = -0.5 * s * s - i * s * offset_;
  if (n_ == 0) {
    return {gaussian, 1.0};
  }
  if (x_ + s.imag() < far_left_from) {
    const auto psi = far_left(-i * s * x_ - 0.5 * s * s);
    return {gaussian + psi.n_log_psi, 1.0 + psi.n_share};
  }
  const Complex m = numerics::mills_ratio(x_ - i * s);
  if (right_) {
    const Complex z = phi_ * (m - mills_); // psi - 1
    const Complex n_log_psi = linear_ ? n_phi_ * (m - mills_) : n_ * log1p(z);
    return {gaussian + n_log_psi, 1.0 + quotient(n_phi_ * m, 1.0 + z)};
  }
  const Complex scaled_psi = mills_ + m; // psi / phi(x), since Phi(x) = phi(x) M(-x)
  return {gaussian + n_ * (log_phi_ + std::log(scaled_psi)), 1.0 + quotient(n_ * m, scaled_psi)};
}

Contour::RealTerm Contour::on_axis(double eta) const {
  const double gaussian = eta * (0.5 * eta + offset_);
  if (n_ == 0) {
    return {gaussian, 1, eta + offset_, 1};
  }
  // psi = Phi + phi M(c); its derivatives in eta are phi M', phi M'' with M' = c M - 1.
  const double c = x_ + eta;
  if (c < far_left_from) { // T' = c T, T'' = (1 + c^2) T
    const auto psi = far_left(eta * (x_ + 0.5 * eta));
    return {gaussian + psi.n_log_psi, 1 + psi.n_share, eta + offset_ + psi.n_share * c,
            1 + psi.n_share * (1 + c * c * psi.rest)};
  }
  const double m = numerics::mills_ratio(c);
  // From `asymptotic` on the differences cancel; slope and curvature only steer the search.
  constexpr double asymptotic = 50;
  const double m1 = c < asymptotic ? c * m - 1 : -m / c;
  const double m2 = c < asymptotic ? m + c * m1 : 2 * m / (c * c);
  double exponent = 0;
  double ratio = 0; // n phi / psi
  double psi_over_phi = 0;
  if (right_) {
    const double z = phi_ * (m - mills_);
    exponent = linear_ ? n_phi_ * (m - mills_) : n_ * log1p(z);
    ratio = n_phi_ / (1 + z);
    psi_over_phi = (1 + z) / phi_;
  } else {
    psi_over_phi = mills_ + m;
    exponent = n_ * (log_phi_ + std::log(psi_over_phi));
    ratio = n_ / psi_over_phi;
  }
  const double curvature = ratio * (m2 - (m1 / psi_over_phi) * m1);
  return {gaussian + exponent, 1 + ratio * m, eta + offset_ + ratio * m1, 1 + curvature};
}

double Contour::saddle(double guess) const {
  if (n_ == 0) {
    return -offset_;
  }
  // G(i eta) is convex; its slope is negative at -(x + mu) and grows at least like eta.  Newton,
  // kept in the bracket; a step that does not halve the slope is followed by a bisection, since
  // between two nearly linear parts of the slope Newton alone may cycle.
  double low = -offset_;
  double high = std::numeric_limits<double>::infinity();
  double eta = std::max(guess, low);
  double last_slope = std::numeric_limits<double>::infinity();
  constexpr int most_steps = 200;
  for (int i = 0; i < most_steps; ++i) {
    const RealTerm g = on_axis(eta);
    if (!std::isfinite(g.slope) || !std::isfinite(g.curvature)) {
      break; // n beyond double: the exponent is minus infinity
    }
    (g.slope > 0 ? high : low) = eta;
    const double spread = 1 / std::sqrt(g.curvature);
    const bool slow = std::abs(g.slope) > 0.5 * last_slope;
    last_slope = std::abs(g.slope);
    double next = eta - g.slope / g.curvature;
    if (!(next >= low && next <= high) || (slow && std::isfinite(high))) {
      next = std::isinf(high) ? eta + 4 * spread : 0.5 * (low + high);
    }
    const double move = std::abs(next - eta);
    eta = next;
    if (move < 0.1 * spread) {
      break;
    }
  }
  return eta;
}

double Contour::spread(double eta) const {
  const double spread = std::sqrt(on_axis(eta).curvature);
  return std::isfinite(spread) ? spread : 1;
}

double Contour::rounding(double eta, double exponent) const {
  // Rounding of exp(G): the terms of G, and n phi through the cancellation in log n - x^2/2.
  const double gaussian = std::abs(eta * (0.5 * eta + offset_));
  const double product = std::abs(exponent - eta * (0.5 * eta + offset_)); // |n log psi|
  const double left_cancellation = right_ || n_ == 0 ? 0 : n_ * std::abs(log_phi_);
  return rounding_ulps * epsilon *
         (4 + gaussian + product * (1 + log_scale_) + left_cancellation +
          (right_ ? n_phi_ * mills_ : 0));
}

double Contour::strip_bound(double eta, double step, double side, bool pole) const {
  const double rate = two_pi / step;
  const double centre = on_axis(eta).exponent;
  double best = std::numeric_limits<double>::infinity();
  constexpr int displacements = 5;
  for (int k = 1; k <= displacements; ++k) {
    const double line = eta + side * 2.5 * k * step; // damped by exp(-5 pi k)
    const RealTerm moved = on_axis(line);
    const double factor = pole ? 1 / std::abs(line) : moved.weight;
    const double damping = std::exp(moved.exponent - centre - std::abs(line - eta) * rate);
    const double alias = pole && line * eta < 0 ? std::exp(-std::abs(eta) * rate - centre) : 0;
    best = std::min(best, inv_sqrt_two_pi * factor * damping + alias);
  }
  return best;
}

Bounded Contour::invert(double eta, double step, bool pole) const {
  const RealTerm centre = on_axis(eta);
  // The absolute terms sum to at most this times exp(G(i eta)).
  const double amplitude = inv_sqrt_two_pi * (pole ? 1 / std::abs(eta) : centre.weight);
  constexpr double log_underflow = -710; // the least normal double is e^-708.4
  constexpr double vanishing = -1e4;     // exp of it times any n is below every double
  if (centre.exponent + std::log(amplitude) < log_underflow || centre.exponent < vanishing) {
    return {0, 0, 0};
  }
  const auto integrand = [&](double t) -> Complex {
    const Complex s(t, eta);
    const Term term = at(s);
    const Complex size = std::exp(term.exponent - centre.exponent);
    return pole ? size / (Complex(0, -1) * s) : size * term.weight;
  };
  const double scaled = symmetric_sum(integrand, step) / two_pi;
  const double truncation = strip_bound(eta, step, 1, pole) + strip_bound(eta, step, -1, pole);
  const double scale = std::exp(centre.exponent);
  return {scale * scaled, scale * truncation, scale * amplitude * rounding(eta, centre.exponent)};
}

Bounded Contour::density(double eta, double step) const {
  return invert(eta, step, false);
}

Bounded Contour::distribution(double eta, double step) const {
  return invert(eta, step, true);
}

} // namespace lamcap
