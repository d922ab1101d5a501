// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/hebbian.hpp"

#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/scores.hpp"
#include "random_scores.hpp"
#include "reference.hpp"
#include "unit_sphere_tail.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <vector>

using namespace lamcap;
using lamcap::testing::check_estimate;

namespace {

/// (largest a + b)^2 with a^2/2 + b^2/2 - log K <= log p and b >= sqrt(2 log K), on a grid of a >=
/// 0.
double largest_sum_squared(double log_p, double log_k) {
  const double highest = std::sqrt(2 * log_p); // of a, by the bound on b
  constexpr int points = 20000;
  double best = 0;
  for (int i = 0; i <= points; ++i) {
    const double a = highest * i / points;
    best = std::max(best, a + std::sqrt(2 * (log_p + log_k) - a * a));
  }
  return best * best;
}

} // namespace

TEST_CASE("hebbian: K = p gives the critical loads 1/8 and 1/2") {
  CHECK(hebbian_strict_load == 0.125);
  CHECK(hebbian_average_load == 0.5);
  for (const Count p : {Count(2), Count(100), Count(1e6), Count(1e300), Count::from_log(1e4)}) {
    CAPTURE(p.log());
    check_estimate(exactly(p.log()) / hebbian_dimension(p, p, Recall::strict), hebbian_strict_load,
                   1e-14);
    check_estimate(exactly(p.log()) / hebbian_dimension(p, p, Recall::average),
                   hebbian_average_load, 1e-14);
  }
}

TEST_CASE("hebbian: exact values off the diagonal") {
  const auto power = [](double exponent) { return Count::from_log(exponent); };
  // p >= K: 4 log(p K); p <= K: 2 (sqrt(log p) + sqrt(log K))^2.
  check_estimate(hebbian_dimension(power(9), power(4), Recall::strict), 52, 1e-14);
  check_estimate(hebbian_dimension(power(4), power(9), Recall::strict), 50, 1e-14);
  check_estimate(hebbian_dimension(power(9), power(4), Recall::average), 8, 1e-14);
  check_estimate(hebbian_dimension(power(4), power(9), Recall::average), 18, 1e-14);
  // One fact is as easy as most of many facts.
  check_estimate(hebbian_dimension(1, power(9), Recall::strict), 18, 1e-14);
}

TEST_CASE("hebbian: the strict formula is the largest a + b under its constraint") {
  for (const double log_p : {0.0, 0.5, 3.0, 6.9, 7.1, 20.0, 300.0}) {
    for (const double log_k : {0.7, 3.0, 7.0, 50.0}) {
      CAPTURE(log_p);
      CAPTURE(log_k);
      const auto formula =
          hebbian_dimension(Count::from_log(log_p), Count::from_log(log_k), Recall::strict);
      // The grid's best is below the maximum, by less than the square of its spacing.
      const double found = largest_sum_squared(log_p, log_k);
      CHECK(found <= formula.value * (1 + 1e-13));
      CHECK(found >= formula.value * (1 - 1e-7));
    }
  }
}

TEST_CASE("hebbian: strict recall is continuous, with its slope, where p passes K") {
  const double log_k = 8;
  const double step = 1e-4;
  const auto at = [log_k](double log_p) {
    return hebbian_dimension(Count::from_log(log_p), Count::from_log(log_k), Recall::strict).value;
  };
  CHECK(at(log_k * (1 + 1e-15)) == doctest::Approx(at(log_k * (1 - 1e-15))).epsilon(1e-14));
  const double below = (at(log_k) - at(log_k - step)) / step;
  const double above = (at(log_k + step) - at(log_k)) / step;
  CHECK(above == doctest::Approx(4).epsilon(1e-9));
  CHECK(below == doctest::Approx(4).epsilon(1e-4));
}

TEST_CASE("hebbian: more facts or candidates need more dimensions, strict more than average") {
  double previous = 0;
  for (const double p : {1.0, 2.0, 50.0, 1e3, 1e9, 1e100}) {
    CAPTURE(p);
    const double strict = hebbian_dimension(p, 1e3, Recall::strict).value;
    CHECK(strict > previous);
    CHECK(hebbian_dimension(p, 2e3, Recall::strict).value > strict);
    CHECK(hebbian_dimension(p, 1e3, Recall::average).value <= strict * (1 + 1e-14));
    CHECK(hebbian_dimension(p, 1e3, Recall::average).value ==
          hebbian_dimension(7, 1e3, Recall::average).value);
    previous = strict;
  }
}

TEST_CASE("hebbian: refused arguments are named with value and range") {
  CHECK_THROWS_WITH_AS(hebbian_dimension(10, 1, Recall::strict),
                       "candidates = 1: must be at least 2", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_dimension(0.5, 10, Recall::average),
                       "facts = 0.5: must be at least 1", std::domain_error);
  CHECK_THROWS_AS(hebbian_dimension(10, 0, Recall::average), std::domain_error);
}

// ---- finite size

namespace {

HebbianMemory square_memory(double d, Embeddings embeddings) {
  return {.dim_in = d, .dim_out = d, .embeddings = embeddings};
}

HebbianMemory with_candidates(HebbianMemory memory, double candidates) {
  memory.candidates = candidates;
  return memory;
}

constexpr std::array<Embeddings, 2> both_embeddings{Embeddings::gaussian, Embeddings::unit_sphere};

/// Instances of W = sum u e^T, every fact asked for.
class Simulation {
public:
  Simulation(int dim_in, int dim_out, int facts, int candidates, bool sphere, std::uint64_t seed)
      : dim_in_(dim_in),
        dim_out_(dim_out),
        facts_(facts),
        candidates_(candidates),
        sphere_(sphere),
        random_(seed) {}

  void run(int instances) {
    double sum = 0;
    double square = 0;
    int complete = 0;
    for (int i = 0; i < instances; ++i) {
      const int recalled = instance();
      const double fraction = static_cast<double>(recalled) / facts_;
      sum += fraction;
      square += fraction * fraction;
      complete += recalled == facts_ ? 1 : 0;
    }
    accuracy = sum / instances;
    sigma = std::sqrt((square / instances - accuracy * accuracy) / (instances - 1));
    all = static_cast<double>(complete) / instances;
  }

  double accuracy = 0;
  double sigma = 0; // one standard error of accuracy
  double all = 0;   // fraction of instances that recall every fact

private:
  std::vector<float> vectors(int count, int dim) {
    std::vector<float> all_vectors(static_cast<std::size_t>(count) * static_cast<std::size_t>(dim));
    for (auto v = all_vectors.begin(); v != all_vectors.end(); v += dim) {
      double norm = 0;
      for (int k = 0; k < dim; ++k) {
        const double z = random_();
        v[k] = static_cast<float>(z);
        norm += z * z;
      }
      const double scale = 1 / std::sqrt(sphere_ ? norm : dim);
      for (int k = 0; k < dim; ++k) {
        v[k] *= static_cast<float>(scale);
      }
    }
    return all_vectors;
  }

  int instance() {
    const auto u = vectors(std::max(facts_, candidates_), dim_out_);
    const auto e = vectors(facts_, dim_in_);
    std::vector<float> w(static_cast<std::size_t>(dim_in_) * static_cast<std::size_t>(dim_out_));
    for (int i = 0; i < facts_; ++i) {
      for (int a = 0; a < dim_out_; ++a) {
        const float factor = u[at(i, a, dim_out_)];
        for (int b = 0; b < dim_in_; ++b) {
          w[at(a, b, dim_in_)] += factor * e[at(i, b, dim_in_)];
        }
      }
    }
    int recalled = 0;
    std::vector<float> r(static_cast<std::size_t>(dim_out_));
    for (int i = 0; i < facts_; ++i) {
      for (int a = 0; a < dim_out_; ++a) {
        r[at(0, a, dim_out_)] = dot(&w[at(a, 0, dim_in_)], &e[at(i, 0, dim_in_)], dim_in_);
      }
      const auto score = [&](int j) { return dot(&u[at(j, 0, dim_out_)], r.data(), dim_out_); };
      const float target = score(i);
      bool good = true;
      for (int k = 1; k < candidates_ && good; ++k) {
        good = score((i + k) % std::max(facts_, candidates_)) < target;
      }
      recalled += good ? 1 : 0;
    }
    return recalled;
  }

  static std::size_t at(int row, int column, int columns) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
  static float dot(const float *a, const float *b, int n) {
    std::array<float, 8> sums{}; // eight at once, so that the compiler may use vectors
    int k = 0;
    for (; k + 8 <= n; k += 8) {
      for (int l = 0; l < 8; ++l) {
        sums[static_cast<std::size_t>(l)] += a[k + l] * b[k + l];
      }
    }
    float sum = 0;
    for (const float s : sums) {
      sum += s;
    }
    for (; k < n; ++k) {
      sum += a[k] * b[k];
    }
    return sum;
  }

  int dim_in_;
  int dim_out_;
  int facts_;
  int candidates_;
  bool sphere_;
  lamcap::testing::RandomGaussian random_;
};

} // namespace

TEST_CASE("hebbian accuracy: exact cases") {
  for (const Embeddings embeddings : both_embeddings) {
    const HebbianMemory memory = square_memory(64, embeddings);
    check_estimate(hebbian_accuracy(memory, 1), 1, 1e-15);                       // one fact, K = 1
    check_estimate(hebbian_accuracy(with_candidates(memory, 1), 500), 1, 1e-15); // nothing competes
    check_estimate(hebbian_all_recalled(with_candidates(memory, 1), 500), 1, 1e-15);
  }
  // One fact against unstored outputs: r is parallel to the target.
  check_estimate(
      hebbian_accuracy(with_candidates(square_memory(8, Embeddings::unit_sphere), 1e9), 1), 1,
      1e-15);
  // Gaussian: E Phi(chi_d), K = 2: chi_d / xi is d^(1/2) over Student's t.  P(t_8 < sqrt 8).
  const double d = 8;
  const double theta = std::atan(1.0);
  const double student =
      0.5 + 0.5 * std::sin(theta) *
                (1 + std::pow(std::cos(theta), 2) / 2 + 3 * std::pow(std::cos(theta), 4) / 8 +
                 15 * std::pow(std::cos(theta), 6) / 48);
  check_estimate(hebbian_accuracy(with_candidates(square_memory(d, Embeddings::gaussian), 2), 1),
                 student, 1e-9);
}

TEST_CASE("hebbian accuracy: nested adaptive quadrature in other coordinates agrees") {
  // Gaussian embeddings.  v, rho = |r| / (b sqrt(1 + v)) and the target's own noise z.
  struct Case {
    double dim_in, dim_out, facts, candidates;
  };
  for (const Case &c : {Case{128, 128, 634, 634}, Case{64, 256, 300, 50}, Case{16, 8, 20, 1000}}) {
    CAPTURE(c.dim_in);
    const double n = c.facts - 1;
    const double a = n / 2;
    const double g = c.dim_in / 2;
    const double stored = std::min(c.facts, c.candidates) - 1;
    const double unstored = c.candidates - stored - 1;
    const numerics::QuadratureOptions options{.relative_tolerance = 1e-8,
                                              .absolute_tolerance = 1e-11};
    const auto fails = [&](double v, double rho, double z) {
      const double x = (rho + z * std::sqrt(v / c.dim_out)) / std::sqrt(1 + v);
      const double slope = (rho * std::sqrt(1 + v) - x) / v;
      const double variance = (1 - 1 / n) / c.dim_out + slope * slope * v / n;
      const auto log_phi = [](double t) { return std::log1p(-0.5 * std::erfc(t / std::sqrt(2.))); };
      return -std::expm1(stored * log_phi(x / std::sqrt(variance)) +
                         unstored * log_phi(x * std::sqrt(c.dim_out)));
    };
    const double rho_sd = std::sqrt(0.5 / c.dim_out);
    const double v_sd = std::sqrt(1 / a + 1 / g);
    const auto over_v = [&](double u) {
      const double v = a / g * std::exp(u * v_sd);
      const double weight = std::exp(std::lgamma(a + g) - std::lgamma(a) - std::lgamma(g) +
                                     a * std::log(v) - (a + g) * std::log1p(v)) *
                            v_sd;
      const auto over_rho = [&](double s) {
        const double rho = 1 + s * rho_sd;
        const double chi = std::exp(std::log(2.) + 0.5 * c.dim_out * std::log(0.5 * c.dim_out) -
                                    std::lgamma(0.5 * c.dim_out) + (c.dim_out - 1) * std::log(rho) -
                                    0.5 * c.dim_out * rho * rho) *
                           rho_sd;
        const auto over_z = [&](double z) {
          return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) * fails(v, rho, z);
        };
        return chi * numerics::integrate(over_z, -8, 8, options).value;
      };
      return weight *
             numerics::integrate(over_rho, std::max(-7.5, -0.999 / rho_sd), 7.5, options).value;
    };
    const double failure = numerics::integrate(over_v, -9, 9, options).value;
    const HebbianMemory memory{
        .dim_in = c.dim_in, .dim_out = c.dim_out, .candidates = c.candidates};
    const Estimate accuracy = hebbian_accuracy(memory, c.facts);
    CHECK(accuracy.converged());
    CHECK(accuracy.error < 1e-7);
    CHECK(std::abs(accuracy.value - (1 - failure)) < accuracy.error + 2e-8);
  }
}

TEST_CASE("hebbian accuracy: tails of a competitor on the sphere") {
  const double free = std::numeric_limits<double>::infinity();
  const double step = 0.05;
  // d = 9: density 35 (1 - t^2)^3 / 32.  d = 5: density 3 (1 - t^2) / 4.
  const UnitSphereTail nine(20, 9, free, step, 100, 0, 0);
  const UnitSphereTail five(20, 5, free, step, 100, 0, 0);
  for (const int i : {0, 1, 10, 40, 100}) {
    const double y = i * step;
    const double rest = 2 / (1 + std::exp(2 * y)); // 1 - tanh y
    // Int_0^rest of (s (2 - s))^3, s = 1 - t.
    const double nine_tail =
        35. / 32 * std::pow(rest, 4) * (2 - rest * (12. / 5 - rest * (1 - rest / 7)));
    CHECK(std::exp(nine.log_tail(i, 0)) == doctest::Approx(nine_tail).epsilon(1e-9));
    CHECK(std::exp(five.log_tail(i, 0)) ==
          doctest::Approx(rest * rest * (3 - rest) / 4).epsilon(1e-9));
  }
  // Stored: the definition by adaptive quadrature.
  const double dim_in = 40;
  const double dim_out = 100;
  const double cross_talk = 3;
  const UnitSphereTail stored(dim_in, dim_out, cross_talk, 0.02, 40, 0.2, 0.7);
  for (const double slope : {0.2, 0.43, 0.7}) {
    const auto density_of = [](double t, double d) { return std::pow(1 - t * t, (d - 3) / 2); };
    const double curb = dim_out / ((1 + dim_in * cross_talk) * (1 + cross_talk));
    const double threshold = std::tanh(0.02 * 15);
    const auto over_c = [&](double c) {
      const double kappa = dim_out * slope * c * (1 + c * c / (c * c + cross_talk));
      const auto tilted = [&](double t) {
        return density_of(t, dim_out) * std::exp(kappa * t - curb * t * t / 2);
      };
      return density_of(c, dim_in) * numerics::integrate(tilted, threshold, 1).value /
             numerics::integrate(tilted, -1, 1).value;
    };
    const double norm =
        numerics::integrate([&](double c) { return density_of(c, dim_in); }, -1, 1).value;
    const double tail =
        numerics::integrate(over_c, -1, 1, {.relative_tolerance = 1e-10}).value / norm;
    CHECK(std::abs(std::exp(stored.log_tail(15, slope)) / tail - 1) <
          stored.relative_error() + 1e-9);
    CHECK(stored.relative_error() < 1e-6);
    // Between the grid's points, and the derivative.
    const auto point = stored.at(0.3 + 1e-9, slope);
    CHECK(point.log_tail == doctest::Approx(std::log(tail)).epsilon(1e-6));
    CHECK(point.derivative ==
          doctest::Approx((stored.at(0.301, slope).log_tail - stored.at(0.299, slope).log_tail) /
                          0.002)
              .epsilon(1e-4));
  }
}

TEST_CASE("hebbian accuracy: simulated memories, shared u, e and W") {
  struct Case {
    int dim_in, dim_out, facts, candidates;
    bool sphere;
    int instances;
  };
  // Required: one percentage point (d >= 128), beside four standard errors.
  for (const Case &c : {Case{128, 128, 349, 349, false, 6}, Case{128, 128, 634, 634, false, 6},
                        Case{128, 128, 1160, 1160, false, 2}, Case{128, 128, 349, 349, true, 6},
                        Case{128, 128, 634, 634, true, 6}, Case{128, 128, 1160, 1160, true, 2},
                        Case{64, 256, 634, 634, false, 6}, Case{64, 256, 634, 634, true, 6},
                        Case{256, 64, 634, 634, true, 6}, Case{128, 128, 2000, 50, false, 3},
                        Case{128, 128, 200, 3000, false, 4}, Case{128, 128, 600, 2000, true, 4}}) {
    CAPTURE(c.dim_in);
    CAPTURE(c.facts);
    CAPTURE(c.candidates);
    CAPTURE(c.sphere);
    Simulation simulation(c.dim_in, c.dim_out, c.facts, c.candidates, c.sphere, 20240611);
    simulation.run(c.instances);
    const HebbianMemory memory{.dim_in = static_cast<double>(c.dim_in),
                               .dim_out = static_cast<double>(c.dim_out),
                               .embeddings =
                                   c.sphere ? Embeddings::unit_sphere : Embeddings::gaussian,
                               .candidates = Count(c.candidates)};
    const double theory = hebbian_accuracy(memory, c.facts).value;
    // The spread of few instances is itself uncertain: never below the binomial one.
    const double binomial = std::sqrt(theory * (1 - theory) / (c.facts * c.instances));
    CAPTURE(theory);
    CAPTURE(simulation.accuracy);
    CHECK(std::abs(theory - simulation.accuracy) <
          0.003 + 4 * std::max(simulation.sigma, binomial));
  }
}

TEST_CASE("hebbian accuracy: probability that all facts are recalled, simulated") {
  constexpr int instances = 1000; // standard error 0.016
  for (const bool sphere : {false, true}) {
    const int d = 32;
    const int facts = sphere ? 33 : 18;
    Simulation simulation(d, d, facts, facts, sphere, 7);
    simulation.run(instances);
    const double theory =
        hebbian_all_recalled(
            square_memory(d, sphere ? Embeddings::unit_sphere : Embeddings::gaussian), facts)
            .value;
    CAPTURE(theory);
    CAPTURE(simulation.all);
    CHECK(theory > 0.2);
    CHECK(theory < 0.8);
    CHECK(std::abs(theory - simulation.all) < 0.02 + 4 * 0.016);
  }
}

TEST_CASE("hebbian accuracy: more facts or candidates, less recall; more dimensions, more") {
  for (const Embeddings embeddings : both_embeddings) {
    const HebbianMemory memory = square_memory(100, embeddings);
    double previous = 1 + 1e-12;
    for (const double p : {20., 21.5, 100., 300., 600., 1e3, 1e4, 1e6}) {
      CAPTURE(p);
      const double accuracy = hebbian_accuracy(memory, p).value;
      CHECK(accuracy <= previous);
      CHECK(accuracy >= 1 / p - 1e-9);
      previous = accuracy;
    }
    previous = 1;
    for (const double k : {2., 10., 400., 401., 1e4, 1e8, 1e12, 1e15}) {
      CAPTURE(k);
      const Estimate accuracy = hebbian_accuracy(with_candidates(memory, k), 400);
      CHECK(accuracy.converged());
      CHECK(accuracy.error < 1e-6);
      CHECK(accuracy.value < previous);
      previous = accuracy.value;
    }
    CHECK(hebbian_accuracy(square_memory(128, embeddings), 600).value >
          hebbian_accuracy(square_memory(110, embeddings), 600).value);
  }
}

TEST_CASE("hebbian accuracy: all sizes, with an error bound that says something") {
  for (const Embeddings embeddings : both_embeddings) {
    for (const double d : {8., 9.5, 50., 1e3, 1e5}) {
      for (const double load : {0.1, 0.4, 1.0}) {
        const double p = std::max(5.0, std::floor(load * d * d / (2 * std::log(d))));
        CAPTURE(d);
        CAPTURE(p);
        const Estimate accuracy = hebbian_accuracy(square_memory(d, embeddings), p);
        CHECK(accuracy.converged());
        CHECK(accuracy.value >= 0);
        CHECK(accuracy.value <= 1);
        CHECK(accuracy.error < 1e-5);
        const Estimate all = hebbian_all_recalled(square_memory(d, embeddings), p);
        CHECK(all.converged());
        CHECK(all.value <= accuracy.value);
      }
    }
  }
}

TEST_CASE("hebbian accuracy: facts at a level") {
  for (const Embeddings embeddings : both_embeddings) {
    const HebbianMemory memory = square_memory(128, embeddings);
    for (const double level : {0.1, 0.9}) {
      CAPTURE(level);
      const Estimate p = hebbian_facts_at_accuracy(memory, level);
      CHECK(p.converged());
      CHECK(p.error < 1e-4 * p.value);
      CHECK(hebbian_accuracy(memory, p.value).value == doctest::Approx(level).epsilon(1e-6));
      const Estimate q = hebbian_facts_at_all_recalled(memory, level);
      CHECK(q.converged());
      CHECK(hebbian_all_recalled(memory, q.value).value == doctest::Approx(level).epsilon(1e-5));
      CHECK(q.value < p.value);
    }
    // With K given: 1/K is reached by chance, and one fact may already be lost.
    CHECK(hebbian_facts_at_accuracy(with_candidates(memory, 10), 0.05).status ==
          Status::no_sign_change);
    CHECK(hebbian_facts_at_accuracy(with_candidates(memory, 10), 0.5).converged());
  }
  CHECK(hebbian_facts_at_accuracy(with_candidates(square_memory(8, Embeddings::gaussian), 1e6), 0.9)
            .status == Status::no_sign_change);
}

TEST_CASE("hebbian accuracy: the loads 1/2 and 1/8 are approached as d grows") {
  for (const Embeddings embeddings : both_embeddings) {
    double previous_average = 1;
    double previous_strict = 1;
    // Below d = 4096 the loads still rise through the limits.
    for (const double d : {4096., 65536., 1e6}) {
      CAPTURE(d);
      const HebbianMemory memory = square_memory(d, embeddings);
      const auto load = [d](const Estimate &p) { return p.value * std::log(p.value) / (d * d); };
      const double average =
          std::abs(load(hebbian_facts_at_accuracy(memory, 0.5)) - hebbian_average_load);
      const double strict =
          std::abs(load(hebbian_facts_at_all_recalled(memory, 0.5)) - hebbian_strict_load);
      CHECK(average < previous_average);
      CHECK(strict < previous_strict);
      previous_average = average;
      previous_strict = strict;
    }
    CHECK(previous_average < 0.06);
    CHECK(previous_strict < 0.011);
  }
}

TEST_CASE("hebbian scores: laws are normalised, have the exact moments and give the accuracy") {
  for (const Embeddings embeddings : both_embeddings) {
    const bool sphere = embeddings == Embeddings::unit_sphere;
    CAPTURE(sphere);
    const HebbianMemory memory = square_memory(128, embeddings);
    const double p = 634;
    const auto laws = hebbian_scores(memory, p);
    const ScoreLaws &scores = *laws;
    const numerics::QuadratureOptions tight{.relative_tolerance = 1e-11,
                                            .absolute_tolerance = 1e-12};
    const double target_sd = scores.standard_deviation(Score::target).value;
    const double sd = scores.standard_deviation(Score::competitor).value;
    CHECK(target_sd * target_sd ==
          doctest::Approx(sphere ? 633. / 16384 : 4. / 128 + 4. / 16384 + 633. / 16384));
    const auto target = [&](double s) { return scores.density(Score::target, s).value; };
    const auto competitor = [&](double s) { return scores.density(Score::competitor, s).value; };
    const auto largest = [&](double s) { return scores.density(Score::maximum, s).value; };
    const auto integral = [&](const auto &f, double low, double high) {
      return numerics::integrate(f, low, 0.5 * (low + high), tight).value +
             numerics::integrate(f, 0.5 * (low + high), high, tight).value;
    };
    CHECK(std::abs(integral(target, -2, 5) - 1) < 1e-10);
    CHECK(std::abs(integral(competitor, -12 * sd, 12 * sd) - 1) < 1e-10);
    CHECK(std::abs(integral(largest, 0, 12 * sd) - 1) < 1e-10);
    const auto second = [&](double s) { return s * s * competitor(s); };
    CHECK(std::sqrt(integral(second, -12 * sd, 12 * sd)) ==
          doctest::Approx(sd).epsilon(sphere ? 1e-4 : 1e-7));
    const auto spread = [&](double s) { return (s - 1) * (s - 1) * target(s); };
    CHECK(std::sqrt(integral(spread, -2, 5)) == doctest::Approx(target_sd).epsilon(1e-6));
    // Distributions are the integrals of the densities; the maximum's moments too.
    CHECK(scores.distribution(Score::target, 1.3).value -
              scores.distribution(Score::target, 0.9).value ==
          doctest::Approx(integral(target, 0.9, 1.3)).epsilon(1e-9));
    CHECK(scores.distribution(Score::maximum, 0.9).value -
              scores.distribution(Score::maximum, 0.7).value ==
          doctest::Approx(integral(largest, 0.7, 0.9)).epsilon(1e-8));
    const auto first = [&](double s) { return s * largest(s); };
    CHECK(scores.mean(Score::maximum).value ==
          doctest::Approx(integral(first, 0, 12 * sd)).epsilon(1e-6));
    CHECK(scores.standard_deviation(Score::maximum).converged());
    // Drawn independently, the target would beat the maximum nearly as often as it does.
    const auto wins = [&](double s) {
      return target(s) * scores.distribution(Score::maximum, s).value;
    };
    CHECK(integral(wins, -1, 4) ==
          doctest::Approx(hebbian_accuracy(memory, p).value).epsilon(0.03));
    const Estimate overlap = scores.overlap_area();
    CHECK(overlap.converged());
    CHECK(overlap.value > 0.2);
    CHECK(overlap.value < 0.5);
  }
}

TEST_CASE("hebbian accuracy: refused arguments are named with value and range") {
  const HebbianMemory memory = square_memory(64, Embeddings::gaussian);
  CHECK_THROWS_WITH_AS(hebbian_accuracy({.dim_in = 7, .dim_out = 64}, 10),
                       "dim_in = 7: must be from 8 to 1000000", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_accuracy({.dim_in = 64, .dim_out = 1e7}, 10),
                       "dim_out = 10000000: must be from 8 to 1000000", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_all_recalled(memory, 0.5),
                       "facts = 0.5: must be from 1 to 1000000000000", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_accuracy(with_candidates(memory, 0), 10),
                       "candidates = 0: must be from 1 to 1000000000000000", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_facts_at_accuracy(memory, 1),
                       "level = 1: must be in the open interval (0, 1)", std::domain_error);
  CHECK_THROWS_WITH_AS(hebbian_scores(memory, 1),
                       "facts = 1: must be at least 2 for the laws of the scores",
                       std::domain_error);
  CHECK_THROWS_AS(hebbian_scores(with_candidates(memory, 1), 10), std::domain_error);
  CHECK_THROWS_AS(hebbian_accuracy(memory, std::nan("")), std::domain_error);
}
