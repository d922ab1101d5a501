// SPDX-License-Identifier: GPL-3.0-or-later
// Theory against simulation: where half the random instances are separable.
#include "lamcap/capacity.hpp"
#include "lamcap/simulation/half_point.hpp"
#include "lamcap/simulation/separability.hpp"

#include "measured.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace simulation = lamcap::simulation;

namespace {

/// Half point of `instances` nested sequences.
simulation::HalfPoint half_separable(const simulation::InstanceSpec &start, int instances) {
  simulation::InstanceSpec spec = start; // one per thread
  std::vector<simulation::Crossing> crossings(static_cast<std::size_t>(instances));
#pragma omp parallel for schedule(dynamic, 1) firstprivate(spec)
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    spec.number = i;
    const auto ask = [&spec](std::int64_t facts) {
      spec.facts = facts;
      const auto verdict = simulation::separability(simulation::Instance(spec)).verdict;
      return verdict == simulation::Verdict::undecided   ? simulation::Answer::unknown
             : verdict == simulation::Verdict::separable ? simulation::Answer::passes
                                                         : simulation::Answer::fails;
    };
    crossings[i] = simulation::crossing(ask, spec.dim_in * spec.dim_out / 4, 2, 100000);
  }
  const simulation::HalfPoint half = simulation::half_point(crossings);
  CHECK(half.instances >= instances - 1); // a crossing asks about six instances
  return half;
}

} // namespace

// Minutes under a sanitizer, which leaves these out (CMakePresets.json).

TEST_CASE(
    "cross: decoupled and i.i.d. instances part in half at the theory's p, 3 standard errors") {
  using simulation::Problem;
  struct Case {
    Problem problem;
    std::int64_t dim_in, dim_out, candidates;
    int instances;
  };
  for (const Case &c :
       {Case{Problem::decoupled, 12, 12, 0, 200}, Case{Problem::decoupled, 8, 18, 0, 200},
        Case{Problem::decoupled, 8, 8, 3, 200}, Case{Problem::decoupled, 8, 8, 10, 200},
        Case{Problem::decoupled, 12, 12, 3, 100}, Case{Problem::decoupled, 12, 12, 10, 100},
        Case{Problem::iid, 8, 8, 3, 150}, Case{Problem::iid, 10, 10, 10, 100}}) {
    lamcap::Criterion criterion;
    if (c.candidates != 0) {
      criterion.candidates = lamcap::Count(static_cast<double>(c.candidates));
    }
    const double theory = lamcap::capacity({.dim_in = static_cast<double>(c.dim_in),
                                            .dim_out = static_cast<double>(c.dim_out)},
                                           criterion)
                              .facts.value;
    const simulation::HalfPoint half = half_separable({.problem = c.problem,
                                                       .dim_in = c.dim_in,
                                                       .dim_out = c.dim_out,
                                                       .candidates = c.candidates,
                                                       .seed = 11},
                                                      c.instances);
    CAPTURE(static_cast<int>(c.problem));
    CAPTURE(c.dim_in);
    CAPTURE(c.candidates);
    CAPTURE(theory);
    CAPTURE(half.facts);
    CAPTURE(half.standard_error);
    CHECK(std::abs(half.facts - theory) < 3 * half.standard_error);
    CHECK(std::abs(half.facts - theory) < 0.015 * theory);
  }
}

TEST_CASE("cross: half points measured elsewhere by an active-set method, 3 standard errors") {
  const auto measured = lamcap::testing::all_measured();
  REQUIRE(measured.size() >= 16);
  int compared = 0;
  for (const lamcap::testing::Measured &m : measured) {
    if (m.dim_in * m.dim_out > 400) {
      continue; // larger ones take minutes: `lamcap sweep`
    }
    const bool decoupled = m.problem == "decoupled";
    const simulation::HalfPoint half = half_separable(
        {.problem = decoupled ? simulation::Problem::decoupled : simulation::Problem::original,
         .dim_in = m.dim_in,
         .dim_out = m.dim_out,
         .seed = 12},
        m.dim_in * m.dim_out > 256 ? 60 : 150);
    CAPTURE(m.problem);
    CAPTURE(m.dim_in);
    CAPTURE(m.half);
    CAPTURE(half.facts);
    CAPTURE(half.standard_error);
    CHECK(std::abs(half.facts - m.half) < 3 * std::hypot(half.standard_error, m.standard_error));
    ++compared;
  }
  CHECK(compared == 12);
}
