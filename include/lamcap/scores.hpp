// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

#include <memory>

namespace lamcap {

/// Whose score: the fact's own output, one given competitor, or the best of the K - 1 competitors.
enum class Score { target, competitor, maximum };

/// Laws of the scores in a memory, in units of the s.d. of a free (untrained) score.
///
/// Objects keep caches: one object, one thread.  Densities and distribution functions carry the bound
/// of their quadratures; means and standard deviations are integrals of the density.
class ScoreLaws {
public:
  virtual ~ScoreLaws() = default;

  [[nodiscard]] virtual Estimate density(Score score, double x) const = 0;
  [[nodiscard]] virtual Estimate distribution(Score score, double x) const = 0; ///< P(score <= x)
  [[nodiscard]] virtual Estimate mean(Score score) const;
  [[nodiscard]] virtual Estimate standard_deviation(Score score) const;

  /// Mean number of competitors whose score, plus the margin, equals the target's: 0 below capacity.
  [[nodiscard]] virtual Estimate tied_competitors() const { return exactly(0); }

  /// Int min(f_target, f_maximum): 1 if the two laws are the same, 0 if they do not meet.
  [[nodiscard]] Estimate overlap_area() const;

  /// Where all three laws have all but 1e-15 of their mass, and a point inside the target's bulk.
  struct Range {
    double lower;
    double centre;
    double upper;
  };
  [[nodiscard]] virtual Range range() const = 0;

private:
  [[nodiscard]] Estimate moment(Score score, double about, int power) const;
};

/// Scores in a memory drawn from all that recall every fact at load alpha = p log K / D, with
/// self-averaging competitors.  With q the overlap of replica.hpp, x_0 = sqrt(q) xi_0 and G the
/// competitors' potential,
///     target:      P(h) = E_xi0 [ N(h; x_0, 1 - q) exp(G(h)) / Z(x_0) ],
///     competitor:  given h and xi, N(x; sqrt(q) xi, 1 - q) cut at x < h - mu and normalised,
///     maximum:     P(max <= x | h) = exp(G(x + mu) - G(h)) for x < h - mu, then 1.
/// load in (0, alpha_c of the mean field); K and margin as in replica.hpp.  Accuracy: relative 1e-9 for
/// densities, 1e-10 absolute for distribution functions and their total, at q up to 0.999.
/// Throws std::domain_error outside the domain.  Source: theory of arXiv:2605.10795.
[[nodiscard]] std::unique_ptr<ScoreLaws> optimal_scores(Count candidates, double load,
                                                        double margin = 0);

/// Scores of the optimal memory at capacity, exact in K.  With h*_K the law of target_score.hpp, and
/// U_K its upper tail,
///     target:      h*_K + mu,
///     competitor:  min(xi_j, h*_K), P(x_j <= x) = 1 - U_K(x) + Phi(x) U_{K-1}(x); the part of it that
///                  is tied at h*_K has probability E H(h*_{K-1}) each, (K - 1) times that in all,
///     maximum:     P(max <= x) = 1 - U_K(x) + Phi(x)^{K-1} H(x + mu).
/// K whole where it is below 66.  Accuracy as in target_score.hpp.
[[nodiscard]] std::unique_ptr<ScoreLaws> optimal_scores_at_capacity(Count candidates,
                                                                    double margin = 0);

} // namespace lamcap
