// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands on Hebbian memories of finite size share.
#pragma once

#include "options.hpp"

#include "lamcap/hebbian.hpp"

#include <array>
#include <string>

namespace lamcap::program {

inline constexpr std::array<Choice<Embeddings>, 2> embedding_laws{
    {{"gaussian", Embeddings::gaussian}, {"unit-sphere", Embeddings::unit_sphere}}};

/// --dim, --dim-in, --dim-out and --embeddings.
class HebbianOptions {
public:
  explicit HebbianOptions(CLI::App &app);

  /// Whether any of them was given.
  [[nodiscard]] explicit operator bool() const {
    return dim_ || dim_in_ || embeddings_->count() > 0;
  }

  /// Throws if there are no dimensions; `command` goes into the message.
  [[nodiscard]] HebbianMemory memory(const std::string &command,
                                     const NumberOption &candidates) const;

private:
  NumberOption dim_, dim_in_, dim_out_;
  Embeddings law_ = Embeddings::gaussian; // set by the parser
  CLI::Option *embeddings_;
};

/// Appends what was assumed of the memory.
void put_memory(Json &input, const HebbianMemory &memory);

} // namespace lamcap::program
