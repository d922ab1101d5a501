// SPDX-License-Identifier: GPL-3.0-or-later
#include "hebbian_options.hpp"

#include <stdexcept>

namespace lamcap::program {

HebbianOptions::HebbianOptions(CLI::App &app)
    : dim_(app, "--dim", "D", "side of a square memory"),
      dim_in_(app, "--dim-in", "A", "input dimension (with --dim-out)"),
      dim_out_(app, "--dim-out", "B", "output dimension (with --dim-in)") {
  dim_.option->excludes(dim_in_.option)->excludes(dim_out_.option);
  dim_in_.option->needs(dim_out_.option);
  dim_out_.option->needs(dim_in_.option);
  embeddings_ = add_choice(app, "--embeddings", law_, embedding_laws,
                           "law of inputs and outputs (default gaussian)");
}

HebbianMemory HebbianOptions::memory(const std::string &command,
                                     const NumberOption &candidates) const {
  if (!dim_ && !dim_in_) {
    throw std::invalid_argument(command + " needs dimensions: --dim, or --dim-in and --dim-out");
  }
  HebbianMemory memory{.dim_in = dim_ ? *dim_.get() : *dim_in_.get(),
                       .dim_out = dim_ ? *dim_.get() : *dim_out_.get(),
                       .embeddings = law_};
  if (candidates) {
    memory.candidates = Count(require_whole("candidates", *candidates.get(), 2));
  }
  return memory;
}

void put_memory(Json &input, const HebbianMemory &memory) {
  input["candidates"] = memory.candidates ? number(memory.candidates->value()) : Json("facts");
  input["dim_in"] = number(memory.dim_in);
  input["dim_out"] = number(memory.dim_out);
  input["embeddings"] = name_of(memory.embeddings, embedding_laws);
}

} // namespace lamcap::program
