// SPDX-License-Identifier: GPL-3.0-or-later
#define DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS // CHECK_THROWS discards [[nodiscard]] results
#include "lamcap/simulation/training.hpp"

#include "simulation/outputs_of.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace lamcap::simulation;
using lamcap::testing::outputs_of;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Instance instance(Problem problem, std::int64_t dim_in, std::int64_t dim_out, std::int64_t facts,
                  std::int64_t candidates = 0, std::uint64_t number = 0) {
  return Instance({.problem = problem,
                   .dim_in = dim_in,
                   .dim_out = dim_out,
                   .facts = facts,
                   .candidates = candidates,
                   .number = number});
}

const std::vector<Instance> &small_instances() {
  static const std::vector<Instance> all{instance(Problem::original, 5, 7, 23),
                                         instance(Problem::decoupled, 6, 4, 11, 9),
                                         instance(Problem::iid, 3, 4, 13, 6)};
  return all;
}

Matrix some_memory(const Instance &i, double scale) {
  const bool iid = i.problem() == Problem::iid;
  Matrix w(outputs_of(i, 0).rows(), iid ? 1 : i.dim_in());
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    w(k) = scale * std::sin(1.0 + 2.7 * static_cast<double>(k));
  }
  return w;
}

/// The definition, one score at a time.
struct Reference {
  double loss = 0;
  double margin = infinity;
  double error = 0;
  std::int64_t recalled = 0;
  double competitor_square = 0;
  Matrix gradient;
};

Reference reference(const Instance &i, const Matrix &w, double beta) {
  Reference r;
  r.gradient.setZero(w.rows(), w.cols());
  const auto facts = static_cast<double>(i.facts());
  for (std::int64_t mu = 0; mu < i.facts(); ++mu) {
    const Vector e = i.problem() == Problem::iid ? Vector::Ones(1) : Vector(i.inputs().col(mu));
    const Vector s = outputs_of(i, mu).transpose() * (w * e);
    const Eigen::Index target = i.target(mu);
    const double largest = s.maxCoeff();
    Vector pull = (beta * (s.array() - largest)).exp();
    const double total = pull.sum();
    pull /= total;
    r.loss += (std::log(total) + beta * (largest - s(target))) / facts;
    r.error += (1 - pull(target)) / facts;
    pull(target) -= 1;
    r.gradient += beta / facts * (outputs_of(i, mu) * pull) * e.transpose();
    Vector others = s;
    others(target) = -infinity;
    r.margin = std::min(r.margin, s(target) - others.maxCoeff());
    r.recalled += s(target) > others.maxCoeff() ? 1 : 0;
    others(target) = 0;
    r.competitor_square += others.squaredNorm() / facts / static_cast<double>(i.candidates() - 1);
  }
  return r;
}

/// Loss of W = Q R^T by finite differences of `objective` along every entry of `at`.
template <typename Loss>
Matrix differences(const Loss &loss, Matrix at) {
  constexpr double step = 1e-5;
  Matrix slope(at.rows(), at.cols());
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    const double middle = at(k);
    at(k) = middle + step;
    const double above = loss(at);
    at(k) = middle - step;
    slope(k) = (above - loss(at)) / (2 * step);
    at(k) = middle;
  }
  return slope;
}

} // namespace

TEST_CASE("cross-entropy: loss, gradient and counts are those of the definition") {
  for (const Instance &i : small_instances()) {
    for (const double beta : {0.3, 1.0, 20.0}) {
      CAPTURE(beta);
      const Matrix w = some_memory(i, 2);
      const Reference r = reference(i, w, beta);
      CrossEntropy<double> objective(i, {.facts = 4, .candidates = 5});
      Matrix gradient;
      const Evaluation e = objective.evaluate(w, beta, &gradient);
      REQUIRE(e.finite);
      CHECK(e.loss == doctest::Approx(r.loss).epsilon(1e-13));
      CHECK(e.error == doctest::Approx(r.error).epsilon(1e-13));
      CHECK(e.recalled == r.recalled);
      CHECK(e.margin == doctest::Approx(r.margin).epsilon(1e-12));
      CHECK((gradient - r.gradient).norm() < 1e-13 * (1 + beta));
      const Evaluation scores = objective.evaluate(w, beta);
      CHECK(scores.loss == e.loss);
      CHECK(scores.competitor_square == doctest::Approx(r.competitor_square).epsilon(1e-13));
    }
  }
}

TEST_CASE("cross-entropy: the gradient is the slope of the loss") {
  for (const Instance &i : small_instances()) {
    CrossEntropy<double> objective(i);
    const Matrix w = some_memory(i, 1);
    Matrix gradient;
    (void)objective.evaluate(w, 1.5, &gradient);
    const auto loss = [&](const Matrix &at) { return objective.evaluate(at, 1.5).loss; };
    CHECK((differences(loss, w) - gradient).norm() < 1e-8 * gradient.norm());
  }
}

TEST_CASE("cross-entropy: the blocks change rounding only") {
  for (const Instance &i : small_instances()) {
    const Matrix w = some_memory(i, 3);
    const Reference r = reference(i, w, 1);
    for (const std::int64_t facts : {1, 2, 7, 1000}) {
      for (const std::int64_t candidates : {1, 3, 1000}) {
        CrossEntropy<double> objective(i, {.facts = facts, .candidates = candidates});
        Matrix gradient;
        CHECK(objective.evaluate(w, 1, &gradient).loss == doctest::Approx(r.loss).epsilon(1e-13));
        CHECK((gradient - r.gradient).norm() < 1e-13);
      }
    }
  }
}

TEST_CASE("cross-entropy: the same bits for any number of threads") {
  const Instance i = instance(Problem::original, 24, 40, 900); // enough work for threads
  const Eigen::MatrixXf w = some_memory(i, 1).cast<float>();
  Eigen::MatrixXf one;
  CrossEntropy<float> alone(i, {.threads = 1});
  const Evaluation e = alone.evaluate(w, 1, &one);
  for (const int threads : {2, 3, 8}) {
    Eigen::MatrixXf several;
    CrossEntropy<float> together(i, {.threads = threads});
    const Evaluation same = together.evaluate(w, 1, &several);
    CHECK(one == several);
    CHECK(e.loss == same.loss);
    CHECK(e.margin == same.margin);
  }
}

TEST_CASE("cross-entropy: float agrees with double") {
  const Instance i = instance(Problem::original, 24, 40, 300);
  const Matrix w = some_memory(i, 3);
  Matrix gradient;
  Eigen::MatrixXf rough;
  const Evaluation e = CrossEntropy<double>(i).evaluate(w, 1, &gradient);
  const Evaluation f = CrossEntropy<float>(i).evaluate(w.cast<float>(), 1, &rough);
  CHECK(f.loss == doctest::Approx(e.loss).epsilon(1e-6));
  CHECK((rough.cast<double>() - gradient).norm() < 1e-5 * gradient.norm());
}

TEST_CASE("cross-entropy: huge logits neither overflow nor lose the small errors") {
  const Instance i = instance(Problem::original, 80, 80, 20);
  const Matrix w = hebbian_memory(i);
  const Recall r = measure(i, w);
  REQUIRE(r.lost == 0);
  const double beta = 1e4;
  Matrix gradient;
  const Evaluation e = CrossEntropy<double>(i).evaluate(-w, beta, &gradient);
  CHECK(e.finite);
  CHECK(e.loss > 1e3);
  CHECK(gradient.allFinite());
  Eigen::MatrixXf rough;
  const Evaluation f = CrossEntropy<float>(i).evaluate(-w.cast<float>(), 1e4F, &rough);
  CHECK(f.finite);
  CHECK(f.loss == doctest::Approx(e.loss).epsilon(1e-5));
  CHECK(rough.allFinite());
  // Recalled by far: P_target is 1 in float, the gradient keeps its digits.
  Eigen::MatrixXf small;
  const Matrix scaled = w * (60 / r.margin);
  (void)CrossEntropy<float>(i).evaluate(scaled.cast<float>(), 1, &small);
  (void)CrossEntropy<double>(i).evaluate(scaled, 1, &gradient);
  CHECK(gradient.norm() > 0);
  CHECK((small.cast<double>() - gradient).norm() < 1e-3 * gradient.norm());
}

TEST_CASE("cross-entropy: scores beyond the range are reported") {
  const Instance i = instance(Problem::original, 5, 5, 10);
  Eigen::MatrixXf w = Eigen::MatrixXf::Constant(5, 5, 1e38F);
  CHECK_FALSE(CrossEntropy<float>(i).evaluate(w, 1).finite);
  w(0, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(CrossEntropy<float>(i).evaluate(w, 1).finite);
  CHECK_THROWS_AS(measure(i, Matrix::Constant(5, 5, infinity)), std::invalid_argument);
  CHECK_THROWS_AS(measure(i, Matrix::Zero(5, 4)), std::invalid_argument);
}

TEST_CASE("recall: a tie is lost") {
  Matrix outputs(2, 3);
  outputs << 1, 1, 0, 0, 0, 1; // the first two are the same
  const Instance i(outputs, outputs);
  const Recall r = measure(i, Matrix::Identity(2, 2));
  CHECK(r.facts == 3);
  CHECK(r.lost == 2);
  CHECK(r.margin == 0);
  CHECK(r.target_mean == 1);
  CHECK(r.best_mean == doctest::Approx(2.0 / 3));
  CHECK(r.competitor_mean == doctest::Approx(1.0 / 3));
}

TEST_CASE("recall: accuracy of Hebbian memories") {
  // Independent simulations: 0.9893(3) and 0.8805(9).
  struct Case {
    std::int64_t facts;
    double accuracy;
    double error;
  };
  for (const Case c : {Case{349, 0.9893, 0.0003}, Case{634, 0.8805, 0.0009}}) {
    CAPTURE(c.facts);
    constexpr int instances = 20;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t n = 0; n < instances; ++n) {
      const Instance i = instance(Problem::original, 128, 128, c.facts, 0, n);
      const double accuracy = measure(i, hebbian_memory(i)).accuracy;
      sum += accuracy;
      squares += accuracy * accuracy;
    }
    const double mean = sum / instances;
    const double error = std::sqrt((squares / instances - mean * mean) / (instances - 1));
    CHECK(std::abs(mean - c.accuracy) < 3 * std::hypot(error, c.error));
  }
}

TEST_CASE("recall: the Hebbian memory is minus the gradient's start, to the competitors' mean") {
  for (const Instance &i : small_instances()) {
    const Matrix w = hebbian_memory(i);
    const Reference r = reference(i, Matrix::Zero(w.rows(), w.cols()), 1);
    Matrix uniform = Matrix::Zero(w.rows(), w.cols());
    for (std::int64_t mu = 0; mu < i.facts(); ++mu) {
      const Vector e = i.problem() == Problem::iid ? Vector::Ones(1) : Vector(i.inputs().col(mu));
      uniform += outputs_of(i, mu).rowwise().mean() * e.transpose();
    }
    const Matrix start = (uniform - w) / static_cast<double>(i.facts());
    CHECK((r.gradient - start).norm() < 1e-13);
  }
}

TEST_CASE("cross-entropy: outputs drawn anew give the same bits as stored ones") {
  for (const Problem problem : {Problem::decoupled, Problem::iid}) {
    InstanceSpec spec{.problem = problem, .dim_in = 6, .dim_out = 4, .facts = 150, .candidates = 9};
    const Instance stored(spec);
    spec.storage = Storage::regenerated;
    const Instance anew(spec);
    CHECK(anew.stored_outputs().size() == 0);
    CHECK(anew.longest() == stored.longest());
    CHECK(hebbian_memory(anew) == hebbian_memory(stored));
    for (const Precision precision : {Precision::single, Precision::full}) {
      TrainingOptions o{.precision = precision};
      o.most_steps = 30;
      const Training a = train(stored, o);
      const Training b = train(anew, o);
      CHECK(a.memory == b.memory);
      CHECK(a.loss == b.loss);
      CHECK(a.margin_upper == b.margin_upper);
      CHECK(a.recall.accuracy == b.recall.accuracy);
    }
  }
}

TEST_CASE("certificate: brackets the largest margin, known for two orthogonal facts") {
  // W = diag(1, 1) / sqrt2 has margin 1 / sqrt2 on the unit vectors, the largest.
  const Instance i(Matrix::Identity(2, 2), Matrix::Identity(2, 2));
  const Matrix w = Matrix::Identity(2, 2) - Matrix::Constant(2, 2, 0.5);
  const Certificate best = certify(i, w, 1);
  CHECK(best.margin_lower <= 1);
  CHECK(best.margin_upper >= 1);
  CHECK(best.margin_upper - best.margin_lower < 1e-12);
  const Certificate other = certify(i, Matrix::Identity(2, 2), 1);
  CHECK(other.margin_lower == doctest::Approx(std::sqrt(0.5)));
  CHECK(other.margin_upper >= 1);
  CHECK(certify(i, Matrix::Zero(2, 2), 1).margin_lower <= 0);
  for (const double scale : {30.0, 300.0, 500.0, 700.0, 1e4}) { // errors down to nothing
    CHECK(certify(i, scale * w, 1).margin_lower > 1 - 1e-12);
    CHECK(certify(i, scale * w, 1).margin_upper >= 1);
  }
}

TEST_CASE("training: a step of rank m follows the slope in Q and R") {
  // Adam's first step is rate sign(gradient): a short one lowers the loss by rate sum |slope|.
  const Instance i = instance(Problem::original, 5, 7, 23);
  TrainingOptions o{.rate = 1e-6, .rank = 2, .spread = 1, .precision = Precision::full};
  o.ridge = 0.05;
  o.target_margin = infinity;
  o.most_steps = 0;
  const Training start = train(i, o);
  o.most_steps = 1;
  const Training moved = train(i, o);
  REQUIRE(start.left.cols() == 2);
  CHECK((start.left * start.right.transpose() - start.memory).norm() < 1e-14);
  CrossEntropy<double> objective(i);
  const auto loss = [&](const Matrix &w) {
    return objective.evaluate(w, 1).loss + 0.5 * o.ridge * w.squaredNorm();
  };
  const Matrix left =
      differences([&](const Matrix &q) { return loss(q * start.right.transpose()); }, start.left);
  const Matrix right =
      differences([&](const Matrix &r) { return loss(start.left * r.transpose()); }, start.right);
  CHECK((moved.left - start.left + o.rate * left.cwiseSign()).norm() < 1e-3 * o.rate);
  CHECK((moved.right - start.right + o.rate * right.cwiseSign()).norm() < 1e-3 * o.rate);
  const double fall = loss(start.memory) - loss(moved.memory);
  CHECK(fall == doctest::Approx(o.rate * (left.lpNorm<1>() + right.lpNorm<1>())).epsilon(1e-4));
}

TEST_CASE("training: all facts of the original problem recalled at d = 50, 420 are too many") {
  const Instance good = instance(Problem::original, 50, 50, 360);
  const Training t = train(good, {.rate = 0.3});
  CHECK(t.stop == Stop::recalled);
  CHECK(t.recall.lost == 0);
  CHECK(t.margin_lower > 0);
  CHECK(t.margin_upper > t.margin_lower);
  CHECK(t.memory.allFinite());
  const Instance bad = instance(Problem::original, 50, 50, 420);
  const Training u = train(bad, {.rate = 0.3, .least_progress = 1e-3});
  CHECK(u.stop == Stop::loss_stalled);
  CHECK(u.recall.lost > 0);
  CHECK(u.margin_lower < 0);
  CHECK(u.margin_upper < t.margin_upper);
}

TEST_CASE("training: rank 10 stores fewer") {
  const Instance i = instance(Problem::original, 50, 50, 200);
  const Training t = train(i, {.rate = 0.1, .schedule = Schedule::cosine, .rank = 10});
  CHECK(t.stop == Stop::recalled);
  CHECK(t.left.cols() == 10);
  const Instance more = instance(Problem::original, 50, 50, 300);
  CHECK(train(more, {.rank = 10, .most_steps = 1000}).recall.lost > 0);
}

TEST_CASE("training: one thread or two, the same memory") {
  const Instance i = instance(Problem::original, 20, 40, 700); // enough work for threads
  TrainingOptions o{.most_steps = 30};
  o.blocking.threads = 1;
  const Training one = train(i, o);
  o.blocking.threads = 2;
  const Training two = train(i, o);
  CHECK(one.memory == two.memory);
  CHECK(one.loss == two.loss);
  CHECK(one.margin_upper == two.margin_upper);
}

TEST_CASE("training: every problem is learnt, to the largest margin if asked") {
  for (const Instance &i :
       {instance(Problem::original, 12, 12, 20), instance(Problem::decoupled, 12, 12, 20, 15),
        instance(Problem::iid, 6, 6, 8, 10)}) {
    TrainingOptions o{.rate = 0.1, .precision = Precision::full};
    CHECK(train(i, o).stop == Stop::recalled);
    o.target_margin = infinity;
    o.gap = 0.25;
    o.ridge = 1e-6; // alone, Adam turns to the largest margin in another norm
    o.schedule = Schedule::cosine;
    o.least_progress = 0;
    const Training t = train(i, o);
    CHECK(t.stop == Stop::certified);
    CHECK(t.margin_upper - t.margin_lower <= 0.25 * t.margin_upper);
  }
}

TEST_CASE("training: a ridge holds W, and its minimum is where the slope is 0") {
  const Instance i = instance(Problem::decoupled, 6, 6, 20, 10);
  TrainingOptions o{.rate = 0.05, .schedule = Schedule::cosine, .ridge = 0.01};
  o.precision = Precision::full;
  o.target_margin = infinity;
  o.least_progress = 0;
  o.most_steps = 3000;
  const Training t = train(i, o);
  CHECK(t.stop == Stop::step_limit);
  CHECK(t.steps == 3000);
  const Matrix slope = reference(i, t.memory, 1).gradient + o.ridge * t.memory;
  CHECK(slope.norm() < 1e-6);
}

TEST_CASE("training: a gap that stops falling ends it") {
  const Instance i = instance(Problem::original, 12, 12, 20);
  TrainingOptions o{.rate = 0.3, .ridge = 1e-3}; // holds ||W||, hence the softmax, from growing
  o.gap = 1e-6;
  o.target_margin = infinity;
  const Training t = train(i, o);
  CHECK(t.stop == Stop::gap_stalled);
  CHECK(to_string(t.stop) == "gap_stalled");
  CHECK(t.recall.lost == 0);
  CHECK(t.steps < o.most_steps);
  CHECK(t.margin_upper > t.margin_lower);
}

TEST_CASE("training: impossible facts are certified") {
  Matrix outputs(2, 3);
  outputs << 1, 1, 0, 0, 0, 1; // two outputs are the same: no W tells them apart
  const Instance i(outputs, outputs);
  TrainingOptions o{.precision = Precision::full};
  o.target_margin = infinity;
  o.least_progress = 0;
  o.resolution = 1e-3;
  o.most_steps = 5000;
  const Training t = train(i, o);
  CHECK(t.stop == Stop::inseparable);
  CHECK(t.margin_upper <= 1e-3);
  CHECK(t.recall.lost > 0);
}

TEST_CASE("training: divergence is said, and what is returned is finite") {
  const Instance i = instance(Problem::original, 5, 5, 40);
  for (const Precision precision : {Precision::single, Precision::full}) {
    TrainingOptions o{.rate = precision == Precision::single ? 1e37 : 1e307};
    o.precision = precision;
    const Training t = train(i, o);
    CHECK(t.stop == Stop::diverged);
    CHECK(t.memory.allFinite());
    CHECK(std::isfinite(t.loss));
    CHECK(t.recall.lost > 0);
  }
}

TEST_CASE("training: options out of range are refused") {
  const Instance i = instance(Problem::original, 5, 6, 10);
  const auto refused = [&](auto change) {
    TrainingOptions o;
    change(o);
    CHECK_THROWS_AS(train(i, o), std::invalid_argument);
  };
  refused([](TrainingOptions &o) { o.rate = 0; });
  refused([](TrainingOptions &o) { o.rate = std::nan(""); });
  refused([](TrainingOptions &o) { o.beta1 = 1; });
  refused([](TrainingOptions &o) { o.beta2 = -0.1; });
  refused([](TrainingOptions &o) { o.epsilon = 0; });
  refused([](TrainingOptions &o) { o.logit_scale = infinity; });
  refused([](TrainingOptions &o) { o.ridge = -1; });
  refused([](TrainingOptions &o) { o.rank = 6; });
  refused([](TrainingOptions &o) { o.rank = -1; });
  refused([](TrainingOptions &o) { o.most_steps = -1; });
  refused([](TrainingOptions &o) { o.check_interval = 0; });
  refused([](TrainingOptions &o) { o.patience = 0; });
  refused([](TrainingOptions &o) { o.target_margin = -1; });
  refused([](TrainingOptions &o) { o.gap = 1; });
  refused([](TrainingOptions &o) { o.blocking.facts = -1; });
  const Instance free = instance(Problem::iid, 5, 6, 10);
  CHECK_THROWS_AS(train(free, {.rank = 2}), std::invalid_argument);
}
