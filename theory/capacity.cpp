// SPDX-License-Identifier: GPL-3.0-or-later
// From dimensions to facts and back: see include/lamcap/capacity.hpp.
#include "lamcap/capacity.hpp"

#include "domain.hpp"
#include "lamcap/listwise.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "lamcap/singular_law.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace lamcap {
namespace {

constexpr double root_tolerance = 1e-13; // of p, relative: below the error that delta carries to p
constexpr double largest_dim = 1e100;    // products of dimensions stay far inside double

// ---- checks -------------------------------------------------------------------------------------

void require_whole(std::string_view name, double value, double low, double high,
                   std::string_view high_name) {
  if (!(value >= low && value <= high && value == std::floor(value))) {
    throw_domain(name, value, fmt::format("a whole number from {} to {}", low, high_name));
  }
}

void check_dimensions(const Memory &m) {
  if (!m.dim_in || !m.dim_out) {
    throw std::invalid_argument("dim_in and dim_out must be given together");
  }
  const bool equal = !(*m.dim_in < *m.dim_out) && !(*m.dim_in > *m.dim_out); // NaN too
  require_whole(equal ? "dim" : "dim_in", *m.dim_in, 1, largest_dim, "1e100");
  require_whole(equal ? "dim" : "dim_out", *m.dim_out, 1, largest_dim, "1e100");
}

void check_rank(const Memory &m, double largest, std::string_view largest_name) {
  if (m.rank && m.rank_ratio) {
    throw std::invalid_argument(fmt::format("rank = {} and rank_ratio = {}: must not both be given",
                                            *m.rank, *m.rank_ratio));
  }
  if (m.rank) {
    require_whole("rank", *m.rank, 1, largest, largest_name);
  }
  if (m.rank_ratio) {
    require_ratio("rank_ratio", *m.rank_ratio);
  }
}

void check_criterion(const Criterion &c, const Memory &m) {
  if (c.rule != Rule::optimal && c.method != Method::exact) {
    throw std::invalid_argument("method: approximations belong to rule optimal; leave it exact");
  }
  if (c.rule == Rule::hebbian) {
    if (c.margin != 0) {
      throw_domain("margin", c.margin, "0 for rule hebbian");
    }
    if (m.rank || (m.rank_ratio && *m.rank_ratio != 1)) {
      throw_domain(m.rank ? "rank" : "rank_ratio", m.rank ? *m.rank : *m.rank_ratio,
                   "left out for rule hebbian, whose rank is not constrained");
    }
  }
}

/// Whether facts are each other's candidates.
bool shares_candidates(const Criterion &c) {
  return c.rule != Rule::listwise && !c.candidates;
}

/// Fewest facts that the criterion speaks of.  The expansion of p delta(p) decreases below 5.
double fewest_facts(const Criterion &c) {
  constexpr double expansion_from = 5;
  const bool expansion = c.rule == Rule::optimal && c.method == Method::expansion;
  return !shares_candidates(c) ? 1 : expansion ? expansion_from : 2;
}

void check_facts(const Count &facts, const Criterion &c) {
  const double least = shares_candidates(c) ? 2 : 1;
  if (!(facts.value() >= least)) {
    throw_domain("facts", facts.value(),
                 fmt::format("at least {}{}", least,
                             least == 2 ? " when they are each other's candidates" : ""));
  }
}

// ---- the pieces ---------------------------------------------------------------------------------

/// Dimensions of W that one fact uses when `facts` are stored.
Estimate dimension_per_fact(const Criterion &c, const Count &facts) {
  const Count k = c.candidates.value_or(facts);
  switch (c.rule) {
  case Rule::hebbian:
    return hebbian_dimension(facts, k, c.recall);
  case Rule::listwise:
    return listwise_dimension(c.tail, c.margin);
  case Rule::optimal:
    break;
  }
  return c.method == Method::exact ? statistical_dimension(k, c.margin)
                                   : approximate_statistical_dimension(k, c.margin, c.method);
}

bool depends_on_facts(const Criterion &c) {
  return c.rule != Rule::listwise && (!c.candidates || c.rule == Rule::hebbian);
}

Estimate rank_factor(const Memory &m) {
  const double small = std::min(*m.dim_in, *m.dim_out);
  const double ratio = m.rank ? *m.rank / small : m.rank_ratio.value_or(1);
  if (ratio == 1) {
    return exactly(1);
  }
  return SingularLaw(small / std::max(*m.dim_in, *m.dim_out)).rank_factor(ratio);
}

/// The unit of a load: log K, or 1 for the listwise rule.
double load_unit(const Criterion &c, const Count &facts) {
  return c.rule == Rule::listwise ? 1 : c.candidates.value_or(facts).log();
}

/// What `least` facts need: the smallest budget that solve_facts can answer.
Estimate least_budget(const Criterion &c) {
  const double least = fewest_facts(c);
  return exactly(least) * dimension_per_fact(c, least);
}

/// An interval that holds the p with p * per_fact(p) = budget, which is at least `least`.  per_fact
/// increases with p, so budget / per_fact maps an upper bound to a lower one and back.
std::pair<double, double> bracket_facts(const std::function<Estimate(double)> &per_fact,
                                        double budget, double least) {
  double low = least;
  double high = std::max(budget / per_fact(least).value, least);
  constexpr int alternations = 2;
  for (int i = 0; i < alternations; ++i) {
    low = std::max(low, budget / per_fact(high).value);
    high = std::clamp(budget / per_fact(low).value, least, high);
  }
  constexpr double widen = 1e-9; // so that rounding cannot push the root out
  return {std::max(least, low * (1 - widen)), high * (1 + widen)};
}

/// Real p with p * dimension_per_fact(p) = budget; `not_computed` if that is below fewest_facts.
Estimate solve_facts(const Criterion &c, const Estimate &budget) {
  if (!depends_on_facts(c)) {
    return budget / dimension_per_fact(c, 1);
  }
  const Estimate smallest = least_budget(c);
  if (smallest.value - smallest.error > budget.value + budget.error) {
    return {};
  }
  std::int64_t evaluations = smallest.evaluations;
  Status status = worse(budget.status, smallest.status);
  double relative = 0; // error of per_fact at the last point, close to the root
  const auto per_fact = [&](double p) {
    const Estimate e = dimension_per_fact(c, Count(p));
    evaluations += e.evaluations;
    status = worse(status, e.status);
    relative = e.relative_error();
    return e;
  };
  const auto [low, high] = bracket_facts(per_fact, budget.value, fewest_facts(c));
  const auto excess = [&](double p) {
    return std::log(p) + std::log(per_fact(p).value) - std::log(budget.value);
  };
  Estimate root =
      excess(low) < 0 && high > low
          ? numerics::find_root(excess, low, high, {.relative_tolerance = root_tolerance})
          // at the lower end, within the rounding that was allowed above
          : Estimate{low, high - low, 0, Status::converged};
  // d log(p delta)/d log p >= 1: relative errors of delta and of the budget reach p undiminished at
  // worst.
  root.error += root.value * (relative + budget.relative_error() +
                              4 * epsilon * (1 + std::abs(std::log(budget.value))));
  root.evaluations = evaluations;
  root.status = worse(root.status, status);
  return root;
}

/// Real d >= rank with d^2 R(rank / d) = budget, or sqrt(budget) if the rank does not bind there.
Estimate solve_dim(const Memory &m, const Estimate &budget) {
  const SingularLaw square_law(1);
  if (m.rank_ratio) {
    return sqrt(budget) / sqrt(square_law.rank_factor(*m.rank_ratio)); // budget / R may overflow
  }
  const double rank = m.rank.value_or(0);
  if (!m.rank || rank * rank >= budget.value) {
    return sqrt(budget);
  }
  // R(kappa) >= kappa, so d^2 R >= d rank: the root lies in [rank, budget / rank].
  const auto excess = [&](double d) {
    return std::log(d) * 2 + std::log(square_law.rank_factor(std::min(1.0, rank / d)).value) -
           std::log(budget.value);
  };
  Estimate root = numerics::find_root(excess, rank, budget.value / rank * (1 + 1e-9));
  root.error +=
      root.value * (budget.relative_error() + 32 * epsilon * (1 + std::log(budget.value)));
  root.status = worse(root.status, budget.status);
  return root;
}

// ---- answers ------------------------------------------------------------------------------------

Criterion exact_twin(Criterion c) {
  c.method = Method::exact;
  return c;
}

void compare_with_exact(Capacity &result, const Capacity &exact) {
  for (const auto member : {&Capacity::statistical_dimension, &Capacity::rank_factor,
                            &Capacity::alpha_c, &Capacity::facts, &Capacity::dim}) {
    if ((result.*member).value != (exact.*member).value) { // else given, or free of the method
      result.*member = measured_against(result.*member, exact.*member);
    }
  }
}

void finish(Capacity &result) {
  result.status = Status::converged;
  for (const Estimate *e : {&result.statistical_dimension, &result.rank_factor, &result.alpha_c,
                            &result.facts, &result.dim, &result.load}) {
    if (e->status != Status::not_computed) {
      result.status = worse(result.status, e->status);
    }
  }
}

/// Statistical dimension and critical load at a number of facts which may carry an error: with p,
/// delta grows by at most its own part and log K / delta changes by less than twice that.
void set_loads(Capacity &result, const Criterion &c, const Estimate &facts) {
  const Count count(facts.value);
  const double spread = depends_on_facts(c) ? facts.relative_error() : 0;
  result.statistical_dimension = dimension_per_fact(c, count);
  result.alpha_c = exactly(load_unit(c, count)) * result.rank_factor / result.statistical_dimension;
  result.statistical_dimension.error += spread * result.statistical_dimension.value;
  result.alpha_c.error += 2 * spread * result.alpha_c.value;
}

void add_warnings(Capacity &result, const Memory &m, const Criterion &c, const Estimate &facts) {
  if (m.rank && !m.dim_in && *m.rank > std::ceil(result.dim.value)) {
    result.warnings.push_back(fmt::format("rank = {:g} exceeds the smallest side and constrains "
                                          "nothing",
                                          *m.rank));
  }
  const double log_k = c.candidates.value_or(Count(facts.value)).log();
  const double dim_out = m.dim_out ? *m.dim_out : result.dim.value;
  const double ratio = least_output_ratio(log_k);
  if (c.rule == Rule::optimal && dim_out < ratio * log_k) {
    result.warnings.push_back(fmt::format(
        "dim_out = {:.6g} is below {:.3g} log K = {:.6g}: a Gaussian target may lie inside the "
        "convex hull of its competitors, and fewer facts than this are then stored (severe below "
        "2 log K)",
        dim_out, ratio, ratio * log_k));
  }
  if (c.rule == Rule::optimal && c.candidates && c.candidates->value() - 1 < dim_out) {
    result.warnings.emplace_back(
        "K - 1 is below dim_out: this is the decoupled problem; if all facts share one set of K "
        "outputs only K - 1 output directions count, so ask with dim_out = K - 1");
  }
  if (c.margin > 0) {
    result.warnings.emplace_back(
        "a margin feels the length of each fact's embeddings: at d = 10 to "
        "20 random instances stored 5 to 28 percent less than this");
  }
  if (c.rule == Rule::hebbian) {
    result.warnings.push_back(
        fmt::format("rule hebbian is the limit d -> infinity: corrections of relative order {} are "
                    "not included",
                    c.recall == Recall::strict ? "log log K / log K" : "1 / sqrt(log K)"));
  }
  if (c.rule == Rule::listwise && c.candidates) {
    result.warnings.emplace_back("rule listwise does not depend on the number of candidates");
  }
  if (c.rule == Rule::optimal && c.method == Method::leading && c.margin > 0) {
    result.warnings.emplace_back("method leading does not see the margin, which acts at the next "
                                 "order in 1/sqrt(log K)");
  }
  if (result.rank_factor.value < 1) {
    result.warnings.emplace_back(
        "the law of singular values behind the rank constraint is that of "
        "large dimensions: a bound that training at d = 50 met within 2 percent");
  }
}

/// Dimensions, rank factor and largest p: what capacity and judge share.
Capacity largest_facts(const Memory &memory, const Criterion &criterion) {
  Capacity result;
  result.rank_factor = rank_factor(memory);
  const Estimate dimensions = exactly(*memory.dim_in) * exactly(*memory.dim_out);
  result.facts = solve_facts(criterion, dimensions * result.rank_factor);
  if (*memory.dim_in == *memory.dim_out) {
    result.dim = exactly(*memory.dim_in);
  }
  return result;
}

void check(const Memory &memory, const Criterion &criterion) {
  check_dimensions(memory);
  const double small = std::min(*memory.dim_in, *memory.dim_out);
  check_rank(memory, small, fmt::format("{} = min(dim_in, dim_out)", small));
  check_criterion(criterion, memory);
}

} // namespace

Capacity capacity(const Memory &memory, const Criterion &criterion) {
  check(memory, criterion);
  Capacity result = largest_facts(memory, criterion);
  if (result.facts.status == Status::not_computed) {
    throw std::domain_error(
        fmt::format("{}: d_in d_out R = {:g} must be at least the {:g} that {} facts need",
                    *memory.dim_in == *memory.dim_out
                        ? fmt::format("dim = {}", *memory.dim_in)
                        : fmt::format("dim_in = {}, dim_out = {}", *memory.dim_in, *memory.dim_out),
                    *memory.dim_in * *memory.dim_out * result.rank_factor.value,
                    least_budget(criterion).value, fewest_facts(criterion)));
  }
  if (result.facts.converged()) {
    set_loads(result, criterion, result.facts);
    if (criterion.method != Method::exact) {
      compare_with_exact(result, capacity(memory, exact_twin(criterion)));
    }
    add_warnings(result, memory, criterion, result.facts);
  }
  finish(result);
  return result;
}

Capacity smallest_square(Count facts, const Memory &memory, const Criterion &criterion) {
  if (memory.dim_in || memory.dim_out) {
    throw std::invalid_argument("smallest_square takes no dimensions: it finds them");
  }
  check_rank(memory, largest_dim, "1e100");
  check_criterion(criterion, memory);
  check_facts(facts, criterion);

  Capacity result;
  result.facts = exactly(facts.value());
  const Estimate per_fact = dimension_per_fact(criterion, facts);
  const Estimate budget = result.facts * per_fact;
  if (budget.converged()) {
    result.dim = solve_dim(memory, budget);
    const double rank_ratio = memory.rank ? std::min(1.0, *memory.rank / result.dim.value)
                                          : memory.rank_ratio.value_or(1);
    result.rank_factor = SingularLaw(1).rank_factor(rank_ratio);
    if (rank_ratio < 1 && memory.rank) { // dR/dkappa = s_k^2 <= 4
      result.rank_factor.error += 4 * rank_ratio * result.dim.relative_error();
    }
    set_loads(result, criterion, result.facts);
    if (criterion.method != Method::exact) {
      compare_with_exact(result, smallest_square(facts, memory, exact_twin(criterion)));
    }
    add_warnings(result, memory, criterion, result.facts);
  } else {
    result.statistical_dimension = per_fact;
    result.dim = {result.dim.value, result.dim.error, 0, budget.status}; // why there is no answer
  }
  finish(result);
  return result;
}

Capacity judge(Count facts, const Memory &memory, const Criterion &criterion) {
  check(memory, criterion);
  check_facts(facts, criterion);
  const Estimate asked = exactly(facts.value());
  Capacity result = largest_facts(memory, criterion);
  Capacity exact =
      criterion.method == Method::exact ? result : largest_facts(memory, exact_twin(criterion));
  set_loads(exact, exact_twin(criterion), asked);
  set_loads(result, criterion, asked);
  if (criterion.method != Method::exact) {
    compare_with_exact(result, exact);
  }
  // The exact method's verdict, in units of the load per log K, which cannot overflow.
  const Estimate unit = exactly(load_unit(criterion, facts));
  const Estimate per_dimension = asked / (exactly(*memory.dim_in) * exactly(*memory.dim_out));
  result.load = per_dimension * unit;
  const Estimate distance = per_dimension - exact.alpha_c / unit;
  if (!distance.converged()) {
    result.below_capacity = std::nullopt; // the status tells why
  } else if (std::abs(distance.value) > distance.error) {
    result.below_capacity = distance.value < 0;
  } else {
    result.warnings.emplace_back("the load is closer to the critical load than the errors allow to "
                                 "tell");
  }
  add_warnings(result, memory, criterion, asked);
  finish(result);
  return result;
}

} // namespace lamcap
