// SPDX-License-Identifier: GPL-3.0-or-later
// Histograms of scores: see include/lamcap/simulation/score_samples.hpp.
#include "lamcap/simulation/score_samples.hpp"

#include "serial_products.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace lamcap::simulation {
namespace {

constexpr Eigen::Index block = 64;  // facts scored at a time
constexpr Eigen::Index tile = 1024; // candidates scored at a time

void check(const Bins &b) {
  if (!(b.low < b.high) || !std::isfinite(b.high - b.low) || b.count < 1) {
    throw std::invalid_argument(fmt::format(
        "bins = {}:{}:{}: must rise from one finite number to another, in at least 1 bin", b.low,
        b.high, b.count));
  }
}

Histogram empty(const Bins &bins) {
  return {.bins = bins, .counts = std::vector<std::int64_t>(static_cast<std::size_t>(bins.count))};
}

void add(Histogram &h, double x) {
  if (x < h.bins.low) {
    ++h.below;
  } else if (x >= h.bins.high) {
    ++h.above;
  } else {
    const auto i = static_cast<std::size_t>((x - h.bins.low) / h.bins.width());
    ++h.counts[std::min(i, h.counts.size() - 1)]; // the last edge may round up
  }
}

void merge(Histogram &into, const Histogram &from) {
  for (std::size_t i = 0; i < into.counts.size(); ++i) {
    into.counts[i] += from.counts[i];
  }
  into.below += from.below;
  into.above += from.above;
}

/// Takes in the scores of a fact against some of its candidates, the target at row `target` if that
/// is one of them.
template <typename Column>
void take(ScoreSamples &out, Histogram &competitors, const Column &scores, Eigen::Index fact,
          Eigen::Index target) {
  for (Eigen::Index rho = 0; rho < scores.size(); ++rho) {
    if (rho == target) {
      out.target[fact] = scores[rho];
    } else {
      out.best[fact] = std::max(out.best[fact], scores[rho]);
      add(competitors, scores[rho]);
    }
  }
}

} // namespace

std::int64_t Histogram::samples() const {
  return std::accumulate(counts.begin(), counts.end(), below + above);
}

Histogram histogram(const Vector &samples, const Bins &bins) {
  check(bins);
  Histogram h = empty(bins);
  for (const double x : samples) {
    add(h, x);
  }
  return h;
}

ScoreSamples score_samples(const Instance &instance, const Matrix &memory, const Bins &bins,
                           int threads) {
  check(bins);
  instance.require_shape(memory.rows(), memory.cols());
  const double largest = memory.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) {
    throw std::invalid_argument("W: must be finite and not zero");
  }
  Matrix unit = memory / largest;
  unit *=
      std::sqrt(static_cast<double>(instance.dim_in()) * static_cast<double>(instance.dim_out())) /
      unit.norm();

  const Eigen::Index facts = instance.facts();
  const bool shared = instance.problem() == Problem::original;
  const bool iid = instance.problem() == Problem::iid;
  ScoreSamples out{.target = Vector(facts),
                   .best = Vector::Constant(facts, -std::numeric_limits<double>::infinity()),
                   .competitors = empty(bins)};
  const SerialProducts serial;
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
  {
    Histogram competitors = empty(bins);
    Matrix scratch;
    Matrix scores;
#pragma omp for schedule(dynamic, 1)
    for (Eigen::Index first = 0; first < facts; first += block) {
      const Eigen::Index columns = std::min(block, facts - first);
      const Matrix images = iid ? unit.replicate(1, columns)
                                : Matrix(unit * instance.inputs().middleCols(first, columns));
      if (shared) {
        for (Eigen::Index from = 0; from < facts; from += tile) {
          const Eigen::Index rows = std::min(tile, facts - from);
          scores = instance.stored_outputs().middleCols(from, rows).transpose() * images;
          for (Eigen::Index j = 0; j < columns; ++j) {
            take(out, competitors, scores.col(j), first + j, first + j - from);
          }
        }
      } else {
        for (Eigen::Index j = 0; j < columns; ++j) {
          scores = instance.outputs(first + j, scratch).transpose() * images.col(j);
          take(out, competitors, scores.col(0), first + j, 0);
        }
      }
    }
#pragma omp critical
    merge(out.competitors, competitors);
  }
  return out;
}

} // namespace lamcap::simulation
