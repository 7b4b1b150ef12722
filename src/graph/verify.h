#pragma once
// What every graph must keep. Graphs that we build are verified in tests; graphs that a user hands
// in are verified before anything else looks at them.

#include <optional>
#include <string>
#include <vector>

#include "graph/layer.h"

namespace phaze::graph {

struct Fault {
  std::optional<OpId> op;
  std::optional<TensorId> tensor;
  std::string message;
};

// Largest number of elements that a tensor may have: beyond any real one, and small enough that
// bytes and sums of bytes stay exact.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 50;

// A layer of a real model has hundreds; more would be another kind of file.
inline constexpr std::size_t kMaxOperators = 20'000;
inline constexpr std::size_t kMaxTensors = 100'000;

// Largest number of elements that the operands of all operators of a model may have together,
// repeats counted: of a forward graph, and of one that holds its backward pass.
inline constexpr double kMaxForwardElements = 0x1p52;
inline constexpr double kMaxTrainingElements = 0x1p56;

// All faults: names, shapes, one writer per tensor, written before read, passes in order, views,
// and that the shapes of products, attention, collectives and element-wise operators fit their
// tensors. Ids out of range end the check early, since nothing else can then be looked at.
std::vector<Fault> verify(const Layer& layer);

// Elements of all tensors and of all operands, each as often as it is used, repeats counted.
double total_elements(const Model& model);

}  // namespace phaze::graph
