// SPDX-License-Identifier: GPL-3.0-or-later
// Saddle points of the replica free entropy: see include/lamcap/replica.hpp.
#include "lamcap/replica.hpp"

#include "domain.hpp"
#include "lamcap/critical_load.hpp"
#include "mean_field.hpp"
#include "quenched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace lamcap {
namespace {

constexpr double largest_log_candidates = 100;
constexpr double most_quenched_candidates = 1e7;
constexpr std::int64_t fewest_samples = 10;   // below it a standard error means little
constexpr double most_scores = 1e10;          // samples times candidates
constexpr double tolerance = 1e-6;            // of overlap and free entropy, else not converged
constexpr double statistical_tolerance = 0.1; // of 1 - q: the same for a standard error
constexpr double pilot_tolerance = 1e-4;      // of logit(q), with a share of the samples
constexpr double statistical_root_tolerance = 3e-5; // the same with all: below their noise
constexpr double root_tolerance = 1e-12;            // of logit(q)
constexpr std::int64_t pilot_share = 16; // of the samples, to find the root's neighbourhood

double require_overlap(double overlap) {
  if (!(overlap >= 0 && overlap < 1)) {
    throw_domain("overlap", overlap, "in [0, 1)");
  }
  return overlap;
}

double logit(double q) {
  return std::log(q) - std::log1p(-q);
}
double from_logit(double w) {
  return w < 0 ? std::exp(w) / (1 + std::exp(w)) : 1 / (1 + std::exp(-w));
}

/// E_K(q) and S(q) of a model.
Energy energy_of(const ReplicaModel &m, double q, std::int64_t samples) {
  switch (m.competitors) {
  case Competitors::leading: {
    const double l = m.candidates.log();
    return {rounded(-l / (1 - q), 4), rounded(2 * l, 1)};
  }
  case Competitors::mean_field:
    return MeanFieldEnergy(m.candidates, m.margin, q).energy();
  case Competitors::quenched:
    break;
  }
  return QuenchedEnergy(m.candidates, m.margin, m.seed).energy(q, samples);
}

Estimate resistance_at_capacity(const ReplicaModel &m) {
  switch (m.competitors) {
  case Competitors::leading:
    return rounded(2 * m.candidates.log(), 1);
  case Competitors::mean_field:
    return mean_field_resistance_at_capacity(m.candidates, m.margin);
  case Competitors::quenched:
    break;
  }
  return statistical_dimension(m.candidates, m.margin);
}

void check(const ReplicaModel &m) {
  if (!(m.candidates.value() >= 2)) {
    throw_domain("candidates", m.candidates.value(), "at least 2");
  }
  if (m.candidates.log() > largest_log_candidates) {
    throw std::domain_error(fmt::format("candidates = {} (logarithm {}): must be at most e^{}",
                                        m.candidates.value(), m.candidates.log(),
                                        largest_log_candidates));
  }
  require_margin(m.margin);
  if (m.competitors != Competitors::quenched) {
    return;
  }
  if (!m.candidates.whole() || m.candidates.value() > most_quenched_candidates) {
    throw_domain("candidates", m.candidates.value(),
                 fmt::format("a whole number of at most {} for quenched competitors",
                             most_quenched_candidates));
  }
  // One sample costs time in proportion to K: the largest product takes some minutes.
  const auto most = static_cast<std::int64_t>(most_scores / m.candidates.value());
  if (m.samples < fewest_samples || m.samples > most) {
    throw std::domain_error(fmt::format("samples = {}: must be from {} to {} for {} candidates",
                                        m.samples, fewest_samples, most, m.candidates.value()));
  }
}

std::string_view name_of(Competitors c) {
  return c == Competitors::leading      ? "leading"
         : c == Competitors::mean_field ? "mean-field"
                                        : "quenched";
}

} // namespace

Replica::Replica(const ReplicaModel &model) : model_(model), log_k_(model.candidates.log()) {
  check(model);
  critical_load_ = exactly(log_k_) / resistance_at_capacity(model);
}

Estimate Replica::energy(double overlap) const {
  return energy_of(model_, require_overlap(overlap), model_.samples).value;
}

Estimate Replica::energy_slope(double overlap) const {
  const double rest = 1 - require_overlap(overlap);
  return exactly(-0.5 / (rest * rest)) * energy_of(model_, overlap, model_.samples).resistance;
}

Estimate Replica::entropic(double overlap) {
  const double rest = 1 - require_overlap(overlap);
  const double logarithm = std::log1p(-overlap);
  Estimate result = rounded(0.5 * (logarithm + overlap / rest), 1);
  if (overlap < 1e-4) { // the two cancel: q^2/4 + q^3/3 + 3 q^4/8
    const double q = overlap;
    return rounded(q * q * (0.25 + q * (1.0 / 3 + 0.375 * q)), 4);
  }
  result.error += 2 * epsilon * (std::abs(logarithm) + overlap / rest);
  return result;
}

Estimate Replica::free_entropy(double overlap, double load) const {
  require_at_least("load", load, 0);
  return entropic(overlap) + exactly(load / log_k_) * energy(overlap);
}

ReplicaState Replica::solve(double load) const {
  if (!(load > 0 && load < critical_load_.value)) {
    throw_domain("load", load,
                 fmt::format("above 0 and below {}, where the {} theory's overlap reaches 1",
                             critical_load_.value, name_of(model_.competitors)));
  }
  return solve_from(load, 0);
}

namespace {

/// The equation log alpha(q) = log alpha over w = logit(q), divided by 1 - alpha / alpha_c: near the
/// solution its slope in w is about 1 at every load.
class SaddleEquation {
public:
  SaddleEquation(const ReplicaModel &model, double load, double critical_load)
      : model_(model), load_(load), scale_(1 - load / critical_load) {}

  [[nodiscard]] double operator()(double w, std::int64_t samples) {
    const auto key = std::pair(w, samples);
    const auto found = known_.find(key);
    const Energy &e =
        found != known_.end()
            ? found->second
            : known_.emplace(key, energy_of(model_, from_logit(w), samples)).first->second;
    evaluations_ += found == known_.end() ? 1 : 0;
    return (std::log(model_.candidates.log() * from_logit(w) / (load_ * e.resistance.value))) /
           scale_;
  }

  /// E and S at a w that was evaluated.
  [[nodiscard]] const Energy &at(double w, std::int64_t samples) {
    (void)(*this)(w, samples);
    return known_.at({w, samples});
  }

  /// Error of w that comes from S.
  [[nodiscard]] double error(const Energy &e) const {
    return e.resistance.relative_error() / scale_;
  }
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

private:
  const ReplicaModel &model_;
  double load_;
  double scale_;
  std::map<std::pair<double, std::int64_t>, Energy> known_;
  std::int64_t evaluations_ = 0;
};

struct Root {
  Estimate w;
  double slope; // of the equation there
};

/// Newton with the slope of the last two points (the given one at first), kept inside the bracket once there is
/// one; steps that leave it become bisections.
Root root_of(SaddleEquation &equation, double guess, double slope, std::int64_t samples,
             double enough) {
  constexpr int most_steps = 80;
  constexpr double largest_step = 4; // of logit(q)
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = -infinity;
  double high = infinity;
  double w = guess;
  double f = equation(w, samples);
  double last_w = w;
  double last_f = f;
  for (int i = 0; i < most_steps; ++i) {
    if (!std::isfinite(f)) {
      const Status why = equation.at(w, samples).resistance.status;
      return {{w, infinity, 0, why == Status::converged ? Status::not_finite : why}, slope};
    }
    if (std::abs(f) <= enough || high - low <= enough * std::max(1.0, std::abs(w))) {
      return {{w, std::max(std::abs(f) / slope, epsilon * std::abs(w)), 0, Status::converged},
              slope};
    }
    (f > 0 ? high : low) = w;
    double next = w - std::clamp(f / slope, -largest_step, largest_step);
    if (!(next > low && next < high)) {
      next = std::isfinite(high - low) ? 0.5 * (low + high) : w - std::copysign(largest_step, f);
    }
    last_w = w;
    last_f = f;
    w = next;
    f = equation(w, samples);
    const double secant = (f - last_f) / (w - last_w);
    constexpr double least_slope = 0.2; // of an equation whose slope is near 1: less is noise
    slope = secant > least_slope && secant < 1 / least_slope ? secant : slope;
  }
  return {{w, infinity, 0, Status::not_converged}, slope};
}

} // namespace

ReplicaState Replica::solve_from(double load, double guess) const {
  ReplicaState state;
  state.load = load;
  SaddleEquation equation(model_, load, critical_load_.value);
  const bool statistical = model_.competitors == Competitors::quenched;
  const double start = guess + logit(load / critical_load_.value);
  Root pilot{{start, 0, 0, Status::converged}, 1};
  if (statistical && model_.samples > 2 * pilot_share) {
    const std::int64_t few = std::max<std::int64_t>(2, model_.samples / pilot_share);
    pilot = root_of(equation, start, 1, few, pilot_tolerance);
  }
  const Estimate w =
      root_of(equation, pilot.w.converged() ? pilot.w.value : start, pilot.slope, model_.samples,
              statistical ? statistical_root_tolerance : root_tolerance)
          .w;
  if (!w.converged()) {
    state.status = w.status;
    for (Estimate *e :
         {&state.overlap, &state.free_entropy, &state.energy, &state.slope, &state.residual}) {
      e->status = w.status;
    }
    return state;
  }
  const double q = from_logit(w.value);
  const Energy energy = equation.at(w.value, model_.samples);
  constexpr double slope_allowance = 1.5; // of the equation's slope in w, which is near 1
  const double w_error = w.error + slope_allowance * equation.error(energy);
  const double q_error = q * (1 - q) * w_error + 2 * epsilon * q;
  state.overlap = {q, q_error, equation.evaluations(), Status::converged};
  state.energy = energy.value;
  state.residual = exactly(q) - exactly(load / log_k_) * energy.resistance;
  state.free_entropy = entropic(q) + exactly(load / log_k_) * energy.value;
  state.free_entropy.error += // second order in the distance from the stationary point
      0.5 * (std::abs(state.residual.value) + state.residual.error) / ((1 - q) * (1 - q)) * q_error;
  state.slope = energy.value / exactly(log_k_);
  const double allowed = statistical ? statistical_tolerance * (1 - q) : tolerance;
  const bool known =
      q_error <= allowed &&
      (statistical ||
       state.free_entropy.error <= tolerance * std::max(1.0, std::abs(state.free_entropy.value)));
  state.status = !energy.value.converged() ? energy.value.status
                 : known                   ? Status::converged
                                           : Status::not_converged;
  for (Estimate *e : {&state.overlap, &state.free_entropy}) {
    e->status = worse(e->status, state.status);
  }
  return state;
}

std::vector<ReplicaState> Replica::curve(const std::vector<double> &loads) const {
  std::vector<ReplicaState> states(loads.size());
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
  for (const double load : loads) {
    if (!(load > 0 && load < critical_load_.value)) {
      (void)solve(load); // refuses it by name
    }
  }
  // logit(q) - logit(alpha / alpha_c) changes slowly along the curve: it is continued linearly in
  // logit(alpha / alpha_c).
  struct Point {
    double position;
    double shift;
  };
  const auto sweep = [&](auto first, auto last) {
    std::vector<Point> known; // the last two converged points
    for (auto i = first; i != last; ++i) {
      ReplicaState &state = states[*i];
      const double position = logit(loads[*i] / critical_load_.value);
      if (state.status != Status::converged) {
        double guess = known.empty() ? 0 : known.back().shift;
        if (known.size() == 2 && known[1].position != known[0].position) {
          guess += (known[1].shift - known[0].shift) / (known[1].position - known[0].position) *
                   (position - known[1].position);
        }
        state = solve_from(loads[*i], guess);
      }
      if (state.status == Status::converged) { // never start from a failed point
        if (known.size() == 2) {
          known.erase(known.begin());
        }
        known.push_back({position, logit(state.overlap.value) - position});
      }
    }
  };
  sweep(order.begin(), order.end());
  sweep(order.rbegin(), order.rend());
  return states;
}

} // namespace lamcap
