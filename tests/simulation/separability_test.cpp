// SPDX-License-Identifier: GPL-3.0-or-later
// Separability: exact cases, a plain linear program, certificates checked from the data.
#include "lamcap/simulation/separability.hpp"

#include "simulation/outputs_of.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <glpk.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lamcap::simulation;
using lamcap::testing::outputs_of;

namespace {

/// vec of the constraint matrix (u_target - u_rho) e^T, or the difference itself.
Vector constraint(const Instance &instance, std::int64_t mu, std::int64_t rho) {
  const Matrix outputs = outputs_of(instance, mu);
  const Vector difference = outputs.col(instance.target(mu)) - outputs.col(rho);
  if (instance.problem() == Problem::iid) {
    return difference;
  }
  const Matrix a = difference * instance.inputs().col(mu).transpose();
  return Eigen::Map<const Vector>(a.data(), a.size());
}

std::vector<Vector> constraints(const Instance &instance) {
  std::vector<Vector> all;
  for (std::int64_t mu = 0; mu < instance.facts(); ++mu) {
    for (std::int64_t rho = 0; rho < instance.candidates(); ++rho) {
      if (rho != instance.target(mu)) {
        all.push_back(constraint(instance, mu, rho));
      }
    }
  }
  return all;
}

double margin(const Instance &instance, const Matrix &memory) {
  const Eigen::Map<const Vector> w(memory.data(), memory.size());
  double least = INFINITY;
  for (const Vector &a : constraints(instance)) {
    least = std::min(least, a.dot(w));
  }
  return least / w.norm();
}

/// max t with a.w >= t, |w_i| <= 1, by GLPK's simplex method: positive iff separable.
double linear_program(const Instance &instance) {
  const auto rows = constraints(instance);
  const auto dimension = static_cast<int>(rows.front().size());
  glp_term_out(GLP_OFF);
  glp_prob *lp = glp_create_prob();
  glp_set_obj_dir(lp, GLP_MAX);
  glp_add_cols(lp, dimension + 1);
  for (int j = 1; j <= dimension; ++j) {
    glp_set_col_bnds(lp, j, GLP_DB, -1, 1);
  }
  glp_set_col_bnds(lp, dimension + 1, GLP_DB, -1e3, 1e3);
  glp_set_obj_coef(lp, dimension + 1, 1);
  glp_add_rows(lp, static_cast<int>(rows.size()));
  std::vector<int> index(static_cast<std::size_t>(dimension) + 2);
  std::vector<double> value(index.size());
  for (int j = 1; j <= dimension + 1; ++j) {
    index[static_cast<std::size_t>(j)] = j;
  }
  value.back() = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int j = 0; j < dimension; ++j) {
      value[static_cast<std::size_t>(j) + 1] = rows[i](j);
    }
    const int row = static_cast<int>(i) + 1;
    glp_set_row_bnds(lp, row, GLP_LO, 0, 0);
    glp_set_mat_row(lp, row, dimension + 1, index.data(), value.data());
  }
  REQUIRE(glp_simplex(lp, nullptr) == 0);
  const double t = glp_get_obj_val(lp);
  glp_delete_prob(lp);
  return t;
}

} // namespace

TEST_CASE("separability: a handful of facts in many dimensions, and too many in one") {
  const Separability easy = separability(Instance({.dim_in = 10, .dim_out = 10, .facts = 3}));
  CHECK(easy.verdict == Verdict::separable);
  const Separability hard = separability(Instance({.dim_in = 1, .dim_out = 1, .facts = 6}));
  CHECK(hard.verdict == Verdict::inseparable);
  CHECK(to_string(hard.verdict) == "inseparable");
}

TEST_CASE("separability: the maximum margin of two opposite constraints and of a triangle") {
  // Outputs +-1 in one dimension: a = 2 e_1, -(-2) e_2 ...: w e_mu u_mu > 0 for both facts.
  Matrix inputs(2, 2);
  inputs << 1, 0, 0, 1;
  Matrix outputs(1, 2);
  outputs << 1, -1;
  const Instance instance(inputs, outputs);
  const Separability s = separability(instance, {.gap = 1e-10});
  // Constraints 2 w_1 and -2 w_2: the largest margin of a unit w is sqrt 2.
  CHECK(s.margin_lower == doctest::Approx(std::sqrt(2.)).epsilon(1e-9));
  CHECK(s.margin_upper == doctest::Approx(std::sqrt(2.)).epsilon(1e-9));
  CHECK(s.margin_lower <= std::sqrt(2.));
  CHECK(s.margin_upper >= std::sqrt(2.));
  CHECK(s.memory(0, 0) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-8));
  CHECK(s.memory(0, 1) == doctest::Approx(-std::sqrt(0.5)).epsilon(1e-8));
}

TEST_CASE("separability: the verdicts of a plain linear program on 240 tiny instances") {
  int separable = 0;
  int inseparable = 0;
  for (const Problem problem : {Problem::original, Problem::decoupled, Problem::iid}) {
    for (std::uint64_t number = 0; number < 80; ++number) {
      const std::int64_t facts = 4 + static_cast<std::int64_t>(number % 8);
      const std::int64_t candidates = problem == Problem::original ? 0 : 2 + facts % 4;
      const Instance instance({.problem = problem,
                               .dim_in = 2 + static_cast<std::int64_t>(number % 3),
                               .dim_out = 2 + static_cast<std::int64_t>(number / 3 % 2),
                               .facts = facts,
                               .candidates = candidates,
                               .seed = 5,
                               .number = number});
      const double t = linear_program(instance);
      CAPTURE(number);
      CAPTURE(t);
      (t > 1e-9 ? separable : inseparable) += 1;
      for (const std::int64_t training_steps : {0, 200}) {
        const Separability s = separability(instance, {.training_steps = training_steps});
        REQUIRE(s.verdict != Verdict::undecided);
        CHECK((s.verdict == Verdict::separable) == (t > 1e-9));
        if (s.verdict == Verdict::separable) {
          CHECK(margin(instance, s.memory) >= s.margin_lower);
          CHECK(s.margin_upper >= s.margin_lower);
        }
      }
    }
  }
  CHECK(separable > 40);
  CHECK(inseparable > 40);
}

TEST_CASE("separability: both bounds close on the maximum margin, which no rotation changes") {
  const InstanceSpec spec{.problem = Problem::decoupled,
                          .dim_in = 6,
                          .dim_out = 5,
                          .facts = 9,
                          .candidates = 6,
                          .seed = 2};
  const Instance instance(spec);
  const Separability s = separability(instance, {.gap = 1e-8});
  REQUIRE(s.verdict == Verdict::separable);
  CHECK(s.margin_upper - s.margin_lower <= 1e-8 * s.margin_upper);
  CHECK(margin(instance, s.memory) == doctest::Approx(s.margin_lower).epsilon(1e-9));
  CHECK(s.memory.norm() == doctest::Approx(1).epsilon(1e-12));
  // The competitors that bind are those within rounding of the margin.
  REQUIRE(s.binding.size() == 9);
  std::int64_t binding = 0;
  std::int64_t nearest = 0;
  for (const Vector &a : constraints(instance)) {
    nearest += a.dot(s.memory.reshaped()) < s.margin_lower * (1 + 1e-5) ? 1 : 0;
  }
  for (const std::int64_t n : s.binding) {
    binding += n;
  }
  CHECK(binding == nearest);
  CHECK(binding > 0);
  CHECK(binding <= 30); // dimensions
  // Given embeddings: rotated inputs have the same margin.
  const Instance original({.dim_in = 8, .dim_out = 8, .facts = 12, .seed = 4});
  Matrix rotation = Matrix::Random(8, 8).householderQr().householderQ();
  const Instance rotated(rotation * original.inputs(), outputs_of(original, 0));
  CHECK(separability(original, {.gap = 1e-8}).margin_lower ==
        doctest::Approx(separability(rotated, {.gap = 1e-8}).margin_lower).epsilon(1e-7));
}

TEST_CASE("separability: a start decides, or shortens the way to the same margin") {
  const Instance instance({.dim_in = 10, .dim_out = 10, .facts = 26, .seed = 3});
  const Separability cold = separability(instance, {.gap = 1e-8, .training_steps = 0});
  REQUIRE(cold.verdict == Verdict::separable);
  const Separability at_once = separability(instance, {.start = 7 * cold.memory});
  CHECK(at_once.verdict == Verdict::separable);
  CHECK(at_once.steps == 0);
  CHECK(at_once.margin_lower == doctest::Approx(cold.margin_lower).epsilon(1e-9));
  for (const Matrix &start : {Matrix(-cold.memory), Matrix(Matrix::Ones(10, 10)),
                              Matrix(1e4 * cold.memory), Matrix(Matrix::Zero(10, 10))}) {
    const Separability s = separability(instance, {.gap = 1e-8, .start = start});
    CHECK(s.verdict == Verdict::separable);
    CHECK(s.margin_lower == doctest::Approx(cold.margin_lower).epsilon(3e-8));
  }
  // Near the threshold, training halves the steps.
  int steps_cold = 0;
  int steps_trained = 0;
  for (std::uint64_t number = 0; number < 10; ++number) {
    const Instance near({.dim_in = 10, .dim_out = 10, .facts = 31, .seed = 3, .number = number});
    const Separability from_equal = separability(near, {.training_steps = 0});
    const Separability from_trained = separability(near);
    CHECK(from_equal.verdict == from_trained.verdict);
    steps_cold += from_equal.steps;
    steps_trained += from_trained.steps;
  }
  CHECK(steps_trained < 0.75 * steps_cold);
}

TEST_CASE("separability: margins of a millionth are found, and told from none") {
  struct Case {
    InstanceSpec spec;
    Verdict verdict;
    double margin; // by the nearest point of the hull, another program's
  };
  for (const Case &c : {Case{{.dim_in = 5, .dim_out = 5, .facts = 11, .seed = 77, .number = 807},
                             Verdict::separable,
                             1.1776e-6},
                        Case{{.dim_in = 5, .dim_out = 5, .facts = 12, .seed = 77, .number = 1478},
                             Verdict::separable,
                             8.040e-7},
                        Case{{.problem = Problem::decoupled,
                        .dim_in = 8,
                        .dim_out = 8,
                        .facts = 26,
                        .seed = 1,
                        .number = 44},
                             Verdict::inseparable,
                             0}}) {
    const Separability s = separability(Instance(c.spec), {.gap = 1e-3});
    CAPTURE(c.spec.number);
    CHECK(s.verdict == c.verdict);
    CHECK(s.margin_lower == doctest::Approx(c.margin).epsilon(1e-4));
  }
}

TEST_CASE("separability: near the threshold too, every gap closes, on exactly what binds") {
  int separable = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const std::int64_t dim = 4 + static_cast<std::int64_t>(number % 5);
    const Instance instance({.problem = number % 2 == 0 ? Problem::original : Problem::decoupled,
                             .dim_in = dim,
                             .dim_out = dim,
                             .facts = dim * (dim + 6) / 6,
                             .seed = 8,
                             .number = number});
    CAPTURE(number);
    const Separability s = separability(instance, {.gap = 1e-8});
    if (s.verdict != Verdict::separable) {
      CHECK(s.verdict == Verdict::inseparable);
      continue;
    }
    ++separable;
    if (s.margin_lower > 1e-4) { // rounding is 1e-13
      CHECK(s.margin_upper - s.margin_lower <= 1e-8 * s.margin_upper);
    }
    const Vector w = s.memory.reshaped();
    std::int64_t nearest = 0;
    for (const Vector &a : constraints(instance)) {
      nearest += a.dot(w) < s.margin_lower + 1e-9 ? 1 : 0;
    }
    std::int64_t binding = 0;
    for (const std::int64_t n : s.binding) {
      binding += n;
    }
    CHECK(binding == nearest);
  }
  CHECK(separable > 20);
  CHECK(separable < 60);
}

TEST_CASE("separability: regenerated outputs give the same verdict and margin") {
  InstanceSpec spec{
      .problem = Problem::decoupled, .dim_in = 5, .dim_out = 6, .facts = 11, .candidates = 5};
  const Separability stored = separability(Instance(spec), {.gap = 1e-6});
  spec.storage = Storage::regenerated;
  const Separability anew = separability(Instance(spec), {.gap = 1e-6});
  CHECK(stored.verdict == anew.verdict);
  CHECK(stored.margin_lower == doctest::Approx(anew.margin_lower).epsilon(1e-6));
}

TEST_CASE("separability: embeddings of any length") {
  const Instance unit({.dim_in = 8, .dim_out = 8, .facts = 18, .seed = 6});
  const double margin = separability(unit, {.gap = 1e-6}).margin_lower;
  for (const double scale : {1e-40, 1e-5, 1e3, 1e10, 1e40}) {
    const Instance scaled(scale * unit.inputs(), unit.stored_outputs());
    const Separability s = separability(scaled, {.gap = 1e-6});
    CHECK(s.verdict == Verdict::separable);
    CHECK(s.margin_lower == doctest::Approx(scale * margin).epsilon(3e-6));
  }
}

TEST_CASE("separability: refused options are named") {
  const Instance instance({.dim_in = 4, .dim_out = 4, .facts = 4});
  const auto message = [&](const SeparabilityOptions &o, double limit = 1e9) -> std::string {
    try {
      (void)separability(instance, o, limit);
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message({.resolution = 0}) == "resolution = 0: must be above 0 and finite");
  CHECK(message({.gap = -1}) == "gap = -1: must be in [0, 1)");
  CHECK(message({.most_steps = 0}) == "most_steps = 0: must be at least 1");
  CHECK(message({.training_steps = -1}) == "training_steps = -1: must be at least 0");
  CHECK(message({.start = Matrix::Ones(4, 3)}) == "start: must be finite, 4 x 4");
  CHECK(message({}, 100).find("memory: the solver needs") == 0);
}
