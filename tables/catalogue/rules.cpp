// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalogue/catalogue.hpp"
#include "lamcap/capacity.hpp"

#include <utility>

namespace lamcap::program {
namespace {

struct Row {
  const char *name;
  Criterion criterion;
};

} // namespace

Table rules(Heading heading) {
  Table table(std::move(heading),
              "square memory, K = p; Hebbian rows are the limit d -> infinity, their errors those "
              "of evaluating it; load unit of listwise "
              "rows is p / d^2, of all others p log p / d^2",
              {{"rule", "rule", Kind::input},
               {"tail", "r of listwise retrieval, - otherwise", Kind::input},
               {"dim", "side d", Kind::input},
               {"alpha_c", "critical load"},
               {"facts", "largest p (real-valued)"},
               {"dimensions_per_fact", "d^2 / p at capacity"}});
  std::vector<Row> rows{{"optimal", {}},
                        {"optimal leading order", {.method = Method::leading}},
                        {"hebbian strict", {.rule = Rule::hebbian, .recall = Recall::strict}},
                        {"hebbian average", {.rule = Rule::hebbian, .recall = Recall::average}}};
  for (const double tail : {0.5, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6}) {
    rows.push_back({"listwise", {.rule = Rule::listwise, .tail = tail}});
  }
  for (const Row &row : rows) {
    for (const double d : {64., 256., 1024., 4096., 16384.}) {
      const Capacity c = capacity(square(d), row.criterion);
      const bool listwise = row.criterion.rule == Rule::listwise;
      table.add({std::string(row.name), listwise ? Cell(row.criterion.tail) : Cell("-"), d,
                 c.alpha_c, c.facts, c.statistical_dimension});
    }
  }
  return table;
}

} // namespace lamcap::program
