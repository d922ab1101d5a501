// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/count.hpp"
#include "lamcap/estimate.hpp"

#include <optional>

namespace lamcap {

/// What "stored" asks of the Hebbian memory W = sum_mu u_mu e_mu^T.
enum class Recall {
  strict, ///< every fact is recalled
  average ///< all but a vanishing fraction of the facts
};

/// Hebbian critical loads p log K / (d_in d_out) for K = p, as d -> infinity.
inline constexpr double hebbian_strict_load = 1.0 / 8;
inline constexpr double hebbian_average_load = 1.0 / 2; ///< see hebbian_strict_load

/// Dimensions of W per fact, d_in d_out / p, at the Hebbian critical load as d -> infinity.
///
/// A target scores 1; cross-talk on every score is Gaussian with variance v = p / (d_in d_out).
/// average: 1 > sqrt(2 v log K), the typical largest competitor:        2 log K.
/// strict:  for no fact may 1 - a sqrt(v) fall below b sqrt(v), where among p facts the target's
///          cross-talk reaches -a and the largest of its competitors b as soon as
///          a^2/2 + b^2/2 - log K <= log p, b >= sqrt(2 log K).  Largest a + b:
///              p >= K:  4 log(p K);    p <= K:  2 (sqrt(log p) + sqrt(log K))^2.
/// At K = p both give 8 log p, the 1/8 of the strict criterion.
///
/// facts >= 1, candidates >= 2.  Exact limits (rounding error only); at finite d the corrections are
/// not included: of relative order log log K / log K for strict recall (at K = p = 1000 the memory
/// needs 19 percent less), and 1 / sqrt(log K) for average recall, where accuracy passes through
/// about 1/2 at the threshold over that width.  Outputs drawn for each fact, or K much larger than
/// d_out: with one shared set of K outputs v grows by the factor 1 + d_out / K.
/// Throws std::domain_error outside the domain.
/// Source: arXiv:2605.10795 for K = p; the extension to K != p is the same argument with two numbers.
[[nodiscard]] Estimate hebbian_dimension(Count facts, Count candidates, Recall recall);

/// Law of the embeddings: outputs u in d_out, inputs e in d_in dimensions, all independent.
enum class Embeddings {
  gaussian,   ///< components N(0, 1/d_out) and N(0, 1/d_in)
  unit_sphere ///< uniform on the unit sphere
};

/// A Hebbian memory W = sum_mu u_mu e_mu^T of d_out rows and d_in columns.
struct HebbianMemory {
  double dim_in;                                ///< d_in, from 8 to 1e6
  double dim_out;                               ///< d_out, from 8 to 1e6
  Embeddings embeddings = Embeddings::gaussian; ///< law of u and e
  /// K outputs compete, the target among them, from 1 to 1e15: min(K, p) of them stored, one fact
  /// per output, the others random vectors.  Empty: K = p.
  std::optional<Count> candidates = std::nullopt;
};

/// Expected fraction of p facts that a Hebbian memory recalls at finite size: the probability that
/// the target's score u_mu.r is the largest of the K scores u_j.r, where r = W e_mu.
///
/// Derivation.  Write n = p - 1, b = |e_mu|^2 (1 on the sphere), c_j = e_j.e_mu; then
/// r = b u_mu + X, X = sum_{j != mu} c_j u_j, and v = sum c_j^2 / b^2 is about n / d_in.
/// 1. R = |r| / b and x = u_mu.r / |r|, the target's score in units of |r|, have the joint density,
///    up to a constant,
///      gaussian:     R^(d_out-1) exp{-(d_out/2) [x^2 + (R - x)^2 / v]}          (exact),
///      unit sphere:  R^(d_out-1) (1-x^2)^((d_out-3)/2) exp{-(d_out/2v) [(R - x)^2 + 1 - x^2]}
///    (X given v taken as Gaussian: a sum of n terms).
/// 2. v: gaussian: chi^2_n / chi^2_{d_in}, exact; unit sphere: Gamma law of the exact mean n / d_in
///    and variance 2 n (d_in - 1) / (d_in^2 (d_in + 2)).
/// 3. An output that is not stored has the score |r| t, t the component of u along a fixed direction:
///    N(0, 1/d_out), or on the sphere the density f(t) ~ (1-t^2)^((d_out-3)/2).
/// 4. A stored competitor has pulled r towards itself.  Given r, it gains c_j X.r / |X|^2, in units
///    of |r|: slope c_j / b with slope = (R - x) / v.  Gaussian embeddings:
///    N(0, (1 - 1/n)/d_out + slope^2 v/n).  Unit sphere: |u_j| cannot change, so the pull tilts f:
///    t has the density E_c f(t) exp(kappa t - curb t^2 / 2) / Z, kappa = d_out slope c (1 + h),
///    c a component of a uniform unit vector in d_in dimensions; h = c^2 / (c^2 + w), w = (n-1)/d_in,
///    as X contains c u_j itself; curb = d_out / (n (1 + w)) is the mean effect of the pull
///    across r.
/// 5. Given (v, R, x) the competitors are taken as independent (exact up to order 1/n):
///      accuracy = E F_stored(x)^(min(K,p) - 1) F_free(x)^(K - min(K,p)).
/// What distinguishes the sphere is its tails: at z standard deviations f is lighter than a Gaussian
/// by about exp(-z^4 / (4 d_out)), and so is the law of c in d_in dimensions.  Gaussian tails with
/// a = b = 1 give an accuracy 1 to 4 percentage points too low at d = 128.
///
/// facts: p from 1 to 1e12, not necessarily whole; between 1 and 2 the value is linear in p, and
/// p = 1 is exact.  Throws std::domain_error outside the domain.
/// Method: trapezoidal sums over log v, x (atanh x on the sphere) and log R, all exponentially
/// convergent; 1 - accuracy is summed as such, so that small failure probabilities keep their
/// relative precision.  The error is that of the sums, estimated from every second node of each,
/// plus the interpolation of the sphere's tails, plus rounding: typically 1e-9.  Time: 5 ms for
/// Gaussian embeddings, 10 ms for the unit sphere.
/// Accuracy of the theory, by simulation (standard errors in brackets, in units of the last digit):
///     d_in d_out    p      K    gaussian: simulated, here   unit sphere: simulated, here
///      128  128    349     = p  0.9893(3)   0.9891          0.9983(1)   0.9983
///      128  128    634     = p  0.8805(9)   0.8798          0.9311(7)   0.9303
///      128  128   1160     = p  0.5441(15)  0.5445          0.5892(15)  0.5901
///       64  256    634     = p  0.8497(11)  0.8503          0.8980(10)  0.8986
///      256   64    634     = p  0.8515(10)  0.8506          0.9355(7)   0.9347
///      256  256   2136     = p  0.9349(16)  0.9327          0.9584(14)  0.9564
///      128  128   2000      50  0.6638(8)   0.6629          0.6846(8)   0.6842
///      128  128    200   20000  0.9982(3)   0.9982          1.0000      1.0000
///       64   64    200     = p                              0.8786(7)   0.8795
///       32   32     60     = p  0.7154(12)  0.7151          0.8532(10)  0.8556
///        8    8     16     = p  0.3747(7)   0.3848          0.4632(8)   0.4710
///        8    8      8     = p  0.6170(10)  0.6314          0.7928(10)  0.7951
/// that is, within noise (0.2 percentage points) from d = 64 on, within 1.5 points at d = 8.  With p
/// below 20 a failure probability near 0 may be too large by a multiple (by 2e-4 at d = 100, p = 2),
/// so that accuracy need not fall with p there.
/// Source: cross-talk argument of arXiv:2605.10795, carried to finite size.
[[nodiscard]] Estimate hebbian_accuracy(const HebbianMemory &memory, double facts);

/// Probability that every one of the p facts is recalled, accuracy^p: facts taken as independent.
///
/// The facts share u, e and W, but simulation shows no dependence beyond noise from d = 32 on:
/// fraction of instances that recall everything, and (simulated accuracy)^p,
///     gaussian:     d = 128, p = 250: 0.668(17), 0.667;   d = 64, p = 65: 0.525(6), 0.522;
///                   d = 32, p = 25: 0.170(3), 0.172;      d = 8, p = 8: 0.010(1), 0.021;
///     unit sphere:  d = 128, p = 349: 0.563(13), 0.551;   d = 64, p = 105: 0.493(8), 0.494;
///                   d = 32, p = 40: 0.192(4), 0.189;      d = 8, p = 8: 0.159(3), 0.156.
/// An error of the accuracy counts p times here.
/// The error propagates that of hebbian_accuracy; domain and exceptions as there.
[[nodiscard]] Estimate hebbian_all_recalled(const HebbianMemory &memory, double facts);

/// p (real-valued) at which hebbian_accuracy falls through `level`, 0 < level < 1; K = p unless
/// memory.candidates is given.  At any level the load p log p / (d_in d_out) tends to
/// hebbian_average_load, slowly: level 1/2 in square memories at d = 32, 128, 1024, 65536,
/// 1e6: 0.445, 0.540, 0.583, 0.564, 0.553 (gaussian).  The error: half the final bracket and the
/// error of the accuracy divided by its slope.  `no_sign_change` if the level is not passed between
/// p = 1 (where unstored competitors may win) and p = min(1000 d_in d_out, 1e12).  Throws std::domain_error outside the
/// domain.  About 15 evaluations.
[[nodiscard]] Estimate hebbian_facts_at_accuracy(const HebbianMemory &memory, double level);

/// The same for hebbian_all_recalled; its load tends to hebbian_strict_load; level 1/2, the same d:
/// 0.048, 0.091, 0.132, 0.137, 0.135.
[[nodiscard]] Estimate hebbian_facts_at_all_recalled(const HebbianMemory &memory, double level);

} // namespace lamcap
