#include <limits>
#include <map>

#include "base/text.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "graph/verify.h"
#include "graph/work.h"
#include "io/graph_json.h"
#include "io/map_reader.h"

namespace phaze::io {
namespace {

using graph::Layer;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr std::int64_t kMaxCount = graph::kMaxElements;
constexpr std::int64_t kMaxRepeat = 100'000;

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const graph::OpKind kind : graph::all_op_kinds()) {
    names.emplace_back(graph::to_string(kind));
  }
  return names;
}

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics), kinds_(kind_names()) {}

  graph::Model read(const Value& document) {
    graph::Model model;
    MapReader map(document, diagnostics_);
    map.ignore({"parameters_per_device", "forward_flops", "backward_flops", "model_flops",
                "saved_activation_bytes"});
    const std::int64_t schema = map.count("schema", std::nullopt, 1, kMaxCount);
    if (schema != 1) {
      map.error("schema", "expected 1, found " + std::to_string(schema));
    }
    model.name = map.text("name", "");
    model.sequence = map.count("sequence", 1, 1, kMaxCount);
    model.microbatch = map.count("microbatch", 1, 1, kMaxCount);
    model.tensor_width = map.count("tensor", 1, 1, kMaxCount);
    if (const Value* settings = map.child("settings")) {
      MapReader inner(*settings, diagnostics_);
      for (const auto& [key, value] : settings->members) {
        model.settings[key] = inner.text(key, "");
      }
    }
    for (const Value& item : map.full_list("layers", "a list of layers", "layer")) {
      model.layers.push_back(read_layer(item));
    }
    check_fusion(map, model);
    if (!diagnostics_.has_errors()) {
      read_parameters(map, model);
    } else {
      map.ignore({"parameters"});
    }
    map.finish();
    return model;
  }

 private:
  // Fusion comes last: a model that is still to be differentiated has single operators.
  void check_fusion(MapReader& map, const graph::Model& model) {
    if (diagnostics_.has_errors() || graph::is_training(model)) {
      return;
    }
    for (const Layer& layer : model.layers) {
      for (const Operator& op : layer.operators) {
        if (!op.fused.empty()) {
          map.error("layers", "\"" + shortened(op.name) + "\" of layer \"" + shortened(layer.name) +
                                  "\" has operators fused into it, but there is no backward pass");
          return;
        }
      }
    }
  }

  // The tensors of the layer being read, by name, and where they and its operators stand.
  struct Places {
    std::map<std::string, TensorId> ids;
    std::vector<const Value*> tensors;
    std::vector<const Value*> operators;
  };

  void error(const Value& value, std::string message) {
    diagnostics_.error(value.where, std::move(message));
  }

  bool is_map(const Value& item, const std::string& what) {
    if (item.kind != ValueKind::kMap) {
      error(item, "expected " + what + " (a map), found " + describe(item));
    }
    return item.kind == ValueKind::kMap;
  }

  Layer read_layer(const Value& item) {
    Layer layer;
    if (!is_map(item, "a layer")) {
      return layer;
    }
    const std::size_t before = diagnostics_.error_count();
    MapReader map(item, diagnostics_);
    map.ignore({"parameters", "tied_parameters", "forward_flops", "backward_flops",
                "recompute_flops", "model_flops", "forward_vector_flops", "backward_vector_flops",
                "saved_activation_bytes", "saved"});
    layer.name = map.text("name", std::nullopt);
    layer.repeat = map.count("repeat", 1, 1, kMaxRepeat);
    layer.can_recompute = map.flag("can_recompute", true);
    Places places;
    for (const Value& tensor : map.list("tensors", "a list of tensors")) {
      read_tensor(tensor, layer, places);
    }
    for (std::size_t i = 0; i < places.tensors.size(); ++i) {
      if (const Value* base = places.tensors[i]->find("view_of")) {
        layer.tensors[TensorId(i)].view_of = find_tensor(*base, places);
      }
    }
    for (const Value& op : map.full_list("operators", "a list of operators", "operator")) {
      layer.operators.push_back(read_operator(op, places));
      places.operators.push_back(&op);
    }
    layer.outputs = tensor_list(map, "outputs", places);
    map.finish();
    if (diagnostics_.error_count() == before) {
      check(layer, item, places);
    }
    return layer;
  }

  // Verifies the layer and fills in the vector work that the file leaves out.
  void check(Layer& layer, const Value& item, const Places& places) {
    for (const graph::Fault& fault : graph::verify(layer)) {
      if (fault.op) {
        error(*places.operators[fault.op->index()], fault.message);
      } else if (fault.tensor) {
        error(*places.tensors[fault.tensor->index()], fault.message);
      } else {
        error(item, fault.message);
      }
    }
    if (diagnostics_.has_errors()) {
      return;
    }
    for (const graph::OpId id : ids_of(layer.operators)) {
      if (places.operators[id.index()]->find("vector_flops") == nullptr) {
        layer.operators[id].vector_flops = graph::compute_vector_flops(layer, layer.operators[id]);
      }
    }
  }

  void read_tensor(const Value& item, Layer& layer, Places& places) {
    if (!is_map(item, "a tensor")) {
      return;
    }
    MapReader map(item, diagnostics_);
    map.ignore({"view_of"});  // read when all tensors are known
    Tensor tensor;
    tensor.name = map.text("name", std::nullopt);
    tensor.type =
        map.choice<graph::ElementType>("type", graph::ElementType::kBf16, graph::parse_element_type,
                                       {"f32", "f16", "bf16", "f8", "i64", "i32", "i8", "bool"});
    tensor.role = map.choice<graph::Role>("role", graph::Role::kActivation, graph::parse_role,
                                          {"input", "shared", "constant", "parameter", "activation",
                                           "gradient", "parameter_gradient", "optimizer_state"});
    tensor.is_tied = map.flag("tied", false);
    if (!map.has("shape")) {
      map.error("shape", "expected a list of extents such as [2, 1024]");
    }
    for (const Value& extent : map.list("shape", "a list of extents")) {
      if (extent.kind != ValueKind::kInteger) {
        error(extent, "expected a whole number, found " + describe(extent));
      }
      tensor.shape.push_back(extent.integer);
    }
    const TensorId id = layer.tensors.push_back(std::move(tensor));
    places.tensors.push_back(&item);
    if (!places.ids.emplace(layer.tensors[id].name, id).second) {
      map.error("name", "another tensor of this layer has this name");
    }
    map.finish();
  }

  TensorId find_tensor(const Value& value, const Places& places) {
    const auto found = places.ids.find(value.text);
    if (found != places.ids.end()) {
      return found->second;
    }
    // A guess costs as much as there are names; past so many faults nobody reads it.
    constexpr std::size_t kGuesses = 100;
    std::vector<std::string> known;
    if (diagnostics_.error_count() < kGuesses) {
      for (const auto& [name, id] : places.ids) {
        known.push_back(name);
      }
    }
    error(value, "no tensor of this layer is called \"" + shortened(value.text) + "\"" +
                     did_you_mean(value.text, known));
    return TensorId();
  }

  std::vector<TensorId> tensor_list(MapReader& map, const std::string& key, const Places& places) {
    std::vector<TensorId> list;
    for (const Value& item : map.list(key, "a list of tensor names")) {
      list.push_back(find_tensor(item, places));
    }
    return list;
  }

  Operator read_operator(const Value& item, const Places& places) {
    Operator op;
    if (!is_map(item, "an operator")) {
      return op;
    }
    MapReader map(item, diagnostics_);
    map.ignore({"unit", "flops", "read_bytes", "written_bytes", "collective_bytes"});
    op.name = map.text("name", std::nullopt);
    op.kind = map.choice<graph::OpKind>("kind", std::nullopt, graph::parse_op_kind, kinds_);
    op.pass = map.choice<graph::Pass>("pass", graph::Pass::kForward, graph::parse_pass,
                                      {"forward", "recompute", "backward", "optimizer"});
    op.region =
        map.choice<graph::Region>("region", graph::Region::kNone, graph::parse_region,
                                  {"none", "attention", "norms", "activations", "regather"});
    op.inputs = tensor_list(map, "inputs", places);
    op.outputs = tensor_list(map, "outputs", places);
    op.group = map.count("group", 1, 1, kMaxCount);
    if (const Value* p = map.child("product")) {
      op.product = read_product(*p);
    }
    if (const Value* a = map.child("attention")) {
      op.attention = read_attention(*a);
    }
    op.vector_flops = Flops(map.number("vector_flops", 0.0, Bounds{}));
    for (const Value& part : map.list("fused", "a list")) {
      MapReader inner(part, diagnostics_);
      op.fused.push_back(
          {inner.text("name", std::nullopt),
           inner.choice<graph::OpKind>("kind", std::nullopt, graph::parse_op_kind, kinds_)});
      inner.finish();
    }
    map.finish();
    return op;
  }

  graph::ProductShape read_product(const Value& item) {
    MapReader map(item, diagnostics_);
    graph::ProductShape shape;
    shape.batch = map.count("batch", 1, 1, kMaxCount);
    shape.m = map.count("m", std::nullopt, 1, kMaxCount);
    shape.n = map.count("n", std::nullopt, 1, kMaxCount);
    shape.k = map.count("k", std::nullopt, 1, kMaxCount);
    map.finish();
    return shape;
  }

  graph::AttentionShape read_attention(const Value& item) {
    MapReader map(item, diagnostics_);
    graph::AttentionShape shape;
    shape.batch = map.count("batch", 1, 1, kMaxCount);
    shape.heads = map.count("heads", std::nullopt, 1, kMaxCount);
    shape.kv_heads = map.count("kv_heads", shape.heads, 1, kMaxCount);
    shape.queries = map.count("queries", std::nullopt, 1, kMaxCount);
    shape.keys = map.count("keys", std::nullopt, 1, kMaxCount);
    shape.head_dim = map.count("head_dim", std::nullopt, 1, kMaxCount);
    shape.is_causal = map.flag("causal", false);
    shape.window = map.count("window", 0, 0, kMaxCount);
    shape.has_dropout = map.flag("dropout", false);
    map.finish();
    return shape;
  }

  // The whole model's parameters: given for a shard, otherwise what the layers add up to.
  void read_parameters(MapReader& map, graph::Model& model) {
    const bool is_complete = graph::is_training(model);
    const double most = is_complete ? graph::kMaxTrainingElements : graph::kMaxForwardElements;
    if (graph::total_elements(model) > most) {
      map.error("layers", std::string("read and write more than 2^") + (is_complete ? "56" : "52") +
                              " elements, repeats counted");
      map.ignore({"parameters"});
      return;
    }
    const std::int64_t sum = graph::summarise(model).parameters;
    model.parameters = map.count("parameters", sum, 0, std::numeric_limits<std::int64_t>::max());
    if (!diagnostics_.has_errors() && model.tensor_width == 1 && model.parameters != sum) {
      map.error("parameters", "the layers add up to " + std::to_string(sum));
    }
  }

  Diagnostics& diagnostics_;
  std::vector<std::string> kinds_;
};

}  // namespace

bool is_graph(const Value& document) {
  return document.kind == ValueKind::kMap && document.find("layers") != nullptr &&
         document.find("model_type") == nullptr;
}

std::optional<graph::Model> read_graph(const Value& document, const std::string& name,
                                       Diagnostics& diagnostics) {
  Diagnostics own;
  graph::Model model = Reader(own).read(document);
  if (model.name.empty()) {
    model.name = name;
  }
  for (const Diagnostic& item : own.all()) {
    diagnostics.error(item.where, item.message);
  }
  if (own.has_errors()) {
    return std::nullopt;
  }
  return model;
}

}  // namespace phaze::io
