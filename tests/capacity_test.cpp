// SPDX-License-Identifier: GPL-3.0-or-later
// From dimensions to facts and back; theory against measured separability.
#include "lamcap/capacity.hpp"

#include "lamcap/listwise.hpp"
#include "lamcap/singular_law.hpp"
#include "measured.hpp"
#include "reference.hpp"
#include "refusal.hpp"

#include <doctest/doctest.h>

#include <numbers>
#include <string>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::refusal;

namespace {

bool warned(const Capacity &c, const std::string &part) {
  for (const std::string &warning : c.warnings) {
    if (warning.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

} // namespace

TEST_CASE("capacity: exact cases") {
  // d = 1: p delta(p) = 1 at p = 2, K = 2 fixed: p = 2 d^2 (Cover).
  check_estimate(capacity(square(1)).facts, 2, 1e-8);
  check_estimate(capacity(square(10), {.candidates = 2.}).facts, 200, 1e-12);
  check_estimate(capacity(square(10), {.candidates = 3.}).facts, 120, 1e-12);
  check_estimate(smallest_square(200, {}, {.candidates = 2.}).dim, 10, 1e-12);
  // Half of everything in the limit.
  check_estimate(capacity(square(10), {.candidates = 2., .method = Method::leading}).alpha_c, 0.5,
                 10); // the bound is the distance from the exact 1.386
}

TEST_CASE("capacity: printed values of the theory for K = p") {
  const std::pair<double, double> cases[] = {{20, 86.87},   {32, 182.21},  {50, 375.56},
                                             {100, 1192.0}, {256, 5993.2}, {1024, 69881.8},
                                             {4096, 867136}};
  for (const auto &[d, facts] : cases) {
    const Capacity c = capacity(square(d));
    CAPTURE(c.dim.value);
    CHECK(c.status == Status::converged);
    const double last_digit = d >= 4096 ? 1 : d >= 100 ? 0.1 : 0.01;
    CHECK(std::abs(c.facts.value - facts) < last_digit * 0.6);
    CHECK(c.facts.relative_error() < 1e-10);
  }
}

TEST_CASE("capacity: the answer solves p delta(p, mu) = d_in d_out R within its bound") {
  struct Case {
    Memory memory;
    Criterion criterion;
  };
  const Case cases[] = {{square(12), {}},
                        {square(300), {}},
                        {square(300), {.margin = 1.5}},
                        {square(20), {.margin = 3}},
                        {{.dim_in = 100, .dim_out = 40, .rank = 10}, {}},
                        {{.dim_in = 100, .dim_out = 4000, .rank_ratio = 0.3}, {}},
                        {square(1e6), {}},
                        {square(1e90), {}}};
  for (const Case &c : cases) {
    const Capacity answer = capacity(c.memory, c.criterion);
    REQUIRE(answer.status == Status::converged);
    const double budget = *c.memory.dim_in * *c.memory.dim_out * answer.rank_factor.value;
    const Estimate delta = statistical_dimension(answer.facts.value, c.criterion.margin);
    const double residual = answer.facts.value * delta.value / budget - 1;
    CAPTURE(*c.memory.dim_in);
    // d log(p delta) / d log p <= 1 + 1/2 here, so an error of p shows at most that much enlarged.
    CHECK(std::abs(residual) <= 1.5 * answer.facts.relative_error() + delta.relative_error());
    CHECK(answer.facts.relative_error() < 1e-8);
  }
}

TEST_CASE("capacity: there and back again") {
  for (const double d : {5., 17., 64., 1000., 12345.}) {
    for (const double margin : {0., 0.7}) {
      const Criterion criterion{.margin = margin};
      const double p = capacity(square(d), criterion).facts.value;
      CAPTURE(d);
      check_estimate(smallest_square(p, {}, criterion).dim, d, 1e-8);
      const Criterion fixed{.candidates = 1000., .margin = margin};
      check_estimate(smallest_square(capacity(square(d), fixed).facts.value, {}, fixed).dim, d,
                     1e-8);
    }
  }
  // With a rank, which binds at the root, and one that does not.
  const double p = capacity({.dim_in = 500, .dim_out = 500, .rank = 20}).facts.value;
  check_estimate(smallest_square(p, {.rank = 20}).dim, 500, 1e-8);
  check_estimate(smallest_square(p, {.rank_ratio = 0.04}).dim, 500, 1e-8);
  const double dim = smallest_square(1000).dim.value;
  check_estimate(smallest_square(1000, {.rank = 5000}).dim, dim, 1e-10);
}

TEST_CASE("capacity: rank and shape act through the partial second moment") {
  const Criterion thousand{.candidates = 1000.};
  const double full = capacity(square(200), thousand).facts.value;
  for (const double kappa : {0.05, 0.25, 0.5, 1.0}) {
    const Capacity c = capacity({.dim_in = 200, .dim_out = 200, .rank_ratio = kappa}, thousand);
    CHECK(c.facts.value ==
          doctest::Approx(full * 2 * rank_constrained_load(kappa).value).epsilon(1e-13));
    const Capacity same = capacity({.dim_in = 200, .dim_out = 200, .rank = 200 * kappa}, thousand);
    CHECK(same.facts.value == doctest::Approx(c.facts.value).epsilon(1e-13));
  }
  // Transposing changes nothing; at full rank only the product counts.
  const auto facts = [&](double in, double out, double rank) {
    return capacity({.dim_in = in, .dim_out = out, .rank = rank}, thousand).facts.value;
  };
  CHECK(facts(400, 100, 25) == doctest::Approx(facts(100, 400, 25)).epsilon(1e-14));
  CHECK(facts(400, 100, 100) == doctest::Approx(full).epsilon(1e-14));
  CHECK(facts(400, 100, 25) < facts(200, 200, 50));
}

TEST_CASE("capacity: loads, verdicts and their agreement") {
  const Capacity below = judge(80, square(20));
  REQUIRE(below.below_capacity.has_value());
  CHECK(*below.below_capacity);
  CHECK(below.load.value == doctest::Approx(80 * std::log(80.) / 400).epsilon(1e-14));
  CHECK(below.alpha_c.value == doctest::Approx(critical_load(80).value).epsilon(1e-13));
  const Capacity above = judge(90, square(20));
  REQUIRE(above.below_capacity.has_value());
  CHECK_FALSE(*above.below_capacity);
  // The verdict changes exactly where the capacity says.
  const double p = capacity(square(32)).facts.value;
  CHECK(*judge(std::floor(p), square(32)).below_capacity);
  CHECK_FALSE(*judge(std::ceil(p), square(32)).below_capacity);
  // Too close to call: Cover's p = 2 D exactly.
  const Capacity tie = judge(200, square(10), {.candidates = 2.});
  CHECK_FALSE(tie.below_capacity.has_value());
  CHECK(warned(tie, "closer to the critical load"));
}

TEST_CASE("capacity: other rules") {
  const Capacity hebbian = capacity(square(1000), {.rule = Rule::hebbian});
  CHECK(hebbian.alpha_c.value == doctest::Approx(0.125).epsilon(1e-14));
  CHECK(hebbian.facts.value * std::log(hebbian.facts.value) ==
        doctest::Approx(125000).epsilon(1e-10));
  CHECK(warned(hebbian, "limit d -> infinity"));
  const Capacity average =
      capacity(square(1000), {.rule = Rule::hebbian, .recall = Recall::average});
  CHECK(average.alpha_c.value == doctest::Approx(0.5).epsilon(1e-14));
  for (const double tail : {0.5, 0.01}) {
    const Capacity c = capacity(square(300), {.rule = Rule::listwise, .tail = tail});
    CHECK(c.alpha_c.value == doctest::Approx(listwise_critical_load(tail).value).epsilon(1e-14));
    CHECK(c.facts.value == doctest::Approx(90000 * c.alpha_c.value).epsilon(1e-14));
  }
}

TEST_CASE("capacity: an approximation's error is its distance from exact") {
  const double exact = capacity(square(100)).facts.value;
  for (const Method method : {Method::mean_field, Method::expansion, Method::leading}) {
    const Capacity c = capacity(square(100), {.method = method});
    CHECK(c.status == Status::converged);
    CHECK(c.facts.error == doctest::Approx(std::abs(c.facts.value - exact)).epsilon(1e-8));
    CHECK(c.facts.error > 1);
  }
}

TEST_CASE("capacity: measured separability of the decoupled problem, within 4 standard errors") {
  int compared = 0;
  for (const lamcap::testing::Measured &m : lamcap::testing::all_measured()) {
    const double theory = capacity({.dim_in = static_cast<double>(m.dim_in),
                                    .dim_out = static_cast<double>(m.dim_out)})
                              .facts.value;
    CAPTURE(m.problem);
    CAPTURE(m.dim_in);
    if (m.problem == "decoupled") {
      CHECK(std::abs(m.half - theory) < 4 * m.standard_error);
      ++compared;
    } else { // shared outputs store a little more at these sizes
      CHECK(m.half > theory);
      CHECK(m.half < 1.12 * theory);
    }
  }
  CHECK(compared == 8);
}

TEST_CASE("capacity: warnings where the theory is strained") {
  CHECK(warned(capacity({.dim_in = 100, .dim_out = 6}), "convex hull"));
  CHECK_FALSE(warned(capacity(square(100)), "convex hull"));
  CHECK(warned(capacity({.dim_in = 50, .dim_out = 50, .rank = 10}), "singular values"));
  CHECK(warned(capacity(square(50), {.margin = 1, .method = Method::leading}), "does not see"));
  CHECK(warned(capacity(square(100), {.candidates = 50.}), "share one set"));
  CHECK_FALSE(warned(capacity(square(100), {.candidates = 5000.}), "share one set"));
  CHECK(warned(capacity(square(100), {.margin = 0.5}), "margin feels"));
  CHECK(capacity(square(100)).warnings.empty());
}

TEST_CASE("capacity: numbers at the ends of double keep their verdict or say why not") {
  const Capacity huge = judge(Count(1.7e308), square(10));
  REQUIRE(huge.below_capacity.has_value());
  CHECK_FALSE(*huge.below_capacity);
  CHECK_FALSE(huge.load.converged()); // p log K / d^2 is beyond double
  CHECK(huge.status == Status::not_finite);
  CHECK_FALSE(warned(huge, "closer to the critical load"));
  CHECK_FALSE(smallest_square(Count(1e308)).dim.converged());
  const Capacity thin = smallest_square(1e10, {.rank_ratio = 1e-300}); // d^2 4 kappa = p delta(p)
  const double budget = 1e10 * statistical_dimension(1e10).value;
  check_estimate(thin.dim, std::sqrt(budget) / 2 * 1e150, 1e-10);
}

TEST_CASE("capacity: a rank above the side that suffices constrains nothing, with a warning") {
  const Capacity c = smallest_square(2, {.rank = 7}, {.candidates = 1000.});
  CHECK(c.dim.value < 7);
  CHECK(c.dim.value == smallest_square(2, {}, {.candidates = 1000.}).dim.value);
  CHECK(warned(c, "constrains nothing"));
  CHECK_FALSE(warned(smallest_square(200, {.rank = 7}), "constrains nothing"));
}

TEST_CASE("capacity: bad input is refused with name, value and range") {
  CHECK(refusal([] { return capacity(square(0)); }) ==
        "dim = 0: must be a whole number from 1 to 1e100");
  CHECK(refusal([] { return capacity(square(-4)); }).find("dim = -4") == 0);
  CHECK(refusal([] { return capacity(square(std::nan(""))); }).find("dim = nan") == 0);
  CHECK(refusal([] { return capacity(square(INFINITY)); }).find("dim = inf") == 0);
  CHECK(refusal([] { return capacity({.dim_in = 3, .dim_out = 2.5}); }).find("dim_out = 2.5") == 0);
  CHECK(refusal([] { return capacity({.dim_in = 3}); }) ==
        "dim_in and dim_out must be given together");
  CHECK(refusal([] { return capacity({.dim_in = 9, .dim_out = 5, .rank = 6}); }) ==
        "rank = 6: must be a whole number from 1 to 5 = min(dim_in, dim_out)");
  CHECK(refusal([] {
          return capacity({.dim_in = 9, .dim_out = 5, .rank = 2, .rank_ratio = 0.4});
        }).find("must not both be given") != std::string::npos);
  CHECK(refusal([] { return capacity({.dim_in = 9, .dim_out = 5, .rank_ratio = 0.}); }) ==
        "rank_ratio = 0: must be in (0, 1]");
  CHECK(refusal([] { return capacity(square(9), {.candidates = 1.}); }).find("candidates = 1") ==
        0);
  CHECK(refusal([] { return capacity(square(9), {.margin = -0.5}); }).find("margin = -0.5") == 0);
  CHECK(refusal([] { return capacity(square(9), {.rule = Rule::listwise, .tail = 1}); }) ==
        "tail = 1: must be in the open interval (0, 1)");
  CHECK(refusal([] {
          return capacity(square(9), {.margin = 1, .rule = Rule::hebbian});
        }).find("margin = 1: must be 0 for rule hebbian") == 0);
  CHECK(refusal([] { return judge(1, square(9)); }).find("facts = 1") == 0);
  CHECK(refusal([] { return smallest_square(0); }).find("facts = 0") == 0);
  CHECK(refusal([] { return capacity(square(1), {.margin = 1}); }).find("2 facts need") !=
        std::string::npos);
  CHECK(refusal([] { return smallest_square(10, square(3)); }).find("takes no dimensions") !=
        std::string::npos);
}
