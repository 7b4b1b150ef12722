#pragma once
// Operators in a few words.

#include <string>

#include "graph/layer.h"

namespace phaze::report {

std::string shape_text(const graph::Shape& shape);

// What an operator is about: m x n x k of a product, heads of attention, otherwise its result.
std::string operator_shape(const graph::Layer& layer, const graph::Operator& op);

// Its name and those of what was fused into it.
std::string operator_name(const graph::Operator& op);

}  // namespace phaze::report
