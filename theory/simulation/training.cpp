// SPDX-License-Identifier: GPL-3.0-or-later
// Adam on cross-entropy: see include/lamcap/simulation/training.hpp.
#include "lamcap/simulation/training.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lamcap::simulation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Columns of the counter that no input takes.
constexpr std::uint32_t left_factor = 1;
constexpr std::uint32_t right_factor = 2;

void require(bool good, const char *name, double value, const char *allowed) {
  if (!good) {
    throw std::invalid_argument(fmt::format("{} = {}: must be {}", name, value, allowed));
  }
}

/// The part of an instance that options must fit.
struct Shape {
  Problem problem;
  std::int64_t dim_in;
  std::int64_t dim_out;
};

void check(const TrainingOptions &o, const Shape &shape) {
  const auto positive = [](const char *name, double value) {
    require(value > 0 && std::isfinite(value), name, value, "above 0 and finite");
  };
  const auto decay = [](const char *name, double value) {
    require(value >= 0 && value < 1, name, value, "in [0, 1)");
  };
  const auto count = [](const char *name, std::int64_t value, std::int64_t least) {
    require(value >= least, name, static_cast<double>(value),
            least == 0 ? "at least 0" : "at least 1");
  };
  positive("rate", o.rate);
  decay("beta1", o.beta1);
  decay("beta2", o.beta2);
  positive("epsilon", o.epsilon);
  require(o.logit_scale >= 1e-30 && o.logit_scale <= 1e30, "logit_scale", o.logit_scale,
          "from 1e-30 to 1e30");
  require(o.ridge >= 0 && std::isfinite(o.ridge), "ridge", o.ridge, "at least 0 and finite");
  require(o.target_margin >= 0, "target_margin", o.target_margin, "at least 0");
  require(o.gap >= 0 && o.gap < 1, "gap", o.gap, "in [0, 1)");
  require(o.resolution >= 0, "resolution", o.resolution, "at least 0");
  require(o.least_progress >= 0 && o.least_progress < 1, "least_progress", o.least_progress,
          "in [0, 1)");
  count("most_steps", o.most_steps, 0);
  count("check_interval", o.check_interval, 1);
  count("patience", o.patience, 1);
  if (o.rank != 0) {
    positive("spread", o.spread);
    const std::int64_t most = std::min(shape.dim_in, shape.dim_out);
    if (o.rank < 0 || o.rank > most) {
      throw std::invalid_argument(
          fmt::format("rank = {}: must be from 1 to {}, or 0 for all", o.rank, most));
    }
    if (shape.problem == Problem::iid) {
      throw std::invalid_argument("rank: the problem iid has no matrix to factorise");
    }
  }
}

double rate_at(const TrainingOptions &o, std::int64_t step) {
  const double done = static_cast<double>(step) / static_cast<double>(o.most_steps);
  switch (o.schedule) {
  case Schedule::cosine:
    return o.rate * (1 + std::cos(std::numbers::pi * done)) / 2;
  case Schedule::step_down:
    return o.rate * (done < 0.5 ? 1 : done < 0.75 ? 0.1 : 0.01);
  case Schedule::constant:
    break;
  }
  return o.rate;
}

/// One matrix of parameters with Adam's averages.
template <typename T>
struct Parameter {
  using Weights = typename CrossEntropy<T>::Weights;

  explicit Parameter(Weights start)
      : value(std::move(start)), mean(Weights::Zero(value.rows(), value.cols())), square(mean) {}

  void move(const Weights &gradient, const TrainingOptions &o, std::int64_t step) {
    const auto new_mean = static_cast<T>(1 - o.beta1); // exact before it is rounded to T
    const auto new_square = static_cast<T>(1 - o.beta2);
    const auto count = static_cast<double>(step + 1);
    const auto length = static_cast<T>(rate_at(o, step) / (1 - std::pow(o.beta1, count)));
    const auto unbias = static_cast<T>(1 / (1 - std::pow(o.beta2, count)));
    const auto epsilon = static_cast<T>(o.epsilon);
    mean.array() += new_mean * (gradient - mean).array();
    square.array() += new_square * (gradient.array().square() - square.array());
    value.array() -= length * mean.array() / ((unbias * square.array()).sqrt() + epsilon);
  }

  Weights value;
  Weights mean;
  Weights square;
};

template <typename T>
class Trainer {
public:
  Trainer(const Instance &instance, const TrainingOptions &options)
      : instance_(instance), options_(options), objective_(instance, options.blocking) {
    if (options.rank == 0) {
      parameters_.emplace_back(Weights(Weights::Zero(objective_.rows(), objective_.cols())));
    } else {
      parameters_.emplace_back(start(instance.dim_out(), left_factor));
      parameters_.emplace_back(start(instance.dim_in(), right_factor));
    }
    compose();
    save();
  }

  /// Everything but what is measured at the end.
  Training run() {
    Training t;
    t.margin_upper = infinity;
    t.stop = Stop::step_limit;
    for (;; ++t.steps) {
      const Evaluation e =
          objective_.evaluate(memory_, static_cast<T>(options_.logit_scale), &gradient_);
      if (!e.finite) {
        t.stop = Stop::diverged;
        break;
      }
      const bool last = t.steps == options_.most_steps;
      if (last || t.steps % options_.check_interval == 0) {
        save();
        if (finished(e, t) || last) {
          break;
        }
      }
      step(t.steps);
    }
    t.memory = saved_memory_.template cast<double>();
    if (options_.rank != 0) {
      t.left = saved_[0].template cast<double>();
      t.right = saved_[1].template cast<double>();
      t.memory = t.left * t.right.transpose();
    }
    return t;
  }

private:
  using Weights = typename CrossEntropy<T>::Weights;

  [[nodiscard]] Weights start(Eigen::Index rows, std::uint32_t which) const {
    Matrix m(rows, options_.rank);
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      fill_gaussian(m.col(j), options_.seed, 0, Array::inputs, static_cast<std::uint32_t>(j),
                    which);
    }
    return (options_.spread * m).template cast<T>();
  }

  void compose() {
    if (options_.rank == 0) {
      memory_ = parameters_[0].value;
    } else {
      memory_.noalias() = parameters_[0].value * parameters_[1].value.transpose();
    }
  }

  void save() {
    saved_memory_ = memory_;
    saved_.clear();
    if (options_.rank != 0) {
      saved_ = {parameters_[0].value, parameters_[1].value};
    }
  }

  void step(std::int64_t count) {
    gradient_ += static_cast<T>(options_.ridge) * memory_;
    if (options_.rank == 0) {
      parameters_[0].move(gradient_, options_, count);
    } else {
      const Weights left = gradient_ * parameters_[1].value;
      const Weights right = gradient_.transpose() * parameters_[0].value;
      parameters_[0].move(left, options_, count);
      parameters_[1].move(right, options_, count);
    }
    compose();
  }

  /// The checks; sets why, and the upper bound.  A verdict needs the bounds in double.
  bool finished(const Evaluation &e, Training &t) {
    const double length = static_cast<double>(memory_.norm());
    const double margin = length > 0 ? e.margin / length : 0;
    const double upper =
        e.error > 0 ? gradient_.template cast<double>().norm() / (options_.logit_scale * e.error)
                    : infinity;
    // Rounding may go either way: look closer a little early.
    constexpr double slack = 1e-3;
    const double resolution = options_.resolution * instance_.longest();
    const bool may_recall = margin > options_.target_margin * (1 - slack);
    const bool may_close = options_.gap > 0 && margin > 0 &&
                           upper - margin <= (options_.gap + slack * (1 - options_.gap)) * upper;
    const bool may_fail = upper <= 2 * resolution;
    if (may_recall || may_close || may_fail) {
      const Certificate c = certify(instance_, memory_.template cast<double>(),
                                    options_.logit_scale, options_.blocking.threads);
      t.margin_upper = std::min(t.margin_upper, c.margin_upper);
      if (c.margin_lower > 0 && c.margin_lower > options_.target_margin) {
        t.stop = Stop::recalled;
        return true;
      }
      if (options_.gap > 0 && c.margin_lower > 0 &&
          t.margin_upper - c.margin_lower <= options_.gap * t.margin_upper) {
        t.stop = Stop::certified;
        return true;
      }
      if (t.margin_upper <= resolution) {
        t.stop = Stop::inseparable;
        return true;
      }
    }
    if (options_.gap > 0 && margin > 0) {
      return stalled((upper - margin) / upper, Stop::gap_stalled, t);
    }
    const double loss = e.loss + 0.5 * options_.ridge * static_cast<double>(memory_.squaredNorm());
    return stalled(loss, Stop::loss_stalled, t);
  }

  /// Whether what should fall has stopped falling.
  bool stalled(double value, Stop name, Training &t) {
    if (name != falling_ || value < lowest_ * (1 - options_.least_progress)) {
      falling_ = name;
      lowest_ = value;
      idle_ = 0;
    } else {
      ++idle_;
    }
    if (options_.least_progress > 0 && idle_ >= options_.patience) {
      t.stop = name;
      return true;
    }
    return false;
  }

  const Instance &instance_;
  const TrainingOptions &options_;
  CrossEntropy<T> objective_;
  std::vector<Parameter<T>> parameters_; // W, or Q and R
  Weights memory_;
  Weights gradient_; // with respect to W
  Weights saved_memory_;
  std::vector<Weights> saved_;
  Stop falling_ = Stop::step_limit; // what is watched: nothing yet
  double lowest_ = 0;               // of that at a check
  std::int64_t idle_ = 0;
};

/// The arrays of the instance, of the training, and of the certificate computed along the way.
template <typename T>
double bytes(const Instance &instance, const TrainingOptions &o) {
  constexpr double states = 12; // parameters, Adam's averages, copies; factors are no larger
  return instance.bytes() + CrossEntropy<T>::bytes(instance, o.blocking) +
         CrossEntropy<double>::bytes(instance, o.blocking) +
         sizeof(T) * states * static_cast<double>(instance.memory_rows()) *
             static_cast<double>(instance.memory_cols());
}

/// What the memory is worth, in double; an upper bound on the margin that is known already may stay.
void assess(Training &t, const Instance &instance, double logit_scale, int threads) {
  t.recall = measure(instance, t.memory, threads);
  const Certificate c = certify(instance, t.memory, logit_scale, threads);
  t.loss = c.loss;
  t.margin_lower = c.margin_lower;
  t.margin_upper = std::min(t.margin_upper, c.margin_upper);
}

} // namespace

std::string_view to_string(Stop stop) noexcept {
  switch (stop) {
  case Stop::recalled:
    return "recalled";
  case Stop::certified:
    return "certified";
  case Stop::inseparable:
    return "inseparable";
  case Stop::loss_stalled:
    return "loss_stalled";
  case Stop::gap_stalled:
    return "gap_stalled";
  case Stop::diverged:
    return "diverged";
  case Stop::step_limit:
    break;
  }
  return "step_limit";
}

void require_valid(const TrainingOptions &options, const InstanceSpec &spec) {
  check(options, {spec.problem, spec.dim_in, spec.dim_out});
}

double training_bytes(const Instance &instance, const TrainingOptions &options) {
  return options.precision == Precision::single ? bytes<float>(instance, options)
                                                : bytes<double>(instance, options);
}

Training train(const Instance &instance, const TrainingOptions &options) {
  check(options, {instance.problem(), instance.dim_in(), instance.dim_out()});
  require_memory("training", training_bytes(instance, options), options.memory_limit);
  Training t = options.precision == Precision::single ? Trainer<float>(instance, options).run()
                                                      : Trainer<double>(instance, options).run();
  assess(t, instance, options.logit_scale, options.blocking.threads);
  return t;
}

Training hebbian(const Instance &instance, double logit_scale, int threads, double memory_limit) {
  require_memory("measuring", recall_bytes(instance), memory_limit);
  Training t;
  t.memory = hebbian_memory(instance);
  t.margin_upper = infinity;
  assess(t, instance, logit_scale, threads);
  return t;
}

} // namespace lamcap::simulation
