// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/gaussian.hpp"
#include "lamcap/numerics/quadrature.hpp"
#include "reference.hpp"

#include <functional>
#include <limits>
#include <numbers>
#include <string>

using namespace lamcap;
using lamcap::numerics::integrate;
using lamcap::numerics::Integrator;
using lamcap::numerics::QuadratureOptions;
using lamcap::testing::check_estimate;
using std::numbers::pi;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr QuadratureOptions gauss_kronrod{.integrator = Integrator::gauss_kronrod};
constexpr QuadratureOptions double_exponential{.integrator = Integrator::double_exponential};

QuadratureOptions absolute(QuadratureOptions options, double tolerance) {
  options.absolute_tolerance = tolerance;
  return options;
}

QuadratureOptions limited(QuadratureOptions options, int max_evaluations) {
  options.max_evaluations = max_evaluations;
  return options;
}

struct Problem {
  std::string name;
  std::function<double(double)> f;
  double lower;
  double upper;
  double integral;
};

/// Integrals that both rules are meant for.
const std::vector<Problem> smooth_problems = {
    {"constant", [](double) { return 2.5; }, -1, 3, 10},
    {"polynomial", [](double x) { return x * x * (x - 4); }, 0, 3, -15.75},
    {"cosine", [](double x) { return std::cos(x); }, 0, pi / 2, 1},
    {"reversed", [](double x) { return std::exp(x); }, 1, 0, 1 - std::numbers::e},
    {"tiny values", [](double x) { return 1e-280 * std::exp(x); }, 0, 1,
     1e-280 * (std::numbers::e - 1)},
    {"half line", [](double x) { return std::exp(-x); }, 0, infinity, 1},
    {"half line from 5", [](double x) { return std::exp(5 - x); }, 5, infinity, 1},
    {"left half line", [](double x) { return std::exp(x); }, -infinity, 0, 1},
    {"reversed half line", [](double x) { return std::exp(-x); }, infinity, 0, -1},
    {"slow decay", [](double x) { return 1 / (1 + x * x); }, -infinity, infinity, pi},
    {"Gaussian", [](double x) { return std::exp(-0.5 * x * x); }, -infinity, infinity,
     std::sqrt(2 * pi)},
    {"far Gaussian", [](double x) { return std::exp(-0.5 * (x - 9) * (x - 9)); }, -infinity,
     infinity, std::sqrt(2 * pi)},
    {"reversed line", [](double x) { return std::exp(-x * x); }, infinity, -infinity,
     -std::sqrt(pi)},
};

double phi(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2 * pi);
}

/// The kinds of integrand that the theory meets, without closed form.
const std::vector<Problem> project_problems = {
    {"mean excess squared", [](double x) { return (x - 2) * (x - 2) * phi(x); }, 2, infinity, 0},
    {"Mills ratio", [](double u) { return std::exp(-3 * u - 0.5 * u * u); }, 0, infinity, 0},
    {"Mills ratio on the imaginary axis",
     [](double u) { return std::exp(-0.5 * u * u) * std::cos(2 * u); }, 0, infinity, 0},
    {"maximum of 1000",
     [](double x) { return x * 1000 * phi(x) * std::exp(999 * gaussian::log_cdf(x).value); }, 0, 9,
     0},
    {"tail of the singular-value law",
     [](double t) { return std::pow(std::sin(t), 2) / (1.25 + std::cos(t)); }, 0, 2, 0},
    {"pattern probability", [](double x) { return phi(x) * std::pow(std::erfc(x), 2); }, -infinity,
     infinity, 0},
};

} // namespace

TEST_CASE("quadrature: exact integrals on finite, half infinite and infinite ranges") {
  for (const auto &p : smooth_problems) {
    CAPTURE(p.name);
    check_estimate(integrate(p.f, p.lower, p.upper, gauss_kronrod), p.integral, 3e-12);
    check_estimate(integrate(p.f, p.lower, p.upper, double_exponential), p.integral, 3e-12);
  }
}

TEST_CASE("quadrature: an empty range is exactly 0") {
  const auto e = integrate([](double x) { return 1 / x; }, 0, 0);
  CHECK(e.converged());
  CHECK(e.value == 0);
  CHECK(e.error == 0);
}

TEST_CASE("quadrature: an odd function to an absolute tolerance") {
  const auto f = [](double x) { return x * std::exp(x * x); };
  check_estimate(integrate(f, -1, 1, absolute(gauss_kronrod, 1e-12)), 0, 0, 1e-12);
  check_estimate(integrate(f, -1, 1, absolute(double_exponential, 1e-12)), 0, 0, 1e-12);
}

TEST_CASE("quadrature: endpoint singularities, double exponential") {
  const auto &options = double_exponential;
  check_estimate(integrate([](double x) { return 1 / std::sqrt(x); }, 0, 1, options), 2, 1e-12);
  check_estimate(integrate([](double x) { return std::log(x); }, 0, 1, options), -1, 1e-12);
  check_estimate(integrate([](double x) { return std::pow(x, -0.9); }, 0, 1, options), 10, 1e-12);
  check_estimate(integrate([](double x) { return std::sqrt(4 - x * x); }, -2, 2, options), 2 * pi,
                 1e-12);
  check_estimate(
      integrate([](double x) { return std::exp(-x) / std::sqrt(x); }, 0, infinity, options),
      std::sqrt(pi), 1e-12);
}

TEST_CASE("quadrature: singularities that x cannot resolve in double are not passed off as done") {
  // Near x = 1 half of the digits of 1 - x are lost: 1e-8 of the integral is out of reach.
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    const auto e = integrate([](double x) { return 1 / std::sqrt(1 - x); }, 0, 1, options);
    CHECK((!e.converged() || std::abs(e.value - 2) <= e.error));
  }
}

TEST_CASE("quadrature: a range short against its distance from 0, Gauss-Kronrod") {
  const double width = 0x1p-20;
  check_estimate(integrate([](double x) { return x; }, 1, 1 + width, gauss_kronrod),
                 width * (1 + width / 2), 1e-13);
}

TEST_CASE("quadrature: oscillating integrands") {
  for (const auto &base : {gauss_kronrod, double_exponential}) {
    const auto options = absolute(base, 1e-13);
    check_estimate(integrate([](double x) { return std::cos(100 * x); }, 0, 1, options),
                   std::sin(100.0) / 100, 0, 1e-13);
    check_estimate(integrate([](double x) { return std::cos(1000 * x); }, 0, 1, options),
                   std::sin(1000.0) / 1000, 0, 1e-13);
    check_estimate(
        integrate([](double x) { return std::exp(-x) * std::cos(20 * x); }, 0, infinity, options),
        1.0 / 401, 0, 1e-13);
  }
}

TEST_CASE("quadrature: narrow peak, Gauss-Kronrod") {
  const double width = 1e-5;
  const auto peak = [width](double x) { return width / ((x - 0.3) * (x - 0.3) + width * width); };
  check_estimate(integrate(peak, 0, 1, gauss_kronrod),
                 std::atan(0.7 / width) + std::atan(0.3 / width), 2e-12);
}

TEST_CASE("quadrature: the two rules agree within their errors on integrands of the theory") {
  for (const auto &p : project_problems) {
    CAPTURE(p.name);
    const auto a = integrate(p.f, p.lower, p.upper, gauss_kronrod);
    const auto b = integrate(p.f, p.lower, p.upper, double_exponential);
    CHECK(a.converged());
    CHECK(b.converged());
    CHECK(std::abs(a.value - b.value) <= a.error + b.error);
    CHECK(a.error + b.error <= 3e-12 * std::abs(a.value));
  }
}

TEST_CASE("quadrature: additive in the range, linear in the function") {
  const auto f = [](double x) { return std::exp(std::sin(3 * x)); };
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    const auto whole = integrate(f, -1, 4, options);
    const auto parts = integrate(f, -1, 0.7, options) + integrate(f, 0.7, 4, options);
    CHECK(std::abs(whole.value - parts.value) <= whole.error + parts.error);
    const auto scaled = integrate([&](double x) { return -8 * f(x); }, -1, 4, options);
    CHECK(scaled.value == -8 * whole.value);
    CHECK(scaled.error == doctest::Approx(8 * whole.error).epsilon(1e-14));
  }
}

TEST_CASE("quadrature: integrals within integrals") {
  // Int_0^1 Int_0^1 sqrt(x y) = 4/9; both levels need subdivision.
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    const auto inner = [&](double x) {
      return integrate([x](double y) { return std::sqrt(x * y); }, 0, 1, options).value;
    };
    check_estimate(integrate(inner, 0, 1, options), 4.0 / 9, 3e-12);
  }
}

TEST_CASE("quadrature: a looser tolerance spends fewer evaluations and is still honest") {
  const auto f = [](double x) { return std::exp(-8 * x) * std::sqrt(1 + x); };
  const double integral = 0.13239538696604876964; // 20-digit value
  for (const auto &base : {gauss_kronrod, double_exponential}) {
    auto loose = base;
    loose.relative_tolerance = 1e-4;
    const auto rough = integrate(f, 0, 5, loose);
    const auto fine = integrate(f, 0, 5, base);
    check_estimate(rough, integral, 1.01e-4);
    check_estimate(fine, integral, 1.01e-12);
    CHECK(rough.evaluations < fine.evaluations);
  }
}

TEST_CASE("quadrature: a relative tolerance is one of the integral, also where it cancels") {
  const auto f = [](double x) { return std::sqrt(x) * std::cos(9 * x); };
  const double integral = 0.017140478845611136745; // 20-digit value; of |f| it is 0.4
  for (auto options : {gauss_kronrod, double_exponential}) {
    for (const double tolerance : {1e-3, 1e-4, 1e-6}) {
      CAPTURE(tolerance);
      options.relative_tolerance = tolerance;
      check_estimate(integrate(f, 0, 1, options), integral, 1.01 * tolerance);
    }
  }
}

TEST_CASE("quadrature: evaluations are counted") {
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    for (const auto &p : smooth_problems) {
      CAPTURE(p.name);
      int calls = 0;
      const auto counted = [&](double x) {
        ++calls;
        return p.f(x);
      };
      CHECK(integrate(counted, p.lower, p.upper, options).evaluations == calls);
      CHECK(calls > 0);
    }
  }
}

TEST_CASE("quadrature: interior jumps and singularities give a true bound or a report") {
  const double third = 1.0 / 3;
  const std::vector<Problem> problems = {
      {"jump", [=](double x) { return x < third ? 0.0 : 1.0; }, 0, 1, 2.0 / 3},
      {"kink", [=](double x) { return std::abs(x - third); }, 0, 1, 5.0 / 18},
      {"inverse root", [=](double x) { return 1 / std::sqrt(std::abs(x - third)); }, 0, 1,
       2 * (std::sqrt(1.0 / 3) + std::sqrt(2.0 / 3))},
  };
  for (const auto &p : problems) {
    CAPTURE(p.name);
    const auto adaptive = integrate(p.f, p.lower, p.upper, gauss_kronrod);
    CHECK((!adaptive.converged() || std::abs(adaptive.value - p.integral) <= adaptive.error));
    CHECK(integrate(p.f, p.lower, p.upper, double_exponential).status == Status::not_converged);
  }
}

TEST_CASE("quadrature: divergent integrals are not converged") {
  const double third = 1.0 / 3;
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    CHECK_FALSE(
        integrate([=](double x) { return 1 / std::abs(x - third); }, 0, 1, options).converged());
    CHECK_FALSE(integrate([](double x) { return 1 / x; }, 0, 1, options).converged());
    CHECK_FALSE(integrate([](double x) { return 1 / x; }, 1, infinity, options).converged());
    CHECK_FALSE(integrate([](double) { return 1.0; }, 0, infinity, options).converged());
    CHECK_FALSE(integrate([](double) { return 1.0; }, -infinity, infinity, options).converged());
  }
}

TEST_CASE("quadrature: the evaluation limit is kept and reported") {
  const std::vector<Problem> problems = {
      {"finite", [](double x) { return std::cos(1000 * x); }, 0, 1, 0},
      {"half line", [](double x) { return std::exp(-x) * std::cos(200 * x); }, 0, infinity, 0},
      {"line", [](double x) { return 1 / (1e-4 + (x - 1) * (x - 1)); }, -infinity, infinity, 0},
  };
  for (const auto &p : problems) {
    CAPTURE(p.name);
    for (const auto &options : {gauss_kronrod, double_exponential}) {
      CAPTURE(static_cast<int>(options.integrator));
      const auto e = integrate(p.f, p.lower, p.upper, limited(options, 100));
      CHECK(e.status == Status::not_converged);
      CHECK(e.evaluations <= 100);
    }
  }
  for (const auto &p : smooth_problems) {
    CAPTURE(p.name);
    CHECK(integrate(p.f, p.lower, p.upper, limited(gauss_kronrod, 100)).evaluations <= 100);
    CHECK(integrate(p.f, p.lower, p.upper, limited(double_exponential, 100)).evaluations <= 100);
  }
}

TEST_CASE("quadrature: NaN and infinite function values are reported") {
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    CHECK(integrate([](double x) { return std::sqrt(x - 0.5); }, 0, 1, options).status ==
          Status::not_finite);
    CHECK(integrate([](double) { return std::nan(""); }, 0, infinity, options).status ==
          Status::not_finite);
    CHECK(integrate([](double) { return std::nan(""); }, -infinity, infinity, options).status ==
          Status::not_finite);
    CHECK(integrate([](double x) { return x > 0.4 && x < 0.6 ? infinity : x; }, 0, 1, options)
              .status == Status::not_finite);
  }
}

TEST_CASE("quadrature: exceptions from the function pass through and leave the rules usable") {
  const auto f = [](double x) -> double {
    if (x > 0.1 && x < 0.9) {
      throw std::out_of_range("from f");
    }
    return std::exp(-x * x);
  };
  for (const auto &options : {gauss_kronrod, double_exponential}) {
    CHECK_THROWS_WITH_AS(integrate(f, 0, 1, options), "from f", std::out_of_range);
    CHECK_THROWS_WITH_AS(integrate(f, 0, infinity, options), "from f", std::out_of_range);
    CHECK_THROWS_WITH_AS(integrate(f, -infinity, infinity, options), "from f", std::out_of_range);
    check_estimate(integrate([](double x) { return x; }, 0, 1, options), 0.5, 1e-13);
  }
}

TEST_CASE("quadrature: refused arguments are named with value and range") {
  const auto f = [](double x) { return x; };
  const auto refused = [&](const QuadratureOptions &options,
                           std::initializer_list<const char *> parts) {
    for (const char *part : parts) {
      CHECK_THROWS_WITH_AS(integrate(f, 0, 1, options), doctest::Contains(part), std::domain_error);
    }
  };
  refused({.relative_tolerance = 2}, {"relative_tolerance", "2", "[1.2e-14, 1)"});
  refused({.relative_tolerance = 1e-15}, {"relative_tolerance", "1e-15", "[1.2e-14, 1)"});
  refused({.relative_tolerance = std::nan("")}, {"relative_tolerance", "nan", "[1.2e-14, 1)"});
  refused({.relative_tolerance = 1.1e-14}, {"relative_tolerance", "1.1e-14"});
  // At the limit itself both rules work.
  for (const auto rule : {Integrator::gauss_kronrod, Integrator::double_exponential}) {
    const QuadratureOptions least{.relative_tolerance = 1.2e-14, .integrator = rule};
    check_estimate(integrate([](double x) { return std::exp(x); }, 0, 1, least), std::exp(1.0) - 1,
                   1e-13);
  }
  refused({.absolute_tolerance = -0.5}, {"absolute_tolerance", "-0.5", "at least 0"});
  refused({.max_evaluations = 99}, {"max_evaluations", "99", "at least 100"});
  CHECK_THROWS_WITH_AS(integrate(f, std::nan(""), 1), doctest::Contains("nan: must be a number"),
                       std::domain_error);
  CHECK_THROWS_WITH_AS(integrate(f, 0, std::nan("")), doctest::Contains("nan: must be a number"),
                       std::domain_error);
}
