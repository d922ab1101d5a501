// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of the Hebbian memory's scores: see include/lamcap/scores.hpp.
#include "domain.hpp"
#include "hebbian_kernel.hpp"
#include "lamcap/scores.hpp"
#include "numerics/chebyshev.hpp"
#include "unit_sphere_tail.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace lamcap {

using namespace hebbian_kernel;

namespace {

constexpr double law_error = 1e-7; // of the mixtures' grids
constexpr double sds_per_step = 0.8;
constexpr double log_least_weight = -19; // e^-19 = 6e-9 of the largest weight
constexpr int most_nodes = 4000;
constexpr std::size_t most_parts = 300'000; // of a mixture: beyond, its laws would take minutes

/// A point of a one-dimensional law, on a trapezoidal grid.
struct Node {
  double value;
  double log_weight; // that of the peak: 0
};

/// Nodes peak + k step while log_density(k step) counts.
template <class LogDensity>
std::vector<Node> grid(double peak, double step, const LogDensity &log_density) {
  std::vector<Node> nodes{{peak, 0}};
  for (const int side : {1, -1}) {
    for (int k = 1; k < most_nodes; ++k) {
      const double log_weight = log_density(side * k * step);
      if (log_weight < log_least_weight) {
        break;
      }
      nodes.push_back({peak + side * k * step, log_weight});
    }
  }
  return nodes;
}

/// log of the sum of the weights.
double log_mass(const std::vector<Node> &nodes) {
  double sum = 0;
  for (const Node &node : nodes) {
    sum += std::exp(node.log_weight);
  }
  return std::log(sum);
}

/// log of chi^2_k / k.
std::vector<Node> log_chi_square(double k, double largest_step) {
  const double step = std::min(sds_per_step * std::sqrt(2 / k), largest_step);
  return grid(0, step, [k](double w) { return 0.5 * k * (w - std::expm1(w)); });
}

/// The target's score: N(mean, sd^2) with a weight.
struct TargetPart {
  double mean;
  double sd;
  double weight;
};

/// Competitors: their scores are scale times the law at this slope (gaussian: N(0, sd^2)).
struct CompetitorPart {
  double scale;
  double slope;
  double stored_sd;
  double weight;
};

/// Refuses what would take minutes.
template <class Part>
void require_few(const std::vector<Part> &parts, const Problem &problem) {
  if (parts.size() > most_parts) {
    throw std::domain_error(fmt::format(
        "facts = {:.6g}, candidates = {:.6g}: the laws of the scores would need a mixture of "
        "more than {} parts; take more facts or fewer candidates",
        problem.others + 1, 1 + problem.stored + problem.unstored, most_parts));
  }
}

template <class Part>
void normalise(std::vector<Part> &parts) {
  double sum = 0;
  for (const Part &part : parts) {
    sum += part.weight;
  }
  for (Part &part : parts) {
    part.weight /= sum;
  }
}

/// Many scales made few: within bins of log scale two points with the bin's first three moments.
/// What is left is of fourth order in the width.
std::vector<Node> condensed(const std::vector<CompetitorPart> &parts, bool stored) {
  constexpr double width = 0.01;
  struct Bin {
    double mass = 0;
    std::array<double, 3> power{}; // sums of weight u^k, u = offset from the bin's centre / width
  };
  std::map<int, Bin> bins;
  for (const CompetitorPart &part : parts) {
    const double log_scale = std::log(part.scale * (stored ? part.stored_sd : 1));
    const int place = static_cast<int>(std::floor(log_scale / width));
    const double u = log_scale / width - place - 0.5;
    Bin &bin = bins[place];
    bin.mass += part.weight;
    double product = part.weight;
    for (double &sum : bin.power) {
      product *= u;
      sum += product;
    }
  }
  std::vector<Node> nodes;
  for (const auto &[place, bin] : bins) {
    const double mean = bin.power[0] / bin.mass;
    const double variance = std::max(0.0, bin.power[1] / bin.mass - mean * mean);
    const double third =
        bin.power[2] / bin.mass - mean * (3 * bin.power[1] / bin.mass - 2 * mean * mean);
    constexpr double point_like = 1e-10;
    const auto at = [place = place](double u) { return std::exp((place + 0.5 + u) * width); };
    if (variance < point_like) {
      nodes.push_back({at(mean), std::log(bin.mass)});
      continue;
    }
    const double sd = std::sqrt(variance);
    const double half_skew = 0.5 * third / (variance * sd);
    const double root = std::hypot(1, half_skew);
    for (const double side : {-1.0, 1.0}) {
      nodes.push_back({at(mean + sd * (half_skew + side * root)),
                       std::log(bin.mass * 0.5 * (1 - side * half_skew / root))});
    }
  }
  return nodes;
}

/// log P(score <= s) of one competitor, and its derivative in s.
struct LogLaw {
  double log_cdf;
  double rate;
};

class HebbianScores final : public ScoreLaws {
public:
  HebbianScores(const HebbianMemory &memory, double facts)
      : problem(problem_of(memory, facts)), cross_talk(problem) {
    if (facts < 2) {
      throw_domain("facts", facts, "at least 2 for the laws of the scores");
    }
    if (!(problem.stored + problem.unstored >= 1)) {
      throw_domain("candidates", 1 + problem.stored + problem.unstored,
                   "at least 2 for the law of a competitor");
    }
    make_target();
    make_competitors();
    place();
  }

  [[nodiscard]] Estimate density(Score score, double x) const override;
  [[nodiscard]] Estimate distribution(Score score, double x) const override;
  [[nodiscard]] Estimate mean(Score score) const override;
  [[nodiscard]] Estimate standard_deviation(Score score) const override;
  [[nodiscard]] Range range(Score score) const override {
    return score == Score::target    ? target_range_
           : score == Score::maximum ? maximum_range_
                                     : competitor_range_;
  }

private:
  [[nodiscard]] double tolerance() const override { return 1e-9; } // the mixtures' error is 1e-7
  void make_target();
  void make_competitors();
  void place(); // the ranges
  [[nodiscard]] double competitor_variance() const;
  [[nodiscard]] LogLaw gaussian_law(double score, double sd) const;
  [[nodiscard]] LogLaw sphere_law(double score, double scale, double slope, bool stored) const;
  /// Distribution (first) and density (second) of the largest of `stored` and `unstored`.
  [[nodiscard]] std::pair<double, double> largest(double score, double stored,
                                                  double unstored) const;
  [[nodiscard]] std::pair<double, double> competitor(double score) const {
    return problem.stored > 0 ? largest(score, 1, 0) : largest(score, 0, 1);
  }
  [[nodiscard]] std::pair<double, double> maximum(double score) const {
    return largest(score, problem.stored, problem.unstored);
  }
  /// The same from tables made on first use: a sum over the mixture costs milliseconds.
  [[nodiscard]] numerics::PanelPair::Pair tabulated(Score score, double x) const;
  [[nodiscard]] double target_variance() const;
  [[nodiscard]] double target_density(double score) const;
  /// Score at which the maximum's distribution is about `probability`.
  [[nodiscard]] double maximum_quantile(double probability) const;

  Problem problem;
  CrossTalk cross_talk;
  std::vector<TargetPart> target;
  std::vector<CompetitorPart> competitors;
  std::unique_ptr<UnitSphereTail> stored_tail;
  std::unique_ptr<UnitSphereTail> unstored_tail;
  double highest_y = 0; // of the tails' tables
  Range target_range_{};
  Range competitor_range_{};
  Range maximum_range_{};
  mutable std::optional<numerics::PanelPair> competitor_table_;
  mutable std::optional<numerics::PanelPair> maximum_table_;
};

void HebbianScores::make_target() {
  const auto log_vs = grid(cross_talk.peak(), sds_per_step * cross_talk.sd(),
                           [&](double w) { return cross_talk.log_density(w); });
  for (const Node &v_node : log_vs) {
    const double v = std::exp(v_node.value);
    const double sd = std::sqrt(v / problem.dim_out);
    if (problem.sphere()) {
      target.push_back({1, sd, std::exp(v_node.log_weight)});
      continue;
    }
    // b (1 + v) d_in is chi^2_{n + d_in}, independent of v; the steps resolve the width sd.
    const double freedom = problem.others + problem.dim_in;
    const auto bs = log_chi_square(freedom, sds_per_step * sd);
    const auto qs = log_chi_square(problem.dim_out, sds_per_step * sd);
    const double log_norm = log_mass(bs) + log_mass(qs);
    for (const Node &b_node : bs) {
      const double b = std::exp(b_node.value) * freedom / (problem.dim_in * (1 + v));
      for (const Node &q_node : qs) {
        const double log_weight = v_node.log_weight + b_node.log_weight + q_node.log_weight;
        if (log_weight > log_least_weight) {
          const double q = std::exp(q_node.value);
          target.push_back({b * q, b * std::sqrt(q) * sd, std::exp(log_weight - log_norm)});
          require_few(target, problem);
        }
      }
    }
  }
  normalise(target);
}

void HebbianScores::make_competitors() {
  const double log_n = std::log(std::max(2.0, problem.stored + problem.unstored));
  const double coarsest = 0.5 / (1 + log_n); // log tails move by up to log n with log v, log R
  const auto log_vs = grid(cross_talk.peak(), std::min(sds_per_step * cross_talk.sd(), coarsest),
                           [&](double w) { return cross_talk.log_density(w); });
  double least = std::numeric_limits<double>::infinity();
  double steepest = -least;
  for (const Node &v_node : log_vs) {
    const double v = std::exp(v_node.value);
    const Polar polar(problem, v);
    const double y_step = sds_per_step * polar.y_sd();
    const double freedom = problem.others + problem.dim_in;
    const auto bs =
        problem.sphere() ? std::vector<Node>{{0, 0}} : log_chi_square(freedom, coarsest);
    const double y_mean = polar.y_mean();
    const double r_mean = polar.radius(polar.x_of(y_mean));
    const double top = polar.log_density(y_mean, polar.x_of(y_mean), r_mean, std::log(r_mean));
    const auto add = [&](int i, int k) {
      const double y = y_mean + i * y_step;
      const double x = polar.x_of(y);
      const double centre = polar.radius(x);
      const double r_step = std::min(sds_per_step * polar.log_radius_sd(centre), coarsest);
      const double r = centre * std::exp(k * r_step);
      const double height = polar.log_density(y, x, r, std::log(r)) - top;
      const double log_weight = v_node.log_weight + height;
      if (log_weight < log_least_weight) {
        return false;
      }
      const double slope = polar.slope(x, r);
      least = std::min(least, slope);
      steepest = std::max(steepest, slope);
      for (const Node &b_node : bs) {
        if (log_weight + b_node.log_weight < log_least_weight) {
          continue;
        }
        const double b =
            problem.sphere() ? 1 : std::exp(b_node.value) * freedom / (problem.dim_in * (1 + v));
        // The joint density is normalised at each v: weigh by the steps it is summed with.
        const double weight = std::exp(log_weight + b_node.log_weight + top) * r_step * y_step;
        competitors.push_back({b * r, slope, stored_sd(problem, v, slope), weight});
        require_few(competitors, problem);
      }
      return true;
    };
    for (const int side : {1, -1}) {
      for (int i = side == 1 ? 0 : -1; std::abs(i) < most_nodes; i += side) {
        if (!add(i, 0)) {
          break;
        }
        for (const int r_side : {1, -1}) {
          for (int k = r_side; std::abs(k) < most_nodes && add(i, k); k += r_side) {
          }
        }
      }
    }
  }
  normalise(competitors);
  const bool one_kind = problem.stored == 0 || problem.unstored == 0;
  if (!problem.sphere() && one_kind) { // only the Gaussian's s.d. matters
    const bool stored = problem.stored > 0;
    const auto nodes = condensed(competitors, stored);
    competitors.clear();
    for (const Node &node : nodes) {
      competitors.push_back({node.value, 0, 1, std::exp(node.log_weight)});
    }
  }
  if (problem.sphere()) {
    // Up to where all competitors together are negligible.
    const double dim = problem.dim_out;
    const double fall = 40 + log_n;
    const double effective = (dim - 1) / (1 + dim / problem.dim_in);
    highest_y = std::acosh(std::exp(std::min(fall / effective, 40.0)));
    const double slope = dim * std::min(1.0, std::sqrt(2 * log_n / dim));
    const double step = std::min(0.25 / slope, 0.25 / std::sqrt(dim));
    const int last = static_cast<int>(highest_y / step) + 5;
    const double cross = std::max(problem.others - 1, 0.5) / problem.dim_in;
    const double limit = 1.2 + 4 * std::sqrt(problem.dim_in / dim);
    if (problem.stored > 0) {
      stored_tail =
          std::make_unique<UnitSphereTail>(problem.dim_in, dim, cross, step, last,
                                           std::max(least, -limit), std::min(steepest, limit));
    }
    if (problem.unstored > 0 || problem.stored == 0) {
      unstored_tail = std::make_unique<UnitSphereTail>(
          problem.dim_in, dim, std::numeric_limits<double>::infinity(), step, last, 0, 0);
    }
  }
}

LogLaw HebbianScores::gaussian_law(double score, double sd) const {
  const double z = score / sd;
  const double log_probability = log_cdf(z);
  return {log_probability, std::exp(gaussian_kernel::log_density(z) - log_probability) / sd};
}

LogLaw HebbianScores::sphere_law(double score, double scale, double slope, bool stored) const {
  const double t = score / scale;
  const UnitSphereTail &tail = stored ? *stored_tail : *unstored_tail;
  const double y = std::abs(t) < 1 ? std::atanh(std::abs(t)) : highest_y;
  if (y >= highest_y) {
    return {t > 0 ? 0 : -std::numeric_limits<double>::infinity(), 0};
  }
  const auto point = tail.at(y, stored ? slope : 0);
  const double density =
      -point.derivative * std::exp(point.log_tail) / ((1 - t * t) * scale); // of the score
  const double log_probability = t < 0 ? point.log_tail : log_complement(point.log_tail);
  return {log_probability, density * std::exp(-log_probability)};
}

std::pair<double, double> HebbianScores::largest(double score, double stored,
                                                 double unstored) const {
  double distribution = 0;
  double density = 0;
  const double free_sd = 1 / std::sqrt(problem.dim_out);
  for (const CompetitorPart &part : competitors) {
    double log_value = 0;
    double rate = 0;
    const auto multiply = [&](double n, const LogLaw &law) {
      log_value += n * law.log_cdf;
      rate += n * law.rate;
    };
    if (stored > 0) {
      multiply(stored, problem.sphere() ? sphere_law(score, part.scale, part.slope, true)
                                        : gaussian_law(score, part.scale * part.stored_sd));
    }
    if (unstored > 0) {
      multiply(unstored, problem.sphere() ? sphere_law(score, part.scale, 0, false)
                                          : gaussian_law(score, part.scale * free_sd));
    }
    const double value = part.weight * std::exp(log_value);
    if (value > 0) {
      distribution += value;
      density += value * rate;
    }
  }
  return {distribution, density};
}

double HebbianScores::target_variance() const {
  const double cross = problem.others / (problem.dim_in * problem.dim_out);
  return problem.sphere() ? cross
                          : 2 / problem.dim_in + 2 / problem.dim_out +
                                4 / (problem.dim_in * problem.dim_out) + cross;
}

double HebbianScores::competitor_variance() const {
  const double more = problem.sphere() ? 0 : 2;
  const double of_b = 1 + more / problem.dim_in; // E b^2
  if (problem.stored > 0) {
    return of_b / problem.dim_out + (1 + more / problem.dim_out) / problem.dim_in +
           (problem.others - 1) / (problem.dim_in * problem.dim_out);
  }
  return (of_b + problem.others / problem.dim_in) / problem.dim_out;
}

double HebbianScores::target_density(double score) const {
  double sum = 0;
  for (const TargetPart &part : target) {
    sum += part.weight / part.sd * gaussian_kernel::density((score - part.mean) / part.sd);
  }
  return sum;
}

double HebbianScores::maximum_quantile(double probability) const {
  const double unit = std::sqrt(competitor_variance());
  const double n = problem.stored + problem.unstored;
  double low = -40 * unit;
  double high = (40 + 2 * std::sqrt(2 * std::log(n + 1))) * unit;
  constexpr double precision = 0.02; // of the unit: the quantile only places integrals
  while (high - low > precision * unit) {
    const double middle = 0.5 * (low + high);
    (maximum(middle).first < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// A number of the mixtures, with their error.
Estimate of_mixture(double value, double scale) {
  return {value, law_error * scale + 64 * epsilon * std::abs(value), 1,
          std::isfinite(value) ? Status::converged : Status::not_finite};
}

void HebbianScores::place() {
  constexpr double sds = 12;
  const double unit = std::sqrt(competitor_variance());
  const double sd = std::sqrt(target_variance());
  target_range_ = {1 - sds * sd, 1, sd, 1 + sds * sd};
  competitor_range_ = {-sds * unit, 0, unit, sds * unit};
  constexpr double outermost = 1e-10; // probability left out at either end
  constexpr double one_sd = 0.16;
  // The quantiles are rough: a unit is added.
  maximum_range_ = {maximum_quantile(outermost) - unit, maximum_quantile(0.5),
                    0.5 * (maximum_quantile(1 - one_sd) - maximum_quantile(one_sd)) + 0.02 * unit,
                    maximum_quantile(1 - outermost) + unit};
}

numerics::PanelPair::Pair HebbianScores::tabulated(Score score, double x) const {
  const bool one = score == Score::competitor;
  const Range &r = one ? competitor_range_ : maximum_range_;
  if (x <= r.lower || x >= r.upper) {
    return {x <= r.lower ? 0.0 : 1.0, 0.0};
  }
  const double panel = 0.5 * r.width;
  auto &table = one ? competitor_table_ : maximum_table_;
  if (!table) {
    table.emplace([this, one, panel](double u) -> numerics::PanelPair::Pair {
      const auto [distribution, density] = one ? competitor(panel * u) : maximum(panel * u);
      return {distribution, density};
    });
  }
  return (*table)(x / panel);
}

Estimate HebbianScores::density(Score score, double x) const {
  require_number("x", x);
  const double unit = std::sqrt(competitor_variance());
  switch (score) {
  case Score::target:
    return of_mixture(target_density(x), 1 / std::sqrt(target_variance()));
  case Score::competitor:
    return of_mixture(tabulated(score, x)[1], 1 / unit);
  case Score::maximum:
    break;
  }
  const double n = problem.stored + problem.unstored;
  const double narrower = std::sqrt(1 + 2 * std::log(n)); // the more there are
  return of_mixture(tabulated(score, x)[1], narrower / unit);
}

Estimate HebbianScores::distribution(Score score, double x) const {
  require_number("x", x);
  switch (score) {
  case Score::competitor:
  case Score::maximum:
    return of_mixture(tabulated(score, x)[0], 1);
  case Score::target:
    break;
  }
  double sum = 0;
  for (const TargetPart &part : target) {
    sum += part.weight * gaussian_kernel::cdf((x - part.mean) / part.sd);
  }
  return of_mixture(sum, 1);
}

Estimate HebbianScores::mean(Score score) const {
  return score == Score::target       ? exactly(1)
         : score == Score::competitor ? exactly(0)
                                      : ScoreLaws::mean(score);
}

Estimate HebbianScores::standard_deviation(Score score) const {
  return score == Score::target       ? rounded(std::sqrt(target_variance()), 8)
         : score == Score::competitor ? rounded(std::sqrt(competitor_variance()), 8)
                                      : ScoreLaws::standard_deviation(score);
}

} // namespace

std::unique_ptr<ScoreLaws> hebbian_scores(const HebbianMemory &memory, double facts) {
  return std::make_unique<HebbianScores>(memory, facts);
}

} // namespace lamcap
