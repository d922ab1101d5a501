// SPDX-License-Identifier: GPL-3.0-or-later
// The complex Mills ratio through libcerf, whose C interface is kept to this file.
#include "faddeeva.hpp"

#include <cerf.h>

#include <cmath>
#include <numbers>

namespace lamcap::numerics {
namespace {

constexpr double sqrt_half = 1 / std::numbers::sqrt2;
constexpr double sqrt_half_pi = 1.25331413731550025120788; // sqrt(pi/2)

} // namespace

std::complex<double> mills_ratio(std::complex<double> z) noexcept {
  double _Complex argument; // i z / sqrt 2
  __real__ argument = -z.imag() * sqrt_half;
  __imag__ argument = z.real() * sqrt_half;
  const double _Complex w = w_of_z(argument);
  return {sqrt_half_pi * __real__ w, sqrt_half_pi * __imag__ w};
}

double mills_ratio(double x) noexcept {
  constexpr double reflect_below = -1; // there erfcx magnifies the rounding of x / sqrt 2
  if (x < reflect_below) {
    const double square = x * x;
    const double rest = std::fma(x, x, -square); // of x^2, which exp would magnify
    constexpr double sqrt_two_pi = 2 * sqrt_half_pi;
    return sqrt_two_pi * std::exp(0.5 * square) * std::exp(0.5 * rest) - mills_ratio(-x);
  }
  return sqrt_half_pi * erfcx(x * sqrt_half);
}

} // namespace lamcap::numerics
