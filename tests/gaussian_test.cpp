// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "reference.hpp"

#include <cstdlib>
#include <limits>
#include <numbers>

using namespace lamcap;
using namespace lamcap::gaussian;
using lamcap::testing::check_estimate;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double promised = 1.01 * gaussian_ulps * epsilon; // relative error of every function
constexpr double underflow = 1e-307;                        // absolute, where values underflow

/// Rows of a table that holds a text column and numbers below the range of double (read as 0).
std::vector<std::vector<double>> rows_beyond_double(const std::string &name) {
  std::ifstream file(std::string(LAMCAP_REFERENCE_DIR) + "/" + name);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; fields >> field;) {
      rows.back().push_back(std::strtod(field.c_str(), nullptr));
    }
  }
  REQUIRE_MESSAGE(!rows.empty(), "no rows in reference file " << name);
  return rows;
}

double phi(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
}

/// Five-point derivative: error h^4 f^(5) / 30 and rounding.
template <class F>
double derivative(const F &f, double x, double h) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

} // namespace

TEST_CASE("gaussian: exact values at 0") {
  const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);
  check_estimate(log_cdf(0), -std::numbers::ln2, promised);
  check_estimate(log_upper_tail(0), -std::numbers::ln2, promised);
  check_estimate(mills_ratio(0), std::sqrt(std::numbers::pi / 2), promised);
  check_estimate(excess_moment(0, 0), 0.5, promised, underflow);
  check_estimate(excess_moment(1, 0), 1 / std::sqrt(2 * std::numbers::pi), promised, underflow);
  check_estimate(excess_moment(2, 0), 0.5, promised, underflow);
  check_estimate(log_excess_moment(1, 0), -half_log_two_pi, promised, promised);
  check_estimate(upper_quantile(-std::numbers::ln2), 0, 0, 1e-14);
  check_estimate(quantile(-std::numbers::ln2), 0, 0, 1e-14);
}

TEST_CASE("gaussian: log excesses cross 0 with an absolute bound") {
  for (const int k : {1, 2}) {
    const double left = k == 1 ? -0.9 : -0.4708;
    const double right = k == 1 ? -0.899 : -0.4706;
    CHECK(log_excess_moment(k, left).value > 0);
    CHECK(log_excess_moment(k, right).value < 0);
    CHECK(log_excess_moment(k, left).error >= gaussian_ulps * epsilon);
  }
}

TEST_CASE("gaussian: log tails and log excesses match 20-digit values to |x| = 1e8") {
  for (const auto &row : rows_beyond_double("gaussian.tsv")) {
    const double x = row.at(0);
    CAPTURE(x);
    check_estimate(log_cdf(x), row.at(1), promised, underflow);
    check_estimate(log_upper_tail(x), row.at(2), promised, underflow);
    check_estimate(log_excess_moment(0, x), row.at(2), promised, underflow);
    check_estimate(log_excess_moment(1, x), row.at(3), promised, promised);
    check_estimate(log_excess_moment(2, x), row.at(4), promised, promised);
  }
}

TEST_CASE(
    "gaussian: excess moments and Mills ratio match 20-digit values where the density is tiny") {
  struct Row {
    double x, tail, first, second, mills_of_minus_x;
  };
  const Row rows[] = {{2.5, 0.006209665325776135167, 0.0020041371791281994447,
                       0.0011993223779556365552, 56.69633145773968231},
                      {20, 2.7536241186062336951e-89, 1.3700124947295799431e-90,
                       1.3599129147073808778e-91, 1.8112830158925916156e+87},
                      {30, 4.9067139271481870595e-198, 1.6319567340914011894e-199,
                       1.0843724873983491482e-200, 6.7858896130611187257e+195},
                      {37, 5.7255712225245768227e-300, 1.5451991905122024593e-301,
                       8.3342176294277234055e-303, 4.7169665550365805467e+297}};
  for (const auto &row : rows) {
    CAPTURE(row.x);
    check_estimate(excess_moment(0, row.x), row.tail, 1e-12, underflow);
    check_estimate(excess_moment(1, row.x), row.first, 1e-12, underflow);
    check_estimate(excess_moment(2, row.x), row.second, 1e-12, underflow);
    check_estimate(mills_ratio(-row.x), row.mills_of_minus_x, 1e-12);
    check_estimate(mills_ratio(row.x), row.tail * row.mills_of_minus_x / (1 - row.tail), 1e-12);
  }
}

TEST_CASE("gaussian: quantiles match 20-digit values for log tails from -1e-20 to -1e12") {
  for (const auto &row : rows_beyond_double("gaussian_quantile.tsv")) {
    const double l = row.at(1);
    CAPTURE(l);
    check_estimate(upper_quantile(l), row.at(2), promised, promised);
    check_estimate(quantile(l), -row.at(2), promised, promised);
  }
}

TEST_CASE("gaussian: Mills ratio and excess moments are integrals, by quadrature") {
  for (const double x : {-5.0, -1.0, 0.0, 0.5, 0.999, 1.0, 1.5, 4.0, 12.0, 30.0}) {
    CAPTURE(x);
    // E(xi - x)_+^k = phi(x) Int_0^inf u^k exp(-x u - u^2/2) du; the Mills ratio is k = 0.
    for (int k = 0; k <= 2; ++k) {
      CAPTURE(k);
      const auto integral = numerics::integrate(
          [&](double u) { return std::pow(u, k) * std::exp(-x * u - 0.5 * u * u); }, 0, infinity);
      CHECK(integral.converged());
      const auto moment = excess_moment(k, x);
      CHECK(moment.converged());
      CHECK(std::abs(moment.value - phi(x) * integral.value) <=
            moment.error + phi(x) * (integral.error + (2 + x * x) * epsilon * integral.value));
      CHECK(moment.relative_error() <= promised);
    }
  }
}

TEST_CASE("gaussian: symmetric identities") {
  for (double x = 0; x < 40; x += 0.37) {
    CAPTURE(x);
    CHECK(log_cdf(x).value == log_upper_tail(-x).value);
    CHECK(log_cdf(-x).value == log_upper_tail(x).value);
    CHECK(std::exp(log_cdf(x).value) + std::exp(log_upper_tail(x).value) ==
          doctest::Approx(1).epsilon(1e-15));
    // (xi - x)_+ - (x - xi)_+ = xi - x, and the squares add up to (xi - x)^2.
    CHECK(excess_moment(1, -x).value - excess_moment(1, x).value ==
          doctest::Approx(x).epsilon(2e-15));
    CHECK(excess_moment(2, -x).value + excess_moment(2, x).value ==
          doctest::Approx(1 + x * x).epsilon(4e-15));
    if (x < 36) { // M(x) + M(-x) = 1/phi(x)
      const double sum = mills_ratio(x).value + mills_ratio(-x).value;
      CHECK(std::abs(std::log(sum * phi(0)) - 0.5 * x * x) <= 4 * epsilon * (1 + x * x));
    }
  }
  for (const double l : {-0.01, -0.5, -1.0, -50.0}) {
    CHECK(quantile(l).value == -upper_quantile(l).value);
  }
}

TEST_CASE("gaussian: d/dx log H = -1/M and d/dx E(xi - x)_+^k = -k E(xi - x)_+^(k-1)") {
  for (const double x : {-6.0, -2.0, -0.3, 0.0, 0.7, 1.0, 1.3, 3.0, 9.0}) {
    CAPTURE(x);
    const auto log_tail = [](double y) { return log_upper_tail(y).value; };
    CHECK(derivative(log_tail, x, 4e-3) ==
          doctest::Approx(-1 / mills_ratio(x).value).epsilon(1e-9));
    for (int k = 1; k <= 2; ++k) {
      const auto log_moment = [k](double y) { return log_excess_moment(k, y).value; };
      const double ratio = excess_moment(k - 1, x).value / excess_moment(k, x).value;
      CHECK(derivative(log_moment, x, 4e-3) == doctest::Approx(-k * ratio).epsilon(1e-9));
    }
  }
}

TEST_CASE("gaussian: recurrence of the excess moments where it does not cancel") {
  for (double x = -30; x <= 1.5; x += 0.11) {
    CAPTURE(x);
    const double tail = excess_moment(0, x).value;
    CHECK(excess_moment(1, x).value == doctest::Approx(phi(x) - x * tail).epsilon(5e-15));
    CHECK(excess_moment(2, x).value ==
          doctest::Approx((1 + x * x) * tail - x * phi(x)).epsilon(2e-14));
  }
}

TEST_CASE("gaussian: excess moments agree with their logarithms") {
  for (double x = -40; x < 37; x += 0.53) {
    for (int k = 0; k <= 2; ++k) {
      CAPTURE(x);
      CAPTURE(k);
      const auto logarithm = log_excess_moment(k, x);
      const auto moment = excess_moment(k, x);
      CHECK(std::abs(moment.value - std::exp(logarithm.value)) <=
            moment.error + moment.value * (2 * logarithm.error + epsilon));
    }
  }
}

TEST_CASE("gaussian: no jump where the method changes") {
  // Against the tangent, whose error is (x - switch)^2: x = 1 for the excess, 0 for tails.
  for (const double place : {0.0, 1.0}) {
    for (int k = 0; k <= 2; ++k) {
      CAPTURE(place);
      CAPTURE(k);
      const auto at = log_excess_moment(k, place);
      const double slope =
          k == 0 ? -1 / mills_ratio(place).value
                 : -k * excess_moment(k - 1, place).value / excess_moment(k, place).value;
      for (int i = -500; i <= 500; ++i) {
        const double step = i * 0x1p-40;
        const auto near = log_excess_moment(k, place + step);
        const double jump = near.value - (at.value + slope * step);
        REQUIRE(std::abs(jump) <= near.error + at.error + 2 * step * step);
      }
    }
  }
}

TEST_CASE("gaussian: quantiles invert log tails from -1e-18 to -1e15") {
  for (double exponent = -18; exponent <= 15; exponent += 0.25) {
    const double l = -std::pow(10, exponent);
    CAPTURE(l);
    const auto x = upper_quantile(l);
    CHECK(x.converged());
    CHECK(x.error <= promised * (1 + std::abs(x.value)));
    const auto back = log_upper_tail(x.value);
    CHECK(back.converged());
    const double slope =
        std::exp(-0.5 * x.value * x.value - back.value) / std::sqrt(2 * std::numbers::pi);
    CHECK(std::abs(back.value - l) <= back.error + x.error * (x.value > 5 ? x.value + 1 : slope));
    CHECK(back.value == doctest::Approx(l).epsilon(1e-12));
  }
}

TEST_CASE("gaussian: monotone") {
  double previous_tail = 0;
  double previous_excess = infinity;
  double previous_mills = infinity;
  for (double x = -36; x < 60; x += 0.031) {
    CAPTURE(x);
    const double tail = log_upper_tail(x).value;
    const double excess = log_excess_moment(2, x).value;
    const double mills = mills_ratio(x).value;
    CHECK(tail < previous_tail);
    CHECK(excess < previous_excess);
    CHECK(mills < previous_mills);
    // 1/M lies between x and x + 1/x (Gordon's inequalities).
    CHECK((x <= 0 || (mills * x < 1 && mills * (x + 1 / x) > 1)));
    previous_tail = tail;
    previous_excess = excess;
    previous_mills = mills;
  }
  double previous_quantile = infinity;
  for (double l = -50; l < 0; l += 0.13) {
    CAPTURE(l);
    const double x = upper_quantile(l).value;
    CHECK(x < previous_quantile);
    previous_quantile = x;
  }
}

TEST_CASE("gaussian: beyond the range of double values underflow or are reported") {
  CHECK(excess_moment(0, 40).value == 0);
  CHECK(excess_moment(2, 40).converged());
  CHECK(excess_moment(2, 40).error > 0);
  CHECK(mills_ratio(-40).status == Status::not_finite);
  CHECK(log_upper_tail(infinity).status == Status::not_finite);
  CHECK(log_upper_tail(-infinity).value == 0);
}

TEST_CASE("gaussian: positions beyond 4e9, where x^2 outgrows its rounding") {
  for (const double x : {4.3e9, 5e9, 1e100, 1e200}) {
    check_estimate(gaussian::log_cdf(x), 0, 0, 1e-300);
    check_estimate(gaussian::excess_moment(0, x), 0, 0, 1e-300);
    check_estimate(gaussian::excess_moment(1, x), 0, 0, 1e-300);
    check_estimate(gaussian::excess_moment(1, -x), x, 1e-14);
  }
  check_estimate(gaussian::log_cdf(-5e9), -1.25e19 - std::log(5e9), 1e-14);
}

TEST_CASE("gaussian: refused arguments are named with value and range") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(log_upper_tail(nan), "x = nan: must be a number", std::domain_error);
  CHECK_THROWS_WITH_AS(mills_ratio(nan), "x = nan: must be a number", std::domain_error);
  CHECK_THROWS_WITH_AS(excess_moment(1, nan), "x = nan: must be a number", std::domain_error);
  CHECK_THROWS_WITH_AS(log_excess_moment(1, nan), "x = nan: must be a number", std::domain_error);
  CHECK_THROWS_AS(log_cdf(nan), std::domain_error);
  CHECK_THROWS_WITH_AS(excess_moment(3, 0), "k = 3: must be 0, 1 or 2", std::domain_error);
  CHECK_THROWS_WITH_AS(log_excess_moment(-1, 0), "k = -1: must be 0, 1 or 2", std::domain_error);
  for (const char *part : {"log_tail = 0", "below 0"}) {
    CHECK_THROWS_WITH_AS(upper_quantile(0), doctest::Contains(part), std::domain_error);
  }
  CHECK_THROWS_WITH_AS(upper_quantile(-infinity), doctest::Contains("log_tail = -inf"),
                       std::domain_error);
  CHECK_THROWS_WITH_AS(quantile(1), doctest::Contains("log_probability = 1"), std::domain_error);
  CHECK_THROWS_AS(quantile(nan), std::domain_error);
}
