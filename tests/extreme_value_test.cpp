// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/extreme_value.hpp"
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "reference.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <random>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;
using std::numbers::pi;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr numerics::QuadratureOptions double_exponential{
    .relative_tolerance = 1e-11, .integrator = numerics::Integrator::double_exponential};
const std::vector<double> log_sizes = {0, 0.4, std::numbers::ln2, 5, 30, 690, 1e4, 1e6};

/// Largest distance between the distribution functions of an approximation and of the maximum.
double distance(const ExtremeValueLaw &law, const GaussianMaximum &maximum) {
  double largest = 0;
  for (double u = 1e-3; u < 1; u += 1e-3) {
    const double x = maximum.quantile(u).value;
    largest = std::max(largest, std::abs(law.distribution(x).value - u));
  }
  return largest;
}

} // namespace

TEST_CASE("maximum: n = 1 is the Gaussian itself") {
  const GaussianMaximum one(1);
  check_estimate(one.mean(), 0, 0, 1e-13);
  check_estimate(one.variance(), 1, 1e-12);
  check_estimate(one.median(), 0, 0, 1e-14);
  check_estimate(one.distribution(0), 0.5, 1e-14);
  check_estimate(one.upper_tail(0), 0.5, 1e-14);
  check_estimate(one.density(0), 1 / std::sqrt(2 * pi), 1e-14);
  CHECK(one.leading() == 0);
}

TEST_CASE("maximum: closed moments for n = 2 and 3") {
  check_estimate(GaussianMaximum(2).mean(), 1 / std::sqrt(pi), 2e-13);
  check_estimate(GaussianMaximum(2).variance(), 1 - 1 / pi, 1e-11);
  check_estimate(GaussianMaximum(3).mean(), 1.5 / std::sqrt(pi), 2e-13);
  check_estimate(GaussianMaximum(3).variance(), 1 + std::sqrt(3) / (2 * pi) - 9 / (4 * pi), 1e-11);
  check_estimate(GaussianMaximum(2).distribution(0), 0.25, 1e-14);
  check_estimate(GaussianMaximum(3).upper_tail(0), 0.875, 1e-14);
}

TEST_CASE("maximum: quantiles, mean and variance match 20-digit values to n = 1e300") {
  for (const auto &row : reference("extreme_value.tsv")) {
    CAPTURE(row.at(0));
    const GaussianMaximum maximum(row.at(0));
    check_estimate(maximum.median(), row.at(1), 1e-13, 1e-14);
    check_estimate(maximum.quantile(1e-6), row.at(2), 1e-13, 1e-13);
    check_estimate(maximum.quantile(0.1), row.at(3), 1e-13, 1e-13);
    check_estimate(maximum.quantile(0.9), row.at(4), 1e-13, 1e-13);
    check_estimate(maximum.quantile(1 - 1e-6), row.at(5), 1e-9); // 1 - 1e-6 is rounded
    check_estimate(maximum.mean(), row.at(6), 2e-13, 1e-13);
    check_estimate(maximum.variance(), row.at(7), 2e-11);
  }
}

TEST_CASE("maximum: distribution, tail and density against n log Phi(x) of 20-digit values") {
  struct Row {
    double x;
    double log_phi; // log Phi(x)
  };
  const Row rows[] = {{-3, -6.6077262215103495433},    {0, -0.69314718055994530942},
                      {1, -0.17275377902344988953},    {3, -0.0013508099647481937988},
                      {5, -2.8665161296376359338e-7},  {8, -6.2209605742717860585e-16},
                      {10, -7.619853024160526066e-24}, {20, -2.7536241186062336951e-89}};
  for (const double n : {1.0, 2.5, 1000.0, 1e12, 1e80, 1e300}) {
    const GaussianMaximum maximum(n);
    for (const auto &row : rows) {
      const double x = row.x;
      const double log_phi = row.log_phi;
      CAPTURE(n);
      CAPTURE(x);
      const double log_value = n * log_phi;
      const double slack = 4 * (1 + std::log(n) + 0.5 * x * x) * 5 * epsilon; // of the exponents
      check_estimate(maximum.log_distribution(x), log_value, slack, 1e-300);
      if (log_value > -1e6) { // below, see the next case
        check_estimate(maximum.upper_tail(x), -std::expm1(log_value), 2 * slack, 1e-300);
        const double relative = slack * (1 + std::abs(log_value));
        check_estimate(maximum.distribution(x), std::exp(log_value), 2 * relative, 1e-300);
        const double log_density =
            std::log(n) - 0.5 * x * x - 0.5 * std::log(2 * pi) + log_value - log_phi;
        const auto density = maximum.density(x);
        CHECK(density.converged());
        CHECK(std::abs(density.value - std::exp(log_density)) <=
              density.error + std::exp(log_density) * (1 + std::abs(log_density)) * epsilon);
        CHECK(density.error <= 3 * relative * density.value + 1e-300);
      }
    }
  }
}

TEST_CASE("maximum: far from its bulk the law is 0 or 1, with a finite bound") {
  for (const double log_n : {30.0, 690.0, 1e4, 1e6}) {
    const GaussianMaximum maximum(Count::from_log(log_n));
    for (const double x : {-1e3, -30.0, 0.0, 0.5 * maximum.leading()}) {
      CAPTURE(log_n);
      CAPTURE(x);
      check_estimate(maximum.distribution(x), 0, 0, 1e-300);
      check_estimate(maximum.density(x), 0, 0, 1e-300);
      check_estimate(maximum.upper_tail(x), 1, 1e-14);
    }
    for (const double x : {1.5 * maximum.leading() + 40, 1e5, 1e200}) {
      CAPTURE(log_n);
      CAPTURE(x);
      check_estimate(maximum.distribution(x), 1, 1e-14);
      check_estimate(maximum.density(x), 0, 0, 1e-100);
      check_estimate(maximum.upper_tail(x), 0, 0, 1e-100);
    }
  }
}

TEST_CASE("maximum: n may be given by its logarithm") {
  for (const double n : {1.0, 7.0, 1e4, 1e100}) {
    CAPTURE(n);
    const GaussianMaximum by_value(n);
    const GaussianMaximum by_log(Count::from_log(std::log(n)));
    CHECK(by_log.median().value == doctest::Approx(by_value.median().value).epsilon(1e-14));
    CHECK(by_log.mean().value == doctest::Approx(by_value.mean().value).epsilon(1e-13));
    CHECK(by_log.variance().value == doctest::Approx(by_value.variance().value).epsilon(1e-11));
  }
}

TEST_CASE("maximum: mean by double-exponential quadrature of the tails") {
  for (const double n : {1.0, 2.0, 10.0, 1e3, 1e6}) {
    CAPTURE(n);
    const GaussianMaximum maximum(n);
    const auto above = numerics::integrate([&](double x) { return maximum.upper_tail(x).value; }, 0,
                                           60, double_exponential);
    const auto below = numerics::integrate([&](double x) { return maximum.distribution(x).value; },
                                           -60, 0, double_exponential);
    const auto mean = maximum.mean();
    CHECK(above.converged());
    CHECK(below.converged());
    CHECK(std::abs(mean.value - (above.value - below.value)) <=
          mean.error + above.error + below.error);
  }
}

TEST_CASE(
    "maximum: the density integrates to 1, and over parts to differences of the distribution") {
  for (const double log_n : log_sizes) {
    CAPTURE(log_n);
    const GaussianMaximum maximum(Count::from_log(log_n));
    const auto density = [&](double x) { return maximum.density(x).value; };
    const numerics::QuadratureOptions options{.relative_tolerance =
                                                  1e-8}; // rounding at log n = 1e6
    const double low = maximum.quantile(1e-20).value;
    const double middle = maximum.median().value;
    const double high = 2 * maximum.quantile(1 - 1e-15).value - middle;
    const auto left = numerics::integrate(density, low, middle, options);
    const auto right = numerics::integrate(density, middle, high, options);
    CHECK(left.converged());
    CHECK(right.converged());
    const double rounding = 8 * epsilon * (1 + log_n);
    CHECK(std::abs(left.value - 0.5) <= left.error + rounding);
    CHECK(std::abs(left.value + right.value - 1) <= left.error + right.error + 2 * rounding);
  }
}

TEST_CASE("maximum: Monte Carlo at n = 10, mean and variance within 4 standard errors") {
  std::mt19937_64 random(1928);
  const auto uniform = [&random] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  constexpr int samples = 40000;
  std::vector<double> maxima;
  for (int i = 0; i < samples; ++i) {
    double largest = -infinity;
    for (int pair = 0; pair < 5; ++pair) { // Box and Muller
      const double radius = std::sqrt(-2 * std::log(uniform()));
      const double angle = 2 * pi * uniform();
      largest = std::max({largest, radius * std::cos(angle), radius * std::sin(angle)});
    }
    maxima.push_back(largest);
  }
  const GaussianMaximum law(10);
  const double mean = law.mean().value;
  const double variance = law.variance().value;
  double first = 0;
  double second = 0;
  double fourth = 0;
  for (const double x : maxima) {
    const double deviation = x - mean;
    first += deviation / samples;
    second += deviation * deviation / samples;
    fourth += std::pow(deviation, 4) / samples;
  }
  CHECK(std::abs(first) < 4 * std::sqrt(variance / samples));
  CHECK(std::abs(second - variance) < 4 * std::sqrt((fourth - variance * variance) / samples));
}

TEST_CASE("maximum: quantile and distribution invert each other to log n = 1e6") {
  for (const double log_n : log_sizes) {
    const GaussianMaximum maximum(Count::from_log(log_n));
    for (const double u : {1e-300, 1e-30, 1e-6, 0.1, 0.3678794411714423, 0.5, 0.9, 1 - 0x1p-20}) {
      CAPTURE(log_n);
      CAPTURE(u);
      const auto x = maximum.quantile(u);
      const auto back = maximum.distribution(x.value);
      CHECK(x.converged());
      CHECK(back.converged());
      CHECK(std::abs(back.value - u) <= back.error + 2 * maximum.density(x.value).value * x.error);
      CHECK(std::log(back.value) ==
            doctest::Approx(std::log(u)).epsilon(1e-13 * (100 + 4 * log_n)));
      CHECK(std::abs(back.value + maximum.upper_tail(x.value).value - 1) <=
            2 * epsilon + 2 * back.error);
    }
  }
}

TEST_CASE("maximum: moments exist over the whole domain and approach those of Gumbel's law") {
  for (const double log_n : {690.0, 1e4, 1e5, 1e6}) {
    CAPTURE(log_n);
    const GaussianMaximum maximum(Count::from_log(log_n));
    const auto mean = maximum.mean();
    const auto variance = maximum.variance();
    CHECK(mean.converged());
    CHECK(variance.converged());
    const auto gumbel = maximum.gumbel();
    CHECK(std::abs(mean.value - gumbel.mean().value) < gumbel.scale / log_n + mean.error);
    CHECK(std::abs(variance.value / gumbel.variance().value - 1) <
          2 / log_n + variance.relative_error());
  }
}

TEST_CASE("maximum: increases with n, its spread decreases") {
  double previous_mean = -1;
  double previous_median = -1;
  double previous_variance = 2;
  for (const double n : {1.0, 1.5, 2.0, 3.0, 10.0, 1e3, 1e9, 1e50, 1e300}) {
    CAPTURE(n);
    const GaussianMaximum maximum(n);
    CHECK(maximum.mean().value > previous_mean);
    CHECK(maximum.median().value > previous_median);
    CHECK(maximum.variance().value < previous_variance);
    CHECK(maximum.quantile(0.2).value < maximum.median().value);
    CHECK(maximum.median().value < maximum.quantile(0.8).value);
    previous_mean = maximum.mean().value;
    previous_median = maximum.median().value;
    previous_variance = maximum.variance().value;
  }
}

TEST_CASE("maximum: Gumbel's law is off by O(1/log n), the penultimate one by O(1/log^2 n)") {
  double previous_gumbel = infinity;
  double previous_penultimate = infinity;
  for (const double n : {1e2, 1e3, 1e4, 1e6, 1e9, 1e12, 1e50, 1e300}) {
    CAPTURE(n);
    const double l = std::log(n);
    const GaussianMaximum maximum(n);
    const auto gumbel = maximum.gumbel();
    const auto penultimate = maximum.penultimate();
    CHECK(l * distance(gumbel, maximum) == doctest::Approx(0.123).epsilon(0.04));
    CHECK(l * l * distance(penultimate, maximum) == doctest::Approx(0.111).epsilon(0.04));
    const double gumbel_error = std::abs(gumbel.mean().value - maximum.mean().value);
    const double penultimate_error = std::abs(penultimate.mean().value - maximum.mean().value);
    CHECK(gumbel_error < previous_gumbel);
    CHECK(penultimate_error < previous_penultimate);
    CHECK(penultimate_error < 1.5 / l * gumbel_error);
    CHECK(std::abs(penultimate.variance().value - maximum.variance().value) <
          2 / l * std::abs(gumbel.variance().value - maximum.variance().value));
    previous_gumbel = gumbel_error;
    previous_penultimate = penultimate_error;
  }
}

TEST_CASE("maximum: constants of the approximations") {
  double previous = infinity;
  for (const double n : {1e2, 1e4, 1e6, 1e12, 1e50, 1e100, 1e300}) {
    CAPTURE(n);
    const double l = std::log(n);
    const GaussianMaximum maximum(n);
    const auto gumbel = maximum.gumbel();
    // H(b) = 1/n and scale = H(b)/phi(b).
    CHECK(gaussian::log_upper_tail(gumbel.location).value == doctest::Approx(-l).epsilon(1e-13));
    CHECK(gumbel.scale ==
          doctest::Approx(gaussian::mills_ratio(gumbel.location).value).epsilon(1e-12));
    CHECK(gumbel.shape == 0);
    const auto penultimate = maximum.penultimate();
    CHECK(penultimate.location == gumbel.location);
    CHECK(penultimate.scale == gumbel.scale);
    const double b = gumbel.location;
    CHECK(std::abs(penultimate.shape - (b * gaussian::mills_ratio(b).value - 1)) < 1e-15);
    CHECK(penultimate.shape == doctest::Approx(-1 / (2 * l)).epsilon(1 / l));
    const auto textbook = maximum.textbook_gumbel();
    CHECK(textbook.scale == doctest::Approx(1 / std::sqrt(2 * l)).epsilon(1e-15));
    const double gap = std::abs(textbook.location - b) / gumbel.scale;
    CHECK(gap < 0.11);
    CHECK(gap < previous);
    CHECK(maximum.leading() > maximum.mean().value);
    CHECK(maximum.leading() / maximum.mean().value - 1 < 0.7 * std::log(l) / l);
    previous = gap;
  }
}

TEST_CASE("extreme-value law: exact values") {
  const double e = std::numbers::e;
  for (const double shape : {-0.3, 0.0, 0.2}) {
    CAPTURE(shape);
    const ExtremeValueLaw law{.location = 2, .scale = 0.5, .shape = shape};
    check_estimate(law.distribution(2), 1 / e, 1e-13);
  }
  const ExtremeValueLaw gumbel{.location = 2, .scale = 0.5};
  check_estimate(gumbel.mean(), 2 + 0.5 * std::numbers::egamma, 1e-14);
  check_estimate(gumbel.variance(), pi * pi / 24, 1e-14);
  // Shape -1: X = 1 - T with T exponential.
  const ExtremeValueLaw reflected{.location = 0, .scale = 1, .shape = -1};
  check_estimate(reflected.mean(), 0, 0, 1e-13);
  check_estimate(reflected.variance(), 1, 1e-13);
  check_estimate(reflected.distribution(0.5), std::exp(-0.5), 1e-13);
  check_estimate(reflected.distribution(1), 1, 1e-13);
  check_estimate(reflected.distribution(7), 1, 1e-13); // beyond the upper end
  const ExtremeValueLaw heavy{.location = 0, .scale = 1, .shape = 0.25};
  check_estimate(heavy.distribution(-4), 0, 0, 1e-300); // the lower end
  check_estimate(heavy.distribution(-9), 0, 0, 1e-300);
}

TEST_CASE("extreme-value law: 20-digit values of distribution and quantile") {
  struct Value {
    double shape;
    double at;
    double truth;
  };
  // Locations and scales are doubles: y = x for shape 0, (x - 1.5)/0.25 otherwise.
  const auto law = [](double shape) {
    return shape == 0 ? ExtremeValueLaw{0, 1, 0} : ExtremeValueLaw{1.5, 0.25, shape};
  };
  const Value distributions[] = {
      {0, -6, 6.2101364865660675817e-176},    {0, -5, 3.5073891964646230964e-65},
      {0, -3, 1.8921786948382926336e-9},      {0, -1, 0.065988035845312537077},
      {0, 0.5, 0.54523921189260505542},       {0, 4, 0.98185107306166648292},
      {0, 30, 0.99999999999990642377},        {-0.25, 0.5, 1.1253517471925911451e-7},
      {-0.25, 1.25, 0.087038367656223514336}, {-0.25, 2, 0.93941306281347578612},
      {-0.25, 2.25, 0.99610136947011749006},  {0.125, 0.5, 6.616261056709485261e-112},
      {0.125, 1.25, 0.054460186454476267271}, {0.125, 2, 0.84554646204562895596},
      {0.125, 2.25, 0.92471753947352527274}};
  for (const auto &value : distributions) {
    CAPTURE(value.shape);
    CAPTURE(value.at);
    // exp(-t) with t rounded: relative error t times that of t.
    check_estimate(law(value.shape).distribution(value.at), value.truth,
                   1e-13 * (1 - std::log(value.truth)));
  }
  const Value quantiles[] = {{0, 0x1p-30, -3.0346844610804910484},
                             {0, 0.3678741455078125, -0.000014395106215072669726},
                             {0, 0.375, 0.019356888580482050009},
                             {0, 0.5, 0.36651292058166432701},
                             {0, 1 - 0x1p-20, 13.862943134361558507},
                             {-0.25, 0x1p-30, 0.36456341492889720956},
                             {-0.25, 0.375, 1.504827531974348718},
                             {-0.25, 1 - 0x1p-20, 2.4687499962747079992},
                             {0.125, 0x1p-30, 0.86863189338928088304},
                             {0.125, 0.375, 1.504845081387605951},
                             {0.125, 1 - 0x1p-20, 10.813707824634936351}};
  for (const auto &value : quantiles) {
    CAPTURE(value.shape);
    CAPTURE(value.at);
    check_estimate(law(value.shape).quantile(value.at), value.truth, 1e-14, 1e-14);
  }
}

TEST_CASE("extreme-value law: 20-digit moments") {
  check_estimate(ExtremeValueLaw{1.5, 0.25, 0}.mean(), 1.6443039162253832152, 1e-14);
  check_estimate(ExtremeValueLaw{1.5, 0.25, 0}.variance(), 0.10280837917801415228, 1e-14);
  check_estimate(ExtremeValueLaw{1.5, 0.25, -0.25}.mean(), 1.593597522944522922, 2e-14);
  check_estimate(ExtremeValueLaw{1.5, 0.25, -0.25}.variance(), 0.064661475040453362846, 1e-12);
  check_estimate(ExtremeValueLaw{1.5, 0.25, 0.125}.mean(), 1.6793047148457939025, 2e-14);
  check_estimate(ExtremeValueLaw{1.5, 0.25, 0.125}.variance(), 0.1522977697116035062, 1e-12);
}

TEST_CASE("extreme-value law: mean and variance by quadrature") {
  // X = location + scale (T^-shape - 1)/shape with T exponential.
  for (const double shape : {-0.3, 0.0, 0.2}) {
    CAPTURE(shape);
    const ExtremeValueLaw law{.location = -1, .scale = 3, .shape = shape};
    const auto value = [&](double t) {
      const double y = shape == 0 ? -std::log(t) : std::expm1(-shape * std::log(t)) / shape;
      return law.location + law.scale * y;
    };
    const auto mean = law.mean();
    const auto variance = law.variance();
    const auto first = numerics::integrate([&](double t) { return value(t) * std::exp(-t); }, 0,
                                           infinity, double_exponential);
    const auto second = numerics::integrate(
        [&](double t) { return std::pow(value(t) - mean.value, 2) * std::exp(-t); }, 0, infinity,
        double_exponential);
    CHECK(first.converged());
    CHECK(second.converged());
    CHECK(std::abs(mean.value - first.value) <= mean.error + first.error);
    CHECK(std::abs(variance.value - second.value) <= variance.error + second.error);
    CHECK(variance.relative_error() < 1e-12);
  }
}

TEST_CASE("extreme-value law: quantile and distribution invert each other, shape 0 is the limit") {
  for (const double shape : {-0.3, -1e-6, 0.0, 1e-6, 0.2}) {
    const ExtremeValueLaw law{.location = -1, .scale = 3, .shape = shape};
    const ExtremeValueLaw gumbel{.location = -1, .scale = 3};
    for (const double u : {1e-100, 1e-6, 0.2, 0.5, 0.8, 1 - 0x1p-20}) {
      CAPTURE(shape);
      CAPTURE(u);
      const double x = law.quantile(u).value;
      CHECK(law.distribution(x).value == doctest::Approx(u).epsilon(1e-12));
      if (std::abs(shape) < 1e-3) {
        CHECK(x == doctest::Approx(gumbel.quantile(u).value).epsilon(1e-4));
      }
    }
  }
  const ExtremeValueLaw nearly{.location = -1, .scale = 3, .shape = 1e-6};
  CHECK(nearly.mean().value == doctest::Approx(-1 + 3 * std::numbers::egamma).epsilon(1e-5));
  CHECK(nearly.variance().value == doctest::Approx(1.5 * pi * pi).epsilon(1e-4));
}

TEST_CASE("extreme-value law: moments that do not exist are not given") {
  const auto given = [](auto moment) {
    try {
      return moment().converged();
    } catch (const std::domain_error &) {
      return false;
    }
  };
  CHECK_FALSE(given([] { return ExtremeValueLaw{0, 1, 0.6}.variance(); }));
  CHECK_FALSE(given([] { return ExtremeValueLaw{0, 1, 0.5}.variance(); }));
  CHECK_FALSE(given([] { return ExtremeValueLaw{0, 1, 1.5}.mean(); }));
  CHECK_FALSE(given([] { return ExtremeValueLaw{0, 1, 1}.mean(); }));
  CHECK(given([] { return ExtremeValueLaw{0, 1, 0.49}.variance(); }));
}

TEST_CASE("extreme values: refused arguments are named with value and range") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char *part : {"n = 0.5", "from 1 to e^1e+06"}) {
    CHECK_THROWS_WITH_AS(GaussianMaximum(0.5), doctest::Contains(part), std::domain_error);
  }
  for (const char *part : {"n = inf", "1000001", "from 1 to e^1e+06"}) {
    CHECK_THROWS_WITH_AS(GaussianMaximum(Count::from_log(1000001)), doctest::Contains(part),
                         std::domain_error);
  }
  CHECK_THROWS_AS(GaussianMaximum(0), std::domain_error);
  const GaussianMaximum ten(10);
  CHECK_THROWS_WITH_AS(ten.quantile(0), "probability = 0: must be in the open interval (0, 1)",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(ten.quantile(1), "probability = 1: must be in the open interval (0, 1)",
                       std::domain_error);
  CHECK_THROWS_AS(ten.quantile(nan), std::domain_error);
  for (const auto &evaluate : {&GaussianMaximum::distribution, &GaussianMaximum::log_distribution,
                               &GaussianMaximum::upper_tail, &GaussianMaximum::density}) {
    CHECK_THROWS_AS((ten.*evaluate)(nan), std::logic_error);
  }
  const GaussianMaximum one(1);
  CHECK_THROWS_WITH_AS(one.gumbel(), doctest::Contains("n = 1: must be more than 1"),
                       std::domain_error);
  CHECK_THROWS_AS(one.penultimate(), std::domain_error);
  CHECK_THROWS_AS(one.textbook_gumbel(), std::domain_error);
  const ExtremeValueLaw law{.location = 0, .scale = 1};
  CHECK_THROWS_WITH_AS(law.quantile(0), "probability = 0: must be in the open interval (0, 1)",
                       std::domain_error);
  CHECK_THROWS_AS(law.quantile(1), std::domain_error);
  CHECK_THROWS_AS(law.distribution(nan), std::logic_error);
}

TEST_CASE("extreme-value law: shapes next to 0 are Gumbel's, infinite positions the ends") {
  for (const double shape : {1e-300, 1e-200, -1e-100, 1e-15}) {
    const ExtremeValueLaw law{0, 1, shape};
    check_estimate(law.variance(), pi * pi / 6, 1e-14);
    check_estimate(law.mean(), std::numbers::egamma, 1e-14);
    CHECK(law.distribution(infinity).value == 1);
    CHECK(law.distribution(-infinity).value == 0);
    CHECK(law.distribution(infinity).error == 0);
  }
  // On both sides of where the series begins.
  CHECK(ExtremeValueLaw{0, 1, 0.99e-9}.variance().value ==
        doctest::Approx(ExtremeValueLaw{0, 1, 1.01e-9}.variance().value).epsilon(1e-9));
}

TEST_CASE("maximum: far to the left log Phi^n is -n x^2 / 2 while it can be held") {
  check_estimate(GaussianMaximum(1).log_distribution(-1.6e107), -1.28e214, 1e-11);
  CHECK(GaussianMaximum(1).log_distribution(-1e160).status == Status::not_finite);
}
