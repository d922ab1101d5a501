// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands on the replica free entropy share: the model's options and the record's parts.
#pragma once

#include "options.hpp"

#include "lamcap/replica.hpp"

namespace lamcap::program {

/// --candidates, --margin, --method, --samples and --seed.
class ReplicaOptions {
public:
  explicit ReplicaOptions(CLI::App &app);

  /// Throws if an option is out of range or does not belong to the method.
  [[nodiscard]] ReplicaModel model() const;

  Competitors competitors = Competitors::mean_field; // set by the parser

private:
  NumberOption candidates_, margin_, samples_, seed_;
};

/// Appends what was assumed: candidates, margin, method, and what the errors are.
void put_model(Json &input, const ReplicaModel &model);

/// Puts the numbers of a state, none of them if the state did not converge.
void put_state(Json &record, const ReplicaState &state);

/// What the method leaves out.
[[nodiscard]] Json warnings_of(const ReplicaModel &model, const Replica &replica);

/// At which load the mean field's overlap reaches 1, and the exact critical load.
[[nodiscard]] std::string mean_field_warning(const Count &candidates, double margin,
                                             double mean_field_load);

/// Explains the columns; part of the help.
inline constexpr const char *state_help =
    "overlap q: cosine of two memories drawn from all that recall every fact, 0 to 1 at capacity.\n"
    "free_entropy phi: the share exp(D phi) of all memories recalls every fact, D = d_in d_out.\n"
    "energy: mean log probability that a fact is recalled; slope: d phi / d load, energy / log K.\n"
    "residual: the saddle-point equation's, 0 within its error.  Loads are p log K / D.\n"
    "Methods: leading (K to infinity), mean-field (competitors self-averaging at a given target\n"
    "score, a finer mean field than that of capacity; default), quenched (finite K by Monte "
    "Carlo,\n"
    "K to 1e7).  +- is a bound on the numerical error, with quenched one standard error.\n";

} // namespace lamcap::program
