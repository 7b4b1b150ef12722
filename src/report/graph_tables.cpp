#include "base/plural.h"
#include "base/text.h"
#include "graph/summary.h"
#include "graph/work.h"
#include "report/graph_report.h"
#include "report/operator_text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using graph::Layer;
using graph::Operator;

std::string bytes_text(Bytes bytes) {
  return bytes == Bytes() ? "" : with_binary_prefix(bytes.value());
}

std::string flops_text(Flops flops) {
  return flops == Flops() ? "" : with_prefix(flops.value(), "");
}

std::string layers_table(const graph::Model& model) {
  Table table({{"layer", Align::kLeft},
               {"repeat", Align::kRight},
               {"parameters", Align::kRight},
               {"forward FLOP", Align::kRight},
               {"backward FLOP", Align::kRight},
               {"saved for backward", Align::kRight}});
  for (const Layer& layer : model.layers) {
    const graph::LayerSummary s = graph::summarise(layer);
    table.add_row({layer.name, std::to_string(layer.repeat), with_thousands(s.parameters),
                   with_prefix(s.forward_flops.value(), ""),
                   with_prefix(s.backward_flops.value(), ""),
                   with_binary_prefix(s.saved_activation_bytes.value())});
  }
  const graph::ModelSummary total = graph::summarise(model);
  table.add_rule();
  table.add_row({model.tensor_width > 1 ? "one device" : "all", "",
                 with_thousands(total.parameters), with_prefix(total.forward_flops.value(), ""),
                 with_prefix(total.backward_flops.value(), ""),
                 with_binary_prefix(total.saved_activation_bytes.value())});
  return table.to_string(2);
}

std::string operators_table(const Layer& layer) {
  Table table({{"pass", Align::kLeft},
               {"operator", Align::kLeft},
               {"kind", Align::kLeft},
               {"shape", Align::kLeft},
               {"FLOP", Align::kRight},
               {"vector", Align::kRight},
               {"reads", Align::kRight},
               {"writes", Align::kRight}});
  for (const Operator& op : layer.operators) {
    if (graph::traits(op.kind).unit == graph::Unit::kNone) {
      continue;  // shapes only
    }
    const graph::Traffic traffic = graph::compute_traffic(layer, op);
    const Bytes collective = graph::collective_bytes(layer, op);
    table.add_row({std::string(graph::to_string(op.pass)), operator_name(op),
                   std::string(graph::to_string(op.kind)), operator_shape(layer, op),
                   flops_text(graph::matrix_flops(op)), flops_text(op.vector_flops),
                   collective > Bytes() ? bytes_text(collective) : bytes_text(traffic.read),
                   collective > Bytes() ? "network" : bytes_text(traffic.written)});
  }
  return table.to_string(2);
}

}  // namespace

std::string graph_tables(const graph::Model& model) {
  const auto setting = [&model](const std::string& key) {
    const auto found = model.settings.find(key);
    return found == model.settings.end() ? "" : found->second;
  };
  const std::string architecture = printable(setting("architecture"));
  std::string text = printable(model.name) +
                     (architecture.empty() ? "" : " (" + architecture + ")") + "   " +
                     counted(model.parameters, "parameter") + "\n";
  text += "sequence " + with_thousands(model.sequence) + ", micro-batch " +
          with_thousands(model.microbatch) + ", tensor width " + std::to_string(model.tensor_width);
  for (const auto& [key, value] : model.settings) {
    if (key != "architecture" && key != "family" && value != "off") {
      text += ", " + printable(key);
      text += " " + printable(value);
    }
  }
  text += "\n\n" + layers_table(model);
  for (const Layer& layer : model.layers) {
    text += "\n" + printable(layer.name) + " x " + std::to_string(layer.repeat) + "\n" +
            operators_table(layer);
  }
  return text;
}

}  // namespace phaze::report
