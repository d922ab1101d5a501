// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace lamcap::simulation {

/// How the work is cut up.  No result but rounding depends on it, and nothing on the threads.
struct Blocking {
  std::int64_t facts = 0;      ///< per block; 0: a sixteenth of all, from 64 to 512
  std::int64_t candidates = 0; ///< scored at a time (original problem); 0: 512
  int threads = 0;             ///< 0: as many as OpenMP has
};

/// What one pass over all facts finds; s is a score, P the softmax of beta s.
struct Evaluation {
  /// False: max(1, beta) ||W||_F max |u| max |e|, the most a score can be, is beyond 2^-20 of the
  /// root of T's range (float 1.7e13, double 1.2e148), and nothing was computed.
  bool finite = false;
  double loss = 0;           ///< mean of log sum_rho exp(beta s_rho) - beta s_target
  double error = 0;          ///< mean of 1 - P_target, summed over the competitors
  std::int64_t recalled = 0; ///< facts whose target scores above every competitor
  double margin = 0;         ///< smallest s_target - max s_competitor
  double target_mean = 0;    ///< of s_target
  double target_square = 0;  ///< mean s_target^2
  double best_mean = 0;      ///< of the best competitor's score
  double best_square = 0;
  double competitor_mean = 0; ///< of all competitors' scores; 0 if a gradient was asked for
  double competitor_square = 0;
};

/// Cross-entropy of an instance, a function of the memory W (d_out x d_in; problem iid: D x 1):
///     loss(W) = (1/p) sum_mu [log sum_rho exp(beta s_{mu rho}) - beta s_{mu target}].
///
/// Method: facts in blocks of columns, X = beta W E, and the candidates in turn, S = U^T X.  The
/// competitors' sum of exponentials is kept relative to the largest score so far, and so is U
/// exp(S), which is rescaled when a larger one turns up: nothing overflows, and no more than a tile
/// of scores is stored.  The target stays out of these sums, so that the gradient beta / p sum_mu
/// [sum_{rho != target} P_rho (u_rho - u_target)] e_mu^T, the loss and the error keep their
/// relative accuracy when P_target rounds to 1.  Cost: 4 p^2 d_out + 4 p d_in d_out flops
/// (original), half without gradient.  Blocks are dealt to eight lanes; a lane adds up its own in
/// order, then the lanes are added in order: the same bits for any number of threads.
/// Memory: O(p (d_in + d_out)) for T = float (copies of what the instance stores; none for double),
/// eight gradients, and per thread one tile of Blocking::candidates x Blocking::facts scores with its
/// images.
template <typename T>
class CrossEntropy {
public:
  using Weights = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  /// The instance must outlive this object.  Throws std::invalid_argument for a negative blocking.
  explicit CrossEntropy(const Instance &instance, const Blocking &blocking = {});

  /// Bytes that this object and an evaluation with gradient take besides the instance.
  [[nodiscard]] static double bytes(const Instance &instance, const Blocking &blocking = {});

  [[nodiscard]] Eigen::Index rows() const { return instance_.memory_rows(); } ///< of W
  [[nodiscard]] Eigen::Index cols() const { return instance_.memory_cols(); } ///< of W

  /// beta > 0.  The gradient, if asked for, takes the shape of W.  Throws std::invalid_argument for
  /// another shape of W.
  [[nodiscard]] Evaluation evaluate(const Weights &memory, T beta, Weights *gradient = nullptr);

private:
  struct Lane;
  struct Workspace;
  using View = Eigen::Map<const Weights>;

  void run_block(const Weights &memory, T beta, std::int64_t block, bool differentiate,
                 Workspace &space, Lane &lane) const;
  void score_shared(std::int64_t first, Eigen::Index columns, bool differentiate,
                    Workspace &space) const;
  void score_own(std::int64_t first, Eigen::Index columns, bool differentiate,
                 Workspace &space) const;
  [[nodiscard]] View outputs_of(std::int64_t fact, Workspace &space) const;

  const Instance &instance_;
  Blocking blocking_;
  Weights own_inputs_; // float: the copies
  Weights own_outputs_;
  View inputs_;  // d_in x p; iid: 1 x p ones
  View outputs_; // original: d_out x p; else d_out x pK; iid: D x pK; empty if regenerated
};

extern template class CrossEntropy<float>;
extern template class CrossEntropy<double>;

} // namespace lamcap::simulation
