// SPDX-License-Identifier: GPL-3.0-or-later
// lamcap table: makes, writes and checks the tables of the catalogue.
#include "catalogue/catalogue.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "options.hpp"
#include "table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lamcap::program {
namespace {

struct Options {
  explicit Options(CLI::App &app) : format(app) {
    auto *name_option = app.add_option("NAME", name, "table to make (see --list)");
    auto *list_option = app.add_flag("--list", list, "names and what each table stands for");
    auto *all_option = app.add_flag("--all", all, "every table; needs --out or --check");
    auto *out_option = app.add_option(
        "--out", out, "write DIR/NAME.csv, whole or not at all; makes DIR if need be");
    auto *check_option =
        app.add_option("--check", check,
                       "make again, compare with DIR/NAME.csv, name the first header line or cell "
                       "that differs (cells: beyond the stated error)");
    out_option->type_name("DIR");
    check_option->type_name("DIR");
    for (auto *option :
         {out_option, check_option}) { // an unset variable must not pass for no option
      option->check(CLI::Validator(
          [](const std::string &given) {
            return given.empty() ? std::string("'' must name a directory") : std::string();
          },
          ""));
    }
    name_option->type_name("");
    name_option->excludes(all_option)->excludes(list_option);
    list_option->excludes(all_option)->excludes(out_option)->excludes(check_option);
    out_option->excludes(check_option);
    format.option->excludes(out_option)->excludes(check_option);
  }
  std::string name;
  bool list = false;
  bool all = false;
  std::string out;
  std::string check;
  FormatOption format;
};

std::vector<Entry> chosen(const Options &o) {
  if (o.all) {
    return catalogue();
  }
  const auto found = std::find_if(catalogue().begin(), catalogue().end(),
                                  [&](const Entry &e) { return e.heading.name == o.name; });
  if (found == catalogue().end()) {
    std::vector<std::string> names;
    for (const Entry &e : catalogue()) {
      names.push_back(e.heading.name);
    }
    throw std::invalid_argument(
        fmt::format("table '{}': must be one of {}", o.name, fmt::join(names, ", ")));
  }
  return {*found};
}

Json rows_of(const Table &table) {
  Json rows = Json::array();
  const auto headers = table.headers();
  for (const auto &cells : table.rows()) {
    Json row;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      const Json value = Json::parse(cells[i], nullptr, false); // numbers stay numbers
      row[headers[i]] = value.is_number() ? value : Json(cells[i]);
    }
    rows.push_back(row);
  }
  return rows;
}

void print(const Table &table, Format format) {
  if (format == Format::csv) {
    write_output(table.csv());
    return;
  }
  Json record;
  record["table"] = table.name();
  record["claim"] = table.claim();
  record["status"] = to_string(Status::converged); // Table::add takes nothing else
  record["rows"] = rows_of(table);
  write_output(render(record, format));
}

void print_list(Format format) {
  Json rows = Json::array();
  for (const Entry &e : catalogue()) {
    rows.push_back({{"name", e.heading.name}, {"claim", e.heading.claim}});
  }
  if (format == Format::text) {
    for (const Entry &e : catalogue()) {
      write_output(fmt::format("{}\n    {}\n", e.heading.name, e.heading.claim));
    }
    return;
  }
  write_output(render({{"tables", rows}}, format));
}

void run(const Options &o) {
  if (o.list) {
    print_list(o.format.get());
    return;
  }
  if (o.name.empty() && !o.all) {
    throw std::invalid_argument("table needs a NAME, --all or --list");
  }
  if (o.all && o.out.empty() && o.check.empty()) {
    throw std::invalid_argument("table --all needs --out DIR or --check DIR");
  }
  // All are made before any is written: a failure leaves what was there.
  std::vector<Table> tables;
  for (const Entry &entry : chosen(o)) {
    tables.push_back(entry.make());
  }
  for (const Table &table : tables) {
    if (!o.out.empty()) {
      write_table(table, o.out);
      write_output(fmt::format("{}/{}.csv: {} rows\n", o.out, table.name(), table.rows().size()));
    } else if (!o.check.empty()) {
      check_table(table, o.check);
      write_output(
          fmt::format("{}/{}.csv: {} rows agree\n", o.check, table.name(), table.rows().size()));
    } else {
      print(table, o.format.get());
    }
  }
}

} // namespace

void add_table_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("table", "Tables of critical loads: print, write, or check against files");
  const auto options = std::make_shared<Options>(*command);
  command->callback([options] { run(*options); });
  command->footer("Examples:\n"
                  "  lamcap table --list\n"
                  "  lamcap table critical_load_facts --format csv\n"
                  "  lamcap table --all --out tables\n"
                  "  lamcap table --all --check tables");
}

} // namespace lamcap::program
