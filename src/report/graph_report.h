#pragma once
// A model's graph for people: tables, and DOT for Graphviz. Strings only.

#include <string>

#include "graph/layer.h"

namespace phaze::report {

// Layers with their counts, then the operators of each layer, pass by pass.
std::string graph_tables(const graph::Model& model);

// One cluster a layer, an edge for each tensor that one operator hands to another.
std::string graph_dot(const graph::Model& model);

}  // namespace phaze::report
