#include <map>
#include <optional>
#include <utility>

#include "cost/operator.h"
#include "graph/backward.h"
#include "graph/builder.h"
#include "presets/measured.h"
#include "trust/data_rows.h"
#include "trust/h200_rows.h"

namespace phaze::trust {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::TensorId;

// One operator on an idle chip, operands in HBM, as a benchmark that clears the caches sees it.
double alone(const cost::CostContext& context, const graph::Layer& layer, graph::Pass pass) {
  double time = context.chip->idle_overhead.value();
  for (const graph::Operator& op : layer.operators) {
    if (op.pass == pass) {
      time +=
          cost::compute_operator_cost(context, layer, op, cost::all_in_hbm(layer, op)).time.value();
    }
  }
  return time;
}

// How operands lie in memory: as the product reads them (n), or the other way round (t).
struct Layout {
  bool a_is_transposed = false;
  bool b_is_transposed = false;
};

graph::Layer product_layer(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                           Layout layout) {
  LayerBuilder build("product");
  const TensorId a = build.input(
      "a", layout.a_is_transposed ? graph::Shape{batch, k, m} : graph::Shape{batch, m, k},
      ElementType::kBf16);
  const TensorId b = build.constant(
      "b", layout.b_is_transposed ? graph::Shape{batch, n, k} : graph::Shape{batch, k, n},
      ElementType::kBf16);
  build.hand_over(build.product("c", a, b, {batch, m, n, k}, {batch, m, n}, ElementType::kBf16));
  return std::move(build).finish();
}

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

}  // namespace

std::vector<Prediction> predict_products(const hw::Chip& chip) {
  const cost::CostContext context = cost::make_context(chip);
  std::vector<Prediction> rows;
  const auto add = [&](const std::string& group, const std::string& label, double measured,
                       std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                       Layout layout) {
    rows.push_back({group, label + " " + shape_text(m, n, k), measured,
                    alone(context, product_layer(batch, m, n, k, layout), graph::Pass::kForward)});
  };
  // Forward is x W', the data gradient dy W, the weight gradient dy' x.
  const auto add_models = [&](const std::string& group, const std::string& table) {
    for (const DataRow& row : read_rows(presets::own_table(table))) {
      const std::int64_t m = number(row, "m");
      const std::int64_t n = number(row, "n");
      const std::int64_t k = number(row, "k");
      const std::string name = row.at("model") + " " + row.at("op");
      add(group, name + " forward", seconds(row, "fwd_ms"), 1, m, n, k, {false, true});
      add(group, name + " data gradient", seconds(row, "dgrad_ms"), 1, m, k, n, {false, false});
      add(group, name + " weight gradient", seconds(row, "wgrad_ms"), 1, n, k, m, {true, false});
    }
  };
  const auto add_random = [&](const std::string& group, const std::string& table) {
    for (const DataRow& row : read_rows(presets::own_table(table))) {
      const std::string layout = row.contains("layout") ? row.at("layout") : "nn";
      add(group, "random", seconds(row, "ms"), 1, number(row, "m"), number(row, "n"),
          number(row, "k"), {layout[0] == 't', layout[1] == 't'});
    }
  };
  add_models("products", "gemm");
  add_random("products", "gemm_random");
  add_models("products, held out", "gemm_more");
  add_random("products, held out, random", "gemm_random_more");
  for (const DataRow& row : read_rows(presets::own_table("attention_eager"))) {
    const std::int64_t s = number(row, "seq");
    const std::int64_t d = number(row, "head_dim");
    const std::int64_t b = number(row, "batch_heads");
    add("batched products", row.at("model") + " scores", seconds(row, "qk_ms"), b, s, s, d,
        {false, true});
    add("batched products", row.at("model") + " context", seconds(row, "av_ms"), b, s, d, s, {});
  }
  return rows;
}

std::vector<Prediction> predict_attention(const hw::Chip& chip) {
  const cost::CostContext context = cost::make_context(chip);
  std::vector<Prediction> rows;
  const auto add = [&](const std::string& group, const std::string& label,
                       const graph::AttentionShape& shape, double forward, double backward) {
    LayerBuilder build("attention");
    const auto operand = [&](const char* name, std::int64_t length, std::int64_t heads) {
      return build.input(name, {shape.batch, length, heads * shape.head_dim}, ElementType::kBf16);
    };
    const TensorId q = operand("q", shape.queries, shape.heads);
    const TensorId k = operand("k", shape.keys, shape.kv_heads);
    const TensorId v = operand("v", shape.keys, shape.kv_heads);
    build.hand_over(build.attention("attention", {q, k, v}, shape, build.shape(q)));
    const graph::Layer layer = graph::add_backward(std::move(build).finish(), {ElementType::kBf16});
    rows.push_back(
        {group, label + " forward", forward, alone(context, layer, graph::Pass::kForward)});
    rows.push_back(
        {group, label + " backward", backward, alone(context, layer, graph::Pass::kBackward)});
  };
  for (const DataRow& row : read_rows(presets::own_table("attention_flash_causal"))) {
    const std::int64_t h = number(row, "heads");
    const std::int64_t s = number(row, "seq");
    add("fused attention", row.at("model") + " x" + row.at("microbatch"),
        {number(row, "microbatch"), h, h, s, s, number(row, "head_dim"), true, 0, false},
        seconds(row, "fwd_ms"), seconds(row, "bwd_ms"));
  }
  for (const DataRow& row : read_rows(presets::own_table("attention_more"))) {
    const std::int64_t s = number(row, "seq");
    add("fused attention, replayed",
        row.at("batch") + " x " + row.at("heads") + "/" + row.at("kv_heads") + " x " +
            row.at("seq") + " x " + row.at("head_dim") + (row.at("causal") == "1" ? " causal" : ""),
        {number(row, "batch"), number(row, "heads"), number(row, "kv_heads"), s, s,
         number(row, "head_dim"), row.at("causal") == "1", 0, false},
        seconds(row, "fwd_ms"), seconds(row, "bwd_ms"));
  }
  return rows;
}

namespace {

// The operators of vector.csv and vector_more.csv as a layer of one; nothing for those that are no
// operator of ours.
std::optional<graph::Layer> vector_layer(const std::string& name, const graph::Shape& shape) {
  static const std::map<std::string, OpKind> unary = {{"gelu", OpKind::kGelu},
                                                      {"gelu_tanh", OpKind::kGeluTanh},
                                                      {"relu", OpKind::kRelu},
                                                      {"silu", OpKind::kSilu},
                                                      {"tanh", OpKind::kTanh},
                                                      {"softmax", OpKind::kSoftmax},
                                                      {"scale", OpKind::kScale},
                                                      {"neg", OpKind::kNegate},
                                                      {"pow2_fp32", OpKind::kPower},
                                                      {"scale_fp32", OpKind::kScale},
                                                      {"log_softmax_fp32", OpKind::kLogSoftmax}};
  static const std::map<std::string, OpKind> binary = {{"add", OpKind::kAdd},
                                                       {"mul", OpKind::kMultiply},
                                                       {"add_fp32", OpKind::kAdd},
                                                       {"mul_row_vector", OpKind::kMultiply},
                                                       {"add_row_vector", OpKind::kAdd},
                                                       {"mul_column_fp32", OpKind::kMultiply}};
  const ElementType type = name.find("fp32") != std::string::npos && !name.starts_with("cast")
                               ? ElementType::kF32
                               : ElementType::kBf16;
  LayerBuilder build("vector");
  const std::int64_t columns = shape.back();
  const auto input = [&](ElementType of) { return build.input("x", shape, of); };
  const auto constant = [&](const char* label, graph::Shape of) {
    return build.constant(label, std::move(of), type);
  };
  const auto cast = [&](ElementType from, ElementType to) {
    graph::Operator op;
    op.kind = OpKind::kCast;
    op.name = name;
    op.inputs = {input(from)};
    build.hand_over(build.add(
        std::move(op), {{name, shape, to, graph::Role::kActivation, std::nullopt, false}})[0]);
  };
  if (unary.contains(name)) {
    build.hand_over(build.unary(unary.at(name), name, input(type)));
  } else if (binary.contains(name)) {
    const graph::Shape other = name.find("row_vector") != std::string::npos ? graph::Shape{columns}
                               : name.find("column") != std::string::npos
                                   ? graph::Shape{shape[0], 1}
                                   : shape;
    const TensorId x = input(type);
    build.hand_over(build.binary(binary.at(name), name, x, constant("p", other)));
  } else if (name == "layernorm") {
    const TensorId x = input(type);
    const TensorId weight = build.parameter("weight", {columns}, type);
    const TensorId bias = build.parameter("bias", {columns}, type);
    build.hand_over(build.layer_norm(name, x, {weight, bias}));
  } else if (name == "rmsnorm") {
    const TensorId x = input(type);
    build.hand_over(build.rms_norm(name, x, {build.parameter("weight", {columns}, type)}));
  } else if (name == "dropout") {
    build.hand_over(build.dropout(name, input(type)));
  } else if (name == "cast_bf16_fp32") {
    cast(ElementType::kBf16, ElementType::kF32);
  } else if (name == "cast_fp32_bf16") {
    cast(ElementType::kF32, ElementType::kBf16);
  } else if (name == "transpose_copy") {
    build.hand_over(build.copy(name, input(type), shape));
  } else if (name == "cat_halves") {
    const std::vector<TensorId> halves =
        build.split("halves", input(type), {columns / 2, columns - columns / 2});
    build.hand_over(build.concatenate(name, {halves[1], halves[0]}, shape));
  } else {
    return std::nullopt;
  }
  return std::move(build).finish();
}

}  // namespace

std::vector<Prediction> predict_vector(const hw::Chip& chip) {
  cost::CostContext context = cost::make_context(chip);
  context.kernels = cost::Kernels::kLibrary;
  std::vector<Prediction> rows;
  for (const DataRow& row : read_rows(presets::own_table("vector"))) {
    const auto layer = vector_layer(row.at("op"), {number(row, "rows"), number(row, "cols")});
    if (layer) {
      rows.push_back({"vector, forward", row.at("op") + " " + row.at("rows") + "x" + row.at("cols"),
                      seconds(row, "fwd_ms"), alone(context, *layer, graph::Pass::kForward)});
    }
  }
  // Backward of vector.csv holds the host's launches; these were replayed.
  for (const DataRow& row : read_rows(presets::own_table("vector_more"))) {
    std::string name = row.at("op");
    const bool is_backward = name.ends_with("_bwd");
    if (is_backward) {
      name.resize(name.size() - std::string("_bwd").size());
    }
    const auto forward = vector_layer(name, {number(row, "rows"), number(row, "cols")});
    if (!forward || row.at("how") != "graph") {
      continue;
    }
    const std::string label = row.at("op") + " " + row.at("rows") + "x" + row.at("cols");
    if (is_backward) {
      const graph::Layer layer = graph::add_backward(*forward, {ElementType::kBf16});
      rows.push_back({"vector, backward", label, seconds(row, "ms"),
                      alone(context, layer, graph::Pass::kBackward)});
    } else {
      rows.push_back({"library kernels", label, seconds(row, "ms"),
                      alone(context, *forward, graph::Pass::kForward)});
    }
  }
  return rows;
}

}  // namespace phaze::trust
