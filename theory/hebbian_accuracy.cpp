// SPDX-License-Identifier: GPL-3.0-or-later
// Recall of the Hebbian memory at finite size: see include/lamcap/hebbian.hpp.
#include "hebbian_kernel.hpp"

#include "domain.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "numerics/gamma.hpp"
#include "unit_sphere_tail.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

namespace lamcap {
namespace hebbian_kernel {

namespace {
constexpr double least_dim = 8;
constexpr double largest_dim = 1e6;
constexpr double largest_candidates = 1e15;
constexpr double log_two_pi = 1.837877066409345483560659472811;
} // namespace

Problem problem_of(const HebbianMemory &memory, double facts) {
  const auto require_dim = [](const char *name, double dim) {
    if (!(dim >= least_dim && dim <= largest_dim)) {
      throw_domain(name, dim, fmt::format("from {} to {}", least_dim, largest_dim));
    }
  };
  require_dim("dim_in", memory.dim_in);
  require_dim("dim_out", memory.dim_out);
  if (!(facts >= 1 && facts <= largest_facts)) {
    throw_domain("facts", facts, fmt::format("from 1 to {}", largest_facts));
  }
  const double candidates = memory.candidates ? memory.candidates->value() : facts;
  if (!(candidates >= 1 && candidates <= largest_candidates)) {
    throw_domain("candidates", candidates, fmt::format("from 1 to {}", largest_candidates));
  }
  const double stored = std::min(candidates, facts);
  return {memory.dim_in, memory.dim_out,      facts - 1,
          stored - 1,    candidates - stored, memory.embeddings};
}

CrossTalk::CrossTalk(const Problem &problem) : sphere_(problem.sphere()) {
  if (sphere_) {
    // c^2 of a component of a unit vector: mean 1/d, variance 2 (d - 1) / (d^2 (d + 2)).
    a_ = 0.5 * problem.others * (problem.dim_in + 2) / (problem.dim_in - 1);
    peak_ = std::log(problem.others / problem.dim_in);
    sd_ = 1 / std::sqrt(a_);
  } else {
    a_ = 0.5 * problem.others;
    c_ = 0.5 * problem.dim_in;
    peak_ = std::log(a_ / c_);
    sd_ = std::sqrt(1 / a_ + 1 / c_);
  }
}

double CrossTalk::log_density(double offset) const {
  if (sphere_) {
    return a_ * (offset - std::expm1(offset));
  }
  // a w - (a + c) log((1 + v) / (1 + v_peak)), v_peak / (1 + v_peak) = a / (a + c).
  return a_ * offset - (a_ + c_) * std::log1p(a_ / (a_ + c_) * std::expm1(offset));
}

Polar::Polar(const Problem &problem, double v)
    : sphere_(problem.sphere()), dim_(problem.dim_out), v_(v) {
  const double half = 0.5 * dim_;
  if (sphere_) {
    log_norm_ = half * (log_two_pi + std::log(v / dim_)) + numerics::log_gamma(half - 0.5) -
                std::numbers::ln2 - (half - 0.5) * std::log(std::numbers::pi);
  } else {
    log_norm_ = 0.5 * (log_two_pi + std::log(v / dim_) - std::log1p(v)) + half * std::log1p(v) -
                std::numbers::ln2 - half * std::log(half) + numerics::log_gamma(half);
  }
}

double Polar::y_mean() const {
  return sphere_ ? std::asinh(1 / std::sqrt(v_)) : 1 / std::sqrt(1 + v_);
}

double Polar::y_sd() const {
  return std::sqrt((v_ + 0.5) / ((1 + v_) * dim_));
}

double Polar::radius(double x) const {
  const double root = std::sqrt(x * x + 4 * v_);
  return x > 0 ? 0.5 * (x + root) : 2 * v_ / (root - x); // R^2 - x R = v
}

double Polar::log_radius_sd(double r) const {
  return 1 / std::sqrt(dim_ * (1 + r * r / v_));
}

double Polar::log_density(double y, double x, double r, double log_r) const {
  const double along = r - x;
  if (sphere_) {
    const double log_cosh =
        std::abs(y) + std::log1p(std::exp(-2 * std::abs(y))) - std::numbers::ln2;
    const double sine_squared = std::exp(-2 * log_cosh); // 1 - x^2
    return dim_ * log_r - (dim_ - 1) * log_cosh - 0.5 * dim_ / v_ * (along * along + sine_squared) -
           log_norm_;
  }
  return dim_ * log_r - 0.5 * dim_ * (x * x + along * along / v_) - log_norm_;
}

} // namespace hebbian_kernel

namespace {

using namespace hebbian_kernel;

constexpr double log_negligible = -28; // e^-28 = 7e-13, of the largest term
constexpr double negligible = 7e-13;
constexpr double sds_per_step = 0.7; // of log v and log R
constexpr int most_nodes = 4000;     // a side, of any sum

/// A sum, and the same by every second node of each of its three grids (with doubled weights).
struct Sums {
  double all = 0;
  double coarse_x = 0;
  double coarse_r = 0;
  double coarse_v = 0;

  void add(const Sums &s, double weight, bool even_x, bool even_r, bool even_v) {
    all += weight * s.all;
    coarse_x += even_x ? 2 * weight * s.coarse_x : 0;
    coarse_r += even_r ? 2 * weight * s.coarse_r : 0;
    coarse_v += even_v ? 2 * weight * s.coarse_v : 0;
  }
};

/// Sum over k = 0, 1, -1, 2, -2, ... of term(k), each side up to its first negligible term.
template <class Term>
void sum_outwards(const Term &term) {
  double total = term(0);
  for (const int side : {1, -1}) {
    for (int k = 1; k < most_nodes; ++k) {
      const double size = term(side * k);
      total += size;
      if (size <= negligible * total) {
        break;
      }
    }
  }
}

/// Probability that a fact is not recalled.
class Failure {
public:
  explicit Failure(const Problem &problem);
  [[nodiscard]] Estimate probability() const;

private:
  /// Everything at one v.
  [[nodiscard]] Sums at(double v, std::int64_t &evaluations) const;
  /// log P(an unstored competitor's score < the target's), node i of y, and what it has to beat.
  [[nodiscard]] double log_unstored(int i, double x) const;
  [[nodiscard]] double log_stored(int i, double x, double slope, double v) const;
  [[nodiscard]] double fails(double log_unstored, double log_stored) const {
    return -std::expm1(power_log(problem_.unstored, log_unstored) +
                       power_log(problem_.stored, log_stored));
  }
  void make_tails();

  Problem problem_;
  CrossTalk cross_talk_;
  double step_ = 0;         // of y
  double coarsest_log_ = 0; // step of log v and log R: log tails move by up to log n with them
  int last_ = 0;            // of the tables' nodes
  std::unique_ptr<UnitSphereTail> stored_tail_;
  std::unique_ptr<UnitSphereTail> unstored_tail_;
};

Failure::Failure(const Problem &problem) : problem_(problem), cross_talk_(problem) {
  // The transition of n tail(x) through 1 has the scale 1 / slope of the log tail, d_out x there.
  const double dim = problem_.dim_out;
  const double log_n = std::log(std::max(2.0, problem_.stored + problem_.unstored));
  const double x = std::sqrt(2 * log_n / dim);
  const double slope = dim * (problem_.sphere() ? std::min(1.0, x) : x);
  constexpr double transition_steps = 0.33;
  constexpr double steps = 3; // per s.d. of y, which is at least sqrt(1 / (2 d))
  step_ = std::min(transition_steps / slope, std::sqrt(0.5 / dim) / steps);
  coarsest_log_ = 1 / (1 + log_n);
  if (problem_.sphere()) {
    make_tails();
  }
}

/// Tables over all x and slopes that the sums visit.
void Failure::make_tails() {
  constexpr double reach = 7.5; // s.d., e^-28
  const double steepest = 1.2 + 4 * std::sqrt(problem_.dim_in / problem_.dim_out);
  const double n = problem_.stored + problem_.unstored;
  const double exponent = 0.5 * (problem_.dim_out - 1) / (1 + problem_.dim_out / problem_.dim_in);
  double highest = 0;
  double least = steepest;
  double largest = -steepest;
  const auto visit = [&](double offset) {
    const double v = std::exp(cross_talk_.peak() + offset);
    const Polar polar(problem_, v);
    highest = std::max(highest, polar.y_mean() + reach * polar.y_sd());
    for (const double deviation : {-reach, 0.0, reach}) {
      const double x = polar.x_of(polar.y_mean() + deviation * polar.y_sd());
      const double r = polar.radius(x);
      for (const double side : {-reach, reach}) {
        const double slope = polar.slope(x, r * std::exp(side * polar.log_radius_sd(r)));
        least = std::min(least, slope);
        largest = std::max(largest, slope);
      }
    }
  };
  visit(0);
  for (const int side : {-1, 1}) {
    for (int i = 1; i < most_nodes; ++i) {
      const double offset = side * i * cross_talk_.sd();
      const double log_fails =
          std::log(n) - exponent * std::log1p(std::exp(-cross_talk_.peak() - offset));
      if (cross_talk_.log_density(offset) + std::min(0.0, log_fails) < log_negligible) {
        break;
      }
      visit(offset);
    }
  }
  last_ = static_cast<int>(highest / step_) + 1;
  const double cross_talk = std::max(problem_.others - 1, 0.5) / problem_.dim_in;
  if (problem_.stored > 0) {
    stored_tail_ = std::make_unique<UnitSphereTail>(problem_.dim_in, problem_.dim_out, cross_talk,
                                                    step_, last_, std::max(least, -steepest),
                                                    std::min(largest, steepest));
  }
  if (problem_.unstored > 0) {
    unstored_tail_ = std::make_unique<UnitSphereTail>(problem_.dim_in, problem_.dim_out,
                                                      std::numeric_limits<double>::infinity(),
                                                      step_, last_, 0, 0);
  }
}

double Failure::log_unstored(int i, double x) const {
  if (problem_.unstored == 0) {
    return 0;
  }
  if (!problem_.sphere()) {
    return log_cdf(x * std::sqrt(problem_.dim_out));
  }
  const double log_tail = unstored_tail_->log_tail(std::min(std::abs(i), last_), 0);
  return i < 0 ? log_tail : log_complement(log_tail);
}

double Failure::log_stored(int i, double x, double slope, double v) const {
  if (problem_.stored == 0) {
    return 0;
  }
  if (!problem_.sphere()) {
    return log_cdf(x / stored_sd(problem_, v, slope));
  }
  const double log_tail = stored_tail_->log_tail(std::min(std::abs(i), last_), slope);
  return i < 0 ? log_tail : log_complement(log_tail);
}

Sums Failure::at(double v, std::int64_t &evaluations) const {
  const Polar polar(problem_, v);
  constexpr double below = 14; // s.d. of y that matter
  constexpr double above = 7.5;
  const int first = static_cast<int>(std::floor((polar.y_mean() - below * polar.y_sd()) / step_));
  const int last = static_cast<int>(std::ceil((polar.y_mean() + above * polar.y_sd()) / step_));
  // First the size of each node's term at the most probable R, then the sums over R that matter.
  struct Node {
    int i;
    double x;
    double r;
    double sd;
    double log_unstored;
    double log_size;
  };
  std::vector<Node> nodes;
  double largest = -std::numeric_limits<double>::infinity();
  for (int i = first; i <= last; ++i) {
    Node node{
        .i = i, .x = polar.x_of(i * step_), .r = 0, .sd = 0, .log_unstored = 0, .log_size = 0};
    node.r = polar.radius(node.x);
    node.sd = polar.log_radius_sd(node.r);
    node.log_unstored = log_unstored(i, node.x);
    const double f =
        fails(node.log_unstored, log_stored(i, node.x, polar.slope(node.x, node.r), v));
    node.log_size = polar.log_density(i * step_, node.x, node.r, std::log(node.r)) +
                    std::log(node.sd) + std::log(f);
    largest = std::max(largest, node.log_size);
    nodes.push_back(node);
  }
  Sums sums;
  for (const Node &node : nodes) {
    if (!(node.log_size > largest + log_negligible)) {
      continue;
    }
    const double log_r = std::log(node.r);
    const double radial_step = std::min(sds_per_step * node.sd, coarsest_log_);
    Sums inner;
    sum_outwards([&](int k) {
      const double r = node.r * std::exp(k * radial_step);
      const double f =
          fails(node.log_unstored, log_stored(node.i, node.x, polar.slope(node.x, r), v));
      const double term =
          f * std::exp(polar.log_density(node.i * step_, node.x, r, log_r + k * radial_step));
      inner.add({term, term, term, term}, radial_step, true, k % 2 == 0, true);
      ++evaluations;
      return term;
    });
    inner.coarse_x *= 0.5; // even_x and even_v were said for every k: take their factor 2 back
    inner.coarse_v *= 0.5;
    sums.add(inner, step_, node.i % 2 == 0, true, true);
  }
  sums.coarse_r *= 0.5;
  sums.coarse_v *= 0.5;
  return sums;
}

Estimate Failure::probability() const {
  Estimate result;
  result.evaluations = 0;
  Sums sums;
  double mass = 0;
  double coarse_mass = 0;
  const double step = std::min(sds_per_step * cross_talk_.sd(), coarsest_log_);
  sum_outwards([&](int k) {
    const double weight = std::exp(cross_talk_.log_density(k * step));
    mass += weight;
    coarse_mass += k % 2 == 0 ? 2 * weight : 0;
    return weight;
  });
  sum_outwards([&](int k) {
    const double weight = std::exp(cross_talk_.log_density(k * step));
    const Sums one = at(std::exp(cross_talk_.peak() + k * step), result.evaluations);
    sums.add(one, weight / mass, true, true, k % 2 == 0);
    return weight * one.all;
  });
  sums.coarse_x *= 0.5;
  sums.coarse_r *= 0.5;
  sums.coarse_v *= mass / coarse_mass;
  const double value = sums.all;
  const auto relative = [value](double coarse) { return std::abs(coarse / value - 1); };
  result.value = std::min(1.0, value);
  if (value > 0) {
    const double x = relative(sums.coarse_x);
    const double r = relative(sums.coarse_r);
    const double w = relative(sums.coarse_v);
    constexpr double safety = 10;
    constexpr double truncation = 100 * negligible;
    const double rounding = 8 * epsilon * problem_.dim_out * (2 + std::abs(cross_talk_.peak()));
    double relative_error =
        safety * (x * std::sqrt(x) + r * r * r + w * w * w) + truncation + rounding;
    for (const auto *tail : {stored_tail_.get(), unstored_tail_.get()}) {
      relative_error += tail == nullptr ? 0 : tail->relative_error();
    }
    result.error = value * relative_error + least_positive;
  } else {
    result.error = std::numeric_limits<double>::min();
  }
  result.status = std::isfinite(value) ? Status::converged : Status::not_finite;
  return result;
}

/// One fact and no cross-talk: r = b u.  Unit sphere: always recalled.
Estimate failure_of_one_fact(const Problem &problem) {
  if (problem.sphere()) {
    return exactly(0);
  }
  // x = chi_d / sqrt(d): 1 - E Phi(sqrt(d) x)^n, in log x about the peak of its density.
  const double dim = problem.dim_out;
  const double step = 0.25 / std::sqrt(2 * dim);
  const double log_norm =
      numerics::log_gamma(0.5 * dim) - std::numbers::ln2 - 0.5 * dim * std::log(0.5 * dim);
  double sum = 0;
  double coarse = 0;
  std::int64_t evaluations = 0;
  sum_outwards([&](int k) {
    const double x = std::exp(k * step);
    const double f = -std::expm1(power_log(problem.unstored, log_cdf(x * std::sqrt(dim))));
    const double term = f * std::exp(dim * (k * step - 0.5 * x * x) - log_norm) * step;
    sum += term;
    coarse += k % 2 == 0 ? 2 * term : 0;
    ++evaluations;
    return term;
  });
  const double difference = sum > 0 ? std::abs(coarse / sum - 1) : 0;
  const double relative = 10 * difference * std::sqrt(difference) + 100 * negligible;
  return {sum, sum * (relative + 8 * epsilon * dim) + least_positive, evaluations,
          Status::converged};
}

/// Probability that a fact is not recalled; between p = 1 and 2 linear in p.
Estimate failure(const HebbianMemory &memory, double facts) {
  const Problem problem = problem_of(memory, facts);
  if (problem.stored + problem.unstored <= 0) {
    return exactly(0);
  }
  if (facts < 2) {
    const double candidates = memory.candidates ? memory.candidates->value() : 1;
    HebbianMemory one = memory;
    one.candidates = candidates;
    const Estimate at_one = failure_of_one_fact(problem_of(one, 1));
    if (facts == 1) {
      return at_one;
    }
    HebbianMemory two = memory;
    if (!memory.candidates) {
      two.candidates = 2;
    }
    return exactly(2 - facts) * at_one + exactly(facts - 1) * failure(two, 2);
  }
  return Failure(problem).probability();
}

/// Probabilities known worse than this are not called converged.
constexpr double worst_error = 1e-4;

Estimate checked(Estimate probability) {
  if (probability.converged() && !(probability.error <= worst_error)) {
    probability.status = Status::not_converged;
  }
  return probability;
}

/// (1 - failure)^p, between the powers at both ends of the failure's interval.
Estimate power(const Estimate &failure, double facts) {
  const auto at = [facts](double f) {
    return std::exp(facts * std::log1p(-std::clamp(f, 0.0, 1.0)));
  };
  Estimate result = failure;
  result.value = at(failure.value);
  const double highest = at(failure.value - failure.error);
  const double lowest = at(failure.value + failure.error);
  const double log_value = facts * std::log1p(-failure.value);
  const double rounding = result.value > 0 ? 4 * epsilon * (1 - log_value) * result.value : 0;
  result.error =
      std::max(highest - result.value, result.value - lowest) + rounding + least_positive;
  return checked(result);
}

/// p at which score(p), decreasing in p, passes `level`.
Estimate crossing(const std::function<Estimate(double)> &score, double first_guess, double largest,
                  double level) {
  Estimate result;
  result.evaluations = 0;
  Status status = Status::converged;
  double error = 0; // of score, the largest seen
  const auto excess = [&](double log_facts) {
    const Estimate e = score(std::exp(log_facts));
    result.evaluations += e.evaluations;
    status = worse(status, e.status);
    error = std::max(error, e.error);
    return e.value - level;
  };
  // A bracket from the guess, by doubling and halving p.
  const double highest = std::log(largest);
  double low = std::min(std::log(first_guess), highest);
  double high = low;
  double f = excess(low);
  const bool up = f >= 0;
  while ((f >= 0) == up) {
    if (up ? high >= highest : low <= 0) {
      result.status = f == 0 ? status : Status::no_sign_change;
      result.value = std::exp(low);
      result.error = f == 0 ? error : std::numeric_limits<double>::infinity();
      return result;
    }
    if (up) {
      low = high;
      high = std::min(high + std::numbers::ln2, highest);
    } else {
      high = low;
      low = std::max(low - std::numbers::ln2, 0.0);
    }
    f = excess(up ? high : low);
  }
  constexpr double tolerance = 1e-11; // of log p
  error = 0;
  const Estimate root = numerics::find_root(
      excess, low, high, {.relative_tolerance = 2 * epsilon, .absolute_tolerance = tolerance});
  // An error of the score moves the root by error / slope.
  constexpr double step = 1e-4;
  const double error_of_score = error;
  const double before = std::max(0.0, root.value - step); // p >= 1
  const double after = std::min(highest, root.value + step);
  const double slope = (excess(before) - excess(after)) / (after - before); // > 0
  const double log_error = root.error + 2 * error_of_score / slope;
  result.value = std::exp(root.value);
  result.error = result.value * std::expm1(log_error) + 4 * epsilon * result.value;
  result.status = worse(status, root.status);
  constexpr double worst_relative = 1e-3;
  if (!(result.error >= 0 && result.error <= worst_relative * result.value)) {
    result.status = Status::not_converged;
  }
  return result;
}

/// The search's start and end.
Estimate facts_at(const HebbianMemory &memory, double level, double load,
                  Estimate (*score)(const HebbianMemory &, double)) {
  require_open_unit("level", level);
  (void)problem_of(memory, 1);
  const double size = memory.dim_in * memory.dim_out;
  const double guess = std::max(2.0, load * size / std::log(size));
  constexpr double beyond = 1e3; // cross-talk far above every target
  return crossing([&](double facts) { return score(memory, facts); }, guess,
                  std::min(beyond * size, largest_facts), level);
}

} // namespace

Estimate hebbian_accuracy(const HebbianMemory &memory, double facts) {
  return checked(exactly(1) - failure(memory, facts));
}

Estimate hebbian_all_recalled(const HebbianMemory &memory, double facts) {
  return power(failure(memory, facts), facts);
}

Estimate hebbian_facts_at_accuracy(const HebbianMemory &memory, double level) {
  return facts_at(memory, level, hebbian_average_load, &hebbian_accuracy);
}

Estimate hebbian_facts_at_all_recalled(const HebbianMemory &memory, double level) {
  return facts_at(memory, level, hebbian_strict_load, &hebbian_all_recalled);
}

} // namespace lamcap
