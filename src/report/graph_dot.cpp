#include "base/text.h"
#include "graph/work.h"
#include "report/graph_report.h"

namespace phaze::report {
namespace {

using graph::Layer;
using graph::Operator;

// Inside a quoted string of DOT, whose labels know the entities of HTML.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    result += c == '&' ? "amp;" : "";
  }
  return result;
}

std::string node_name(std::size_t layer, graph::OpId op) {
  return "l" + std::to_string(layer) + "_o" + std::to_string(op.index());
}

const char* fill_of(const Operator& op) {
  switch (graph::traits(op.kind).unit) {
    case graph::Unit::kTensor:
      return "lightblue";
    case graph::Unit::kVector:
      return "palegreen";
    case graph::Unit::kNetwork:
      return "orange";
    case graph::Unit::kNone:
      return "white";
  }
  return "white";
}

std::string label_of(const Operator& op) {
  std::string label = escaped(op.name);
  for (const graph::FusedPart& part : op.fused) {
    label += "\\n+ " + escaped(part.name);
  }
  const Flops flops = graph::matrix_flops(op);
  if (flops > Flops()) {
    label += "\\n" + with_prefix(flops.value(), "FLOP");
  }
  return label;
}

}  // namespace

std::string graph_dot(const graph::Model& model) {
  std::string dot = "digraph \"" + escaped(model.name) + "\" {\n";
  dot += "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n";
  dot += "  edge [fontname=\"sans-serif\", fontsize=8];\n";
  for (std::size_t at = 0; at < model.layers.size(); ++at) {
    const Layer& layer = model.layers[at];
    const auto producers = graph::compute_producers(layer);
    dot += "  subgraph \"cluster_" + std::to_string(at) + "\" {\n    label=\"" +
           escaped(layer.name) + " x " + std::to_string(layer.repeat) + "\";\n";
    for (const graph::OpId id : ids_of(layer.operators)) {
      const Operator& op = layer.operators[id];
      dot += "    " + node_name(at, id) + " [label=\"" + label_of(op) +
             "\", fillcolor=" + fill_of(op) +
             (op.pass == graph::Pass::kForward ? "" : ", style=\"filled,dashed\"") + "];\n";
    }
    for (const graph::OpId id : ids_of(layer.operators)) {
      for (const graph::TensorId input : layer.operators[id].inputs) {
        if (producers[input]) {
          dot += "    " + node_name(at, *producers[input]) + " -> " + node_name(at, id) +
                 " [label=\"" + with_binary_prefix(graph::size_of(layer.tensors[input]).value()) +
                 "\"];\n";
        }
      }
    }
    dot += "  }\n";
  }
  return dot + "}\n";
}

}  // namespace phaze::report
