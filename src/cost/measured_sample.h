#pragma once
// A measured operator as one of a graph, so that the model can price it. Inside cost/ and for
// tests.

#include "graph/layer.h"
#include "plan/measured.h"

namespace phaze::cost {

struct Sample {
  graph::Layer layer;
  graph::OpId op;
};

// The operator in a layer of its own (a backward one after its forward one), with the operands that
// it has in most models. Extents are at least 1 and tensors small enough for their bytes.
Sample make_sample(const plan::MeasuredOperator& measured);

}  // namespace phaze::cost
