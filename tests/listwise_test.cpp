// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/gaussian.hpp"
#include "lamcap/listwise.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/numerics/root_finding.hpp"
#include "reference.hpp"

#include <limits>
#include <numbers>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;

namespace {

const std::vector<double> tails = {1e-300, 1e-12, 1e-3, 0.1, 0.3, 0.4999, 0.5, 0.5001, 0.9, 0.9999};

/// z with H(z) = r.
double upper_quantile(double r) {
  return r < 0.5 ? gaussian::upper_quantile(std::log(r)).value
                 : gaussian::quantile(std::log1p(-r)).value;
}

} // namespace

TEST_CASE("listwise: beating the mean of the upper half means a margin of sqrt(2/pi)") {
  check_estimate(tail_average(0.5), std::sqrt(2 / std::numbers::pi), 1e-14);
}

TEST_CASE("listwise: beating the mean of all competitors costs half a dimension") {
  // r -> 1: kappa_r -> 0 and a fact is one sign constraint, Cover's p/D = 2.
  const double r = 1 - 0x1p-50;
  CHECK(tail_average(r).value < 1e-13);
  CHECK(listwise_dimension(r).value == doctest::Approx(0.5).epsilon(1e-13));
  CHECK(listwise_critical_load(r).value == doctest::Approx(2).epsilon(1e-13));
}

TEST_CASE("listwise: margin and load match 20-digit values from r = 0.999 to 1e-100") {
  for (const auto &row : reference("listwise.tsv")) {
    const double r = row.at(0);
    CAPTURE(r);
    // The table holds decimal r: its rounding to double moves kappa by |dkappa/dr| = (kappa - z)/r.
    const double input = 0.5 * epsilon * (row.at(1) - upper_quantile(r));
    const double kappa = row.at(1);
    auto average = tail_average(r);
    CHECK(average.error <= 1e-13 * kappa);
    average.error += input;
    check_estimate(average, kappa, 1e-12);
    auto load = listwise_critical_load(r);
    CHECK(load.error <= 1e-13 * load.value);
    load.error += 2 * (1 + kappa) * row.at(2) * row.at(2) * input;
    check_estimate(load, row.at(2), 1e-12);
  }
}

TEST_CASE("listwise: the margin is the mean of the tail, by quadrature") {
  for (const double r : tails) {
    CAPTURE(r);
    const double z = upper_quantile(r);
    // E[xi | xi > z] - z, density scaled by that at max(z, 0) so that tiny r do not underflow.
    const double peak = std::max(z, 0.0);
    const auto weight = [&](double u) { return std::exp(0.5 * (peak - z - u) * (peak + z + u)); };
    const auto excess = numerics::integrate([&](double u) { return u * weight(u); }, 0, 40) /
                        numerics::integrate(weight, 0, 40);
    const auto average = tail_average(r);
    CHECK(excess.converged());
    CHECK(std::abs(average.value - (z + excess.value)) <=
          average.error + excess.error + 16 * epsilon * (1 + std::abs(z)));
  }
}

TEST_CASE("listwise: the dimension is E(xi + kappa + margin)_+^2, by quadrature") {
  for (const double r : tails) {
    for (const double margin : {0.0, 0.7, 50.0}) {
      CAPTURE(r);
      CAPTURE(margin);
      const double t = tail_average(r).value + margin;
      const auto integrand = [t](double x) {
        return (x + t) * (x + t) * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
      };
      const auto integral = numerics::integrate(integrand, -std::min(t, 40.0), 40);
      CHECK(integral.converged());
      const auto dimension = listwise_dimension(r, margin);
      CHECK(dimension.converged());
      CHECK(std::abs(dimension.value - integral.value) <=
            dimension.error + integral.error + 4 * epsilon * integral.value);
      CHECK(dimension.relative_error() < 2e-13);
    }
  }
}

TEST_CASE("listwise: a margin is a shift of kappa") {
  for (const double margin : {0.25, 1.0, 3.0}) {
    CAPTURE(margin);
    const double kappa = tail_average(0.2).value + margin;
    const auto log_r = numerics::find_root(
        [kappa](double l) { return tail_average(std::exp(l)).value - kappa; }, -100, -0.1);
    CHECK(log_r.converged());
    CHECK(listwise_dimension(0.2, margin).value ==
          doctest::Approx(listwise_dimension(std::exp(log_r.value)).value).epsilon(1e-12));
  }
}

TEST_CASE("listwise: load times dimension is 1, smaller tails and larger margins cost more") {
  double previous = std::numeric_limits<double>::infinity();
  for (const double r : tails) {
    CAPTURE(r);
    const double dimension = listwise_dimension(r).value;
    CHECK(listwise_critical_load(r).value * dimension == doctest::Approx(1).epsilon(1e-14));
    CHECK(dimension < previous);
    CHECK(listwise_dimension(r, 0.1).value > dimension);
    CHECK(listwise_critical_load(r, 0.1).value < listwise_critical_load(r).value);
    previous = dimension;
  }
}

TEST_CASE("listwise: r = 1/p tends to d^2 = 2 p log p") {
  // dimension = 1 + kappa^2 up to exponentials, kappa^2 = 2 log p - log log p - log 4 pi + ...
  double previous = std::numeric_limits<double>::infinity();
  for (const double p : {1e5, 1e10, 1e20, 1e50, 1e100, 1e300}) {
    CAPTURE(p);
    const double l = std::log(p);
    const double dimension = listwise_dimension(1 / p).value;
    const double shortfall = 1 - dimension / (2 * l);
    CHECK(shortfall > 0);
    CHECK(shortfall < previous);
    CHECK(std::abs(dimension - (2 * l - std::log(4 * std::numbers::pi * l) + 3)) <
          3 * std::log(l) / l);
    previous = shortfall;
  }
  CHECK(previous < 0.01);
}

TEST_CASE("listwise: refused arguments are named with value and range") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(tail_average(0), "tail = 0: must be in the open interval (0, 1)",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(listwise_dimension(1), "tail = 1: must be in the open interval (0, 1)",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(listwise_critical_load(-0.5),
                       "tail = -0.5: must be in the open interval (0, 1)", std::domain_error);
  CHECK_THROWS_WITH_AS(listwise_dimension(0.1, -1), "margin = -1: must be from 0 to 50",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(listwise_critical_load(0.1, 51), "margin = 51: must be from 0 to 50",
                       std::domain_error);
  CHECK_THROWS_AS(tail_average(nan), std::domain_error);
  CHECK_THROWS_AS(listwise_dimension(0.1, nan), std::domain_error);
}
