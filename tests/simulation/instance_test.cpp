// SPDX-License-Identifier: GPL-3.0-or-later
// Instances: moments of the embeddings, nesting, independence of arrays, refusals.
#include "lamcap/simulation/instance.hpp"

#include "refusal.hpp"
#include "simulation/outputs_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace lamcap::simulation;
using lamcap::testing::outputs_of;
using lamcap::testing::refusal;

TEST_CASE("instance: components are standard Gaussians over sqrt d, 5 standard errors") {
  const Instance instance({.dim_in = 40, .dim_out = 25, .facts = 2000, .seed = 3});
  const auto check = [](const Matrix &m) {
    const auto n = static_cast<double>(m.size());
    const auto d = static_cast<double>(m.rows());
    const double mean = m.sum() / n * std::sqrt(d);
    const double square = m.squaredNorm() / n * d;
    const double fourth = m.array().pow(4).sum() / n * d * d;
    CHECK(std::abs(mean) < 5 / std::sqrt(n));
    CHECK(std::abs(square - 1) < 5 * std::sqrt(2 / n));
    CHECK(std::abs(fourth - 3) < 5 * std::sqrt(96 / n));
    // Neighbours are uncorrelated.
    const double along =
        (m.topRows(m.rows() - 1).array() * m.bottomRows(m.rows() - 1).array()).sum();
    const double across =
        (m.leftCols(m.cols() - 1).array() * m.rightCols(m.cols() - 1).array()).sum();
    CHECK(std::abs(along * d) < 5 * std::sqrt(n));
    CHECK(std::abs(across * d) < 5 * std::sqrt(n));
  };
  check(instance.inputs());
  check(outputs_of(instance, 0));
  CHECK(std::abs((instance.inputs().topRows(25).array() * outputs_of(instance, 0).array()).sum() *
                 std::sqrt(1000.)) < 5 * std::sqrt(50000.));
}

TEST_CASE("instance: the unit sphere has length 1") {
  const Instance instance(
      {.dim_in = 7, .dim_out = 30, .facts = 50, .embeddings = Embeddings::unit_sphere});
  for (int mu = 0; mu < 50; ++mu) {
    CHECK(instance.inputs().col(mu).norm() == doctest::Approx(1).epsilon(1e-14));
    CHECK(outputs_of(instance, mu).col(mu).norm() == doctest::Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("instance: larger ones contain smaller ones; seed and number make them differ") {
  for (const Problem problem : {Problem::original, Problem::decoupled, Problem::iid}) {
    const auto spec = [&](std::int64_t facts) {
      return InstanceSpec{.problem = problem, .dim_in = 5, .dim_out = 4, .facts = facts, .seed = 9};
    };
    const Instance small(spec(6));
    const Instance large(spec(11));
    for (int mu = 0; mu < 6; ++mu) {
      CHECK(outputs_of(small, mu) == outputs_of(large, mu).leftCols(6));
      if (problem != Problem::iid) {
        CHECK(small.inputs().col(mu) == large.inputs().col(mu));
      }
    }
    InstanceSpec other = spec(6);
    other.number = 1;
    CHECK(outputs_of(Instance(other), 0) != outputs_of(small, 0));
    other = spec(6);
    other.seed = 10;
    CHECK(outputs_of(Instance(other), 0) != outputs_of(small, 0));
  }
  const Instance decoupled({.problem = Problem::decoupled, .dim_in = 5, .dim_out = 5, .facts = 4});
  CHECK(outputs_of(decoupled, 0) != outputs_of(decoupled, 1));
  CHECK(decoupled.target(3) == 0);
}

TEST_CASE("instance: regenerated outputs are the stored ones, and are not kept") {
  for (const Problem problem : {Problem::decoupled, Problem::iid}) {
    InstanceSpec spec{.problem = problem, .dim_in = 5, .dim_out = 4, .facts = 20, .candidates = 7};
    const Instance stored(spec);
    spec.storage = Storage::regenerated;
    spec.memory_limit = 8 * 20 * 5 * 20; // its inputs, and scratch for each thread
    const Instance anew(spec);
    CHECK(anew.bytes() < stored.bytes());
    double longest = 0;
    for (std::int64_t mu = 0; mu < 20; ++mu) {
      CHECK(outputs_of(anew, mu) == outputs_of(stored, mu));
      longest = std::max(longest, outputs_of(anew, mu).colwise().norm().maxCoeff());
    }
    const double input = problem == Problem::iid ? 1 : stored.inputs().colwise().norm().maxCoeff();
    CHECK(anew.longest() == doctest::Approx(longest * input).epsilon(1e-14));
  }
  // Shared outputs are always stored.
  const Instance original(
      {.dim_in = 5, .dim_out = 4, .facts = 20, .storage = Storage::regenerated});
  CHECK(original.stored_outputs().cols() == 20);
}

TEST_CASE("instance: given embeddings are checked") {
  const Instance given(Matrix::Identity(3, 3), Matrix::Identity(2, 3));
  CHECK(given.facts() == 3);
  CHECK(given.target(2) == 2);
  CHECK(refusal([] { return Instance(Matrix::Ones(3, 4), Matrix::Ones(3, 5)); }) ==
        "outputs: 5 of them for 4 inputs");
  Matrix bad = Matrix::Ones(3, 4);
  bad(1, 1) = std::nan("");
  CHECK(refusal([&] { return Instance(bad, Matrix::Ones(3, 4)); }) == "inputs: must be finite");
}

TEST_CASE("instance: refused specifications are named") {
  InstanceSpec spec{.dim_in = 4, .dim_out = 4, .facts = 8};
  const auto with = [&](auto change) {
    InstanceSpec s = spec;
    change(s);
    return refusal([&] { return Instance(s); });
  };
  CHECK(with([](auto &s) { s.facts = 1; }).find("facts = 1: must be a whole number from 2") == 0);
  CHECK(with([](auto &s) { s.dim_in = 0; }).find("dim_in = 0") == 0);
  CHECK(with([](auto &s) { s.dim_out = -3; }).find("dim_out = -3") == 0);
  CHECK(with([](auto &s) { s.candidates = 5; }).find("candidates = 5: the original problem") == 0);
  CHECK(with([](auto &s) { s.memory_limit = 100; }).find("memory: this instance needs") == 0);
  CHECK(with([](auto &s) {
          s.problem = Problem::decoupled;
          s.candidates = 1;
        }).find("candidates = 1") == 0);
}
