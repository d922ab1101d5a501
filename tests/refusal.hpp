// SPDX-License-Identifier: GPL-3.0-or-later
// What a call refuses its arguments with.
#pragma once

#include <exception>
#include <string>

namespace lamcap::testing {

/// The message of the Error that the call throws, or "accepted"; other exceptions pass through.
template <class Error = std::exception>
std::string refusal(auto call) {
  try {
    (void)call();
  } catch (const Error &error) {
    return error.what();
  }
  return "accepted";
}

} // namespace lamcap::testing
