// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/numerics/quadrature.hpp"
#include "lamcap/singular_law.hpp"
#include "reference.hpp"

#include <limits>
#include <numbers>

using namespace lamcap;
using lamcap::testing::check_estimate;
using lamcap::testing::reference;
using std::numbers::pi;

namespace {

const std::vector<double> aspects = {0x1p-20, 0.01, 0.1,    0.25,     0.5, 0.75,
                                     0.9,     0.99, 0.9999, 0.999999, 1};
const std::vector<double> rank_ratios = {1e-12, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1};

/// Singular value at the angle psi from the upper edge: s^2 = 1 + beta + 2 sqrt(beta) cos(psi).
double position(double beta, double psi) {
  return std::hypot((1 - beta) / (1 + std::sqrt(beta)),
                    2 * std::pow(beta, 0.25) * std::cos(0.5 * psi));
}

/// Tail mass in closed form.  With A = 1 + beta, B = 2 sqrt(beta),
///   sin^2 t / (A + B cos t) = A/B^2 - cos t / B - (1 - beta)^2 / (B^2 (A + B cos t)),
/// and Int_0^psi dt / (A + B cos t) = 2/(1 - beta) atan[(1 - sqrt beta)/(1 + sqrt beta)
/// tan(psi/2)]. The three terms cancel at small psi and small beta: good to a few epsilon pi / (4
/// beta).
double closed_tail(double beta, double psi) {
  if (beta == 1) {
    return (psi - std::sin(psi)) / pi;
  }
  const double a = 1 + beta;
  const double b = 2 * std::sqrt(beta);
  const double ratio = (1 - std::sqrt(beta)) / (1 + std::sqrt(beta));
  return 2 / pi *
         (a * psi / (b * b) - std::sin(psi) / b -
          2 * (1 - beta) / (b * b) * std::atan(ratio * std::tan(0.5 * psi)));
}

/// E s^(2k), k >= 1: Narayana's polynomials in beta.
double narayana_moment(int k, double beta) {
  double sum = 0;
  double term = 1; // C(k, r) C(k-1, r) / (r+1)
  for (int r = 0; r < k; ++r) {
    sum += term * std::pow(beta, r);
    term *= (k - r) * (k - 1.0 - r) / ((r + 1.0) * (r + 2.0));
  }
  return sum;
}

} // namespace

TEST_CASE("singular values: closed forms of the quarter circle") {
  const SingularLaw quarter;
  CHECK(quarter.lower_edge() == 0);
  CHECK(quarter.upper_edge() == 2);
  check_estimate(quarter.density(0), 2 / pi, 1e-14);
  check_estimate(quarter.density(1), std::sqrt(3) / pi, 1e-14);
  check_estimate(quarter.density(2), 0, 0, 1e-14);
  check_estimate(quarter.upper_tail(0), 1, 1e-14);
  check_estimate(quarter.upper_tail(std::numbers::sqrt2), 0.5 - 1 / pi, 1e-14);
  check_estimate(quarter.distribution(std::numbers::sqrt2), 0.5 + 1 / pi, 1e-14);
  check_estimate(quarter.upper_tail(2), 0, 0, 1e-300);
  check_estimate(quarter.cutoff(0.5 - 1 / pi), std::numbers::sqrt2, 1e-14);
  check_estimate(quarter.quantile(0.5 + 1 / pi), std::numbers::sqrt2, 1e-14);
  check_estimate(quarter.partial_second_moment(std::numbers::sqrt2), 0.5, 1e-14);
  check_estimate(quarter.partial_second_moment(0), 1, 1e-14);
  check_estimate(quarter.rank_factor(1), 1, 1e-14);
  check_estimate(quarter.moment(1), 8 / (3 * pi), 1e-13);
  check_estimate(rank_constrained_load(1), 0.5, 1e-14);
}

TEST_CASE("singular values: edges and the whole law at every aspect ratio") {
  for (const double beta : aspects) {
    CAPTURE(beta);
    const SingularLaw law(beta);
    const double root = std::sqrt(beta);
    CHECK(law.lower_edge() == doctest::Approx((1 - beta) / (1 + root)).epsilon(4 * epsilon));
    CHECK(law.upper_edge() == doctest::Approx(1 + root).epsilon(2 * epsilon));
    CHECK(law.cutoff(1).value == law.lower_edge());
    CHECK(law.quantile(0).value == law.lower_edge());
    check_estimate(law.upper_tail(law.lower_edge()), 1, 1e-12);
    check_estimate(law.upper_tail(law.lower_edge() - 0.1), 1, 1e-12);
    check_estimate(law.upper_tail(law.upper_edge() + 0.1), 0, 0, 1e-300);
    check_estimate(law.distribution(law.upper_edge()), 1, 1e-12);
    check_estimate(law.partial_second_moment(law.lower_edge()), 1, 1e-12);
    check_estimate(law.rank_factor(1), 1, 1e-12);
    CHECK(law.density(law.lower_edge() - 0.1).value == 0);
    CHECK(law.density(law.upper_edge() + 0.1).value == 0);
  }
}

TEST_CASE("singular values: Catalan numbers at beta = 1") {
  const SingularLaw quarter(1);
  const double catalan[] = {1, 1, 2, 5, 14, 42, 132, 429, 1430};
  for (int k = 0; k <= 8; ++k) {
    CAPTURE(k);
    check_estimate(quarter.moment(2 * k), catalan[k], 1e-13);
    check_estimate(quarter.kept_moment(2 * k, 1), catalan[k], 1e-11);
  }
}

TEST_CASE("singular values: even moments are Narayana polynomials of beta") {
  CHECK(narayana_moment(3, 0.5) == 1 + 3 * 0.5 + 0.25);
  for (const double beta : aspects) {
    const SingularLaw law(beta);
    check_estimate(law.moment(0), 1, 1e-12);
    for (int k = 1; k <= 5; ++k) {
      CAPTURE(beta);
      CAPTURE(k);
      check_estimate(law.moment(2 * k), narayana_moment(k, beta), 1e-12);
      check_estimate(law.kept_moment(2 * k, 1), narayana_moment(k, beta), 2e-12);
    }
  }
}

TEST_CASE("singular values: cutoff and second moment match 20-digit values") {
  for (const auto &row : reference("rank_constrained.tsv")) {
    const double beta = row.at(0);
    const double kappa = row.at(1);
    CAPTURE(beta);
    CAPTURE(kappa);
    const double accuracy = beta == 1 ? 1e-14 : 1e-12;
    const SingularLaw law(beta);
    check_estimate(law.cutoff(kappa), row.at(2), 0, accuracy);
    check_estimate(law.rank_factor(kappa), row.at(3), accuracy);
    check_estimate(rank_constrained_load(kappa, beta), 0.5 * row.at(3), accuracy);
    check_estimate(law.kept_moment(2, kappa), row.at(3), 2 * accuracy, 2e-14);
    const auto moment = law.partial_second_moment(row.at(2));
    CHECK(std::abs(moment.value - row.at(3)) <= // the cutoff is rounded to double
          moment.error + 4 * epsilon * law.density(row.at(2)).value + epsilon * row.at(3));
  }
}

TEST_CASE("singular values: next to the edges, 20-digit values at s a double") {
  struct Row {
    double beta, s, density, tail, below, second_moment;
  };
  const Row rows[] = {{0.5, 1.7071067, 0.00033020169991900872601, 1.7871957435795189596e-11,
                       0.99999999998212804256, 5.2082697773211526695e-11},
                      {0.5, 1.707106781, 0.000015828217098406088979, 1.9684762916918341872e-15,
                       0.99999999999999803152, 5.736560305705990954e-15},
                      {0.5, 0.2928932189, 0.000026027965305275140742, 0.99999999999999849823,
                       1.5017701935058871252e-15, 0.99999999999999987117},
                      {0.5, 0.293, 0.028902592723634120326, 0.99999794226381615688,
                       2.0577361838431188747e-6, 0.99999982339690762988},
                      {0.75, 1.8660254, 0.000050308472166030469042, 1.2692621568899725916e-13,
                       0.99999999999987307378, 4.4196353076593243258e-13},
                      {0x1p-9, 1.0441941, 0.025766536625969678565, 1.2681287975879508581e-9,
                       0.99999999873187120241, 1.3826933033626719416e-9}};
  for (const auto &row : rows) {
    CAPTURE(row.beta);
    CAPTURE(row.s);
    const SingularLaw law(row.beta);
    check_estimate(law.density(row.s), row.density, 1e-4);
    check_estimate(law.upper_tail(row.s), row.tail, 1e-4);
    check_estimate(law.distribution(row.s), row.below, 1e-4, 1e-13);
    check_estimate(law.partial_second_moment(row.s), row.second_moment, 1e-4);
  }
}

TEST_CASE("singular values: cutoffs close to full rank, 20-digit values") {
  struct Row {
    double beta;
    int exponent; // kappa = 1 - 2^-exponent
    double cutoff;
  };
  const Row rows[] = {{0.5, 20, 0.29295716507858565177},    {0.5, 40, 0.29289322500860949751},
                      {0.5, 50, 0.29289321887443223098},    {0.5, 52, 0.29289321883765230756},
                      {0.5, 53, 0.29289321882869741444},    {0.75, 20, 0.13403494400244587655},
                      {0.75, 40, 0.13397460206169847393},   {0.75, 52, 0.13397459623839782606},
                      {0x1p-9, 40, 0.95580582675015881208}, {0x1p-9, 52, 0.95580582617808420954}};
  for (const auto &row : rows) {
    CAPTURE(row.beta);
    CAPTURE(row.exponent);
    const double rest = std::ldexp(1, -row.exponent);
    check_estimate(SingularLaw(row.beta).cutoff(1 - rest), row.cutoff, 1e-7);
    check_estimate(SingularLaw(row.beta).quantile(rest), row.cutoff, 1e-7);
  }
}

TEST_CASE("singular values: tail mass and cutoff against the closed form") {
  for (const double beta : {0.01, 0.05, 0.2, 0.25, 0.5, 0.8, 0.9, 0.99, 0.999, 0.99999, 1.0}) {
    const SingularLaw law(beta);
    for (double psi = 0.1; psi < 3.14; psi += 0.19) {
      CAPTURE(beta);
      CAPTURE(psi);
      const double s = position(beta, psi);
      const double rounding = 8 * epsilon * (1 + 1 / beta);
      const double tail = closed_tail(beta, psi);
      const auto computed = law.upper_tail(s);
      CHECK(computed.converged());
      CHECK(std::abs(computed.value - tail) <= computed.error + rounding);
      const auto cutoff = law.cutoff(tail);
      CHECK(cutoff.converged());
      CHECK(std::abs(cutoff.value - s) <= cutoff.error + rounding / law.density(s).value);
      CHECK(cutoff.error < 1e-10);
    }
  }
}

TEST_CASE(
    "singular values: tail, second moment and first moment by quadrature of the density in s") {
  // Double-exponential: the density has square-root edges.
  const numerics::QuadratureOptions options{.relative_tolerance = 1e-9,
                                            .integrator = numerics::Integrator::double_exponential};
  for (const double beta : {0.01, 0.25, 0.5, 0.9, 0.99, 1.0}) {
    const SingularLaw law(beta);
    for (const double fraction : {0.0, 0.1, 0.5, 0.9}) {
      const double s = law.lower_edge() + fraction * (law.upper_edge() - law.lower_edge());
      CAPTURE(beta);
      CAPTURE(s);
      const auto integral = [&](int k) {
        return numerics::integrate([&](double t) { return std::pow(t, k) * law.density(t).value; },
                                   s, law.upper_edge(), options);
      };
      const auto tail = law.upper_tail(s);
      const auto second = law.partial_second_moment(s);
      const auto first = law.kept_moment(1, std::min(1.0, tail.value));
      const double edges = 1e-11; // of the density's rounding next to its edges
      CHECK(std::abs(tail.value - integral(0).value) <= tail.error + integral(0).error + edges);
      CHECK(std::abs(second.value - integral(2).value) <= second.error + integral(2).error + edges);
      CHECK(std::abs(first.value - integral(1).value) <= first.error + integral(1).error + edges);
      CHECK(integral(0).converged());
      CHECK(first.converged());
    }
  }
}

TEST_CASE("singular values: rank factor is the second moment at the cutoff, and kept_moment(2)") {
  for (const double beta : aspects) {
    const SingularLaw law(beta);
    for (const double kappa : {0.05, 0.4, 0.9}) {
      CAPTURE(beta);
      CAPTURE(kappa);
      const auto factor = law.rank_factor(kappa);
      const auto cutoff = law.cutoff(kappa);
      const auto moment = law.partial_second_moment(cutoff.value);
      const double slope = std::pow(cutoff.value, 2) * law.density(cutoff.value).value;
      CHECK(std::abs(factor.value - moment.value) <=
            factor.error + moment.error + slope * (cutoff.error + 2 * epsilon));
      CHECK(std::abs(factor.value - law.kept_moment(2, kappa).value) <=
            factor.error + law.kept_moment(2, kappa).error);
      check_estimate(law.kept_moment(0, kappa), kappa, 1e-11);
    }
  }
}

TEST_CASE(
    "singular values: small rank ratio at beta = 1, R = 4 kappa (1 - 0.15 (6 pi kappa)^(2/3))") {
  // psi - sin psi = pi kappa and R = (2 psi - sin 2 psi)/(2 pi): with m = 6 pi kappa,
  // psi^2 = m^(2/3) (1 + m^(2/3)/30 + ...) and R / (4 kappa) = 1 - (3/20) psi^2 + ...
  for (const double kappa : {1e-300, 1e-100, 1e-12, 1e-9, 1e-6}) {
    CAPTURE(kappa);
    const double square = std::pow(6 * pi * kappa, 2.0 / 3);
    const auto factor = SingularLaw(1).rank_factor(kappa);
    check_estimate(factor, factor.value, 1e-14);
    CHECK(std::abs(factor.value / (4 * kappa) - (1 - 0.15 * square)) <=
          0.1 * square * square + 8 * epsilon);
    CHECK(rank_constrained_load(kappa).value == doctest::Approx(0.5 * factor.value).epsilon(1e-15));
    // The cutoff: s = 2 cos(psi/2).
    CHECK(SingularLaw(1).cutoff(kappa).value ==
          doctest::Approx(2 * std::cos(0.5 * std::sqrt(square))).epsilon(1e-14 + square * square));
  }
}

TEST_CASE("singular values: small rank ratio at beta < 1, R = kappa (1 + sqrt beta)^2") {
  for (const double beta : {0.01, 0.25, 0.5, 0.9}) {
    for (const double kappa : {1e-300, 1e-15, 1e-9}) {
      CAPTURE(beta);
      CAPTURE(kappa);
      const double edge = std::pow(1 + std::sqrt(beta), 2);
      const auto factor = SingularLaw(beta).rank_factor(kappa);
      CHECK(factor.converged());
      CHECK(factor.relative_error() < 1e-12);
      CHECK(factor.value / (kappa * edge) ==
            doctest::Approx(1).epsilon(2 * std::pow(kappa, 2.0 / 3) + 1e-13));
    }
  }
}

TEST_CASE("singular values: quantile and distribution invert each other") {
  for (const double beta : aspects) {
    const SingularLaw law(beta);
    for (const double u : {0.001, 0.1, 0.5, 0.7, 0.99, 1 - 1e-9}) {
      CAPTURE(beta);
      CAPTURE(u);
      const auto s = law.quantile(u);
      const auto back = law.distribution(s.value);
      CHECK(s.converged());
      CHECK(back.converged());
      CHECK(std::abs(back.value - u) <=
            back.error + (s.error + epsilon * s.value) * 2 * law.density(s.value).value);
      CHECK(back.value == doctest::Approx(u).epsilon(1e-10));
      CHECK(law.upper_tail(s.value).value == doctest::Approx(1 - u).epsilon(1e-5));
    }
  }
}

TEST_CASE("singular values: continuous as beta -> 1") {
  const SingularLaw quarter(1);
  double previous = std::numeric_limits<double>::infinity();
  for (const double gap : {1e-2, 1e-4, 1e-6, 1e-9, 1e-12}) {
    CAPTURE(gap);
    const SingularLaw law(1 - gap);
    double largest = 0;
    for (const double kappa : {0.1, 0.5, 0.9}) {
      const auto cutoff = law.cutoff(kappa);
      const auto factor = law.rank_factor(kappa);
      CHECK(cutoff.converged());
      CHECK(factor.converged());
      largest = std::max({largest, std::abs(cutoff.value - quarter.cutoff(kappa).value),
                          std::abs(factor.value - quarter.rank_factor(kappa).value)});
    }
    CHECK(largest < 2 * gap + 1e-13);
    CHECK(largest < previous);
    for (const double k : {0.0, 1.0, 2.0, 3.0}) {
      CAPTURE(k);
      const auto moment = law.moment(k);
      CHECK(moment.converged());
      CHECK(std::abs(moment.value - quarter.moment(k).value) < 2 * gap + moment.error + 1e-14);
      CHECK(moment.relative_error() < 1e-12);
    }
    previous = largest;
  }
}

TEST_CASE("singular values: monotone in the rank ratio and in s") {
  for (const double beta : aspects) {
    const SingularLaw law(beta);
    double previous_cutoff = law.upper_edge();
    double previous_factor = 0;
    for (const double kappa : rank_ratios) {
      CAPTURE(beta);
      CAPTURE(kappa);
      const double cutoff = law.cutoff(kappa).value;
      const double factor = law.rank_factor(kappa).value;
      CHECK(cutoff < previous_cutoff);
      CHECK(factor > previous_factor);
      // The kept values are the largest: their mean square lies between s_k^2 and s+^2.
      CHECK(factor >= kappa * (1 - 1e-12));
      CHECK(factor <= kappa * std::pow(law.upper_edge(), 2) * (1 + 1e-12));
      previous_cutoff = cutoff;
      previous_factor = factor;
    }
    double previous_tail = 1.1;
    for (double fraction = 0; fraction <= 1; fraction += 0.05) {
      const double s = law.lower_edge() + fraction * (law.upper_edge() - law.lower_edge());
      const double tail = law.upper_tail(s).value;
      CHECK(tail < previous_tail);
      previous_tail = tail;
    }
  }
}

TEST_CASE("singular values: refused arguments are named with value and range") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(SingularLaw(0), "aspect = 0: must be in (0, 1]", std::domain_error);
  CHECK_THROWS_WITH_AS(SingularLaw(1.5), "aspect = 1.5: must be in (0, 1]", std::domain_error);
  CHECK_THROWS_AS(SingularLaw{nan}, std::domain_error);
  const SingularLaw law(0.5);
  CHECK_THROWS_WITH_AS(law.cutoff(0), "rank_ratio = 0: must be in (0, 1]", std::domain_error);
  CHECK_THROWS_WITH_AS(law.rank_factor(1.25), "rank_ratio = 1.25: must be in (0, 1]",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(law.kept_moment(2, -1), "rank_ratio = -1: must be in (0, 1]",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(law.quantile(1), "probability = 1: must be in [0, 1)", std::domain_error);
  CHECK_THROWS_WITH_AS(law.quantile(-0.5), "probability = -0.5: must be in [0, 1)",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(law.moment(-1), "k = -1: must be finite and at least 0", std::domain_error);
  CHECK_THROWS_WITH_AS(law.kept_moment(-1, 0.5), "k = -1: must be finite and at least 0",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(rank_constrained_load(0), "rank_ratio = 0: must be in (0, 1]",
                       std::domain_error);
  CHECK_THROWS_WITH_AS(rank_constrained_load(0.5, 2), "aspect = 2: must be in (0, 1]",
                       std::domain_error);
  CHECK_THROWS_AS(law.density(nan), std::domain_error);
  CHECK_THROWS_AS(law.upper_tail(nan), std::domain_error);
  CHECK_THROWS_AS(law.partial_second_moment(nan), std::domain_error);
  CHECK_THROWS_AS(law.cutoff(nan), std::domain_error);
}

TEST_CASE("singular values: infinite positions and the smallest rank ratios") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double beta : {1.0, 0.5, 1e-6}) {
    const SingularLaw law(beta);
    check_estimate(law.distribution(-infinity), 0, 0);
    check_estimate(law.upper_tail(-infinity), 1, 1e-15);
    check_estimate(law.distribution(infinity), 1, 1e-15);
    check_estimate(law.upper_tail(infinity), 0, 0);
    check_estimate(law.density(-infinity), 0, 0);
    const double edge = law.upper_edge();
    for (const double kappa : {1e-160, 1e-300, 1e-310}) {
      check_estimate(law.cutoff(kappa), edge, 1e-14);
      check_estimate(law.rank_factor(kappa), kappa * edge * edge, 1e-11, 1e-320);
    }
  }
}
