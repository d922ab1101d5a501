// SPDX-License-Identifier: GPL-3.0-or-later
#include "quenched.hpp"

#include "gaussian_kernel.hpp"
#include "numerics/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace lamcap {
namespace {

constexpr double grid = 0.1;             // in sqrt(1 - q): of h and of sqrt(q) xi alike
constexpr double free_from = 8.5;        // log Phi beyond it is below 1e-17
constexpr double negligible = 1e-12;     // of the density of h, relative to its peak
constexpr double grid_error = 1e-7;      // relative, of E and S: interpolation and sum over h
constexpr std::int64_t block_size = 256; // samples per unit of parallel work

/// log Phi and lambda at v = i grid - mu / sqrt(1 - q), for every difference of grid positions.
class Tables {
public:
  Tables(double margin, double s) : offset_(margin / s) {
    first_ = static_cast<int>(std::floor(-lowest / grid));
    const int last = static_cast<int>(std::ceil((free_from + offset_) / grid));
    for (int i = first_; i <= last; ++i) {
      const double v = i * grid - offset_;
      log_cdf_.push_back(gaussian_kernel::log_cdf(v));
      force_.push_back(gaussian_kernel::log_cdf_slope(v));
    }
  }
  /// Pointers such that p[i] belongs to the difference i; valid for first() <= i <= last().
  [[nodiscard]] const double *log_cdf() const { return log_cdf_.data() - first_; }
  [[nodiscard]] const double *force() const { return force_.data() - first_; }
  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int last() const { return first_ + static_cast<int>(log_cdf_.size()) - 1; }
  /// Differences from here on leave a competitor free.
  [[nodiscard]] double reach() const { return free_from + offset_; }

  static constexpr double lowest = 1200; // differences at q = 0.9999 stay well inside

private:
  double offset_;
  int first_;
  std::vector<double> log_cdf_;
  std::vector<double> force_;
};

struct SampleResult {
  double target; // xi_0
  double log_norm;
  double resistance;
};

/// One sample at a time, with its scratch memory.
class Sampler {
public:
  Sampler(int competitors, double q, const Tables &tables)
      : root_q_(std::sqrt(q)),
        s_(std::sqrt(1 - q)),
        tables_(tables),
        scores_(static_cast<std::size_t>(competitors) + 1) {}

  SampleResult operator()(std::uint64_t seed, std::int64_t sample) {
    numerics::fill_gaussians(scores_, seed, static_cast<std::uint64_t>(sample));
    const double xi = scores_.front();
    const double to_grid = root_q_ / (s_ * grid);
    for (double &score : scores_) { // in grid units of sqrt(q) xi
      score *= to_grid;
    }
    const double target = scores_.front();
    const double best = *std::max_element(scores_.begin() + 1, scores_.end());
    // The target with the best competitor alone would stop here at worst; the others push it up.
    const double least = std::max(target, 0.5 * (target + best)) - 1 / grid * lowest_spread;
    deposit(least - tables_.reach() / grid, best);
    return average(xi, target);
  }

private:
  static constexpr double lowest_spread = 4; // thermal, in sqrt(1 - q)

  void deposit(double lowest, double best) {
    origin_ = static_cast<int>(std::floor(lowest)) - 3;
    weights_.assign(static_cast<std::size_t>(std::max(0.0, best - origin_)) + 8, 0.0);
    for (auto score = scores_.begin() + 1; score != scores_.end(); ++score) {
      if (*score < lowest) {
        continue;
      }
      const double below = std::floor(*score);
      const double t = *score - below;
      // Lagrange weights of the nodes -2 ... 3 at t in [0, 1).
      const double a = t + 2;
      const double b = t + 1;
      const double c = t - 1;
      const double d = t - 2;
      const double e = t - 3;
      double *w = &weights_[static_cast<std::size_t>(static_cast<int>(below) - origin_ - 2)];
      w[0] -= b * t * c * d * e / 120;
      w[1] += a * t * c * d * e / 24;
      w[2] -= a * b * c * d * e / 12;
      w[3] += a * b * t * d * e / 12;
      w[4] -= a * b * t * c * e / 24;
      w[5] += a * b * t * c * d / 120;
    }
  }

  /// Cells that a target at grid position h feels: above h - reach.
  [[nodiscard]] std::size_t first_cell(int h) const {
    return static_cast<std::size_t>(std::max(0, h - tables_.last() - origin_));
  }

  /// A(h) less its constant.
  [[nodiscard]] double log_density(int h, double target) const {
    const double z = (h - target) * grid;
    double potential = 0;
    const double *log_cdf = tables_.log_cdf() + (h - origin_);
    for (std::size_t c = first_cell(h); c < weights_.size(); ++c) {
      potential += weights_[c] * log_cdf[-static_cast<std::ptrdiff_t>(c)];
    }
    return -0.5 * z * z + potential;
  }

  /// Grid position of the maximum of A, which is concave: steps that double, then halve.
  [[nodiscard]] int peak(double target) const {
    int h = static_cast<int>(std::lround(std::max(target, static_cast<double>(last_peak_))));
    double value = log_density(h, target);
    for (int step = 16; step > 0; step /= 2) {
      for (const int direction : {1, -1}) {
        while (true) {
          const double next = log_density(h + direction * step, target);
          if (!(next > value)) {
            break;
          }
          value = next;
          h += direction * step;
        }
      }
    }
    return h;
  }

  SampleResult average(double xi, double target) {
    last_peak_ = 0;
    const int top = peak(target);
    const double level = log_density(top, target);
    density_.clear();
    int first = top;
    for (int h = top; density_.size() < most_nodes; ++h) {
      density_.push_back(std::exp(log_density(h, target) - level));
      if (density_.back() < negligible) {
        break;
      }
    }
    for (double last = 1; last >= negligible && density_.size() < most_nodes;) {
      --first;
      last = std::exp(log_density(first, target) - level);
      density_.insert(density_.begin(), last);
    }
    const double norm = std::accumulate(density_.begin(), density_.end(), 0.0);
    double shift = 0;
    forces_.assign(weights_.size(), 0.0);
    for (std::size_t k = 0; k < density_.size(); ++k) {
      const int h = first + static_cast<int>(k);
      const double p = density_[k] / norm;
      shift += p * (h - target) * grid;
      const double *force = tables_.force() + (h - origin_);
      for (std::size_t c = first_cell(h); c < forces_.size(); ++c) {
        forces_[c] += p * force[-static_cast<std::ptrdiff_t>(c)];
      }
    }
    double squares = shift * shift; // in units of 1 / (1 - q), as are the competitors'
    for (std::size_t c = 0; c < forces_.size(); ++c) {
      squares += weights_[c] * forces_[c] * forces_[c];
    }
    return {xi, level + std::log(norm * grid) - gaussian_kernel::log_sqrt_two_pi,
            s_ * s_ * squares};
  }

  static constexpr std::size_t most_nodes = 4000;

  double root_q_;
  double s_;
  const Tables &tables_;
  std::vector<double> scores_;
  int origin_ = 0;
  int last_peak_ = 0;
  std::vector<double> weights_;
  std::vector<double> density_;
  std::vector<double> forces_;
};

/// Sums over a block of samples, for a mean and its standard error.
struct Sums {
  std::array<double, 2> sum{};
  std::array<double, 2> squares{};

  void add(const std::array<double, 2> &terms) {
    for (std::size_t i = 0; i < 2; ++i) {
      sum[i] += terms[i];
      squares[i] += terms[i] * terms[i];
    }
  }
};

/// base + the mean of the samples, with its standard error.
Estimate mean_of(const std::vector<Sums> &blocks, std::size_t i, std::int64_t samples,
                 const Estimate &base) {
  const auto n = static_cast<double>(samples);
  double sum = 0;
  double squares = 0;
  for (const Sums &block : blocks) { // in order: the same rounding for any number of threads
    sum += block.sum[i];
    squares += block.squares[i];
  }
  const double mean = sum / n;
  const double variance = std::max(0.0, squares / n - mean * mean);
  const double value = base.value + mean;
  const double error = std::sqrt(variance / (n - 1)) + grid_error * std::abs(value) + base.error;
  return {value, error, samples,
          std::isfinite(value) && std::isfinite(error) ? base.status : Status::not_finite};
}

/// What the mean field says of a sample's xi_0 alone, tabulated: its average is known, and most of a
/// sample's scatter is that of xi_0 (a control variate).
numerics::PanelPair mean_field_given_target(MeanFieldEnergy &mean_field) {
  numerics::PanelPair table([&](double xi) -> numerics::PanelPair::Pair {
    const TiltedScore t = mean_field.tilt(std::sqrt(mean_field.overlap()) * xi);
    return {t.log_norm, t.shift * t.shift + t.force};
  });
  constexpr int reach = 9; // beyond it no sample falls in a lifetime; all panels before the threads
  for (int panel = -reach; panel < reach; ++panel) {
    (void)table(panel + 0.5);
  }
  return table;
}

} // namespace

QuenchedEnergy::QuenchedEnergy(const Count &candidates, double margin, std::uint64_t seed)
    : candidates_(candidates), margin_(margin), seed_(seed) {}

Energy QuenchedEnergy::energy(double overlap, std::int64_t samples) const {
  if (overlap > largest_overlap) {
    return {{.status = Status::not_converged}, {.status = Status::not_converged}};
  }
  const Tables tables(margin_, std::sqrt(1 - overlap));
  MeanFieldEnergy mean_field(candidates_, margin_, overlap);
  const Energy base = mean_field.energy();
  numerics::PanelPair given_target = mean_field_given_target(mean_field);
  const std::int64_t blocks = (samples + block_size - 1) / block_size;
  std::vector<Sums> sums(static_cast<std::size_t>(blocks));
#pragma omp parallel
  {
    Sampler sampler(static_cast<int>(candidates_.value()) - 1, overlap, tables);
#pragma omp for schedule(dynamic)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t end = std::min(samples, (b + 1) * block_size);
      for (std::int64_t i = b * block_size; i < end; ++i) {
        const SampleResult sample = sampler(seed_, i);
        const auto [log_norm, resistance] = given_target(sample.target);
        sums[static_cast<std::size_t>(b)].add(
            {sample.log_norm - log_norm, sample.resistance - resistance});
      }
    }
  }
  return {mean_of(sums, 0, samples, base.value), mean_of(sums, 1, samples, base.resistance)};
}

} // namespace lamcap
