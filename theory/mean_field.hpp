// SPDX-License-Identifier: GPL-3.0-or-later
// Energetic part of the replica free entropy with self-averaging competitors.
#pragma once

#include "competitor_potential.hpp"
#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

#include <cstdint>

namespace lamcap {

/// E_K(q) and its derivative, the latter as the number of dimensions that the fact resists with:
///     dE_K/dq = -S(q) / (2 (1 - q)^2),   S(1) = L / (load at which q reaches 1).
struct Energy {
  Estimate value;      // E_K(q)
  Estimate resistance; // S(q)
};

/// Given xi_0, the score h has density exp(A(h)), A = -(h - x)^2 / (2 (1 - q)) + G(h), x = sqrt(q) xi_0.
struct TiltedScore {
  double log_norm;    // log Int Dz exp G
  double shift;       // <h> - x
  double force;       // (K - 1) (1 - q) <t(h - mu)>
  double sensitivity; // |d(shift^2 + force)| at most, for errors of size 1 in log(-g) and log t
  double error;       // relative, of the norm (and so of the averages)
  std::int64_t nodes;
};

class MeanFieldEnergy {
public:
  MeanFieldEnergy(const Count &candidates, double margin, double overlap);

  [[nodiscard]] Energy energy();

  TiltedScore tilt(double x);

  [[nodiscard]] double minus_g(double h);    // -G(h) > 0
  [[nodiscard]] double slope_of_g(double h); // G'(h) > 0
  /// Bound on the relative error of G.
  [[nodiscard]] double potential_error() const noexcept { return potential_.error(); }

  [[nodiscard]] double overlap() const noexcept { return q_; }

private:
  struct Peak {
    double h;
    double width;
  };
  [[nodiscard]] double log_density(double h, double x); // A(h)
  [[nodiscard]] Peak peak(double x);

  double log_n_; // log(K - 1)
  double margin_;
  double q_;
  double s_; // sqrt(1 - q)
  CompetitorPotential potential_;
  double guess_ = 0; // the last peak
};

/// S(1) = E min_h [(h - xi_0)^2 + (K - 1) E (xi - h + mu)_+^2]: dimensions per fact where q -> 1.
[[nodiscard]] Estimate mean_field_resistance_at_capacity(const Count &candidates, double margin);

} // namespace lamcap
