#include "graph/verify.h"

#include <set>

namespace phaze::graph {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

class Verifier {
 public:
  explicit Verifier(const Layer& layer) : layer_(layer) {}

  std::vector<Fault> run() && {
    check_ids();
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    check_tensors();
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    check_order();
    for (const OpId id : ids_of(layer_.operators)) {
      check_operator(id, layer_.operators[id]);
    }
    if (layer_.repeat < 1) {
      faults_.push_back({{}, {}, "repeat: expected at least 1, found " + text(layer_.repeat)});
    }
    return std::move(faults_);
  }

 private:
  void fault(OpId op, std::string message) { faults_.push_back({op, {}, std::move(message)}); }
  void fault(TensorId tensor, std::string message) {
    faults_.push_back({{}, tensor, std::move(message)});
  }

  void check_ids() {
    for (const OpId id : ids_of(layer_.operators)) {
      const Operator& op = layer_.operators[id];
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorId tensor : *list) {
          if (!layer_.tensors.contains(tensor)) {
            fault(id, "refers to a tensor that does not exist");
          }
        }
      }
    }
    for (const TensorId id : ids_of(layer_.tensors)) {
      const std::optional<TensorId>& base = layer_.tensors[id].view_of;
      if (base && !layer_.tensors.contains(*base)) {
        fault(id, "is a view of a tensor that does not exist");
      }
    }
    for (const TensorId id : layer_.outputs) {
      if (!layer_.tensors.contains(id)) {
        faults_.push_back({{}, {}, "an output of the layer does not exist"});
      }
    }
  }

  void check_tensors() {
    std::set<std::string> names;
    double parameters = 0;
    for (const TensorId id : ids_of(layer_.tensors)) {
      const Tensor& tensor = layer_.tensors[id];
      if (tensor.name.empty() || !names.insert(tensor.name).second) {
        fault(id, tensor.name.empty() ? "has no name" : "has the name of another tensor");
      }
      check_extents(id, tensor);
      check_view(id, tensor);
      if (faults_.empty() && is_weight(tensor)) {
        parameters += static_cast<double>(element_count(tensor.shape));
      }
    }
    if (parameters > static_cast<double>(kMaxElements)) {  // an optimiser's state is one tensor
      faults_.push_back({{}, {}, "has more than 2^50 parameters"});
    }
    for (const TensorId id : ids_of(layer_.tensors)) {
      if (faults_.empty()) {
        check_view_size(id, layer_.tensors[id]);
      }
    }
  }

  void check_extents(TensorId id, const Tensor& tensor) {
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.shape) {
      if (extent < 1) {
        fault(id, "shape: expected extents of at least 1, found " + text(extent));
        return;
      }
      if (extent > kMaxElements / count) {
        fault(id, "has more than 2^50 elements");
        return;
      }
      count *= extent;
    }
  }

  void check_view(TensorId id, const Tensor& tensor) {
    std::optional<TensorId> at = tensor.view_of;
    for (std::size_t steps = 0; at; at = layer_.tensors[*at].view_of) {
      if (++steps > layer_.tensors.size()) {
        fault(id, "is a view of itself");
        return;
      }
    }
  }

  void check_view_size(TensorId id, const Tensor& tensor) {
    if (tensor.view_of && size_of(tensor) > size_of(layer_.tensors[*tensor.view_of])) {
      fault(id, "is a view of " + layer_.tensors[*tensor.view_of].name + " and larger than it");
    }
  }

  void check_order() {
    std::vector<bool> is_written(layer_.tensors.size(), false);
    const auto producers = compute_producers(layer_);
    std::set<std::string> names;
    Pass latest = Pass::kForward;
    for (const OpId id : ids_of(layer_.operators)) {
      const Operator& op = layer_.operators[id];
      if (op.name.empty() || !names.insert(op.name).second) {
        fault(id, op.name.empty() ? "has no name" : "has the name of another operator");
      }
      for (const TensorId input : op.inputs) {
        if (producers[input] && !is_written[input.index()]) {
          fault(id, "reads " + layer_.tensors[input].name + " before it is written");
        }
      }
      for (const TensorId output : op.outputs) {
        check_writer(id, output, is_written[output.index()]);
        is_written[output.index()] = true;
      }
      // Recomputation happens within backward.
      const Pass pass = op.pass == Pass::kRecompute ? Pass::kBackward : op.pass;
      if (pass < latest) {
        fault(id, "a " + std::string(to_string(op.pass)) + " operator comes after a " +
                      std::string(to_string(latest)) + " operator");
      } else {
        latest = pass;
      }
    }
    for (const TensorId id : ids_of(layer_.tensors)) {
      if (layer_.tensors[id].role == Role::kActivation && !producers[id]) {
        fault(id, "is an activation that no operator writes");
      }
    }
  }

  void check_writer(OpId id, TensorId output, bool is_written) {
    const Tensor& tensor = layer_.tensors[output];
    if (is_written) {
      fault(id, "writes " + tensor.name + ", which is written already");
    }
    const bool is_given = tensor.role == Role::kInput || tensor.role == Role::kShared ||
                          tensor.role == Role::kConstant || tensor.role == Role::kParameter;
    if (is_given) {
      fault(id, "writes " + tensor.name + ", which is a " + std::string(to_string(tensor.role)));
    }
  }

  std::int64_t count(TensorId id) const { return element_count(layer_.tensors[id].shape); }

  void check_operator(OpId id, const Operator& op) {
    if (op.inputs.empty() || op.outputs.empty()) {
      fault(id, "expected at least one input and one output");
      return;
    }
    const bool is_product = op.kind == OpKind::kProduct || op.kind == OpKind::kConvolution;
    if (is_product != op.product.has_value()) {
      fault(id, is_product ? "a product needs its m, n and k" : "has m, n and k but is no product");
    } else if (is_product) {
      check_product(id, op);
    }
    const bool is_attention = op.kind == OpKind::kAttention;
    if (is_attention != op.attention.has_value()) {
      fault(id, is_attention ? "attention needs its shape" : "has an attention shape but is none");
    } else if (is_attention) {
      check_attention(id, op);
    }
    if (op.pass == Pass::kForward || op.pass == Pass::kRecompute) {
      check_forward(id, op);
    }
    if (op.group < 1) {
      fault(id, "group: expected at least 1, found " + text(op.group));
    } else if (traits(op.kind).unit == Unit::kNetwork) {
      check_collective(id, op);
    }
    if (!(op.vector_flops.value() >= 0 && op.vector_flops.value() < 1e30)) {
      fault(id, "vector_flops: expected a count");
    }
  }

  void check_product(OpId id, const Operator& op) {
    const ProductShape& p = *op.product;
    for (const std::int64_t extent : {p.batch, p.m, p.n, p.k}) {
      if (extent < 1 || extent > kMaxElements) {
        fault(id, "m, n, k and batch: expected at least 1, found " + text(extent));
        return;
      }
    }
    if (op.inputs.size() < 2) {
      fault(id, "a product has two operands");
      return;
    }
    expect_elements(id, "the left operand", op.inputs[0], {p.batch, p.m, p.k},
                    op.kind == OpKind::kConvolution);
    expect_elements(id, "the right operand", op.inputs[1], {p.batch, p.k, p.n},
                    op.kind == OpKind::kConvolution);
    expect_elements(id, "the result", op.outputs[0], {p.batch, p.m, p.n}, false);
  }

  // A convolution may leave a margin of the image unread.
  void expect_elements(OpId id, const std::string& what, TensorId tensor,
                       const std::vector<std::int64_t>& extents, bool at_least) {
    std::int64_t expected = 1;
    for (const std::int64_t extent : extents) {
      if (__builtin_mul_overflow(expected, extent, &expected)) {
        fault(id, what + " would overflow");
        return;
      }
    }
    const std::int64_t found = count(tensor);
    if (at_least ? found < expected : found != expected) {
      fault(id, what + ", " + layer_.tensors[tensor].name + ": expected " + text(expected) +
                    " elements, found " + text(found));
    }
  }

  void check_attention(OpId id, const Operator& op) {
    const AttentionShape& a = *op.attention;
    for (const std::int64_t extent :
         {a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_dim}) {
      if (extent < 1 || extent > kMaxElements) {
        fault(id, "attention: expected extents of at least 1, found " + text(extent));
        return;
      }
    }
    if (a.heads % a.kv_heads != 0) {
      fault(id, "attention: kv_heads (" + text(a.kv_heads) + ") must divide heads (" +
                    text(a.heads) + ")");
    }
    if (a.window < 0) {
      fault(id, "attention: window: expected at least 0, found " + text(a.window));
    } else if (a.window > 0 && !a.is_causal) {
      fault(id, "attention: a window needs a causal mask");
    }
    const std::size_t first = op.pass == Pass::kBackward ? 1 : 0;  // after the gradient
    if (op.inputs.size() < first + 3) {
      fault(id, "attention reads q, k and v");
      return;
    }
    expect_elements(id, "q", op.inputs[first], {a.batch, a.heads, a.queries, a.head_dim}, false);
    expect_elements(id, "k", op.inputs[first + 1], {a.batch, a.kv_heads, a.keys, a.head_dim},
                    false);
    expect_elements(id, "v", op.inputs[first + 2], {a.batch, a.kv_heads, a.keys, a.head_dim},
                    false);
    if (op.pass != Pass::kBackward) {
      expect_elements(id, "the result", op.outputs[0], {a.batch, a.heads, a.queries, a.head_dim},
                      false);
    }
  }

  void check_forward(OpId id, const Operator& op) {
    const struct {
      OpKind kind;
      std::size_t inputs, outputs;
    } arities[] = {
        {OpKind::kAttention, 3, 2},    {OpKind::kLayerNorm, 1, 2}, {OpKind::kRmsNorm, 1, 2},
        {OpKind::kCrossEntropy, 2, 2}, {OpKind::kNllLoss, 2, 1},   {OpKind::kSquaredError, 2, 1},
        {OpKind::kTopK, 1, 2},         {OpKind::kMultiply, 2, 1},  {OpKind::kDivide, 2, 1},
        {OpKind::kSwiglu, 2, 1},       {OpKind::kGeglu, 2, 1},     {OpKind::kReglu, 2, 1},
        {OpKind::kEmbedding, 2, 1},    {OpKind::kGather, 2, 1},    {OpKind::kScatterAdd, 2, 1},
    };
    for (const auto& arity : arities) {
      const bool is_fused = !op.fused.empty();  // then results that nobody reads are gone
      if (op.kind == arity.kind &&
          (op.inputs.size() < arity.inputs || (!is_fused && op.outputs.size() < arity.outputs))) {
        fault(id, "expected at least " + std::to_string(arity.inputs) + " inputs and " +
                      std::to_string(arity.outputs) + " outputs");
        return;
      }
    }
    if (op.kind == OpKind::kDropout && op.fused.empty() && op.outputs.size() < 2) {
      fault(id, "dropout writes its result and its mask");
    }
    if (traits(op.kind).elementwise) {
      const std::int64_t result = count(op.outputs[0]);
      for (const TensorId input : op.inputs) {
        const bool is_table = op.kind == OpKind::kRotary && input != op.inputs[0];
        if (!is_table && result % count(input) != 0) {
          fault(id, layer_.tensors[input].name + " has " + text(count(input)) +
                        " elements, which cannot be broadcast to " + text(result));
        }
      }
    }
    const bool is_optimizer = op.kind == OpKind::kAdam || op.kind == OpKind::kSgd;
    // Fusion joins in place, after everything else: what is still to be differentiated has none.
    const bool is_early_join =
        op.kind == OpKind::kJoin &&
        layer_.operators[OpId(layer_.operators.size() - 1)].pass == Pass::kForward;
    if (is_optimizer || is_early_join) {
      fault(id, std::string(to_string(op.kind)) + " is not an operator of a forward pass");
    }
  }

  void check_collective(OpId id, const Operator& op) {
    const std::int64_t in = count(op.inputs[0]);
    const std::int64_t out = count(op.outputs[0]);
    const auto is_share = [&](std::int64_t part, std::int64_t whole) {
      return whole % op.group == 0 && whole / op.group == part;
    };
    const bool fits = op.kind == OpKind::kAllGather       ? is_share(in, out)
                      : op.kind == OpKind::kReduceScatter ? is_share(out, in)
                                                          : in == out;
    if (!fits) {
      fault(id, "a group of " + text(op.group) + " does not turn " + text(in) + " elements into " +
                    text(out));
    }
  }

  const Layer& layer_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> verify(const Layer& layer) { return Verifier(layer).run(); }

double total_elements(const Model& model) {
  double total = 0;
  for (const Layer& layer : model.layers) {
    double elements = 0;
    const auto add = [&](const Tensor& tensor) {
      elements += static_cast<double>(element_count(tensor.shape));
    };
    for (const Tensor& tensor : layer.tensors) {
      add(tensor);
    }
    for (const Operator& op : layer.operators) {
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorId id : *list) {
          add(layer.tensors[id]);
        }
      }
    }
    total += elements * static_cast<double>(layer.repeat);
  }
  return total;
}

}  // namespace phaze::graph
