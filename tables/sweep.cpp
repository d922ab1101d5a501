// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep.hpp"

#include "adam_options.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "simulation_options.hpp"
#include "sweep_journal.hpp"
#include "sweep_progress.hpp"

#include "lamcap/simulation/recall.hpp"
#include "lamcap/simulation/separability.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace lamcap::program {
namespace {

using simulation::Answer;
using simulation::Crossing;
using simulation::Instance;
using simulation::InstanceSpec;
using Rule = SweepRule;

constexpr std::array<Choice<Answer>, 3> answers{
    {{"passes", Answer::passes}, {"fails", Answer::fails}, {"unknown", Answer::unknown}}};

bool seeks_half(const SweepPlan &plan) {
  return plan.grid.empty();
}

// ---- records --------------------------------------------------------------------------------------

Json record_of(const Task &task, const Result &result) {
  Json record;
  record["instance"] = task.number;
  if (task.facts == 0) {
    record["passes"] = result.crossing.passes;
    record["fails"] = result.crossing.fails;
    record["asked"] = result.crossing.asked;
    record["decided"] = result.crossing.decided;
    return record;
  }
  record["facts"] = task.facts;
  record["answer"] = name_of(result.answer, answers);
  if (result.accuracy) {
    record["accuracy"] = *result.accuracy;
  }
  return record;
}

void expect(bool holds, const char *what) {
  if (!holds) {
    throw std::invalid_argument(what);
  }
}

/// A whole number of a record, from `least` to `most`.
std::int64_t whole_at(const Json &record, const char *key, std::int64_t least, std::int64_t most) {
  const Json &value = record.at(key);
  expect(value.is_number_integer() && value.get<std::int64_t>() >= least &&
             value.get<std::int64_t>() <= most,
         key);
  return value.get<std::int64_t>();
}

Crossing read_crossing(const SweepPlan &plan, const Json &record) {
  constexpr std::int64_t most_asked = 1000;
  const std::int64_t passes = whole_at(record, "passes", 0, most_facts);
  const Crossing c{.passes = passes,
                   .fails = whole_at(record, "fails", passes + 1, most_facts + 1),
                   .asked = static_cast<int>(whole_at(record, "asked", 1, most_asked)),
                   .decided = record.at("decided").get<bool>()};
  expect(!c.decided || c.fails - c.passes <= plan.width, "width");
  return c;
}

/// An answer, and the accuracy that it follows from.
Result read_trial(const SweepPlan &plan, const Json &record) {
  Result r;
  const auto *choice = find_choice(record.at("answer").get<std::string>(), answers);
  expect(choice != nullptr, "answer");
  r.answer = choice->value;
  expect(record.contains("accuracy") ==
             (plan.rule != Rule::separable && r.answer != Answer::unknown),
         "accuracy");
  if (record.contains("accuracy")) {
    r.accuracy = record["accuracy"].get<double>();
    expect(*r.accuracy >= 0 && *r.accuracy <= 1 &&
               (*r.accuracy == 1) == (r.answer == Answer::passes),
           "accuracy");
  }
  return r;
}

/// Throws Json::exception or std::invalid_argument for what record_of does not make.
std::pair<Task, Result> read_record(const SweepPlan &plan, const Json &record) {
  Task task{.number = static_cast<std::uint64_t>(
                whole_at(record, "instance", 0, std::numeric_limits<std::int32_t>::max()))};
  if (seeks_half(plan)) {
    Result result;
    result.crossing = read_crossing(plan, record);
    return {task, result};
  }
  task.facts = whole_at(record, "facts", 1, most_facts);
  return {task, read_trial(plan, record)};
}

// ---- one instance ---------------------------------------------------------------------------------

/// The instance of a plan that has so many facts.
Instance instance_of(const SweepPlan &plan, std::uint64_t number, std::int64_t facts) {
  InstanceSpec spec = plan.spec;
  spec.number = number;
  spec.facts = facts;
  return Instance(spec);
}

Result verdict(const Instance &instance, double memory) {
  Result r;
  switch (simulation::separability(instance, {}, memory).verdict) {
  case simulation::Verdict::separable:
    r.answer = Answer::passes;
    break;
  case simulation::Verdict::inseparable:
    r.answer = Answer::fails;
    break;
  case simulation::Verdict::undecided:
    break;
  }
  return r;
}

Result recalled(const simulation::Recall &recall) {
  return {.crossing = {},
          .answer = recall.lost == 0 ? Answer::passes : Answer::fails,
          .accuracy = recall.accuracy};
}

Result trial(const SweepPlan &plan, std::uint64_t number, std::int64_t facts, int threads) {
  const Instance instance = instance_of(plan, number, facts);
  if (plan.rule == Rule::separable) {
    return verdict(instance, plan.spec.memory_limit);
  }
  if (plan.rule == Rule::hebbian) {
    return recalled(simulation::measure(instance, simulation::hebbian_memory(instance), threads));
  }
  simulation::TrainingOptions options = plan.training;
  options.memory_limit = plan.spec.memory_limit;
  options.blocking.threads = threads;
  const simulation::Training t = simulation::train(instance, options);
  return t.stop == simulation::Stop::diverged ? Result{} : recalled(t.recall);
}

/// Facts to begin a search with: parameters / (2 log K), or a quarter of that for the Hebbian rule;
/// only the time it takes depends on it.
std::int64_t guess(const SweepPlan &plan) {
  const auto in = static_cast<double>(plan.spec.dim_in);
  const auto out = static_cast<double>(plan.spec.dim_out);
  const auto rank = static_cast<double>(plan.training.rank);
  const double parameters = rank > 0 ? rank * (in + out - rank) : in * out;
  const double share = plan.rule == Rule::hebbian ? 0.125 : 0.5;
  double facts = share * parameters;
  for (int i = 0; i < 10; ++i) { // K may be p itself
    const double k = plan.spec.candidates > 0 ? static_cast<double>(plan.spec.candidates) : facts;
    facts = share * parameters / std::log(std::max(k, 2.0));
  }
  constexpr double largest = 1e9;
  return std::clamp(static_cast<std::int64_t>(std::min(facts, largest)), least_facts(plan.spec),
                    most_facts);
}

Result result_of(const SweepPlan &plan, const Task &task, int threads) {
  if (task.facts > 0) {
    return trial(plan, task.number, task.facts, threads);
  }
  Result r;
  r.crossing = simulation::crossing(
      [&](std::int64_t facts) { return trial(plan, task.number, facts, threads).answer; },
      guess(plan), least_facts(plan.spec), most_facts, plan.width);
  return r;
}

// ---- all of them ----------------------------------------------------------------------------------

std::vector<Task> pending(const SweepPlan &plan, const Results &results) {
  const std::vector<std::int64_t> sought =
      seeks_half(plan) ? std::vector<std::int64_t>{0} : plan.grid;
  std::vector<Task> tasks;
  for (std::uint64_t number = 0; number < plan.instances; ++number) {
    for (const std::int64_t facts : sought) {
      const Task task{.number = number, .facts = facts};
      if (results.count(task) == 0) {
        tasks.push_back(task);
      }
    }
  }
  return tasks;
}

/// Ends the run in all processes if it failed in one; that one says why.
void end_together(const Processes &processes, const std::exception_ptr &failure) {
  const bool any = processes.any(failure != nullptr);
  if (failure) {
    std::rethrow_exception(failure);
  }
  if (any) { // leaving with an error would let the launcher end the one that reports it
    throw Failure(ExitCode::good, "");
  }
}

/// What the first process finds to do, in all of them.
template <typename Find>
std::vector<Task> agreed(const Processes &processes, Find find) {
  std::exception_ptr failure;
  Json message = Json::array();
  if (processes.first()) {
    try {
      for (const Task &task : find()) {
        message.push_back({task.number, task.facts});
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  end_together(processes, failure);
  message = Json::parse(processes.broadcast(message.dump()));
  std::vector<Task> tasks;
  for (const Json &task : message) {
    tasks.push_back({task[0].get<std::uint64_t>(), task[1].get<std::int64_t>()});
  }
  return tasks;
}

/// Dealt in turns, beginning with another process each time, as more facts take longer.
std::vector<Task> share_of(const std::vector<Task> &tasks, const Processes &processes) {
  const auto size = static_cast<std::size_t>(processes.size());
  std::vector<Task> own;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if ((k + k / size) % size == static_cast<std::size_t>(processes.rank())) {
      own.push_back(tasks[k]);
    }
  }
  return own;
}

/// Refuses what the first instance would, and says how many bytes an instance takes: one of as many
/// facts as a search may ask for, or of the most in the grid.
double checked_bytes(const SweepPlan &plan) {
  constexpr std::int64_t room = 2; // over the guess
  const std::int64_t first = seeks_half(plan) ? guess(plan) : plan.grid.back();
  InstanceSpec spec = plan.spec;
  spec.facts = first;
  simulation::require_valid(spec);
  if (plan.rule == Rule::adam) {
    simulation::require_valid(plan.training, spec);
  }
  const auto need = [&](std::int64_t facts) {
    const Instance typical = instance_of(plan, 0, facts);
    switch (plan.rule) {
    case Rule::separable:
      return simulation::separability_bytes(typical);
    case Rule::adam:
      return simulation::training_bytes(typical, plan.training);
    case Rule::hebbian:
      break;
    }
    return simulation::recall_bytes(typical);
  };
  const double bytes = need(first);
  simulation::require_memory(fmt::format("an instance of {} facts", first), bytes,
                             plan.spec.memory_limit);
  return seeks_half(plan) ? static_cast<double>(room * room) * bytes : bytes;
}

/// Instances at a time: one per thread, if the limit on memory allows.
int workers_for(const SweepPlan &plan, std::size_t tasks, double bytes) {
  const std::size_t most = std::min(tasks, static_cast<std::size_t>(plan.threads));
  return static_cast<int>(
      std::clamp(plan.spec.memory_limit / bytes, 1.0, std::max(1.0, static_cast<double>(most))));
}

void work(const SweepPlan &plan, const std::vector<Task> &tasks, int workers, Journal &journal,
          bool visible) {
  const int threads = workers == 1 ? plan.threads : 1;
  omp_set_num_threads(plan.threads); // for what one instance does in parallel
  Progress progress(static_cast<std::int64_t>(tasks.size()), visible);
  std::exception_ptr failure;
  std::atomic<bool> stop = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (stop) {
      continue;
    }
    try {
      journal.append(record_of(tasks[k], result_of(plan, tasks[k], threads)));
#pragma omp critical(lamcap_sweep)
      progress.advance();
    } catch (...) {
#pragma omp critical(lamcap_sweep)
      failure = std::current_exception();
      stop = true;
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

} // namespace

std::int64_t least_facts(const InstanceSpec &spec) {
  return spec.problem == simulation::Problem::original || spec.candidates == 0 ? 2 : 1;
}

Json parameters_of(const SweepPlan &plan) {
  Json p;
  p["rule"] = name_of(plan.rule, sweep_rules);
  p["sought"] = seeks_half(plan) ? "half" : "grid";
  p.update(parameters_of(plan.spec));
  if (plan.rule == Rule::adam) {
    AdamOptions::describe(p, plan.training);
  }
  if (seeks_half(plan)) {
    p["width"] = plan.width;
  }
  return p;
}

Results run_sweep(const SweepPlan &plan, const Processes &processes) {
  Results results;
  const auto accept = [&](const Json &record) {
    const auto [place, added] = results.insert(read_record(plan, record));
    expect(added || record_of(place->first, place->second) == record, "contradiction");
  };
  const Json parameters = parameters_of(plan);
  std::unique_ptr<Journal> journal;
  double bytes = 0;
  const auto tasks = agreed(processes, [&] {
    bytes = checked_bytes(plan); // before there is a file
    journal = std::make_unique<Journal>(plan.path, parameters, Journal::Role::owner, accept);
    return pending(plan, results);
  });
  std::exception_ptr failure;
  try {
    if (!journal) {
      bytes = checked_bytes(plan);
      journal = std::make_unique<Journal>(plan.path, parameters, Journal::Role::helper, accept);
    }
    const std::vector<Task> own = share_of(tasks, processes);
    work(plan, own, workers_for(plan, own.size(), bytes), *journal, processes.first());
  } catch (...) {
    failure = std::current_exception();
  }
  end_together(processes, failure);
  results.clear();
  journal->require_intact();
  journal->read(accept);
  if (!pending(plan, results).empty()) {
    io_failure("read", plan.path, "it was changed while the sweep ran");
  }
  return results;
}

} // namespace lamcap::program
