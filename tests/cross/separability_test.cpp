// SPDX-License-Identifier: GPL-3.0-or-later
// Theory against simulation: where half the random instances are separable.
#include "lamcap/capacity.hpp"
#include "lamcap/simulation/separability.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

namespace simulation = lamcap::simulation;

namespace {

struct Half {
  double facts;          // mean of the largest separable p, plus 1/2
  double standard_error; // of that mean
};

/// Largest p of one nested sequence of instances that is separable: bisection, as every larger
/// instance contains the smaller ones.
std::int64_t largest_separable(simulation::InstanceSpec spec, std::int64_t low, std::int64_t high) {
  const auto separable = [&](std::int64_t facts) {
    spec.facts = facts;
    const auto s = simulation::separability(simulation::Instance(spec));
    REQUIRE(s.verdict != simulation::Verdict::undecided);
    return s.verdict == simulation::Verdict::separable;
  };
  while (!separable(low)) {
    low = low * 2 / 3;
  }
  while (separable(high)) {
    high = high * 3 / 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (separable(middle) ? low : high) = middle;
  }
  return low;
}

Half half_separable(simulation::InstanceSpec spec, double expected, int instances) {
  const auto centre = static_cast<std::int64_t>(expected);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < instances; ++i) {
    spec.number = static_cast<std::uint64_t>(i);
    const double p =
        static_cast<double>(largest_separable(spec, centre * 9 / 10, centre * 11 / 10 + 1)) + 0.5;
    sum += p;
    squares += p * p;
  }
  const double mean = sum / instances;
  return {mean, std::sqrt((squares / instances - mean * mean) / (instances - 1))};
}

} // namespace

TEST_CASE("cross: decoupled instances part in half at the theory's p, 3 standard errors") {
  struct Case {
    std::int64_t dim_in, dim_out, candidates;
    int instances;
  };
  for (const Case &c :
       {Case{12, 12, 0, 60}, Case{8, 18, 0, 40}, Case{8, 8, 3, 40}, Case{8, 8, 10, 40}}) {
    lamcap::Criterion criterion;
    if (c.candidates != 0) {
      criterion.candidates = lamcap::Count(static_cast<double>(c.candidates));
    }
    const double theory = lamcap::capacity({.dim_in = static_cast<double>(c.dim_in),
                                            .dim_out = static_cast<double>(c.dim_out)},
                                           criterion)
                              .facts.value;
    const Half half = half_separable({.problem = simulation::Problem::decoupled,
                                      .dim_in = c.dim_in,
                                      .dim_out = c.dim_out,
                                      .candidates = c.candidates,
                                      .seed = 11},
                                     theory, c.instances);
    CAPTURE(c.dim_in);
    CAPTURE(c.candidates);
    CAPTURE(theory);
    CAPTURE(half.facts);
    CAPTURE(half.standard_error);
    CHECK(std::abs(half.facts - theory) < 3 * half.standard_error + 0.015 * theory);
    CHECK(half.standard_error < 0.02 * theory);
  }
}

TEST_CASE(
    "cross: shared outputs store a few percent more, as measured elsewhere, 3 standard errors") {
  // tables/data/separability_measured.tsv: original, 12 x 12: 41.45(7).
  const Half half = half_separable(
      {.problem = simulation::Problem::original, .dim_in = 12, .dim_out = 12, .seed = 12}, 41.45,
      60);
  CAPTURE(half.facts);
  CAPTURE(half.standard_error);
  CHECK(std::abs(half.facts - 41.45) < 3 * std::hypot(half.standard_error, 0.07));
}
