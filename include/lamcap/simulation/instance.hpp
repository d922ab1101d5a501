// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <string_view>

/// Random memories, trained and certified.  Nothing here uses the theory: where both agree, that is
/// evidence.
namespace lamcap::simulation {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Which outputs compete for a fact.
enum class Problem {
  original,  ///< all facts share one set of p outputs; the target of fact mu is output mu
  decoupled, ///< every fact has K outputs of its own; the target is the first
  iid        ///< the K candidates of a fact are K free vectors of D = d_in d_out components each
};

/// Law of the embeddings.
enum class Embeddings {
  gaussian,   ///< components of variance 1/d_in (inputs) and 1/d_out (outputs)
  unit_sphere ///< uniform on the unit sphere; not for the problem iid
};

/// Where outputs that belong to one fact are (decoupled and iid; shared outputs are always stored).
enum class Storage {
  stored,     ///< all in memory: 8 p K d_out bytes (iid: 8 p K D)
  regenerated ///< a fact at a time, anew whenever needed: the same numbers, some 20 ns each
};

/// One random instance.  The same (seed, number) gives the same numbers for any thread count and
/// block size, and instances of the same dimensions are nested: fact mu and its candidate rho do not
/// depend on how many others there are.  Numbers: Philox4x32-10 (Salmon et al. 2011) keyed by the
/// seed, its counter by number, array, row and column; Gaussians by Box and Muller.
struct InstanceSpec {
  Problem problem = Problem::original;
  std::int64_t dim_in = 0;     ///< d_in >= 1
  std::int64_t dim_out = 0;    ///< d_out >= 1
  std::int64_t facts = 0;      ///< p >= 2 (original), >= 1 otherwise
  std::int64_t candidates = 0; ///< K >= 2; 0: K = p.  original: 0 or p
  Embeddings embeddings = Embeddings::gaussian;
  std::uint64_t seed = 1;
  std::uint64_t number = 0; ///< of the instance, below 2^31
  Storage storage = Storage::stored;
  /// Bytes that the instance's arrays may take; more is refused with the need stated.
  double memory_limit = 4e9;
};

/// Throws std::invalid_argument naming what is out of range, or the memory needed: what making the
/// instance would refuse.
void require_valid(const InstanceSpec &spec);

/// Throws std::invalid_argument "memory: <what> needs ... MB, the limit is ... MB" if need > limit,
/// in bytes.
void require_memory(std::string_view what, double need, double limit);

/// Inputs and outputs of one instance.
class Instance {
public:
  /// Throws std::invalid_argument naming what is out of range, or the memory needed.  Every output is
  /// drawn once, stored or not: some 20 ns a number, shared by the threads.
  explicit Instance(const InstanceSpec &spec);

  /// The original problem on given embeddings: one column per fact, of the same number, finite, with
  /// max |u| max |e| from 1e-100 to 1e100.
  Instance(Matrix inputs, Matrix outputs);

  [[nodiscard]] Problem problem() const noexcept { return problem_; }
  [[nodiscard]] std::int64_t facts() const noexcept { return facts_; }
  [[nodiscard]] std::int64_t candidates() const noexcept { return candidates_; }
  [[nodiscard]] std::int64_t dim_in() const noexcept { return dim_in_; }
  [[nodiscard]] std::int64_t dim_out() const noexcept { return dim_out_; }

  /// d_in x p, a column per fact; empty for the problem iid.
  [[nodiscard]] const Matrix &inputs() const noexcept { return inputs_; }

  /// Candidates of a fact, a column each: memory_rows() x K; original: the same for every fact.
  /// Regenerated ones are written to `scratch`, where the result then is.
  [[nodiscard]] Eigen::Map<const Matrix> outputs(std::int64_t fact, Matrix &scratch) const;

  /// All stored outputs, fact by fact (original: once); empty if regenerated.
  [[nodiscard]] const Matrix &stored_outputs() const noexcept { return outputs_; }

  /// Column of the target among outputs(fact).
  [[nodiscard]] std::int64_t target(std::int64_t fact) const noexcept {
    return problem_ == Problem::original ? fact : 0;
  }

  /// Shape of W: d_out x d_in; iid: D x 1.
  [[nodiscard]] std::int64_t memory_rows() const noexcept {
    return problem_ == Problem::iid ? dim_in_ * dim_out_ : dim_out_;
  }
  [[nodiscard]] std::int64_t memory_cols() const noexcept {
    return problem_ == Problem::iid ? 1 : dim_in_;
  }

  /// Throws std::invalid_argument for any other shape of W.
  void require_shape(std::int64_t rows, std::int64_t cols) const;

  /// max |u| max |e| (iid: max |u|): no score of a W of norm 1 is larger.
  [[nodiscard]] double longest() const noexcept { return longest_; }

  /// Bytes of the arrays, with the scratch of every thread for outputs that are not stored.
  [[nodiscard]] double bytes() const noexcept;

private:
  void generate(std::int64_t fact, Eigen::Ref<Matrix> outputs) const;

  Problem problem_;
  std::int64_t dim_in_;
  std::int64_t dim_out_;
  std::int64_t facts_;
  std::int64_t candidates_;
  InstanceSpec spec_; // what regenerated outputs are made from
  Matrix inputs_;
  Matrix outputs_; // original: d_out x p; else side by side for all facts, or empty
  double longest_ = 0;
};

} // namespace lamcap::simulation
