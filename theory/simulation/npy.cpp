// SPDX-License-Identifier: GPL-3.0-or-later
// NumPy's files: see include/lamcap/simulation/npy.hpp.
//
// A file is "\x93NUMPY", two bytes of version, the header's length (little endian; two bytes in
// format 1.0, four later), the header, and the entries.  The header is a Python dictionary such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } and white space.
#include "lamcap/simulation/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lamcap::simulation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t largest_header = 10'000; // bytes, as NumPy's own reader allows
constexpr const char *allowed_types = "must be float32 or float64 ('<f4', '<f8', '>f4', '>f8')";
constexpr bool little_endian = std::endian::native == std::endian::little;

[[noreturn]] void io_failure(const char *action, const fs::path &path, int error,
                             const char *remark = "") {
  throw std::system_error(error != 0 ? error : EIO, std::generic_category(),
                          fmt::format("cannot {} {}{}", action, path.string(), remark));
}

/// A pipe could block for ever, a device have no end or be replaced by a file.
void require_regular(const char *action, const fs::path &path, const fs::file_status &status) {
  if (fs::is_directory(status)) {
    io_failure(action, path, EISDIR);
  }
  if (!fs::is_regular_file(status)) {
    io_failure(action, path, EOPNOTSUPP, ", which is not a regular file");
  }
}

/// A header's text for a message: its length is a stranger's choice.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  return std::string(text.substr(0, most)) + (text.size() > most ? "..." : "");
}

/// An entry as it stands in a file.
template <typename T>
double number(const char *bytes, bool swapped) {
  std::array<char, sizeof(T)> raw{};
  std::copy_n(bytes, raw.size(), raw.begin());
  if (swapped) {
    std::ranges::reverse(raw);
  }
  return std::bit_cast<T>(raw);
}

// ---- the header ---------------------------------------------------------------------------------

/// What a header says; absent: the key was not there.
struct Header {
  std::optional<std::string_view> type; // as it stands, with quotes
  std::optional<bool> fortran_order;
  std::optional<std::string_view> shape; // as it stands, with parentheses
  std::vector<std::int64_t> lengths;     // largest number, or 0, if beyond the range
};

/// Reads the part of Python's syntax that these headers are made of.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// Throws std::invalid_argument saying what was expected where.
  Header parse() {
    Header header;
    expect("{");
    while (!accept("}")) {
      read_item(header);
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    skip_space();
    require(at_ == text_.size(), "the end");
    require(header.type && header.fortran_order && header.shape,
            "the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

private:
  void read_item(Header &header) {
    const std::string_view key = string("a key in quotes");
    expect(":");
    const std::string_view name = key.substr(1, key.size() - 2);
    if (name == "descr" && !header.type) {
      header.type = type();
    } else if (name == "fortran_order" && !header.fortran_order) {
      header.fortran_order = accept("True");
      if (!*header.fortran_order) {
        expect("False");
      }
    } else if (name == "shape" && !header.shape) {
      read_shape(header);
    } else {
      require(false, "'descr', 'fortran_order' and 'shape', once each,");
    }
  }

  std::string_view type() {
    skip_space();
    if (text_.substr(at_).starts_with('[')) { // a list of fields
      throw std::invalid_argument(fmt::format("structured entries: {}", allowed_types));
    }
    return string("a type in quotes");
  }

  void read_shape(Header &header) {
    skip_space();
    const std::size_t start = at_;
    expect("(");
    while (!accept(")")) {
      header.lengths.push_back(whole_number());
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    header.shape = text_.substr(start, at_ - start);
  }

  std::int64_t whole_number() {
    skip_space();
    std::int64_t value = 0;
    const char *const start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
    require(end != start, "a whole number");
    at_ += static_cast<std::size_t>(end - start);
    accept("L"); // of Python 2
    return error == std::errc() ? value
           : *start == '-'      ? 0
                                : std::numeric_limits<std::int64_t>::max();
  }

  /// A string with its quotes.
  std::string_view string(const char *what) {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    require(rest.starts_with('\'') || rest.starts_with('"'), what);
    const std::size_t end = rest.find(rest.front(), 1);
    require(end != std::string_view::npos, "a closing quote");
    at_ += end + 1;
    return rest.substr(0, end + 1);
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool accept(std::string_view token) {
    skip_space();
    const bool found = text_.substr(at_).starts_with(token);
    at_ += found ? token.size() : 0;
    return found;
  }

  void expect(std::string_view token) { require(accept(token), fmt::format("'{}'", token)); }

  void require(bool good, std::string_view what) const {
    if (!good) {
      throw std::invalid_argument(
          fmt::format("malformed header: {} expected at its character {}", what, at_ + 1));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// ---- reading ------------------------------------------------------------------------------------

/// A file whose header was read and found good.
class ArrayFile {
public:
  explicit ArrayFile(const std::string &path) : path_(path) {
    open();
    read_layout(read_header());
  }

  [[nodiscard]] Eigen::Index rows() const { return rows_; }
  [[nodiscard]] Eigen::Index cols() const { return cols_; }

  /// Of the entries as doubles.
  [[nodiscard]] double bytes() const {
    return sizeof(double) * static_cast<double>(rows_) * static_cast<double>(cols_);
  }

  /// The entries, rows x cols or transposed.
  Matrix read(bool transposed) {
    constexpr Eigen::Index most = 65536; // entries at a time
    Matrix m(transposed ? cols_ : rows_, transposed ? rows_ : cols_);
    const Eigen::Index length = fortran_order_ ? rows_ : cols_; // of lines that follow one another
    Eigen::Index line = 0;
    Eigen::Index place = 0;
    std::vector<char> raw;
    for (Eigen::Index left = m.size(); left > 0; left -= std::min(left, most)) {
      raw.resize(entry_bytes_ * static_cast<std::size_t>(std::min(left, most)));
      fill(raw.data(), raw.size());
      for (std::size_t at = 0; at < raw.size(); at += entry_bytes_) {
        const double value = entry_bytes_ == sizeof(float)
                                 ? number<float>(raw.data() + at, swapped_)
                                 : number<double>(raw.data() + at, swapped_);
        if (!std::isfinite(value)) {
          refuse(fmt::format("entry [{}, {}] = {}: must be finite", fortran_order_ ? place : line,
                             fortran_order_ ? line : place, value));
        }
        (fortran_order_ != transposed ? m(place, line) : m(line, place)) = value;
        if (++place == length) {
          place = 0;
          ++line;
        }
      }
    }
    return m;
  }

private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw std::invalid_argument(fmt::format("{}: {}", path_, what));
  }

  void open() {
    std::error_code failed;
    const fs::file_status status = fs::status(path_, failed);
    if (!fs::exists(status)) {
      io_failure("read", path_, failed.value());
    }
    require_regular("read", path_, status);
    errno = 0;
    file_.open(path_, std::ios::binary);
    if (!file_) {
      io_failure("read", path_, errno);
    }
    left_ = fs::file_size(path_, failed);
    if (failed) {
      io_failure("read", path_, failed.value());
    }
  }

  /// Bytes that the file is known to have, unless it shrinks.
  void fill(char *bytes, std::size_t count) {
    errno = 0;
    if (!file_.read(bytes, static_cast<std::streamsize>(count))) {
      io_failure("read", path_, errno);
    }
    left_ -= count;
  }

  std::string header_bytes(std::size_t count) {
    if (count > left_) {
      refuse(fmt::format("cut short: the file ends in its header, {} bytes early", count - left_));
    }
    std::string bytes(count, '\0');
    fill(bytes.data(), count);
    return bytes;
  }

  std::string read_header() {
    if (left_ < magic.size() || header_bytes(magic.size()) != magic) {
      refuse("no NumPy array: must begin with the byte 147 and NUMPY (a .npz is an archive of such "
             "files)");
    }
    const auto byte = [](char c) { return std::size_t{static_cast<unsigned char>(c)}; };
    const std::string version = header_bytes(2);
    if (byte(version[0]) < 1 || byte(version[0]) > 3 || version[1] != 0) {
      refuse(
          fmt::format("format {}.{}: must be 1.0, 2.0 or 3.0", byte(version[0]), byte(version[1])));
    }
    const std::string digits = header_bytes(version[0] == 1 ? 2 : 4);
    std::size_t length = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
      length = 256 * length + byte(digits[i]);
    }
    if (length > largest_header) {
      refuse(fmt::format("header of {} bytes: must have at most {}", length, largest_header));
    }
    return header_bytes(length);
  }

  void read_layout(const std::string &text) {
    Header header;
    try {
      header = HeaderParser(text).parse();
    } catch (const std::invalid_argument &error) {
      refuse(error.what());
    }
    read_type(*header.type);
    fortran_order_ = *header.fortran_order;
    if (header.lengths.size() != 2 || std::ranges::min(header.lengths) < 1) {
      refuse(fmt::format("shape {}: must be two-dimensional, (rows, columns), both at least 1",
                         shown(*header.shape)));
    }
    rows_ = header.lengths[0];
    cols_ = header.lengths[1];
    const double need =
        static_cast<double>(entry_bytes_) * static_cast<double>(rows_) * static_cast<double>(cols_);
    // Sizes of files are exact in double, unless beyond 2^53; products that large fail here too.
    if (need != static_cast<double>(left_)) {
      refuse(fmt::format("{}: shape {} of {} takes {:.17g} bytes, {} follow the header",
                         need > static_cast<double>(left_) ? "cut short" : "overlong",
                         shown(*header.shape), *header.type, need, left_));
    }
  }

  void read_type(std::string_view quoted) {
    std::string_view name = quoted.substr(1, quoted.size() - 2);
    const char order = name.empty() ? '\0' : name.front();
    if (order == '<' || order == '>' || order == '=') {
      name.remove_prefix(1);
      swapped_ = order == (little_endian ? '>' : '<');
    }
    if (name != "f4" && name != "f8") {
      refuse(fmt::format("entries of type {}: {}", shown(quoted), allowed_types));
    }
    entry_bytes_ = name == "f4" ? sizeof(float) : sizeof(double);
  }

  std::string path_;
  std::ifstream file_;
  std::uintmax_t left_ = 0; // bytes not read yet
  std::size_t entry_bytes_ = 0;
  bool swapped_ = false; // against this machine's byte order
  bool fortran_order_ = false;
  Eigen::Index rows_ = 0;
  Eigen::Index cols_ = 0;
};

std::string header_of(const Matrix &matrix) {
  constexpr std::size_t alignment = 64; // of the entries
  std::string text = fmt::format("{{'descr': '{}f8', 'fortran_order': True, 'shape': ({}, {}), }}",
                                 little_endian ? '<' : '>', matrix.rows(), matrix.cols());
  const std::size_t before = magic.size() + 4; // version and length
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  std::string header(magic);
  header += {1, 0, static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  return header + text;
}

} // namespace

Matrix read_npy(const std::string &path, double memory_limit) {
  ArrayFile file(path);
  require_memory(path, file.bytes(), memory_limit);
  return file.read(false);
}

std::string to_npy(const Matrix &matrix) {
  if (matrix.size() == 0 || !matrix.allFinite()) {
    throw std::invalid_argument(
        fmt::format("the {} x {} matrix to be written must have entries, all of them finite",
                    matrix.rows(), matrix.cols()));
  }
  std::string bytes = header_of(matrix);
  bytes.append(reinterpret_cast<const char *>(matrix.data()),
               sizeof(double) * static_cast<std::size_t>(matrix.size()));
  return bytes;
}

Instance read_instance(const std::string &inputs, const std::string &outputs, double memory_limit) {
  ArrayFile in(inputs);
  ArrayFile out(outputs);
  if (in.rows() != out.rows()) {
    throw std::invalid_argument(fmt::format("{} has {} rows, {} has {}: must be a row per fact in "
                                            "both",
                                            inputs, in.rows(), outputs, out.rows()));
  }
  if (in.rows() < 2) {
    throw std::invalid_argument(
        fmt::format("{} and {} have 1 row: must be at least 2, a row per fact", inputs, outputs));
  }
  require_memory(fmt::format("{} with {}", inputs, outputs), in.bytes() + out.bytes(),
                 memory_limit);
  Matrix input_columns = in.read(true);
  Matrix output_columns = out.read(true);
  return {std::move(input_columns), std::move(output_columns)};
}

} // namespace lamcap::simulation
