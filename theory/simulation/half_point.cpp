// SPDX-License-Identifier: GPL-3.0-or-later
// Where half the instances pass: see include/lamcap/simulation/half_point.hpp.
#include "lamcap/simulation/half_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace lamcap::simulation {

Crossing crossing(const std::function<Answer(std::int64_t)> &ask, std::int64_t guess,
                  std::int64_t least, std::int64_t most, std::int64_t width) {
  if (least < 1 || least > most || most >= (std::int64_t{1} << 53) || width < 1) {
    throw std::invalid_argument(fmt::format(
        "facts from {} to {}, width {}: must rise from 1 or more, with a width of 1 or more", least,
        most, width));
  }
  Crossing c{.passes = least - 1, .fails = most + 1};
  const auto step = [](std::int64_t at) { return std::max<std::int64_t>(1, at / 4); };
  std::int64_t next = std::clamp(guess, least, most);
  const auto none_failed = [&] { return c.fails > most; };
  while (none_failed() ? c.passes < most : c.fails - c.passes > width) {
    ++c.asked;
    const Answer answer = ask(next);
    if (answer == Answer::unknown) {
      return c;
    }
    (answer == Answer::passes ? c.passes : c.fails) = next;
    if (none_failed()) {
      next = std::min(most, next + step(next));
    } else if (c.passes < least) {
      next = std::max(least, next - step(next));
    } else {
      next = c.passes + (c.fails - c.passes) / 2;
    }
  }
  c.decided = !none_failed();
  return c;
}

HalfPoint half_point(const std::vector<Crossing> &crossings) {
  std::vector<double> middles;
  double widths = 0; // beyond 1
  for (const Crossing &c : crossings) {
    if (c.decided) {
      middles.push_back(0.5 * static_cast<double>(c.passes + c.fails));
      widths += static_cast<double>(c.fails - c.passes - 1);
    }
  }
  HalfPoint h{.instances = static_cast<std::int64_t>(middles.size())};
  if (middles.empty()) {
    return h;
  }
  const auto count = static_cast<double>(middles.size());
  h.facts = std::accumulate(middles.begin(), middles.end(), 0.0) / count;
  h.rounding = widths / 2 / count;
  double squares = 0;
  for (const double x : middles) {
    squares += (x - h.facts) * (x - h.facts);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  h.deviation = count > 1 ? std::sqrt(squares / (count - 1)) : infinity;
  h.standard_error = h.deviation / std::sqrt(count);
  h.deviation_error = h.deviation / std::sqrt(2 * (count - 1));
  std::sort(middles.begin(), middles.end());
  const std::size_t half = middles.size() / 2;
  h.median = middles.size() % 2 == 1 ? middles[half] : 0.5 * (middles[half - 1] + middles[half]);
  const double reach = std::sqrt(count) / 2;
  const double centre = (count - 1) / 2;
  const auto below = static_cast<std::size_t>(std::max(0.0, std::floor(centre - reach)));
  const auto above = static_cast<std::size_t>(std::min(count - 1, std::ceil(centre + reach)));
  h.median_error = std::max(0.5, 0.5 * (middles[above] - middles[below]));
  return h;
}

} // namespace lamcap::simulation
