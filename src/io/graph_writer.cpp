#include <cmath>
#include <nlohmann/json.hpp>

#include "graph/summary.h"
#include "graph/work.h"
#include "io/graph_json.h"

namespace phaze::io {
namespace {

using graph::Layer;
using graph::Operator;
using graph::TensorId;
using Json = nlohmann::ordered_json;

// A count without a fraction prints as a whole number as long as a double holds it exactly.
Json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json flops(Flops value) { return number(value.value()); }

Json names(const Layer& layer, const std::vector<TensorId>& ids) {
  Json list = Json::array();
  for (const TensorId id : ids) {
    list.push_back(layer.tensors[id].name);
  }
  return list;
}

Json tensor_json(const Layer& layer, const graph::Tensor& tensor) {
  Json json = {{"name", tensor.name},
               {"shape", tensor.shape},
               {"type", graph::to_string(tensor.type)},
               {"role", graph::to_string(tensor.role)}};
  if (tensor.view_of) {
    json["view_of"] = layer.tensors[*tensor.view_of].name;
  }
  if (tensor.is_tied) {
    json["tied"] = true;
  }
  return json;
}

Json operator_json(const Layer& layer, const Operator& op) {
  Json json = {{"name", op.name},
               {"kind", graph::to_string(op.kind)},
               {"unit", graph::to_string(graph::traits(op.kind).unit)},
               {"pass", graph::to_string(op.pass)}};
  if (op.region != graph::Region::kNone) {
    json["region"] = graph::to_string(op.region);
  }
  json["inputs"] = names(layer, op.inputs);
  json["outputs"] = names(layer, op.outputs);
  if (op.product) {
    json["product"] = {{"batch", op.product->batch},
                       {"m", op.product->m},
                       {"n", op.product->n},
                       {"k", op.product->k}};
  }
  if (op.attention) {
    const graph::AttentionShape& a = *op.attention;
    json["attention"] = {{"batch", a.batch},      {"heads", a.heads},   {"kv_heads", a.kv_heads},
                         {"queries", a.queries},  {"keys", a.keys},     {"head_dim", a.head_dim},
                         {"causal", a.is_causal}, {"window", a.window}, {"dropout", a.has_dropout}};
  }
  if (op.group != 1) {
    json["group"] = op.group;
  }
  if (!op.fused.empty()) {
    Json parts = Json::array();
    for (const graph::FusedPart& part : op.fused) {
      parts.push_back({{"name", part.name}, {"kind", graph::to_string(part.kind)}});
    }
    json["fused"] = std::move(parts);
  }
  json["flops"] = flops(graph::matrix_flops(op));
  json["vector_flops"] = flops(op.vector_flops);
  const graph::Traffic traffic = graph::compute_traffic(layer, op);
  json["read_bytes"] = traffic.read.value();
  json["written_bytes"] = traffic.written.value();
  const Bytes collective = graph::collective_bytes(layer, op);
  if (collective > Bytes()) {
    json["collective_bytes"] = collective.value();
  }
  return json;
}

Json layer_json(const Layer& layer) {
  const graph::LayerSummary summary = graph::summarise(layer);
  Json json = {{"name", layer.name},
               {"repeat", layer.repeat},
               {"can_recompute", layer.can_recompute},
               {"parameters", summary.parameters},
               {"tied_parameters", summary.tied_parameters},
               {"forward_flops", flops(summary.forward_flops)},
               {"backward_flops", flops(summary.backward_flops)},
               {"recompute_flops", flops(summary.recompute_flops)},
               {"model_flops", flops(summary.model_flops)},
               {"forward_vector_flops", flops(summary.forward_vector_flops)},
               {"backward_vector_flops", flops(summary.backward_vector_flops)},
               {"saved_activation_bytes", summary.saved_activation_bytes.value()}};
  json["saved"] = names(layer, graph::compute_saved(layer));
  json["outputs"] = names(layer, layer.outputs);
  json["tensors"] = Json::array();
  for (const graph::Tensor& tensor : layer.tensors) {
    json["tensors"].push_back(tensor_json(layer, tensor));
  }
  json["operators"] = Json::array();
  for (const Operator& op : layer.operators) {
    json["operators"].push_back(operator_json(layer, op));
  }
  return json;
}

}  // namespace

std::string write_graph(const graph::Model& model) {
  const graph::ModelSummary summary = graph::summarise(model);
  Json json = {{"schema", 1},
               {"name", model.name},
               {"settings", model.settings},
               {"sequence", model.sequence},
               {"microbatch", model.microbatch},
               {"tensor", model.tensor_width},
               {"parameters", model.parameters},
               {"parameters_per_device", summary.parameters},
               {"forward_flops", flops(summary.forward_flops)},
               {"backward_flops", flops(summary.backward_flops)},
               {"model_flops", flops(summary.model_flops)},
               {"saved_activation_bytes", summary.saved_activation_bytes.value()}};
  json["layers"] = Json::array();
  for (const Layer& layer : model.layers) {
    json["layers"].push_back(layer_json(layer));
  }
  // Names may come from a file: what is not UTF-8 in them must not end the program.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
