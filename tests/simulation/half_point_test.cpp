// SPDX-License-Identifier: GPL-3.0-or-later
// Bisection for an instance's crossing, and the half point of many.
#include "lamcap/simulation/half_point.hpp"

#include "refusal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>

using namespace lamcap::simulation;
using lamcap::testing::refusal;

TEST_CASE("crossing: found from every guess, with no question asked twice") {
  for (const std::int64_t last : {2, 3, 7, 8, 100, 101, 5000, 9999}) {
    for (const std::int64_t guess : {-5, 0, 1, 2, 9, 99, 101, 4000, 20000}) {
      std::set<std::int64_t> asked;
      const Crossing c = crossing(
          [&](std::int64_t facts) {
            CHECK(asked.insert(facts).second);
            CHECK(facts >= 3);
            CHECK(facts <= 10000);
            return facts <= last ? Answer::passes : Answer::fails;
          },
          guess, 3, 10000);
      CHECK(c.decided);
      CHECK(c.passes == last); // `least - 1` if all fail
      CHECK(c.fails == last + 1);
      CHECK(c.asked == static_cast<int>(asked.size()));
      CHECK(c.asked < 60);
    }
  }
}

TEST_CASE("crossing: a width, an end that is never reached, an answer unknown") {
  const auto until = [](std::int64_t last) {
    return [last](std::int64_t facts) { return facts <= last ? Answer::passes : Answer::fails; };
  };
  const Crossing wide = crossing(until(537), 100, 1, 10000, 10);
  CHECK(wide.decided);
  CHECK(wide.passes <= 537);
  CHECK(wide.fails > 537);
  CHECK(wide.fails - wide.passes <= 10);

  const Crossing endless = crossing(until(1000), 10, 1, 50);
  CHECK_FALSE(endless.decided);
  CHECK(endless.passes == 50);
  CHECK(endless.fails == 51);
  CHECK_FALSE(crossing(until(1000), 10, 1, 50, 1000).decided);

  const Crossing unknown = crossing(
      [](std::int64_t facts) {
        return facts < 20 ? Answer::passes : facts > 30 ? Answer::fails : Answer::unknown;
      },
      10, 1, 1000);
  CHECK_FALSE(unknown.decided);
  CHECK(unknown.passes < 20);
}

TEST_CASE("half point: mean, standard error and median of the crossings that were decided") {
  const auto at = [](std::int64_t passes, bool decided = true) {
    return Crossing{.passes = passes, .fails = passes + 1, .asked = 1, .decided = decided};
  };
  const HalfPoint h = half_point({at(10), at(12), at(20), at(1000, false), at(14)});
  CHECK(h.instances == 4);
  CHECK(h.facts == doctest::Approx(14.5));
  CHECK(h.deviation == doctest::Approx(std::sqrt((16.0 + 4 + 36) / 3)));
  CHECK(h.standard_error == doctest::Approx(h.deviation / 2));
  CHECK(h.median == doctest::Approx(13.5));
  CHECK(h.rounding == 0);
  const Crossing wide{.passes = 10, .fails = 15, .asked = 1, .decided = true};
  CHECK(half_point({wide, at(12)}).rounding == doctest::Approx(1)); // 2 and 0
  CHECK(half_point({at(3)}).facts == doctest::Approx(3.5));
  CHECK(std::isinf(half_point({at(3)}).standard_error));
  CHECK(half_point({}).instances == 0);
}

TEST_CASE("half point: true errors against the standard errors, 1000 sets of normal crossings") {
  constexpr double centre = 100.3;
  constexpr double spread = 6;
  constexpr int sets = 1000;
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(centre, spread);
  int mean_within = 0;
  int median_within = 0;
  int deviation_within = 0;
  for (int i = 0; i < sets; ++i) {
    std::vector<Crossing> crossings;
    for (int n = 0; n < 60; ++n) {
      const auto passes = static_cast<std::int64_t>(std::floor(normal(generator)));
      crossings.push_back({.passes = passes, .fails = passes + 1, .asked = 1, .decided = true});
    }
    const HalfPoint h = half_point(crossings);
    mean_within += std::abs(h.facts - centre) < h.standard_error ? 1 : 0;
    median_within += std::abs(h.median - centre) < h.median_error ? 1 : 0;
    deviation_within += std::abs(h.deviation - spread) < h.deviation_error ? 1 : 0;
  }
  // 68 percent of 1000, within four standard errors of that count (15 each); the median's error is
  // rounded up to whole ranks.
  CHECK(std::abs(mean_within - 683) < 60);
  CHECK(std::abs(deviation_within - 683) < 60);
  CHECK(median_within > 683 - 60);
  CHECK(median_within < 850);
}

TEST_CASE("crossing: bad arguments are named") {
  const auto message = [](std::int64_t least, std::int64_t most, std::int64_t width) {
    return refusal([&] {
      return crossing([](std::int64_t) { return Answer::fails; }, 1, least, most, width);
    });
  };
  CHECK(message(0, 5, 1).find("facts from 0 to 5") == 0);
  CHECK(message(6, 5, 1).find("facts from 6 to 5") == 0);
  CHECK(message(1, 5, 0).find("facts from 1 to 5, width 0") == 0);
}
