// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap capacity: how many facts, how large a memory, or whether it fits.
#include "commands.hpp"
#include "options.hpp"

#include "lamcap/capacity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace lamcap::program {
namespace {

constexpr std::array<Choice<Rule>, 3> rules{
    {{"optimal", Rule::optimal}, {"hebbian", Rule::hebbian}, {"listwise", Rule::listwise}}};
constexpr std::array<Choice<Recall>, 2> recalls{
    {{"strict", Recall::strict}, {"average", Recall::average}}};
constexpr std::array<Choice<Method>, 4> methods{{{"exact", Method::exact},
                                                 {"mean-field", Method::mean_field},
                                                 {"expansion", Method::expansion},
                                                 {"leading", Method::leading}}};

/// The options as given.
struct Options {
  explicit Options(CLI::App &app)
      : facts(app, "--facts", "P", "number of facts p to store"),
        candidates(app, "--candidates", "K",
                   "candidate outputs per fact (default: K = p, all stored outputs compete)"),
        dim(app, "--dim", "D", "side of a square memory"),
        dim_in(app, "--dim-in", "A", "input dimension (with --dim-out)"),
        dim_out(app, "--dim-out", "B", "output dimension (with --dim-in)"),
        rank(app, "--rank", "M", "largest rank of the memory"),
        rank_ratio(app, "--rank-ratio", "k", "the same as a fraction of the smaller dimension"),
        margin(app, "--margin", "mu", "win by mu standard deviations of a free score (default 0)"),
        tail(app, "--tail", "r",
             "rule listwise: beat the mean of this top fraction of the competitors"),
        format(app) {
    dim.option->excludes(dim_in.option)->excludes(dim_out.option);
    dim_in.option->needs(dim_out.option);
    dim_out.option->needs(dim_in.option);
    rank.option->excludes(rank_ratio.option);
    add_choice(app, "--rule", rule, rules,
               "optimal memory (default), Hebbian memory, or listwise retrieval");
    add_choice(app, "--recall", recall, recalls,
               "rule hebbian: all facts (default), or all but a vanishing fraction");
    add_choice(app, "--method", method, methods,
               "exact (default), or an approximation with its distance from exact");
  }

  NumberOption facts, candidates, dim, dim_in, dim_out, rank, rank_ratio, margin, tail;
  Rule rule = Rule::optimal;
  std::optional<Recall> recall;
  Method method = Method::exact;
  FormatOption format;
};

Memory memory_of(const Options &o) {
  Memory m;
  m.dim_in = o.dim ? o.dim.get() : o.dim_in.get();
  m.dim_out = o.dim ? o.dim.get() : o.dim_out.get();
  m.rank = o.rank.get();
  m.rank_ratio = o.rank_ratio.get();
  return m;
}

Criterion criterion_of(const Options &o) {
  Criterion c;
  c.rule = o.rule;
  c.method = o.method;
  c.margin = o.margin.value_or(0);
  if (o.candidates) {
    c.candidates = Count(require_whole("candidates", *o.candidates.get(), 2));
  }
  if ((c.rule == Rule::listwise) != static_cast<bool>(o.tail)) {
    throw std::invalid_argument(o.tail ? "tail: belongs to rule listwise"
                                       : "rule listwise needs --tail r with 0 < r < 1");
  }
  c.tail = o.tail.value_or(c.tail);
  if (o.recall) {
    if (c.rule != Rule::hebbian) {
      throw std::invalid_argument("recall: belongs to rule hebbian");
    }
    c.recall = *o.recall;
  }
  return c;
}

Json input_record(const Options &o, const Memory &m, const Criterion &c) {
  Json input;
  input["problem"] = "decoupled";
  const auto optional = [&](const char *name, const std::optional<double> &value) {
    if (value) {
      input[name] = number(*value);
    }
  };
  optional("facts", o.facts.get());
  if (c.rule != Rule::listwise) {
    input["candidates"] = c.candidates ? number(c.candidates->value()) : Json("facts");
  }
  optional("dim_in", m.dim_in);
  optional("dim_out", m.dim_out);
  optional("rank", m.rank);
  if (!m.rank) {
    input["rank_ratio"] = number(m.rank_ratio.value_or(1));
  }
  input["rule"] = name_of(c.rule, rules);
  if (c.rule == Rule::hebbian) {
    input["recall"] = name_of(c.recall, recalls);
    input["method"] = "leading";
  } else {
    input["margin"] = number(c.margin);
    input["method"] = name_of(c.method, methods);
  }
  if (c.rule == Rule::listwise) {
    input["tail"] = number(c.tail);
  }
  input["load_unit"] = c.rule == Rule::listwise ? "facts / (dim_in dim_out)" : load_unit;
  return input;
}

/// Floor and ceiling that the rounding of the last digits cannot push past a whole number.
constexpr double largest_rounding = 1e-6; // a larger error is not that of the last digits
double whole_below(const Estimate &e) {
  return std::floor(e.value + std::min(e.error, largest_rounding));
}
double whole_above(const Estimate &e) {
  return std::ceil(e.value - std::min(e.error, largest_rounding));
}

/// The whole number that an estimate gives; null where the estimate does not single out one, whether
/// its error is numerical or an approximation's distance from exact.
Json whole(const Estimate &e, double (*rounded_to_whole)(const Estimate &)) {
  constexpr double largest_error = 0.5;
  return e.converged() && e.error <= largest_error ? number(rounded_to_whole(e)) : Json(nullptr);
}

Json record_of(const Capacity &answer, const Options &o, const Criterion &c) {
  Json record;
  const bool fixed_dim = o.dim || o.dim_in;
  put(record, "facts", answer.facts);
  if (fixed_dim) {
    record["facts_floor"] = whole(answer.facts, whole_below);
  }
  put(record, "dim", answer.dim);
  if (!fixed_dim) {
    record["dim_ceiling"] = whole(answer.dim, whole_above);
  }
  put(record, "alpha_c", answer.alpha_c);
  // The Hebbian dimension per fact is not a statistical dimension.
  put(record, "statistical_dimension",
      c.rule == Rule::hebbian ? Estimate{} : answer.statistical_dimension);
  put(record, "rank_factor", answer.rank_factor);
  put(record, "load", answer.load);
  if (fixed_dim && o.facts) {
    record["below_capacity"] = answer.below_capacity ? Json(*answer.below_capacity) : Json(nullptr);
  }
  record["status"] = to_string(answer.status);
  return record;
}

void run(const Options &o) {
  const bool fixed_dim = o.dim || o.dim_in;
  if (!fixed_dim && !o.facts) {
    throw std::invalid_argument(
        "capacity needs dimensions (--dim, or --dim-in and --dim-out), or --facts, or both");
  }
  const Memory memory = memory_of(o);
  const Criterion criterion = criterion_of(o);
  if (o.facts) {
    const bool alone = criterion.candidates || criterion.rule == Rule::listwise;
    (void)require_whole("facts", *o.facts.get(), alone ? 1 : 2);
  }
  const Capacity answer = !o.facts    ? capacity(memory, criterion)
                          : fixed_dim ? judge(*o.facts.get(), memory, criterion)
                                      : smallest_square(*o.facts.get(), memory, criterion);
  Json record = record_of(answer, o, criterion);
  record["input"] = input_record(o, memory, criterion);
  record["warnings"] = answer.warnings;
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_capacity_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "capacity", "Facts that a memory stores, smallest memory for given facts, or both compared");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "With dimensions: the largest p (facts) and its floor.  With --facts: the critical load and\n"
      "the smallest square memory (dim) with its ceiling.  With both: the largest p, the load of\n"
      "the given p and whether it is below alpha_c.  Floor and ceiling are left out where the\n"
      "error exceeds 1/2.  Errors bound the numerics.  The theory is that of large dimensions and\n"
      "of outputs drawn for each fact (decoupled); with one shared set of outputs 2.7 to 3.6\n"
      "percent more was measured at d = 8 to 32.\n"
      "Examples:\n"
      "  lamcap capacity --dim 4096\n"
      "  lamcap capacity --dim 4096 --rank 128 --candidates 128256\n"
      "  lamcap capacity --facts 1e6 --format json\n"
      "  lamcap capacity --dim 100 --facts 1000 --margin 0.5");
}

} // namespace lamcap::program
