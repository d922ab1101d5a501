// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap accuracy: what fraction of its facts a memory of finite size recalls.
#include "commands.hpp"
#include "hebbian_options.hpp"

#include "lamcap/capacity.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace lamcap::program {
namespace {

constexpr std::array<Choice<Rule>, 1> rules{{{"hebbian", Rule::hebbian}}};

struct Options {
  explicit Options(CLI::App &app)
      : memory(app),
        facts(app, "--facts", "P", "number of facts p stored"),
        candidates(app, "--candidates", "K",
                   "outputs that compete, min(K, p) of them stored (default: K = p)"),
        level(app, "--level", "x", "level of facts_at_level and facts_at_all_level (default 1/2)"),
        format(app) {
    add_choice(app, "--rule", rule, rules, "how the facts are stored (default hebbian)");
  }

  HebbianOptions memory;
  NumberOption facts, candidates, level;
  Rule rule = Rule::hebbian;
  FormatOption format;
};

void run(const Options &o) {
  const HebbianMemory memory = o.memory.memory("accuracy", o.candidates);
  if (!o.facts && !o.level) {
    throw std::invalid_argument("accuracy needs --facts, or --level, or both");
  }
  constexpr double half = 0.5;
  const double level = o.level.value_or(half);

  Json record;
  Status status = Status::converged;
  const auto add = [&](const std::string &name, const Estimate &e) {
    put(record, name, e);
    status = worse(status, e.status);
  };
  if (o.facts) {
    const double facts = require_whole("facts", *o.facts.get(), 1);
    add("accuracy", hebbian_accuracy(memory, facts));
    add("all_recalled", hebbian_all_recalled(memory, facts));
    const double log_k = memory.candidates ? memory.candidates->log() : Count(facts).log();
    add("load", rounded(facts * log_k / (memory.dim_in * memory.dim_out), 4));
  }
  Json warnings = {"competitors taken as independent given the output W e: within 0.2 "
                   "percentage points of simulated accuracy at d >= 64 and 1.5 at d = 8; below 20 "
                   "facts a failure probability near 0 may be off by a multiple",
                   "all_recalled takes facts as independent"};
  const auto add_crossing = [&](const std::string &name, const Estimate &e) {
    if (e.status == Status::no_sign_change && o.facts && !o.level) {
      put(record, name, e); // nobody asked: few candidates are told apart at any number of facts
      warnings.push_back(fmt::format("{}: level {} is not passed", name, level));
    } else {
      add(name, e);
    }
  };
  add_crossing("facts_at_level", hebbian_facts_at_accuracy(memory, level));
  add_crossing("facts_at_all_level", hebbian_facts_at_all_recalled(memory, level));
  record["status"] = to_string(status);

  Json input;
  if (o.facts) {
    input["facts"] = number(*o.facts.get());
  }
  put_memory(input, memory);
  input["rule"] = name_of(o.rule, rules);
  input["level"] = number(level);
  input["load_unit"] = "facts log(candidates) / (dim_in dim_out)";
  record["input"] = input;
  record["warnings"] = warnings;
  write_output(render(record, o.format.get()));
  require_converged(record);
}

} // namespace

void add_accuracy_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "accuracy", "Fraction of its facts that a Hebbian memory of finite size recalls");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer(
      "accuracy is the expected fraction of facts recalled, all_recalled the probability that "
      "none\n"
      "is lost; facts_at_level and facts_at_all_level are the numbers of facts at which they pass\n"
      "the level.  Errors bound the numerics, warnings name the approximation.\n"
      "Examples:\n"
      "  lamcap accuracy --rule hebbian --dim 128 --facts 634\n"
      "  lamcap accuracy --dim-in 64 --dim-out 256 --facts 500 --embeddings unit-sphere\n"
      "  lamcap accuracy --dim 4096 --level 0.99");
}

} // namespace lamcap::program
