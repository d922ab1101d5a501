// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/capacity.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace lamcap::program {
namespace {

/// Published dimensions: residual width, feed-forward width, attention head size, vocabulary.
struct Model {
  const char *name;
  double width;
  double feed_forward;
  double head;
  double vocabulary;
};

constexpr Model models[] = {
    {"GPT-2 small", 768, 3072, 64, 50257},     {"GPT-2 medium", 1024, 4096, 64, 50257},
    {"GPT-2 large", 1280, 5120, 64, 50257},    {"GPT-2 XL", 1600, 6400, 64, 50257},
    {"Llama 2 7B", 4096, 11008, 128, 32000},   {"Llama 2 13B", 5120, 13824, 128, 32000},
    {"Llama 2 70B", 8192, 28672, 128, 32000},  {"Llama 3 8B", 4096, 14336, 128, 128256},
    {"Llama 3 70B", 8192, 28672, 128, 128256}, {"Llama 3.1 405B", 16384, 53248, 128, 128256}};

} // namespace

Table capacity_by_dimension(Heading heading) {
  Table table(
      std::move(heading),
      "margin 0, exact method; candidates p means K = p; models: one width x width matrix, one "
      "attention head (width x width of rank head size), one feed-forward output matrix",
      {{"memory", "what it is", Kind::input},
       {"dim_in", "d_in", Kind::input},
       {"dim_out", "d_out", Kind::input},
       {"rank", "largest rank", Kind::input},
       {"candidates", "K", Kind::input},
       {"facts", "largest p (real-valued)"},
       {"alpha_c", "critical load p log K / (d_in d_out)"},
       {"facts_per_parameter", "p over the parameters of a memory of that rank, "
                               "rank (d_in + d_out - rank)"},
       {"facts_leading", "the same p by the limit K -> infinity (alpha = 1/2 at full rank)"}});
  const auto add = [&table](const std::string &name, double in, double out, double rank,
                            std::optional<Count> candidates) {
    const Memory memory{.dim_in = in, .dim_out = out, .rank = rank};
    const Capacity exact = capacity(memory, {.candidates = candidates});
    Capacity leading = capacity(memory, {.candidates = candidates, .method = Method::leading});
    const double parameters = rank * (in + out - rank);
    table.add({name, in, out, rank, candidates ? Cell(candidates->value()) : Cell("p"), exact.facts,
               exact.alpha_c, exact.facts / exactly(parameters), leading.facts});
  };
  constexpr int first_power = 4; // sides 16 to 16384
  constexpr int last_power = 14;
  for (int power = first_power; power <= last_power; ++power) {
    const double d = std::ldexp(1.0, power);
    add("square", d, d, d, {});
  }
  for (const double d : {20., 50., 100., 1000.}) {
    add("square", d, d, d, {});
  }
  for (const Model &m : models) {
    const std::string name = m.name;
    add(name + " matrix", m.width, m.width, m.width, m.vocabulary);
    add(name + " attention head", m.width, m.width, m.head, m.vocabulary);
    add(name + " feed-forward", m.feed_forward, m.width, m.width, m.vocabulary);
  }
  return table;
}

} // namespace lamcap::program
