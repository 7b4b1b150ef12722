#pragma once
// The graph format (docs/formats.md): a model's graph as JSON, out and in.

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "graph/layer.h"
#include "io/document.h"

namespace phaze::io {

// With every count that follows from the graph, so that others need no code of ours.
std::string write_graph(const graph::Model& model);

// Is this value meant as a graph (rather than a model's configuration)?
bool is_graph(const Value& document);

// A graph that passed graph::verify. Derived counts in the file are not read, unknown keys are
// faults, and all faults are reported.
std::optional<graph::Model> read_graph(const Value& document, const std::string& name,
                                       Diagnostics& diagnostics);

}  // namespace phaze::io
