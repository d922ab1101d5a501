// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lamcap::numerics {

/// log |Gamma(x)|, thread-safe (the C library's writes a global sign).
[[nodiscard]] double log_gamma(double x);

/// log Gamma(1 - s) for s < 1, with relative precision at s = 0: gamma s + sum zeta(k) s^k / k
/// there.
[[nodiscard]] double log_gamma_one_minus(double s);

/// log Gamma(1 - 2s) - 2 log Gamma(1 - s) for s < 1/2, which vanishes like zeta(2) s^2: the same
/// series term by term.
[[nodiscard]] double log_gamma_second_difference(double s);

} // namespace lamcap::numerics
