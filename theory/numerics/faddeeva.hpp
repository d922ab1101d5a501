// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <complex>

namespace lamcap::numerics {

/// Mills ratio of complex argument, M(z) = Int_0^inf exp(-z u - u^2/2) du
///   = sqrt(pi/2) erfcx(z / sqrt 2) = sqrt(pi/2) w(i z / sqrt 2),   w: Faddeeva's function
///   (libcerf).
/// Meant for Re z >= 0, where |M| <= M(Re z) and Re M > 0; relative error below 1e-13, typically
/// 1e-15 (tests/numerics/faddeeva_test.cpp compares with 20-digit values).
[[nodiscard]] std::complex<double> mills_ratio(std::complex<double> z) noexcept;

/// The same on the real axis; overflows to infinity below about -37.
[[nodiscard]] double mills_ratio(double x) noexcept;

} // namespace lamcap::numerics
