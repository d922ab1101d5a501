// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"
#include "lamcap/hebbian.hpp"

#include <memory>

namespace lamcap {

/// Whose score: the fact's own output, one given competitor, or the best of the K - 1 competitors.
enum class Score { target, competitor, maximum };

/// Laws of the scores of one fact in a memory; the unit is stated where the laws are made.
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

protected:
  /// Tolerance of the integrals below, relative to a law's mass.
  [[nodiscard]] virtual double tolerance() const { return 1e-11; }

public:
  /// Where a law has its mass: all but 1e-15 of it between the ends, its bulk (or, of a competitor, the
  /// place where the target cuts it) within a few widths of the centre.
  struct Range {
    double lower;
    double centre;
    double width;
    double upper;
  };
  [[nodiscard]] virtual Range range(Score score) const = 0;

private:
  [[nodiscard]] Estimate moment(Score score, double about, int power) const;
};

/// Scores, in units of the s.d. of a free (untrained) score, in a memory drawn from all that recall
/// every fact at load alpha = p log K / D, with self-averaging competitors.  With q the overlap of replica.hpp, x_0 = sqrt(q) xi_0 and G the
/// competitors' potential,
///     target:      P(h) = E_xi0 [ N(h; x_0, 1 - q) exp(G(h)) / Z(x_0) ],
///     competitor:  given h and xi, N(x; sqrt(q) xi, 1 - q) cut at x < h - mu and normalised,
///     maximum:     P(max <= x | h) = exp(G(x + mu) - G(h)) for x < h - mu, then 1.
/// load in (0, alpha_c of the mean field), overlap up to 0.9995; K and margin as in replica.hpp.
/// Accuracy: relative 1e-9 for densities, 1e-10 absolute for distribution functions and their total.
/// Throws std::domain_error outside the domain.  Source: theory of arXiv:2605.10795.
[[nodiscard]] std::unique_ptr<ScoreLaws> optimal_scores(Count candidates, double load,
                                                        double margin = 0);

/// Scores of the optimal memory at capacity, exact in K.  With h*_K the law of target_score.hpp, and
/// U_K its upper tail,
///     target:      h*_K + mu,
///     competitor:  min(xi_j, h*_K), P(x_j <= x) = 1 - U_K(x) + Phi(x) U_{K-1}(x); the part of it that
///                  is tied at h*_K has probability E H(h*_{K-1}) each, (K - 1) times that in all;
///                  (K - 1) E x_j^2 = K + mu^2 - delta(K, mu) - E h*^2,
///     maximum:     P(max <= x) = 1 - U_K(x) + Phi(x)^{K-1} H(x + mu).
/// K whole where it is below 66.  Accuracy as in target_score.hpp.
[[nodiscard]] std::unique_ptr<ScoreLaws> optimal_scores_at_capacity(Count candidates,
                                                                    double margin = 0);

/// Scores in a Hebbian memory of p >= 2 facts at finite size, in the units in which the target's mean
/// is 1.
///
/// target: u_mu.W e_mu; competitor: u_j.W e_mu of a stored output (unstored if none is stored);
/// maximum: the largest of the K - 1 competitors.  Model and symbols as in hebbian_accuracy.  Given
/// b, v and q = |r|^2 / (b^2 (1 + v)) the target is N(b q, b^2 q v / d_out) (unit sphere:
/// N(1, v / d_out)); given (b, v, R, x) a competitor's score is b R times the law of points 3 and 4
/// there.  Exact for any size: mean 1 and 0, and, with n = p - 1,
///     target:      Var = (1 + 2/d_in)(1 + 2/d_out) - 1 + n/(d_in d_out); unit sphere: n/(d_in d_out),
///     competitor:  stored, Var = (1 + 2/d_in)/d_out + (1 + 2/d_out)/d_in + (n - 1)/(d_in d_out); unit
///                  sphere: without the 2/d; unstored: [E b^2 + n/d_in] / d_out.
/// Domain: that of hebbian_accuracy, p >= 2, K >= 2; few facts, or many more candidates than facts,
/// can need a mixture of more than 300 000 parts and are refused.  Method: mixtures over trapezoidal
/// grids made once, tabulated by Chebyshev panels.  Numerical accuracy at d >= 64: 1e-7 of the largest
/// density, 1e-7 absolute for distributions (stated as the error).  The model's own: a competitor's mixture has the exact variance for Gaussian
/// embeddings, and one too large by a fraction of 1e-4 (p = 5 d) to 1e-2 (p = d/2) for the unit sphere
/// at d = 128.  Throws std::domain_error outside the domain.
[[nodiscard]] std::unique_ptr<ScoreLaws> hebbian_scores(const HebbianMemory &memory, double facts);

} // namespace lamcap
