// SPDX-License-Identifier: GPL-3.0-or-later
// The hot loop of training: see include/lamcap/simulation/cross_entropy.hpp.
#include "lamcap/simulation/cross_entropy.hpp"

#include "serial_products.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace lamcap::simulation {
namespace {

constexpr int lane_count = 8;
constexpr std::int64_t least_block = 64;
constexpr std::int64_t most_block = 512; // packing U is paid once per block
constexpr std::int64_t usual_tile = 512;
constexpr double least_parallel_work = 5e7; // flops below which threads cost more than they give

/// Squares of scores, and their sums, stay in the range.
template <typename T>
double largest_score() {
  return 0x1p-20 * std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
}

Blocking checked(Blocking b, const Instance &instance) {
  if (b.facts < 0 || b.candidates < 0 || b.threads < 0) {
    throw std::invalid_argument(
        fmt::format("blocking = {} facts, {} candidates, {} threads: none may be negative", b.facts,
                    b.candidates, b.threads));
  }
  constexpr std::int64_t share = 2 * lane_count;
  if (b.facts == 0) {
    b.facts = std::clamp((instance.facts() + share - 1) / share, least_block, most_block);
  }
  b.facts = std::min(b.facts, instance.facts());
  b.candidates = std::min(b.candidates == 0 ? usual_tile : b.candidates, instance.candidates());
  b.threads = b.threads == 0 ? omp_get_max_threads() : b.threads;
  return b;
}

/// Log sum exp of the competitors in pieces, for one fact: exp(largest) * sum.
template <typename T>
struct Competitors {
  T largest = std::numeric_limits<T>::lowest();
  T sum = 0;
};

} // namespace

/// Sums over a lane's facts.
template <typename T>
struct CrossEntropy<T>::Lane {
  Weights gradient;
  Evaluation sums;
};

/// Scratch of one thread.
template <typename T>
struct CrossEntropy<T>::Workspace {
  Weights images; // X: beta W e, a column per fact
  Weights scores; // S, then exp(S - largest); a tile
  Weights pulls;  // sum over competitors of exp(s - largest) u, in the end D
  std::vector<Competitors<T>> competitors;
  std::vector<T> targets; // beta s_target
  Weights own_targets;    // u_target, unless outputs are shared
  Matrix drawn;           // candidates of a fact, where they are not stored
  Weights rounded;        // the same as T
  double others = 0;      // sum of competitors' beta s
  double other_squares = 0;

  /// Takes in a column of scores, without the target (row `target`, if 0 or more); leaves exp(s -
  /// largest) in it when differentiating, 0 for the target.
  template <typename Column>
  void absorb(Column scored, Eigen::Index fact, Eigen::Index target, bool differentiate) {
    auto &c = competitors[static_cast<std::size_t>(fact)];
    if (target >= 0) {
      targets[static_cast<std::size_t>(fact)] = scored(target);
      scored(target) = 0;
    }
    if (!differentiate) {
      others += static_cast<double>(scored.sum());
      other_squares += static_cast<double>(scored.squaredNorm());
    }
    if (target >= 0) {
      scored(target) = std::numeric_limits<T>::lowest();
    }
    const T largest = std::max(c.largest, scored.maxCoeff());
    if (largest > c.largest) {
      const T shrink = std::exp(c.largest - largest);
      c.sum *= shrink;
      if (differentiate) {
        pulls.col(fact) *= shrink;
      }
      c.largest = largest;
    }
    scored = (scored.array() - largest).exp();
    if (target >= 0) {
      scored(target) = 0;
    }
    c.sum += scored.sum();
  }
};

template <typename T>
CrossEntropy<T>::CrossEntropy(const Instance &instance, const Blocking &blocking)
    : instance_(instance),
      blocking_(checked(blocking, instance)),
      inputs_(nullptr, 0, 0),
      outputs_(nullptr, 0, 0) {
  const bool iid = instance.problem() == Problem::iid;
  const Matrix &outputs = instance.stored_outputs();
  const auto seat = [](View &view, const T *data, Eigen::Index rows, Eigen::Index cols) {
    new (&view) View(data, rows, cols); // maps are re-seated by constructing anew
  };
  if (iid) {
    own_inputs_.setOnes(1, instance.facts());
  } else if constexpr (!std::is_same_v<T, double>) {
    own_inputs_ = instance.inputs().template cast<T>();
  }
  if constexpr (std::is_same_v<T, double>) {
    seat(inputs_, iid ? own_inputs_.data() : instance.inputs().data(), cols(), instance.facts());
    seat(outputs_, outputs.data(), outputs.rows(), outputs.cols());
  } else {
    own_outputs_ = outputs.template cast<T>();
    seat(inputs_, own_inputs_.data(), cols(), instance.facts());
    seat(outputs_, own_outputs_.data(), outputs.rows(), outputs.cols());
  }
}

template <typename T>
double CrossEntropy<T>::bytes(const Instance &instance, const Blocking &blocking) {
  const Blocking b = checked(blocking, instance);
  const bool shared = instance.problem() == Problem::original;
  const auto facts = static_cast<double>(instance.facts());
  const auto candidates = static_cast<double>(instance.candidates());
  const auto height = static_cast<double>(instance.memory_rows());
  const auto width = static_cast<double>(instance.memory_cols());
  const auto columns = static_cast<double>(b.facts);
  const auto stored = static_cast<double>(instance.stored_outputs().size());
  const double copies = std::is_same_v<T, double> ? 0 : facts * width + stored;
  const double tile = shared ? columns * static_cast<double>(b.candidates) : candidates;
  const double generated = stored > 0 ? 0 : candidates * height;
  const double spaces =
      std::min(b.threads, lane_count) *
      (sizeof(T) * (tile + 3 * columns * height + generated) + sizeof(double) * generated);
  return sizeof(T) * (copies + (lane_count + 1) * height * width) + spaces;
}

/// The candidates that belong to one fact, stored or drawn anew.
template <typename T>
typename CrossEntropy<T>::View CrossEntropy<T>::outputs_of(std::int64_t fact,
                                                           Workspace &space) const {
  const Eigen::Index candidates = instance_.candidates();
  if (outputs_.size() > 0) {
    return {outputs_.col(fact * candidates).data(), rows(), candidates};
  }
  const auto outputs = instance_.outputs(fact, space.drawn);
  if constexpr (std::is_same_v<T, double>) {
    return {outputs.data(), rows(), candidates};
  } else {
    space.rounded = outputs.template cast<T>();
    return {space.rounded.data(), rows(), candidates};
  }
}

/// Original problem: all facts of a block against the candidates, tile by tile.
template <typename T>
void CrossEntropy<T>::score_shared(std::int64_t first, Eigen::Index columns, bool differentiate,
                                   Workspace &space) const {
  const auto images = space.images.leftCols(columns);
  auto pulls = space.pulls.leftCols(differentiate ? columns : 0);
  for (std::int64_t from = 0; from < outputs_.cols(); from += blocking_.candidates) {
    const Eigen::Index rows = std::min(blocking_.candidates, outputs_.cols() - from);
    const auto outputs = outputs_.middleCols(from, rows);
    auto scores = space.scores.topLeftCorner(rows, columns);
    scores.noalias() = outputs.transpose() * images;
    for (Eigen::Index j = 0; j < columns; ++j) {
      const Eigen::Index target = first + j - from;
      space.absorb(scores.col(j), j, target < rows ? target : -1, differentiate);
    }
    if (differentiate) {
      pulls.noalias() += outputs * scores;
    }
  }
}

/// Every fact against candidates of its own.
template <typename T>
void CrossEntropy<T>::score_own(std::int64_t first, Eigen::Index columns, bool differentiate,
                                Workspace &space) const {
  const Eigen::Index candidates = instance_.candidates();
  auto scores = space.scores.col(0).head(candidates);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const View outputs = outputs_of(first + j, space);
    scores.noalias() = outputs.transpose() * space.images.col(j);
    space.absorb(scores, j, 0, differentiate);
    if (differentiate) {
      space.pulls.col(j).noalias() += outputs * scores;
      space.own_targets.col(j) = outputs.col(0);
    }
  }
}

template <typename T>
void CrossEntropy<T>::run_block(const Weights &memory, T beta, std::int64_t block,
                                bool differentiate, Workspace &space, Lane &lane) const {
  const std::int64_t first = block * blocking_.facts;
  const Eigen::Index columns = std::min(blocking_.facts, instance_.facts() - first);
  const auto inputs = inputs_.middleCols(first, columns);
  space.images.leftCols(columns).noalias() = memory * inputs;
  space.images.leftCols(columns) *= beta;
  space.competitors.assign(static_cast<std::size_t>(columns), {});
  space.targets.resize(static_cast<std::size_t>(columns));
  space.others = 0;
  space.other_squares = 0;
  if (differentiate) {
    space.pulls.leftCols(columns).setZero();
  }
  const bool shared = instance_.problem() == Problem::original;
  if (shared) {
    score_shared(first, columns, differentiate, space);
  } else {
    score_own(first, columns, differentiate, space);
  }

  const T *const first_target = shared ? outputs_.col(first).data() : space.own_targets.data();
  const View own_targets(first_target, rows(), differentiate ? columns : 0);
  Evaluation &sums = lane.sums;
  for (Eigen::Index j = 0; j < columns; ++j) {
    const auto [largest, sum] = space.competitors[static_cast<std::size_t>(j)];
    const T target = space.targets[static_cast<std::size_t>(j)];
    // Relative to the larger of the target and the best competitor.
    const T scale = std::exp(std::min(T{0}, largest - target));
    const T own = std::exp(std::min(T{0}, target - largest));
    const T total = scale * sum + own;
    const double error = static_cast<double>(scale * sum / total);
    sums.loss += target >= largest
                     ? std::log1p(static_cast<double>(scale * sum))
                     : std::log(static_cast<double>(total)) + static_cast<double>(largest - target);
    sums.error += error;
    sums.recalled += target > largest ? 1 : 0;
    const double b = static_cast<double>(beta);
    const double s = static_cast<double>(target) / b;
    const double best = static_cast<double>(largest) / b;
    sums.margin = std::min(sums.margin, static_cast<double>(target - largest) / b);
    sums.target_mean += s;
    sums.target_square += s * s;
    sums.best_mean += best;
    sums.best_square += best * best;
    if (differentiate) {
      space.pulls.col(j) =
          (scale / total) * space.pulls.col(j) - static_cast<T>(error) * own_targets.col(j);
    }
  }
  sums.competitor_mean += space.others / static_cast<double>(beta);
  sums.competitor_square += space.other_squares / std::pow(static_cast<double>(beta), 2);
  if (differentiate) {
    lane.gradient.noalias() += space.pulls.leftCols(columns) * inputs.transpose();
  }
}

template <typename T>
Evaluation CrossEntropy<T>::evaluate(const Weights &memory, T beta, Weights *gradient) {
  instance_.require_shape(memory.rows(), memory.cols());
  if (!(beta > 0)) {
    throw std::invalid_argument(fmt::format("logit_scale = {}: must be above 0", beta));
  }
  const double size = std::sqrt(static_cast<double>(memory.squaredNorm())) * instance_.longest();
  if (!(size * std::max(1.0, static_cast<double>(beta)) <= largest_score<T>())) {
    return {};
  }
  const std::int64_t blocks = (instance_.facts() + blocking_.facts - 1) / blocking_.facts;
  const int lanes = static_cast<int>(std::min<std::int64_t>(lane_count, blocks));
  const bool differentiate = gradient != nullptr;
  const double work = (differentiate ? 4.0 : 2.0) * static_cast<double>(instance_.facts()) *
                      static_cast<double>(instance_.candidates()) * static_cast<double>(rows());
  const int threads = work < least_parallel_work ? 1 : std::min(blocking_.threads, lanes);

  std::vector<Lane> lane(static_cast<std::size_t>(lanes));
  for (Lane &l : lane) {
    l.sums.margin = std::numeric_limits<double>::infinity();
    if (differentiate) {
      l.gradient.setZero(rows(), cols());
    }
  }
  std::vector<Workspace> spaces(static_cast<std::size_t>(threads));
  const bool shared = instance_.problem() == Problem::original;
  for (Workspace &space : spaces) {
    space.images.resize(rows(), blocking_.facts);
    space.scores.resize(shared ? blocking_.candidates : instance_.candidates(),
                        shared ? blocking_.facts : 1);
    if (differentiate) {
      space.pulls.resize(rows(), blocking_.facts);
      space.own_targets.resize(shared ? 0 : rows(), blocking_.facts);
    }
  }
  {
    const SerialProducts serial;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int l = 0; l < lanes; ++l) {
      Workspace &space = spaces[static_cast<std::size_t>(omp_get_thread_num())];
      for (std::int64_t block = l; block < blocks; block += lanes) {
        run_block(memory, beta, block, differentiate, space, lane[static_cast<std::size_t>(l)]);
      }
    }
  }

  Evaluation e = lane.front().sums;
  for (std::size_t l = 1; l < lane.size(); ++l) {
    const Evaluation &part = lane[l].sums;
    e.loss += part.loss;
    e.error += part.error;
    e.recalled += part.recalled;
    e.margin = std::min(e.margin, part.margin);
    e.target_mean += part.target_mean;
    e.target_square += part.target_square;
    e.best_mean += part.best_mean;
    e.best_square += part.best_square;
    e.competitor_mean += part.competitor_mean;
    e.competitor_square += part.competitor_square;
    if (differentiate) {
      lane.front().gradient += lane[l].gradient;
    }
  }
  const auto facts = static_cast<double>(instance_.facts());
  for (double *mean :
       {&e.loss, &e.error, &e.target_mean, &e.target_square, &e.best_mean, &e.best_square}) {
    *mean /= facts;
  }
  const double competitors = facts * static_cast<double>(instance_.candidates() - 1);
  e.competitor_mean /= competitors;
  e.competitor_square /= competitors;
  if (differentiate) {
    *gradient = lane.front().gradient * (beta / static_cast<T>(facts));
  }
  e.finite = std::isfinite(e.loss);
  return e;
}

template class CrossEntropy<float>;
template class CrossEntropy<double>;

} // namespace lamcap::simulation
