// SPDX-License-Identifier: GPL-3.0-or-later
#include "lamcap/hebbian.hpp"

#include "catalogue/catalogue.hpp"
#include "lamcap/numerics/root_finding.hpp"

#include <cmath>
#include <utility>

namespace lamcap::program {
namespace {

/// Whole p nearest to p log p = load d^2.
double facts_at(double load, double d) {
  const double size = load * d * d;
  const auto excess = [size](double p) { return p * std::log(p) - size; };
  return std::round(numerics::find_root(excess, 1, size + 3).value);
}

} // namespace

Table hebbian_accuracy_table(Heading heading) {
  Table table(std::move(heading),
              "square Hebbian memory, K = p; p the whole number nearest to load d^2 = p log p; "
              "errors bound the numerics, the theory is within 0.2 percentage points of simulated "
              "accuracy",
              {{"embeddings", "law of inputs and outputs", Kind::input},
               {"dim", "side d", Kind::input},
               {"load", "p log p / d^2, before rounding p", Kind::input},
               {"facts", "p", Kind::input},
               {"accuracy", "expected fraction of facts recalled"},
               {"all_recalled", "probability that every fact is recalled"}});
  for (const auto &[name, embeddings] : {std::pair{"gaussian", Embeddings::gaussian},
                                         std::pair{"unit sphere", Embeddings::unit_sphere}}) {
    for (const double d : {64., 128., 256., 512., 1024., 4096.}) {
      for (const double load : {1. / 16, 1. / 8, 1. / 4, 3. / 8, 1. / 2, 3. / 4}) {
        const double p = facts_at(load, d);
        const HebbianMemory memory{.dim_in = d, .dim_out = d, .embeddings = embeddings};
        table.add({std::string(name), d, load, p, hebbian_accuracy(memory, p),
                   hebbian_all_recalled(memory, p)});
      }
    }
  }
  return table;
}

} // namespace lamcap::program
