// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lamcap/simulation/instance.hpp"

#include <string>

/// Matrices in NumPy's files (.npy), as specified by numpy.lib.format.  Reading throws
/// std::system_error if a file cannot be read, or is none: a directory, pipe or device.
namespace lamcap::simulation {

/// A two-dimensional array of float32 or float64, either byte order, in C or Fortran order, of format
/// 1.0, 2.0 or 3.0; nothing is rounded.
/// Throws std::invalid_argument that names the file, what was found and what is allowed: for another
/// kind of array, one without entries, a malformed, cut or overlong file, an entry that is not finite
/// (the first in the file's order; indices from 0), or more than memory_limit bytes for the result.
/// No more is allocated than twice the file's size.
[[nodiscard]] Matrix read_npy(const std::string &path, double memory_limit = 4e9);

/// The content of a file: float64 in Fortran order, format 1.0.
/// Throws std::invalid_argument for a matrix that read_npy would refuse: empty or not finite.
[[nodiscard]] std::string to_npy(const Matrix &matrix);

/// The original problem on embeddings in two files that read_npy reads, here with a row per fact,
/// equally many in both and at least two.  Row counts and memory are checked before entries are read.
/// Throws like read_npy; memory_limit is for both arrays.
[[nodiscard]] Instance read_instance(const std::string &inputs, const std::string &outputs,
                                     double memory_limit = 4e9);

} // namespace lamcap::simulation
