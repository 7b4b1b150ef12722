#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "graph/verify.h"
#include "graph/work.h"
#include "io/graph_json.h"

namespace phaze::io {
namespace {

using graph::Layer;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr std::int64_t kMaxCount = graph::kMaxElements;
constexpr std::int64_t kMaxRepeat = 100'000;

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  graph::Model read(const Value& document) {
    graph::Model model;
    known_keys(
        document,
        {"schema", "name", "settings", "sequence", "microbatch", "tensor", "parameters", "layers"},
        {"parameters_per_device", "forward_flops", "backward_flops", "model_flops",
         "saved_activation_bytes"});
    const std::int64_t schema = count(document, "schema", std::nullopt, 1, kMaxCount);
    if (schema != 1) {
      error(document, "schema", "expected 1, found " + std::to_string(schema));
    }
    model.name = text(document, "name", "");
    model.sequence = count(document, "sequence", 1, 1, kMaxCount);
    model.microbatch = count(document, "microbatch", 1, 1, kMaxCount);
    model.tensor_width = count(document, "tensor", 1, 1, kMaxCount);
    if (const Value* settings = member(document, "settings", ValueKind::kMap, "a map")) {
      for (const auto& [key, value] : settings->members) {
        model.settings[key] = text(*settings, key, "");
      }
    }
    const Value* layers = member(document, "layers", ValueKind::kList, "a list of layers");
    if (layers == nullptr || layers->items.empty()) {
      missing(document, "layers", layers, "expected a list of at least one layer");
      return model;
    }
    for (const Value& item : layers->items) {
      model.layers.push_back(read_layer(item));
    }
    if (!diagnostics_.has_errors()) {
      read_parameters(document, model);
    }
    return model;
  }

 private:
  void error(const Value& value, std::string message) {
    diagnostics_.error(value.where, std::move(message));
  }
  void error(const Value& map, const std::string& key, const std::string& message) {
    if (const Value* value = map.find(key)) {
      diagnostics_.error(value->where, message);
      return;
    }
    Location where = map.where;
    where.key += (where.key.empty() ? "" : ".") + key;
    diagnostics_.error(where, message);
  }

  // Of a list that is not there or empty; where `member` found something else, enough was said.
  void missing(const Value& map, const std::string& key, const Value* list,
               const std::string& message) {
    if (list != nullptr || map.find(key) == nullptr) {
      error(map, key, message);
    }
  }

  // `derived` keys are written for others and not read.
  void known_keys(const Value& map, std::vector<std::string> read,
                  const std::vector<std::string>& derived) {
    for (const auto& [key, value] : map.members) {
      const auto has = [&key = key](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), key) != list.end();
      };
      if (!has(read) && !has(derived)) {
        error(value, "unknown key" + did_you_mean(key, read));
      }
    }
  }

  const Value* member(const Value& map, const std::string& key, ValueKind kind,
                      const std::string& expected) {
    const Value* value = map.find(key);
    if (value != nullptr && value->kind != kind) {
      error(*value, "expected " + expected + ", found " + describe(*value));
      return nullptr;
    }
    return value;
  }

  std::int64_t count(const Value& map, const std::string& key, std::optional<std::int64_t> fallback,
                     std::int64_t least, std::int64_t most) {
    const Value* value = map.find(key);
    const std::string range =
        "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    if (value == nullptr) {
      if (!fallback) {
        error(map, key, "this key is required: " + range);
      }
      return fallback.value_or(least);
    }
    if (value->kind != ValueKind::kInteger || value->integer < least || value->integer > most) {
      error(*value, range + ", found " + describe(*value));
      return least;
    }
    return value->integer;
  }

  bool flag(const Value& map, const std::string& key, bool fallback) {
    const Value* value = member(map, key, ValueKind::kBoolean, "true or false");
    return value != nullptr ? value->boolean : fallback;
  }

  std::string text(const Value& map, const std::string& key,
                   const std::optional<std::string>& fallback) {
    const Value* value = map.find(key);
    if (value == nullptr) {
      if (!fallback) {
        error(map, key, "this key is required: expected text");
      }
      return fallback.value_or("");
    }
    const bool is_scalar = value->kind != ValueKind::kList && value->kind != ValueKind::kMap &&
                           value->kind != ValueKind::kNull;
    if (!is_scalar) {
      error(*value, "expected text, found " + describe(*value));
      return "";
    }
    return value->text;
  }

  // One of the names that `parse` knows.
  template <class T>
  T choice(const Value& map, const std::string& key, std::optional<T> fallback,
           std::optional<T> (*parse)(std::string_view), const std::vector<std::string>& known) {
    const Value* value = map.find(key);
    if (value == nullptr) {
      if (!fallback) {
        error(map, key, "this key is required");
      }
      return fallback.value_or(T{});
    }
    const std::optional<T> parsed = parse(value->text);
    if (!parsed) {
      std::string list;
      for (const std::string& name : known) {
        list += (list.empty() ? "" : ", ") + name;
      }
      error(*value, "expected one of " + list + ", found " + describe(*value) +
                        did_you_mean(value->text, known));
    }
    return parsed.value_or(T{});
  }

  Layer read_layer(const Value& item) {
    Layer layer;
    if (item.kind != ValueKind::kMap) {
      error(item, "expected a layer (a map), found " + describe(item));
      return layer;
    }
    const std::size_t before = diagnostics_.error_count();
    known_keys(item, {"name", "repeat", "can_recompute", "outputs", "tensors", "operators"},
               {"parameters", "tied_parameters", "forward_flops", "backward_flops",
                "recompute_flops", "model_flops", "forward_vector_flops", "backward_vector_flops",
                "saved_activation_bytes", "saved"});
    layer.name = text(item, "name", std::nullopt);
    layer.repeat = count(item, "repeat", 1, 1, kMaxRepeat);
    layer.can_recompute = flag(item, "can_recompute", true);
    std::map<std::string, TensorId> ids;
    std::vector<const Value*> tensor_places;
    if (const Value* tensors = member(item, "tensors", ValueKind::kList, "a list of tensors")) {
      for (const Value& tensor : tensors->items) {
        read_tensor(tensor, layer, ids, tensor_places);
      }
      for (std::size_t i = 0; i < tensor_places.size(); ++i) {
        if (const Value* base = tensor_places[i]->find("view_of")) {
          layer.tensors[TensorId(i)].view_of = find_tensor(*base, ids);
        }
      }
    }
    std::vector<const Value*> operator_places;
    const Value* operators = member(item, "operators", ValueKind::kList, "a list of operators");
    if (operators == nullptr || operators->items.empty()) {
      missing(item, "operators", operators, "expected a list of at least one operator");
    } else {
      for (const Value& op : operators->items) {
        layer.operators.push_back(read_operator(op, ids));
        operator_places.push_back(&op);
      }
    }
    layer.outputs = tensor_list(item, "outputs", ids);
    if (diagnostics_.error_count() == before) {
      check(layer, item, tensor_places, operator_places);
    }
    return layer;
  }

  // Verifies the layer and fills in the vector work that the file leaves out.
  void check(Layer& layer, const Value& item, const std::vector<const Value*>& tensor_places,
             const std::vector<const Value*>& operator_places) {
    for (const graph::Fault& fault : graph::verify(layer)) {
      if (fault.op) {
        error(*operator_places[fault.op->index()], fault.message);
      } else if (fault.tensor) {
        error(*tensor_places[fault.tensor->index()], fault.message);
      } else {
        error(item, fault.message);
      }
    }
    if (diagnostics_.has_errors()) {
      return;
    }
    for (const graph::OpId id : ids_of(layer.operators)) {
      if (operator_places[id.index()]->find("vector_flops") == nullptr) {
        layer.operators[id].vector_flops = graph::compute_vector_flops(layer, layer.operators[id]);
      }
    }
  }

  void read_tensor(const Value& item, Layer& layer, std::map<std::string, TensorId>& ids,
                   std::vector<const Value*>& places) {
    if (item.kind != ValueKind::kMap) {
      error(item, "expected a tensor (a map), found " + describe(item));
      return;
    }
    known_keys(item, {"name", "shape", "type", "role", "view_of", "tied"}, {});
    Tensor tensor;
    tensor.name = text(item, "name", std::nullopt);
    tensor.type = choice<graph::ElementType>(
        item, "type", graph::ElementType::kBf16, graph::parse_element_type,
        {"f32", "f16", "bf16", "f8", "i64", "i32", "i8", "bool"});
    tensor.role = choice<graph::Role>(item, "role", graph::Role::kActivation, graph::parse_role,
                                      {"input", "shared", "constant", "parameter", "activation",
                                       "gradient", "parameter_gradient", "optimizer_state"});
    tensor.is_tied = flag(item, "tied", false);
    const Value* shape = member(item, "shape", ValueKind::kList, "a list of extents");
    if (shape == nullptr) {
      missing(item, "shape", shape, "expected a list of extents such as [2, 1024]");
    } else {
      for (const Value& extent : shape->items) {
        if (extent.kind != ValueKind::kInteger) {
          error(extent, "expected a whole number, found " + describe(extent));
        }
        tensor.shape.push_back(extent.integer);
      }
    }
    const TensorId id = layer.tensors.push_back(std::move(tensor));
    places.push_back(&item);
    if (!ids.emplace(layer.tensors[id].name, id).second) {
      error(item, "name", "another tensor of this layer has this name");
    }
  }

  TensorId find_tensor(const Value& value, const std::map<std::string, TensorId>& ids) {
    const auto found = ids.find(value.text);
    if (found != ids.end()) {
      return found->second;
    }
    std::vector<std::string> known;
    for (const auto& [name, id] : ids) {
      known.push_back(name);
    }
    error(value, "no tensor of this layer is called \"" + shortened(value.text) + "\"" +
                     did_you_mean(value.text, known));
    return TensorId();
  }

  std::vector<TensorId> tensor_list(const Value& map, const std::string& key,
                                    const std::map<std::string, TensorId>& ids) {
    std::vector<TensorId> list;
    if (const Value* value = member(map, key, ValueKind::kList, "a list of tensor names")) {
      for (const Value& item : value->items) {
        list.push_back(find_tensor(item, ids));
      }
    }
    return list;
  }

  static std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const graph::OpKind kind : graph::all_op_kinds()) {
      names.emplace_back(graph::to_string(kind));
    }
    return names;
  }

  Operator read_operator(const Value& item, const std::map<std::string, TensorId>& ids) {
    Operator op;
    if (item.kind != ValueKind::kMap) {
      error(item, "expected an operator (a map), found " + describe(item));
      return op;
    }
    known_keys(item,
               {"name", "kind", "pass", "region", "inputs", "outputs", "product", "attention",
                "group", "fused", "vector_flops"},
               {"unit", "flops", "read_bytes", "written_bytes", "collective_bytes"});
    op.name = text(item, "name", std::nullopt);
    op.kind = choice<graph::OpKind>(item, "kind", std::nullopt, graph::parse_op_kind, kind_names());
    op.pass = choice<graph::Pass>(item, "pass", graph::Pass::kForward, graph::parse_pass,
                                  {"forward", "recompute", "backward", "optimizer"});
    op.region = choice<graph::Region>(item, "region", graph::Region::kNone, graph::parse_region,
                                      {"none", "attention", "norms", "activations", "regather"});
    op.inputs = tensor_list(item, "inputs", ids);
    op.outputs = tensor_list(item, "outputs", ids);
    op.group = count(item, "group", 1, 1, kMaxCount);
    if (const Value* p = member(item, "product", ValueKind::kMap, "a map of m, n and k")) {
      known_keys(*p, {"batch", "m", "n", "k"}, {});
      op.product = graph::ProductShape{
          count(*p, "batch", 1, 1, kMaxCount), count(*p, "m", std::nullopt, 1, kMaxCount),
          count(*p, "n", std::nullopt, 1, kMaxCount), count(*p, "k", std::nullopt, 1, kMaxCount)};
    }
    if (const Value* a = member(item, "attention", ValueKind::kMap, "a map")) {
      op.attention = read_attention(*a);
    }
    if (const Value* value = item.find("vector_flops")) {
      const bool is_number =
          value->kind == ValueKind::kInteger || value->kind == ValueKind::kNumber;
      if (!is_number) {
        error(*value, "expected a number, found " + describe(*value));
      }
      op.vector_flops = Flops(value->number);
    }
    if (const Value* fused = member(item, "fused", ValueKind::kList, "a list")) {
      for (const Value& part : fused->items) {
        known_keys(part, {"name", "kind"}, {});
        op.fused.push_back({text(part, "name", std::nullopt),
                            choice<graph::OpKind>(part, "kind", std::nullopt, graph::parse_op_kind,
                                                  kind_names())});
      }
    }
    return op;
  }

  graph::AttentionShape read_attention(const Value& a) {
    known_keys(a, {"batch", "heads", "kv_heads", "queries", "keys", "head_dim", "causal", "window"},
               {});
    graph::AttentionShape shape;
    shape.batch = count(a, "batch", 1, 1, kMaxCount);
    shape.heads = count(a, "heads", std::nullopt, 1, kMaxCount);
    shape.kv_heads = count(a, "kv_heads", shape.heads, 1, kMaxCount);
    shape.queries = count(a, "queries", std::nullopt, 1, kMaxCount);
    shape.keys = count(a, "keys", std::nullopt, 1, kMaxCount);
    shape.head_dim = count(a, "head_dim", std::nullopt, 1, kMaxCount);
    shape.is_causal = flag(a, "causal", false);
    shape.window = count(a, "window", 0, 0, kMaxCount);
    return shape;
  }

  // The whole model's parameters: given for a shard, otherwise what the layers add up to.
  void read_parameters(const Value& document, graph::Model& model) {
    const bool is_complete = graph::is_training(model);
    const double most = is_complete ? graph::kMaxTrainingElements : graph::kMaxForwardElements;
    if (graph::total_elements(model) > most) {
      error(document, "layers",
            std::string("read and write more than 2^") + (is_complete ? "56" : "52") +
                " elements, repeats counted");
      return;
    }
    const std::int64_t sum = graph::summarise(model).parameters;
    model.parameters =
        count(document, "parameters", sum, 0, std::numeric_limits<std::int64_t>::max());
    if (!diagnostics_.has_errors() && model.tensor_width == 1 && model.parameters != sum) {
      error(document, "parameters", "the layers add up to " + std::to_string(sum));
    }
  }

  Diagnostics& diagnostics_;
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
