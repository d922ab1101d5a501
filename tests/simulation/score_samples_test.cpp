// SPDX-License-Identifier: GPL-3.0-or-later
// Histograms of scores against every score computed one by one.
#include "lamcap/simulation/score_samples.hpp"

#include "lamcap/simulation/recall.hpp"

#include "refusal.hpp"
#include "simulation/outputs_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lamcap::simulation;
using lamcap::testing::outputs_of;
using lamcap::testing::refusal;

TEST_CASE("score samples: all scores of three small instances, one by one") {
  for (const InstanceSpec &spec :
       {InstanceSpec{.problem = Problem::original, .dim_in = 5, .dim_out = 7, .facts = 150},
        InstanceSpec{
            .problem = Problem::decoupled, .dim_in = 5, .dim_out = 4, .facts = 70, .candidates = 6},
        InstanceSpec{
            .problem = Problem::iid, .dim_in = 3, .dim_out = 2, .facts = 9, .candidates = 5}}) {
    const Instance instance(spec);
    const Matrix w = hebbian_memory(instance);
    const Bins bins{.low = -1, .high = 2, .count = 12};
    const ScoreSamples samples = score_samples(instance, w, bins);
    const double unit = w.norm() / std::sqrt(static_cast<double>(spec.dim_in * spec.dim_out));
    std::vector<double> competitors;
    for (std::int64_t mu = 0; mu < instance.facts(); ++mu) {
      const Vector e =
          instance.inputs().size() > 0 ? Vector(instance.inputs().col(mu)) : Vector::Ones(1);
      const Vector s = outputs_of(instance, mu).transpose() * (w * e) / unit;
      double best = -std::numeric_limits<double>::infinity();
      for (Eigen::Index rho = 0; rho < s.size(); ++rho) {
        if (rho != instance.target(mu)) {
          best = std::max(best, s[rho]);
          competitors.push_back(s[rho]);
        }
      }
      CHECK(samples.target[mu] == doctest::Approx(s[instance.target(mu)]).epsilon(1e-12));
      CHECK(samples.best[mu] == doctest::Approx(best).epsilon(1e-12));
    }
    const Histogram expected = histogram(
        Eigen::Map<Vector>(competitors.data(), static_cast<Eigen::Index>(competitors.size())),
        bins);
    CHECK(samples.competitors.counts == expected.counts);
    CHECK(samples.competitors.below == expected.below);
    CHECK(samples.competitors.above == expected.above);
    CHECK(expected.samples() == instance.facts() * (instance.candidates() - 1));
    CHECK(expected.below > 0);
    const ScoreSamples again = score_samples(instance, 1e-200 * w, bins, 2);
    CHECK(again.competitors.counts == expected.counts);
    CHECK(samples.target == score_samples(instance, w, bins, 1).target);
  }
}

TEST_CASE("score samples: a bin holds its lower edge") {
  const Histogram h =
      histogram(Vector{{-0.1, 0, 0.5, 0.999, 1, 7}}, {.low = 0, .high = 1, .count = 2});
  CHECK(h.counts == std::vector<std::int64_t>{1, 2});
  CHECK(h.below == 1);
  CHECK(h.above == 2);
  CHECK(h.samples() == 6);
}

TEST_CASE("score samples: bad arguments are named") {
  const Instance instance({.dim_in = 3, .dim_out = 4, .facts = 5});
  const Matrix w = Matrix::Ones(4, 3);
  const auto message = [&](const Matrix &memory, const Bins &bins) {
    return refusal([&] { return score_samples(instance, memory, bins); });
  };
  CHECK(message(w, {.low = 1, .high = 1}).find("bins = 1:1:60") == 0);
  CHECK(message(w, {.count = 0}).find("bins = -6:6:0") == 0);
  CHECK(message(w, {.high = std::numeric_limits<double>::infinity()}).find("bins = -6:inf") == 0);
  CHECK(message(Matrix::Ones(3, 4), {}) == "W: 3 x 4, must be 4 x 3");
  CHECK(message(Matrix::Zero(4, 3), {}) == "W: must be finite and not zero");
  CHECK(message(std::nan("") * w, {}) == "W: must be finite and not zero");
}
