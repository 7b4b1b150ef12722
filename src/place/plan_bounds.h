#pragma once
// No plan of a strategy takes less, by a few numbers of its chain: stages that are balanced as well
// as whole layers allow (interleaved: as they are), the fastest way to recompute, no
// tensor-parallel communication unless the tensor group is innermost, nothing exposed of gradients,
// and an optimiser step that is spread evenly. docs/models.md, 18.3.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "place/plan_problem.h"
#include "plan/strategy.h"
#include "plan/training_plan.h"

namespace phaze::place {

// Layers between single ones at the ends: those that interleaving spreads.
struct Body {
  std::size_t begin = 0, end = 0;
  std::int64_t length() const { return static_cast<std::int64_t>(end - begin); }

  bool operator==(const Body&) const = default;
};
Body body_of(const plan::Chain& chain);

// What interleaving can spread evenly over so many chunks: the body, or more of the chain, where a
// layer at an end counts as one of its chunk's rather than going with it. None: nothing divides.
class Bodies {
 public:
  Bodies(const Body& body, std::int64_t length, std::int64_t chunks);
  bool empty() const { return count_ == 0; }
  auto begin() const { return bodies_.begin(); }
  auto end() const { return bodies_.begin() + static_cast<std::ptrdiff_t>(count_); }

 private:
  std::array<Body, 4> bodies_;
  std::size_t count_ = 0;
};

// Numbers of a chain that bounds need.
struct ChainBound {
  double sum_s = 0, optimizer_s = 0;
  double share = 1;  // of a layer's time, that the longer kind of pass takes in all layers alike
  std::vector<std::pair<double, double>> runs;  // time of a layer, repeats
  std::vector<double> before_s{0};              // of the layers before some layer
  Body body;

  double longest_s(double stages) const;  // of so many stages, the longest at its least
};

ChainBound bound_of(const plan::Chain& chain, bool has_network);

// Of all layers, on one device.
std::int64_t parameters_of(const plan::Chain& chain);

// A device of some stage needs no less: weights, gradients and optimiser states of all layers,
// spread evenly over the stages, and what no plan can use.
Bytes least_bytes(const PlanProblem& problem, std::int64_t parameters,
                  const plan::Strategy& strategy);

// `longest_s`: the bound's, of the strategy's stages.
double least_s(const ChainBound& bound, const plan::Strategy& strategy, double longest_s,
               std::int64_t microbatches);

}  // namespace phaze::place
