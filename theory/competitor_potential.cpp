// SPDX-License-Identifier: GPL-3.0-or-later
#include "competitor_potential.hpp"

#include "gaussian_kernel.hpp"
#include "numerics/gauss_legendre.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lamcap {
namespace {

using numerics::PanelPair;

constexpr double reach = 9; // of the Gaussian, in s.d.: exp(-9^2/2) = 3e-18

/// log Phi(v) and lambda(v)^2.
struct Response {
  double log_cdf;
  double squared_force;
};

Response response(double v) {
  if (v > 0) {
    const double density = gaussian_kernel::density(v);
    const double tail = density * numerics::mills_ratio(v);
    const double force = density / (1 - tail);
    return {std::log1p(-tail), force * force};
  }
  const double mills = numerics::mills_ratio(-v);
  return {gaussian_kernel::log_density(v) + std::log(mills), 1 / (mills * mills)};
}

/// The same less their growth at the left, -v^2/2 and v^2; v < 0.
Response left_rest(double w) {                                    // w = -v > 0
  const auto moments = gaussian_kernel::scaled_excess_moments(w); // M, 1 - w M, ...
  const double force = 1 / moments[0];
  return {std::log(moments[0]) - gaussian_kernel::log_sqrt_two_pi,
          (force + w) * moments[1] / moments[0]};
}

/// A quadrature node in v = (y - x) / sqrt(1 - q), with what it carries.
struct Node {
  double v;
  double minus_log_cdf;
  double squared_force;
};

/// Nodes over [a, b] in |v| (v > 0: the whole response; v < 0: its rest).
void add_panel(std::vector<Node> &nodes, double a, double b, bool left) {
  for (const auto &[v, weight] : numerics::gauss_legendre(a, b)) {
    const Response r = left ? left_rest(v) : response(v);
    nodes.push_back({left ? -v : v, -weight * r.log_cdf, weight * r.squared_force});
  }
}

/// Nodes for all y: on the right log Phi has decayed at v = 20 (or the Gaussian before); on the left
/// panels double until they are as wide as the Gaussian, sqrt(q / (1 - q)) in v.
std::vector<Node> kink_nodes(double ratio) {
  std::vector<Node> nodes;
  constexpr double right_end = 20;
  for (double a = 0; a < right_end; a += 2) {
    add_panel(nodes, a, a + 2, false);
  }
  constexpr double farthest = 64; // |y| that is ever asked for
  const double left_end = (reach + farthest) * ratio;
  double width = 1;
  for (double a = 0; a < left_end; a += width, width = std::min(2 * width, 1.5 * ratio)) {
    add_panel(nodes, a, a + width, true);
  }
  return nodes;
}

PanelPair::Pair sum_of_panels(const std::vector<Node> &nodes, double q, double y) {
  const double s = std::sqrt(1 - q);
  const double root_q = std::sqrt(q);
  // The part that grows: -v^2/2 and v^2 on v < 0, in closed form.
  const double grown = q / (1 - q) * gaussian_kernel::excess_moments(y / root_q)[2];
  double potential = 0.5 * grown;
  double squared_force = grown;
  const double scale = s / root_q * gaussian_kernel::inv_sqrt_two_pi;
  for (const Node &node : nodes) {
    const double xi = (y - s * node.v) / root_q;
    if (xi > -reach && xi < reach + std::max(0.0, y)) { // beyond: nothing even relative to a tail
      const double weight = scale * std::exp(-0.5 * xi * xi);
      potential += weight * node.minus_log_cdf;
      squared_force += weight * node.squared_force;
    }
  }
  return {std::log(potential), std::log(squared_force)};
}

/// From here on sqrt(q / (1 - q)) spreads the kink less than the Gaussian smooths it.
constexpr double panels_from = 1.2;

std::function<PanelPair::Pair(double)> integrals(double q) {
  const double ratio = std::sqrt(q / (1 - q));
  if (ratio < panels_from) {
    return [q](double y) { return CompetitorPotential::by_trapezoid(q, y); };
  }
  return [q, nodes = kink_nodes(ratio)](double y) { return sum_of_panels(nodes, q, y); };
}

} // namespace

CompetitorPotential::CompetitorPotential(double overlap) : panels_(integrals(overlap)) {}

PanelPair::Pair CompetitorPotential::by_trapezoid(double overlap, double y) {
  const double s = std::sqrt(1 - overlap);
  const double root_q = std::sqrt(overlap);
  // The nearest zeros of Phi(v), 2.8 off the real axis, are 2.8 s / sqrt(q) off in xi.
  const double spacing = std::min(0.5, 0.4 * s / root_q);
  const double first = -reach;
  const double last = reach + std::max(0.0, y); // the tails of g and t sit at xi up to y
  double potential = 0;
  double squared_force = 0;
  for (double k = std::floor(first / spacing); k * spacing < last; ++k) {
    const double xi = k * spacing;
    const Response r = response((y - root_q * xi) / s);
    const double weight = spacing * gaussian_kernel::inv_sqrt_two_pi * std::exp(-0.5 * xi * xi);
    potential -= weight * r.log_cdf;
    squared_force += weight * r.squared_force;
  }
  return {std::log(potential), std::log(squared_force)};
}

PanelPair::Pair CompetitorPotential::by_panels(double overlap, double y) {
  return sum_of_panels(kink_nodes(std::sqrt(overlap / (1 - overlap))), overlap, y);
}

} // namespace lamcap
