// SPDX-License-Identifier: GPL-3.0-or-later
// Replica free entropy: exact cases, 20-digit references, nested adaptive quadrature of the
// definitions, identities along the curve, the classical perceptron at K = 2.
#include "lamcap/replica.hpp"

#include "lamcap/critical_load.hpp"
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "reference.hpp"

#include <doctest/doctest.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;

namespace {

double log_cdf(double x) {
  return gaussian::log_cdf(x).value;
}
double density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
}

/// E f(xi), by adaptive quadrature.
template <class Function>
double average(Function f, double tolerance = 1e-10) {
  const auto weighted = [&](double xi) { return density(xi) * f(xi); };
  const numerics::QuadratureOptions options{.relative_tolerance = tolerance,
                                            .absolute_tolerance = 1e-14};
  return numerics::integrate(weighted, -9, 0, options).value +
         numerics::integrate(weighted, 0, 9, options).value;
}

/// E_K(q) from its definition, three nested adaptive quadratures.
double nested_energy(double k, double margin, double q) {
  const double root = std::sqrt(q);
  const double s = std::sqrt(1 - q);
  const auto potential = [&](double h) {
    return (k - 1) *
           average([&](double xi) { return log_cdf((h - margin - root * xi) / s); }, 1e-9);
  };
  return average(
      [&](double xi) {
        return std::log(
            average([&](double z) { return std::exp(potential(root * xi + s * z)); }, 1e-8));
      },
      1e-7);
}

/// The spherical perceptron of Gardner (1988): E(q) = E_t log Phi((sqrt(q) t - kappa)/sqrt(1 - q)).
double perceptron_energy(double kappa, double q) {
  return average([&](double t) { return log_cdf((std::sqrt(q) * t - kappa) / std::sqrt(1 - q)); });
}

ReplicaModel mean_field(double candidates, double margin = 0) {
  return {.candidates = candidates, .margin = margin};
}
ReplicaModel quenched(double candidates, std::int64_t samples, double margin = 0) {
  return {.candidates = candidates,
          .margin = margin,
          .competitors = Competitors::quenched,
          .samples = samples,
          .seed = 20261201};
}

std::string refusal(auto call) {
  try {
    (void)call();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "accepted";
}

} // namespace

TEST_CASE("replica: the leading order in closed form") {
  const Replica leading({.candidates = 1e6, .competitors = Competitors::leading});
  check_estimate(leading.critical_load(), 0.5, 1e-15);
  for (const double load : {1e-6, 0.01, 0.2, 0.4, 0.499}) {
    const ReplicaState s = leading.solve(load);
    CHECK(s.status == Status::converged);
    check_estimate(s.overlap, 2 * load, 1e-11);
    check_estimate(s.free_entropy, 0.5 * std::log1p(-2 * load), 1e-8, 1e-14);
  }
}

TEST_CASE("replica: without overlap a fact is recalled with probability 1/K") {
  for (const double k : {2., 3., 100., 1e6, 1e12}) {
    check_estimate(Replica(mean_field(k)).energy(0), -std::log(k), 1e-11);
  }
  const double log_probability =
      std::log(average([](double z) { return std::exp(9 * log_cdf(z - 0.7)); }));
  check_estimate(Replica(mean_field(10, 0.7)).energy(0), log_probability, 1e-11);
  const Estimate sampled = Replica(quenched(10, 100)).energy(0); // no randomness is left
  CHECK(std::abs(sampled.value + std::log(10)) <= sampled.error);
  CHECK(sampled.error < 1e-5);
}

TEST_CASE("replica: energy and its slope against 20-digit references") {
  for (const auto &row : reference("replica.tsv")) {
    const Replica replica(mean_field(row[0], row[1]));
    const double q = row[2];
    CAPTURE(row[0]);
    CAPTURE(q);
    check_estimate(replica.energy(q), row[3], 1e-12);
    check_estimate(replica.energy_slope(q), -row[4] / (2 * (1 - q) * (1 - q)), 1e-12);
  }
}

TEST_CASE("replica: energy by nested adaptive quadrature of its definition") {
  for (const auto &[k, margin, q] : {std::tuple{3., 0., 0.3}, {50., 0.5, 0.6}, {1e4, 0., 0.1}}) {
    CHECK(Replica(mean_field(k, margin)).energy(q).value ==
          doctest::Approx(nested_energy(k, margin, q)).epsilon(1e-6));
  }
}

TEST_CASE("replica: the slope is the derivative of the energy") {
  for (const auto &[k, margin] : {std::pair{2., 0.}, {100., 0.}, {100., 1.5}, {1e9, 0.}}) {
    const Replica replica(mean_field(k, margin));
    for (const double q : {0.05, 0.4, 0.59, 0.8, 0.95}) {
      const double step = 1e-4 * std::min(q, 1 - q);
      const double difference =
          (replica.energy(q + step).value - replica.energy(q - step).value) / (2 * step);
      CHECK(replica.energy_slope(q).value == doctest::Approx(difference).epsilon(1e-6));
    }
  }
}

TEST_CASE("replica: published mean-field saddle points, all six digits") {
  struct Point {
    double candidates, load, overlap, free_entropy;
  };
  for (const Point &p : {Point{100, 0.1, 0.135692, -0.105190},
                         {100, 0.5, 0.616270, -0.693405},
                         {1000, 0.5, 0.669634, -0.751191},
                         {1000, 0.7, 0.883243, -1.485253},
                         {1e4, 0.5, 0.711055, -0.804716},
                         {1e6, 0.5, 0.768265, -0.895611}}) {
    const ReplicaState s = Replica(mean_field(p.candidates)).solve(p.load);
    CHECK(std::abs(s.overlap.value - p.overlap) < 0.6e-6);
    CHECK(std::abs(s.free_entropy.value - p.free_entropy) < 0.6e-6);
  }
}

TEST_CASE("replica: overlap and free entropy to 1e-8 from K = 2 to 1e12, load 1e-4 to 0.999") {
  for (const double k : {2., 3., 10., 1e3, 1e6, 1e12}) {
    for (const double margin : {0., 1.}) {
      const Replica replica(mean_field(k, margin));
      for (const double ratio : {1e-4, 0.01, 0.3, 0.5, 0.8, 0.95, 0.999}) {
        const ReplicaState s = replica.solve(ratio * replica.critical_load().value);
        CAPTURE(k);
        CAPTURE(ratio);
        REQUIRE(s.status == Status::converged);
        CHECK(s.overlap.error < 1e-8);
        CHECK(s.free_entropy.error < 1e-8);
        CHECK(std::abs(s.residual.value) <= 1e-12 + s.residual.error);
        // Neighbouring overlaps lie lower (phi is smallest at the saddle in q).
        const double d = 1e-3 * (1 - s.overlap.value) * s.overlap.value;
        const double load = s.load;
        CHECK(replica.free_entropy(s.overlap.value + d, load).value > s.free_entropy.value);
        CHECK(replica.free_entropy(s.overlap.value - d, load).value > s.free_entropy.value);
      }
    }
  }
}

TEST_CASE("replica: along the curve d phi / d alpha = E_K / L, overlap rises, entropy falls") {
  for (const double k : {2., 100., 1e6}) {
    const Replica replica(mean_field(k));
    std::vector<double> loads;
    for (int i = 1; i < 40; ++i) {
      loads.push_back(replica.critical_load().value * i / 40);
    }
    std::reverse(loads.begin() + 10, loads.begin() + 30); // any order
    const auto curve = replica.curve(loads);
    const ReplicaState *last = nullptr;
    std::vector<const ReplicaState *> sorted;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      REQUIRE(curve[i].status == Status::converged);
      CHECK(curve[i].load == loads[i]);
      sorted.push_back(&curve[i]);
    }
    std::sort(sorted.begin(), sorted.end(), [](auto *a, auto *b) { return a->load < b->load; });
    for (const ReplicaState *s : sorted) {
      if (last != nullptr) {
        CHECK(s->overlap.value > last->overlap.value);
        CHECK(s->free_entropy.value < last->free_entropy.value);
      }
      last = s;
    }
    for (const std::size_t i : {std::size_t{3}, std::size_t{20}, std::size_t{37}}) {
      const double h = 1e-4;
      const double difference = (replica.solve(loads[i] + h).free_entropy.value -
                                 replica.solve(loads[i] - h).free_entropy.value) /
                                (2 * h);
      CHECK(curve[i].slope.value == doctest::Approx(difference).epsilon(1e-4));
      const ReplicaState alone = replica.solve(loads[i]);
      CHECK(std::abs(alone.overlap.value - curve[i].overlap.value) <=
            alone.overlap.error + curve[i].overlap.error);
    }
  }
}

TEST_CASE("replica: the load where q reaches 1 is a limit of the curve") {
  for (const auto &[k, margin] : {std::pair{2., 0.}, {100., 0.}, {1e3, 2.}, {1e12, 0.}}) {
    const Replica replica(mean_field(k, margin));
    const double at_capacity = std::log(k) / replica.critical_load().value; // S(1)
    double last = 1;
    for (const double rest : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const double q = 1 - rest;
      const double resistance = -2 * rest * rest * replica.energy_slope(q).value;
      const double distance = resistance / at_capacity - 1;
      CHECK(distance > 0);
      CHECK(distance < last / 5); // linear in 1 - q
      last = distance;
    }
    CHECK(last < 1e-4);
    // S(1) exceeds the exact delta: competitors that average out are harder to beat.
    CHECK(at_capacity > statistical_dimension(k, margin).value);
  }
  // E_xi0 min_h [(h - xi_0)^2 + (K-1) E (xi - h)_+^2] by quadrature.
  const auto distance = [](double xi) {
    const auto slope = [&](double h) { return h - xi - 99 * gaussian::excess_moment(1, h).value; };
    const double h = numerics::find_root(slope, xi, 12, {.absolute_tolerance = 1e-12}).value;
    return (h - xi) * (h - xi) + 99 * gaussian::excess_moment(2, h).value;
  };
  check_estimate(Replica(mean_field(100)).critical_load(), std::log(100.) / average(distance),
                 1e-9);
}

TEST_CASE("replica: next to capacity the result is honest") {
  for (const double k : {2., 1e3, 1e12}) {
    const Replica replica(mean_field(k));
    double last = 0;
    for (const double gap : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      const ReplicaState s = replica.solve(replica.critical_load().value * (1 - gap));
      CAPTURE(k);
      CAPTURE(gap);
      if (s.status == Status::converged) {
        CHECK(s.overlap.value > last);
        CHECK(s.free_entropy.error < 1e-4);
        last = s.overlap.value;
      } else {
        CHECK(gap < 1e-6);
      }
    }
    CHECK(last > 0.99);
  }
}

TEST_CASE("replica: two candidates are the spherical perceptron") {
  // p / D = 2 at zero margin, Gardner's 1 / E (t + kappa)_+^2 with it; kappa = mu / sqrt 2.
  check_estimate(Replica(quenched(2, 10)).critical_load(), 2 * std::log(2.), 1e-12);
  const double kappa = 1 / std::numbers::sqrt2;
  const double gardner = 1 / gaussian::excess_moment(2, -kappa).value;
  check_estimate(Replica(quenched(2, 10, 1)).critical_load(), gardner * std::log(2.), 1e-11);
  for (const double margin : {0., 1.}) {
    const Replica replica(quenched(2, 40000, margin));
    for (const double q : {0.1, 0.6, 0.9}) {
      const Estimate e = replica.energy(q);
      CAPTURE(q);
      CHECK(std::abs(e.value - perceptron_energy(margin / std::numbers::sqrt2, q)) < 3 * e.error);
      CHECK(e.error < 0.01 * std::abs(e.value));
    }
  }
  // Its saddle point at p / D = 1: stationarity of phi in q with the exact energy.
  const auto free_entropy = [](double q) {
    return Replica::entropic(q).value + perceptron_energy(0, q);
  };
  const auto slope = [&](double q) {
    return (free_entropy(q + 1e-4) - free_entropy(q - 1e-4)) / 2e-4;
  };
  const double q = numerics::find_root(slope, 0.3, 0.9, {.absolute_tolerance = 1e-7}).value;
  const ReplicaState s = Replica(quenched(2, 40000)).solve(std::log(2.));
  REQUIRE(s.status == Status::converged);
  CHECK(std::abs(s.overlap.value - q) < 3 * s.overlap.error);
  CHECK(std::abs(s.free_entropy.value - free_entropy(q)) < 3 * s.free_entropy.error);
}

TEST_CASE("replica: three candidates, random competitors against quadrature, 3 standard errors") {
  const double q = 0.6;
  const double root = std::sqrt(q);
  const double s = std::sqrt(1 - q);
  // Scores relative to the mean of the three: the common part drops out, two Gaussians are left.
  const auto log_probability = [&](double a, double b, double c) {
    return std::log(average(
        [&](double z) {
          const double h = root * a + s * z;
          return std::exp(log_cdf((h - root * b) / s) + log_cdf((h - root * c) / s));
        },
        1e-6));
  };
  const double energy = average(
      [&](double u) {
        return average(
            [&](double v) {
              const double x = std::sqrt(2. / 3) * u;
              const double y = v / std::numbers::sqrt2;
              return log_probability(x, -0.5 * x + y, -0.5 * x - y);
            },
            1e-5);
      },
      1e-4);
  const Estimate e = Replica(quenched(3, 40000)).energy(q);
  CAPTURE(energy);
  CHECK(std::abs(e.value - energy) < 3 * e.error + 1e-4 * std::abs(energy));
  CHECK(e.error < 0.005 * std::abs(energy));
}

TEST_CASE("replica: random competitors approach the mean field as K grows") {
  double last = 1;
  for (const double k : {2., 10., 100., 1000.}) {
    const double q = 0.6;
    const Estimate e = Replica(quenched(k, 4000)).energy(q);
    const double distance = std::abs(e.value / Replica(mean_field(k)).energy(q).value - 1);
    CAPTURE(k);
    CHECK(distance < last);
    last = distance + 3 * e.error / std::abs(e.value);
  }
  CHECK(last < 0.005);
}

TEST_CASE("replica: random competitors end at the exact delta") {
  for (const double k : {2., 100.}) {
    const double q = 0.999;
    const Estimate slope = Replica(quenched(k, 8000)).energy_slope(q);
    const double resistance = -2 * (1 - q) * (1 - q) * slope.value;
    const double error = 2 * (1 - q) * (1 - q) * slope.error;
    const double limit = statistical_dimension(k).value;
    CHECK(std::abs(resistance - limit) < 3 * error + 2 * (1 - q) * limit);
  }
}

TEST_CASE("replica: the same samples for any number of threads") {
  const Replica replica(quenched(50, 1000));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Estimate one = replica.energy(0.7);
  omp_set_num_threads(3);
  const Estimate three = replica.energy(0.7);
  omp_set_num_threads(threads);
  CHECK(one.value == three.value);
  CHECK(one.error == three.error);
  ReplicaModel other = quenched(50, 1000);
  other.seed += 1;
  CHECK(Replica(other).energy(0.7).value != one.value);
}

TEST_CASE("replica: the standard error is that of repeated seeds") {
  double sum = 0;
  double squares = 0;
  double stated = 0;
  constexpr int repeats = 60;
  for (int i = 0; i < repeats; ++i) {
    ReplicaModel model = quenched(20, 200);
    model.seed = 100 + static_cast<std::uint64_t>(i);
    const Estimate e = Replica(model).energy(0.6);
    sum += e.value;
    squares += e.value * e.value;
    stated += e.error / repeats;
  }
  const double spread = std::sqrt(squares / repeats - sum * sum / repeats / repeats);
  // A standard deviation of 60 values is known to 1/sqrt(120) = 9 percent; 4 of these.
  CHECK(std::abs(spread / stated - 1) < 0.37);
}

TEST_CASE("replica: refused arguments are named with value and range") {
  CHECK(refusal([] { return Replica(mean_field(1)); }) == "candidates = 1: must be at least 2");
  CHECK(refusal([] {
          return Replica({.candidates = Count::from_log(101)});
        }).find("(logarithm 101): must be at most e^100") != std::string::npos);
  CHECK(refusal([] { return Replica(mean_field(10, -1)); }).find("margin = -1") == 0);
  CHECK(refusal([] { return Replica(quenched(10.5, 10)); }).find("candidates = 10.5") == 0);
  CHECK(refusal([] {
          return Replica(quenched(1e8, 10));
        }).find("candidates = 100000000: must be a whole number of at most 10000000") == 0);
  CHECK(refusal([] { return Replica(quenched(10, 0)); }) ==
        "samples = 0: must be from 10 to 1000000000 for 10 candidates");
  CHECK(refusal([] { return Replica(quenched(1e7, 2000)); }) ==
        "samples = 2000: must be from 10 to 1000 for 10000000 candidates");
  const Replica replica(mean_field(100));
  for (const double load : {0., -1., 0.918, 2., std::nan("")}) {
    const std::string message = refusal([&] { return replica.solve(load); });
    CAPTURE(message);
    CHECK(message.find("must be above 0 and below 0.9177479") != std::string::npos);
    CHECK(message.find("where the mean-field theory's overlap reaches 1") != std::string::npos);
    CHECK(refusal([&] { return replica.curve({0.1, load}).size(); }).find("load = ") == 0);
  }
  CHECK(refusal([&] { return replica.energy(1); }) == "overlap = 1: must be in [0, 1)");
  CHECK(refusal([&] { return replica.energy(-0.1); }) == "overlap = -0.1: must be in [0, 1)");
  CHECK(refusal([&] { return Replica::entropic(1.5); }).find("overlap = 1.5") == 0);
  CHECK(refusal([&] { return replica.free_entropy(0.5, -1); }).find("load = -1") == 0);
}
