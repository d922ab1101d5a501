// SPDX-License-Identifier: GPL-3.0-or-later
// NumPy's files: every variant from bytes written out here, a round trip, refusals.
#include "lamcap/simulation/npy.hpp"

#include "refusal.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>   // mkdtemp() is POSIX
#include <sys/stat.h> // so is mkfifo()

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

using namespace lamcap::simulation;
using lamcap::testing::refusal;

namespace {

namespace fs = std::filesystem;

/// A directory that is removed with all that is in it.
class Folder {
public:
  Folder() {
    std::string name = fs::temp_directory_path() / "lamcap_npy_XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code failed;
    fs::remove_all(path_, failed);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ / name; }

  [[nodiscard]] std::string with(std::string_view name, std::string_view bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }

  [[nodiscard]] auto files() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

private:
  fs::path path_;
};

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Magic, version, length of the header, header.
std::string start(char version, std::string_view header) {
  std::string bytes = "\x93NUMPY";
  bytes +=
      {version, 0, static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  bytes.append(version == 1 ? 0 : 2, '\0');
  return bytes.append(header);
}

std::string array(std::string_view type, std::string_view shape, std::string_view entries,
                  std::string_view fortran_order = "False", char version = 1) {
  std::string header = "{'descr': ";
  header.append(type).append(", 'fortran_order': ").append(fortran_order);
  header.append(", 'shape': ").append(shape).append(", }  \n");
  return start(version, header).append(entries);
}

/// 1.5 -2 0.25 / 3 -0.75 0.1: big endian, in C order.
constexpr std::string_view doubles("\x3f\xf8\0\0\0\0\0\0"
                                   "\xc0\0\0\0\0\0\0\0"
                                   "\x3f\xd0\0\0\0\0\0\0"
                                   "\x40\x08\0\0\0\0\0\0"
                                   "\xbf\xe8\0\0\0\0\0\0"
                                   "\x3f\xb9\x99\x99\x99\x99\x99\x9a",
                                   48);
constexpr std::string_view floats("\x3f\xc0\0\0"
                                  "\xc0\0\0\0"
                                  "\x3e\x80\0\0"
                                  "\x40\x40\0\0"
                                  "\xbf\x40\0\0"
                                  "\x3d\xcc\xcc\xcd",
                                  24);

Matrix expected(bool single) {
  Matrix m(2, 3);
  m << 1.5, -2, 0.25, 3, -0.75, single ? double{0.1F} : 0.1;
  return m;
}

/// The entries in another order of bytes, or of entries.
std::string arranged(std::string_view entries, bool little, bool fortran_order) {
  const std::size_t size = entries.size() / 6;
  std::string out;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t from = fortran_order ? 3 * (i % 2) + i / 2 : i;
    std::string entry(entries.substr(size * from, size));
    if (little) {
      std::reverse(entry.begin(), entry.end());
    }
    out += entry;
  }
  return out;
}

std::string two_by_two(std::string_view shape = "(2, 2)") {
  return array("'<f8'", shape, std::string(32, '\0'));
}

/// What a file of these bytes is refused with, after its name.
std::string reason(const Folder &folder, const std::string &bytes) {
  const std::string path = folder.with("a.npy", bytes);
  const std::string message = refusal<std::invalid_argument>([&] { return read_npy(path); });
  const std::string name = path + ": ";
  return message.starts_with(name) ? message.substr(name.size()) : message;
}

void write_npy(const std::string &path, const Matrix &matrix) {
  std::ofstream(path, std::ios::binary) << to_npy(matrix);
}

} // namespace

TEST_CASE("npy: every version, type, byte order and order of entries") {
  const Folder folder;
  for (const char version : {'\1', '\2', '\3'}) {
    for (const bool single : {true, false}) {
      for (const bool little : {true, false}) {
        for (const bool fortran_order : {true, false}) {
          const std::string type = std::string(little ? "'<" : "'>") + (single ? "f4'" : "f8'");
          const std::string path =
              folder.with("a.npy", array(type, "(2, 3)",
                                         arranged(single ? floats : doubles, little, fortran_order),
                                         fortran_order ? "True" : "False", version));
          CAPTURE(version);
          CAPTURE(type);
          CAPTURE(fortran_order);
          CHECK(read_npy(path) == expected(single));
        }
      }
    }
  }
}

TEST_CASE("npy: this machine's byte order, and headers written another way") {
  const Folder folder;
  const Matrix m = Matrix::Constant(1, 1, 0.1);
  write_npy(folder / "m.npy", m);
  const std::string written = contents(folder / "m.npy");
  const std::string entry = written.substr(written.size() - 8);
  for (const char *header : {
           "{'descr': '=f8', 'fortran_order': False, 'shape': (1, 1)}",
           "{'descr': 'f8', 'fortran_order': True, 'shape': (1, 1)}",
           "{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"=f8\"}",
           " { 'shape' : ( 1L , 1L , ) ,\n'descr' : 'f8' , 'fortran_order' : False , }\t \n",
       }) {
    CAPTURE(header);
    CHECK(read_npy(folder.with("a.npy", start(1, header) + entry)) == m);
  }
}

TEST_CASE("npy: what is written reads back, more entries than are read at a time too") {
  const Folder folder;
  const std::string path = folder / "m.npy";
  for (const auto &[rows, cols] : {std::pair{1, 1}, {1, 70000}, {70000, 1}, {301, 500}}) {
    const Matrix m = 1e-3 * Matrix::Random(rows, cols);
    write_npy(path, m); // over the one before
    CHECK(read_npy(path) == m);
  }
  write_npy(path, expected(false));
  const std::string bytes = contents(path);
  CHECK(bytes.size() == 128 + 48);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\0\x76\0", 10));
  CHECK(bytes[127] == '\n');
}

TEST_CASE("npy: a link is read through") {
  const Folder folder;
  write_npy(folder / "m.npy", Matrix::Ones(2, 2));
  fs::create_symlink("m.npy", folder / "link.npy");
  CHECK(read_npy(folder / "link.npy") == Matrix::Ones(2, 2));
}

TEST_CASE("npy: another kind of array is refused by name") {
  const Folder folder;
  const auto refused = [&](const std::string &type, const std::string &shape = "(2, 2)") {
    return reason(folder, array(type, shape, std::string(32, '\0')));
  };
  for (const char *type : {"'<f2'", "'<f16'", "'<i8'", "'|i1'", "'|b1'", "'<c8'", "'|O'", "'<U5'",
                           "''", "'<'", "'<f'", "'<f8 '", "'f4f4'"}) {
    CHECK(refused(type) == std::string("entries of type ") + type +
                               ": must be float32 or float64 ('<f4', '<f8', '>f4', '>f8')");
  }
  CHECK(refused("[('x', '<f8'), ('y', '<f8')]") ==
        "structured entries: must be float32 or float64 ('<f4', '<f8', '>f4', '>f8')");
  for (const char *shape : {"()", "(4,)", "(4)", "(1, 2, 2)", "(0, 4)", "(4, 0)", "(-2, -2)",
                            "(-99999999999999999999, 1)"}) {
    CHECK(refused("'<f8'", shape) == std::string("shape ") + shape +
                                         ": must be two-dimensional, (rows, columns), both at "
                                         "least 1");
  }
  const std::string type = "'" + std::string(100, 'x') + "'"; // not shown whole
  CHECK(refused(type).find("entries of type " + type.substr(0, 60) + "...: must be") == 0);
}

TEST_CASE("npy: cut, overlong and malformed files are refused") {
  const Folder folder;
  const auto refused = [&](const std::string &bytes) { return reason(folder, bytes); };
  const std::string good = two_by_two();
  CHECK(refused(good) == "accepted");
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    const std::string message = refused(good.substr(0, length));
    CHECK(message.find(length < 6 ? "no NumPy array: must begin"
                       : length + 32 < good.size()
                           ? "cut short: the file ends in its header"
                           : "cut short: shape (2, 2) of '<f8' takes 32") == 0);
  }
  CHECK(refused(good + "\n") ==
        "overlong: shape (2, 2) of '<f8' takes 32 bytes, 33 follow the header");
  CHECK(refused("PK\x03\x04" + good).find("no NumPy array") == 0);
  CHECK(refused(start(4, "{}")) == "format 4.0: must be 1.0, 2.0 or 3.0");
  CHECK(refused(start(0, "{}")) == "format 0.0: must be 1.0, 2.0 or 3.0");
  CHECK(refused("\x93NUMPY\x01\x02") == "format 1.2: must be 1.0, 2.0 or 3.0");
  CHECK(refused("\x93NUMPY\x02" + std::string(1, '\0') + "\xff\xff\xff\xff") ==
        "header of 4294967295 bytes: must have at most 10000");
  for (const char *shape : {"(9223372036854775807, 9223372036854775807)",
                            "(99999999999999999999, 2)", "(4294967296, 4294967296)", "(2, 3)"}) {
    CAPTURE(shape); // the product must not wrap around
    CHECK(refused(two_by_two(shape)).find(std::string("cut short: shape ") + shape) == 0);
  }
  for (const char *header :
       {"",
        "{",
        "}",
        "[]",
        "{}",
        "{'descr'}",
        "{'descr': '<f8",
        "{'descr': <f8}",
        "{,}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'shape': (2, 2)}",
        "{'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [2, 2]}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, , 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2.0, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False 'shape': (2, 2)}"}) {
    CAPTURE(header);
    CHECK(refused(start(1, header) + std::string(32, '\0')).find("malformed header: ") == 0);
  }
  CHECK(refused(start(1, "{'descr': 5}")) ==
        "malformed header: a type in quotes expected at its character 11");
}

TEST_CASE("npy: the first entry that is not finite is named, counted from 0") {
  const Folder folder;
  const auto refused = [&](std::string_view type, std::string_view entries,
                           std::string_view order) {
    return reason(folder, array(type, "(1, 2)", entries, order));
  };
  const std::string_view bad("\0\0\0\0\x7f\xc0\0\0", 8);
  const std::string_view infinite("\0\0\0\0\xff\x80\0\0", 8);
  CHECK(refused("'>f4'", bad, "False") == "entry [0, 1] = nan: must be finite");
  CHECK(refused("'>f4'", bad, "True") == "entry [0, 1] = nan: must be finite");
  CHECK(refused("'>f4'", infinite, "False") == "entry [0, 1] = -inf: must be finite");
  // The fourth entry of six is [1, 0] or, column by column, [1, 1].
  const std::string fourth = std::string(24, '\0') + "\x7f\xf8" + std::string(22, '\0');
  CHECK(reason(folder, array("'>f8'", "(2, 3)", fourth)) == "entry [1, 0] = nan: must be finite");
  CHECK(reason(folder, array("'>f8'", "(2, 3)", fourth, "True")) ==
        "entry [1, 1] = nan: must be finite");
  CHECK(refused("'<f8'", std::string(14, '\0') + "\xf0\x7f", "True") ==
        "entry [0, 1] = inf: must be finite");
  CHECK(read_npy(folder.with("a.npy", array("'<f4'", "(1, 2)", bad)))(0, 1) > 0); // a subnormal
}

TEST_CASE("npy: too much memory is refused before it is taken") {
  const Folder folder;
  const std::string path = folder.with("a.npy", array("'<f4'", "(1000, 1000)", ""));
  fs::resize_file(path, fs::file_size(path) + 4'000'000);
  CHECK(refusal<std::invalid_argument>([&] { return read_npy(path, 7.9e6); }) ==
        "memory: " + path + " needs 8 MB, the limit is 7.9 MB");
  CHECK_THROWS_AS((void)read_npy(path, std::nan("")), std::invalid_argument);
  CHECK(read_npy(path, 8e6) == Matrix::Zero(1000, 1000));
  CHECK(refusal<std::invalid_argument>([&] { return read_instance(path, path, 15e6); }) ==
        "memory: " + path + " with " + path + " needs 16 MB, the limit is 15 MB");
}

TEST_CASE("npy: what is no file is refused as such") {
  const Folder folder;
  const auto read = [](const std::string &path) {
    return refusal<std::system_error>([&] { return read_npy(path); });
  };
  const std::string missing = folder / "missing.npy";
  CHECK(read(missing) == "cannot read " + missing + ": No such file or directory");
  CHECK(read("") == "cannot read : No such file or directory");
  CHECK(read(folder / "") == "cannot read " + (folder / "") + ": Is a directory");
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string &path : {pipe, std::string("/dev/null")}) {
    CHECK(read(path).find("cannot read " + path + ", which is not a regular file: ") == 0);
  }
  CHECK(folder.files() == 1); // the pipe: nothing was left behind
}

TEST_CASE("npy: only matrices that read back are written") {
  const auto refused = [&](const Matrix &m) {
    CHECK_THROWS_AS((void)to_npy(m), std::invalid_argument);
  };
  refused(Matrix(0, 3));
  refused(Matrix(3, 0));
  refused(Matrix::Constant(2, 2, std::numeric_limits<double>::infinity()));
}

TEST_CASE("npy: an instance has a row per fact in two files") {
  const Folder folder;
  const Matrix outputs = Matrix::Random(2, 4);
  write_npy(folder / "outputs.npy", outputs);
  const std::string inputs = folder.with("inputs.npy", array("'>f8'", "(2, 3)", doubles));
  const Instance instance = read_instance(inputs, folder / "outputs.npy");
  CHECK(instance.problem() == Problem::original);
  CHECK(instance.facts() == 2);
  CHECK(instance.dim_in() == 3);
  CHECK(instance.dim_out() == 4);
  CHECK(instance.inputs() == expected(false).transpose());
  CHECK(instance.stored_outputs() == outputs.transpose());

  const auto refused = [](const std::string &first, const std::string &second) {
    return refusal<std::invalid_argument>([&] { return read_instance(first, second); });
  };
  const std::string other = folder / "other.npy";
  write_npy(other, Matrix::Ones(5, 3));
  CHECK(refused(inputs, other) ==
        inputs + " has 2 rows, " + other + " has 5: must be a row per fact in both");
  write_npy(other, Matrix::Ones(1, 3));
  CHECK(refused(other, other) ==
        other + " and " + other + " have 1 row: must be at least 2, a row per fact");
  CHECK(refused(inputs, folder.with("b.npy", two_by_two() + "x")).find(folder / "b.npy") == 0);
}
