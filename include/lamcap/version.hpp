// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace lamcap {

/// Version of the library and the program; CMakeLists.txt reads it from this line.
inline constexpr std::string_view version = "0.1.0";

} // namespace lamcap
