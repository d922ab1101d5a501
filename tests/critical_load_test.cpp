// SPDX-License-Identifier: GPL-3.0-or-later
// delta(K, mu) and alpha_c: closed forms, 20-digit references, two other methods, properties.
#include "lamcap/critical_load.hpp"

#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/target_score.hpp"
#include "numerics/faddeeva.hpp"
#include "random_scores.hpp"
#include "reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <random>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;
using std::numbers::pi;

namespace {

constexpr double largest_bound = 1e-9;    // promised for every reported bound, relative
constexpr double closed_form_tol = 1e-14; // promised for closed forms, relative

double normal_density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * pi);
}
double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

/// Gardner's E (k + xi)_+^2 with k = mu / sqrt 2.
double gardner(double margin) {
  const double k = margin / std::numbers::sqrt2;
  return (1 + k * k) * normal_cdf(k) + k * normal_density(k);
}

/// Second method: (K-1) Int phi(x) P[xi_0 + sum of K-2 excesses <= x] dx, the probability by the
/// midpoint sum of its characteristic function on the real axis, the integral by double
/// exponentials.
double real_axis_dimension(double candidates) {
  using Complex = std::complex<double>;
  const double n = candidates - 2;
  const auto probability = [n](double x) {
    // X - x has this mean and s.d.; where it is almost surely positive there is nothing to add, and
    // elsewhere the sum must not wrap around (at 2 pi / step) before 30 s.d.
    const double mean = n * gaussian::excess_moment(1, x).value;
    const double sd = std::sqrt(1 + n * gaussian::excess_moment(2, x).value);
    if (mean > x + 14 * sd) {
      return 0.0;
    }
    const double step = std::min(0.12, 2 * pi / (30 * sd));
    const double mills = numerics::mills_ratio(x);
    double sum = 0;
    for (int k = 0; (k + 0.5) * step < 9; ++k) {
      const double t = (k + 0.5) * step;
      const Complex z = normal_density(x) * (numerics::mills_ratio(Complex(x, -t)) - mills);
      const Complex log_psi(0.5 * std::log1p(2 * z.real() + std::norm(z)),
                            std::atan2(z.imag(), 1 + z.real()));
      const Complex cf = std::exp(-0.5 * t * t + n * log_psi - Complex(0, t * x));
      sum += cf.imag() / (pi * (k + 0.5));
    }
    return 0.5 - sum;
  };
  const double low = -9;
  const auto integrand = [&](double x) { return normal_density(x) * probability(x); };
  numerics::QuadratureOptions options{.relative_tolerance = 1e-12,
                                      .absolute_tolerance = 1e-13 / candidates,
                                      .integrator = numerics::Integrator::gauss_kronrod};
  const double middle = std::sqrt(2 * std::log(candidates));
  return (candidates - 1) * (numerics::integrate(integrand, low, middle, options).value +
                             numerics::integrate(integrand, middle, 10, options).value);
}

struct Sampled {
  double mean;
  double standard_error;
};

/// Third method: mean of dist^2(xi, C) itself over random xi, solving for h* in each.
Sampled sampled_dimension(int candidates, double margin, int samples, unsigned seed) {
  lamcap::testing::RandomGaussian gaussian(seed);
  double sum = 0;
  double sum_of_squares = 0;
  std::vector<double> competitors(static_cast<std::size_t>(candidates - 1));
  for (int i = 0; i < samples; ++i) {
    const double target = gaussian() - margin;
    std::generate(competitors.begin(), competitors.end(), [&] { return gaussian(); });
    const double distance = lamcap::testing::project(target, competitors).squared_distance;
    sum += distance;
    sum_of_squares += distance * distance;
  }
  const double mean = sum / samples;
  return {mean, std::sqrt((sum_of_squares / samples - mean * mean) / samples)};
}

} // namespace

TEST_CASE("critical load: closed forms at K = 2, 3, 4") {
  const double angle = std::acos(1.0 / 3);
  const double four = 0.5 + 1.5 * (0.5 - angle / (2 * pi)) + 3 * (3 * angle - pi) / (4 * pi);
  const std::pair<double, double> cases[] = {{2, 0.5}, {3, 5.0 / 6}, {4, four}};
  for (const auto &[k, delta] : cases) {
    check_estimate(statistical_dimension(k), delta, 1e-12);
    CHECK(std::abs(statistical_dimension(k).value / delta - 1) <= closed_form_tol);
    check_estimate(critical_load(k), std::log(k) / delta, 1e-12);
  }
}

TEST_CASE("critical load: K = 2 with margin is Gardner's formula") {
  for (const double margin : {0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 25.0, 50.0}) {
    const Estimate e = statistical_dimension(2, margin);
    check_estimate(e, gardner(margin), 1e-11);
    CHECK(std::abs(e.value / gardner(margin) - 1) <= closed_form_tol);
  }
  CHECK(statistical_dimension(2, 1).value == doctest::Approx(1.360070553093646).epsilon(1e-15));
}

TEST_CASE("critical load: 20-digit references from K = 2 to 1e300") {
  double worst = 0;
  for (const auto &row : reference("critical_load.tsv")) {
    CAPTURE(row[0]);
    const Estimate delta = statistical_dimension(row[0]);
    check_estimate(delta, row[1], largest_bound);
    check_estimate(critical_load(row[0]), row[2], largest_bound);
    worst = std::max(worst, std::abs(delta.value / row[1] - 1));
  }
  MESSAGE("largest relative error of delta(K): " << worst);
  CHECK(worst < 1e-12);
}

TEST_CASE("critical load: 15-digit references with margin") {
  for (const auto &row : reference("critical_load_margin.tsv")) {
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    const Estimate delta = statistical_dimension(row[0], row[1]);
    check_estimate(delta, row[2], largest_bound);
    CHECK(std::abs(delta.value / row[2] - 1) < 1e-12);
  }
}

TEST_CASE("critical load: the real-axis inversion formula agrees") {
  for (const double k : {2., 3., 4., 7., 10., 33., 100., 1000., 12345., 1e6, 1e9}) {
    CAPTURE(k);
    const double other = real_axis_dimension(k);
    CHECK(statistical_dimension(k).value == doctest::Approx(other).epsilon(1e-9));
  }
}

TEST_CASE("critical load: mean squared distances of random scores, within 4 standard errors") {
  struct Case {
    int candidates;
    double margin;
  };
  unsigned seed = 1;
  for (const Case c : {Case{3, 0}, {5, 0}, {50, 0}, {5, 1}, {50, 0.5}, {200, 2}}) {
    CAPTURE(c.candidates);
    CAPTURE(c.margin);
    const Sampled sampled = sampled_dimension(c.candidates, c.margin, 40000, seed++);
    const Estimate e = statistical_dimension(c.candidates, c.margin);
    CHECK(std::abs(e.value - sampled.mean) < 4 * sampled.standard_error);
    CHECK(sampled.standard_error < 0.02 * sampled.mean);
  }
}

TEST_CASE("critical load: d delta / d margin = 2 (E h* + margin), integrated") {
  // The derivative of E dist^2 needs only the law of h*; the sum over active competitors does not
  // enter, so the two parts of delta(K, mu) check each other.
  for (const double k : {2., 10., 1000., 1e9, 1e100}) {
    CAPTURE(k);
    const auto slope = [k](double mu) { return 2 * (TargetScoreLaw(k, mu).mean().value + mu); };
    const Estimate rise = numerics::integrate(slope, 0.5, 2, {.relative_tolerance = 1e-11});
    REQUIRE(rise.converged());
    const Estimate difference = statistical_dimension(k, 2) - statistical_dimension(k, 0.5);
    CHECK(std::abs(rise.value - difference.value) <=
          rise.error + difference.error + 1e-11 * rise.value);
  }
}

TEST_CASE("critical load: bound below 1e-9 for random K and margin") {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> log_k(std::log(2.0), 1000.0);
  std::uniform_real_distribution<double> margin(0.0, 50.0);
  for (int i = 0; i < 200; ++i) {
    const Count k = Count::from_log(log_k(engine));
    const double mu = i % 2 == 0 ? 0 : margin(engine);
    CAPTURE(k.log());
    CAPTURE(mu);
    const Estimate e = statistical_dimension(k, mu);
    CHECK(e.converged());
    CHECK(e.relative_error() <= largest_bound);
  }
}

TEST_CASE("critical load: mean field minus exact tends to 3 / (2 log K)") {
  double last = 2;
  for (const double k : {1e4, 1e6, 1e9, 1e12, 1e25, 1e50, 1e100, 1e200, 1e300}) {
    const double difference =
        statistical_dimension(k, 0, Method::mean_field).value - statistical_dimension(k).value;
    const double ratio = difference * 2 * std::log(k) / 3;
    CAPTURE(k);
    CHECK(ratio > 1);
    CHECK(ratio < last);
    last = ratio;
  }
  CHECK(last < 1.02);
}

TEST_CASE("critical load: expansion and leading order approach the exact value") {
  double last_expansion = 10;
  double last_leading = 10;
  for (const double k : {1e3, 1e6, 1e12, 1e25, 1e50, 1e100, 1e300}) {
    const Estimate expansion = critical_load(k, 0, Method::expansion);
    const Estimate leading = critical_load(k, 0, Method::leading);
    const double exact = critical_load(k).value;
    CHECK(std::abs(expansion.value - exact) <= expansion.error);
    CHECK(expansion.error <= 1.0000001 * std::abs(expansion.value - exact) + 1e-10);
    CHECK(leading.value == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(expansion.error < last_expansion);
    CHECK(leading.error < last_leading);
    last_expansion = expansion.error;
    last_leading = leading.error;
  }
  CHECK(last_expansion < 2e-5);
  // With a margin the expansion's relative error falls too, like log L / L^(3/2).
  double last = 1;
  for (const double k : {1e6, 1e25, 1e100, 1e300}) {
    const Estimate e = statistical_dimension(k, 1, Method::expansion);
    CHECK(e.relative_error() < last);
    last = e.relative_error();
  }
  CHECK(last < 2e-3);
}

TEST_CASE("critical load: no jump anywhere in log K") {
  // Third differences on a fine grid: smooth parts vanish like h^3, a jump would stay.
  constexpr double h = 1e-4;
  for (double log_k = std::log(66.5); log_k < 1000; log_k *= 1.02) {
    CAPTURE(log_k);
    double values[4];
    double bound = 0;
    for (int i = 0; i < 4; ++i) {
      const Estimate e = statistical_dimension(Count::from_log(log_k + i * h));
      values[i] = e.value;
      bound = std::max(bound, e.error);
    }
    const double third = values[3] - 3 * values[2] + 3 * values[1] - values[0];
    CHECK(std::abs(third) <= 8 * bound + 1e-12);
  }
  // Either side of where interpolation ends and continuation begins, and of whole numbers below.
  for (const double k : {3., 10., 65., 66., 67.}) {
    const Estimate below = statistical_dimension(k * (1 - 1e-13));
    const Estimate above = statistical_dimension(k * (1 + 1e-13));
    CHECK(std::abs(above.value - below.value) <= above.error + below.error + 1e-12);
  }
}

TEST_CASE("critical load: between whole numbers") {
  // Below 66 K delta(K) is linear by definition; above, the continuation is smooth: the midpoint of
  // neighbours differs from it only by curvature.
  const double three = 3 * statistical_dimension(3).value;
  const double four = 4 * statistical_dimension(4).value;
  CHECK(3.25 * statistical_dimension(3.25).value ==
        doctest::Approx(0.75 * three + 0.25 * four).epsilon(1e-14));
  for (const double k : {66., 100., 1000.}) {
    const double left = statistical_dimension(k).value;
    const double right = statistical_dimension(k + 1).value;
    const double middle = statistical_dimension(k + 0.5).value;
    CHECK(middle > 0.5 * (left + right)); // concave
    CHECK(middle - 0.5 * (left + right) < 0.5 / (k * k));
  }
  // A count given by its logarithm is the same count.
  CHECK(statistical_dimension(Count::from_log(std::log(1e12))).value ==
        doctest::Approx(statistical_dimension(1e12).value).epsilon(1e-13));
}

TEST_CASE("critical load: monotone in K and in the margin") {
  double last = 0;
  double last_load = 10;
  for (int k = 2; k <= 300; ++k) {
    const double delta = statistical_dimension(k).value;
    CHECK(delta > last);
    CHECK(std::log(k) / delta < last_load);
    last = delta;
    last_load = std::log(k) / delta;
  }
  for (const double k : {2., 17., 1e4, 1e30}) {
    double last_delta = 0;
    for (double margin = 0; margin <= 6; margin += 0.25) {
      const double delta = statistical_dimension(k, margin).value;
      CHECK(delta > last_delta);
      last_delta = delta;
    }
  }
}

TEST_CASE("critical load: every method is refused the same bad input by name") {
  const auto bad = [](const char *part, auto call) {
    try {
      (void)call();
      FAIL("accepted");
    } catch (const std::domain_error &error) {
      CAPTURE(std::string(error.what()));
      CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
  };
  bad("candidates = 1: must be at least 2", [] { return statistical_dimension(1); });
  bad("candidates = 1.5", [] { return critical_load(1.5); });
  bad("margin = -1: must be from 0 to 50", [] { return statistical_dimension(10, -1); });
  bad("margin = nan", [] { return statistical_dimension(10, std::nan("")); });
  bad("margin = 51", [] { return statistical_dimension(10, 51); });
  bad("log(candidates) = 1001: must be at most 1000",
      [] { return statistical_dimension(Count::from_log(1001)); });
  CHECK_THROWS_AS((void)approximate_statistical_dimension(10, 0, Method::exact),
                  std::invalid_argument);
  CHECK_THROWS_AS(Count(-1), std::domain_error);
  CHECK_THROWS_AS(Count(std::nan("")), std::domain_error);
  CHECK_THROWS_AS((void)Count::from_log(std::numeric_limits<double>::infinity()),
                  std::domain_error);
}
