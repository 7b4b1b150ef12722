#include "graph/verify.h"

#include <algorithm>
#include <set>

namespace phaze::graph {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

class Verifier {
 public:
  explicit Verifier(const Layer& layer) : layer_(layer) {
    for (const Operator& op : layer.operators) {
      is_forward_only_ = is_forward_only_ && op.pass == Pass::kForward;
    }
  }

  std::vector<Fault> run() && {
    if (layer_.operators.size() > kMaxOperators || layer_.tensors.size() > kMaxTensors) {
      return {{{},
               {},
               "holds more than " + text(kMaxOperators) + " operators or " + text(kMaxTensors) +
                   " tensors"}};
    }
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
    view_state_.resize(layer_.tensors.size(), ViewState::kUnknown);
    std::set<std::string> names;
    double parameters = 0;
    for (const TensorId id : ids_of(layer_.tensors)) {
      const Tensor& tensor = layer_.tensors[id];
      if (tensor.name.empty() || !names.insert(tensor.name).second) {
        fault(id, tensor.name.empty() ? "has no name" : "has the name of another tensor");
      }
      check_extents(id, tensor);
      check_view(id);
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

  // Every chain of views ends: walked once, what has been seen to end is not walked again.
  void check_view(TensorId id) {
    std::vector<TensorId> path;
    std::optional<TensorId> at = id;
    while (at && view_state_[*at] == ViewState::kUnknown) {
      view_state_[*at] = ViewState::kOnPath;
      path.push_back(*at);
      at = layer_.tensors[*at].view_of;
    }
    if (at && view_state_[*at] == ViewState::kOnPath) {
      fault(id, "is a view of itself");
    }
    for (const TensorId each : path) {
      view_state_[each] = ViewState::kEnds;
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
    const bool is_forward = op.pass == Pass::kForward || op.pass == Pass::kRecompute;
    if (is_forward && op.fused.empty() && !has_arity(id, op, traits(op.kind))) {
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
    if (is_forward) {
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

  // Counts and sizes of the operands. Of an operator with others fused into it only the first
  // result is known.
  void check_forward(OpId id, const Operator& op) {
    const KindTraits& kind = traits(op.kind);
    const std::size_t before = faults_.size();
    const std::int64_t result = count(op.outputs[0]);
    std::int64_t largest = 0;
    for (const TensorId input : op.inputs) {
      const bool is_table = op.kind == OpKind::kRotary && input != op.inputs[0];
      largest = std::max(largest, count(input));
      if (kind.elementwise && !is_table && result % count(input) != 0) {
        fault(id, layer_.tensors[input].name + " has " + text(count(input)) +
                      " elements, which cannot be broadcast to " + text(result));
      }
    }
    const bool is_as_first =
        kind.result_size != ResultSize::kAsFirst || result == count(op.inputs[0]);
    const bool is_as_largest = kind.result_size != ResultSize::kAsLargest || result == largest;
    if (op.fused.empty() && faults_.size() == before && !(is_as_first && is_as_largest)) {
      fault(id, "the result has " + text(result) + " elements, expected " +
                    text(is_as_first ? largest : count(op.inputs[0])));
    }
    if (op.kind == OpKind::kEmbedding) {
      check_embedding(id, op, result);
    }
    if (is_forward_only_) {
      check_views(id, op);
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

  bool has_arity(OpId id, const Operator& op, const KindTraits& kind) {
    const std::size_t before = faults_.size();
    const auto inputs = static_cast<int>(op.inputs.size());
    const auto outputs = static_cast<int>(op.outputs.size());
    if (inputs < kind.least_inputs || inputs > kind.most_inputs) {
      const bool is_one = kind.least_inputs == kind.most_inputs;
      const bool is_open = kind.most_inputs > 100;
      fault(id, "expected " + text(kind.least_inputs) +
                    (is_one    ? ""
                     : is_open ? " or more"
                               : " to " + text(kind.most_inputs)) +
                    " inputs, found " + text(inputs));
    }
    if (kind.outputs != 0 && outputs != kind.outputs) {
      fault(id, "expected " + text(kind.outputs) + " outputs, found " + text(outputs));
    }
    return faults_.size() == before;
  }

  void check_embedding(OpId id, const Operator& op, std::int64_t result) {
    const Tensor& ids = layer_.tensors[op.inputs[0]];
    const Shape& table = layer_.tensors[op.inputs[1]].shape;
    if (is_floating(ids.type)) {
      fault(id, "reads indices and a table, found numbers of type " +
                    std::string(to_string(ids.type)) + " as indices");
    } else if (table.empty() || result / table.back() != count(op.inputs[0]) ||
               result % table.back() != 0) {
      fault(id, "the result, " + layer_.tensors[op.outputs[0]].name +
                    ", is not a row of the table for each index");
    }
  }

  // Views are written by operators that make views, of what those read.
  void check_views(OpId id, const Operator& op) {
    const bool makes_views = op.kind == OpKind::kView || op.kind == OpKind::kSplit ||
                             op.kind == OpKind::kEnterTensorParallel;
    for (const TensorId output : op.outputs) {
      const std::optional<TensorId>& base = layer_.tensors[output].view_of;
      if (makes_views ? base != op.inputs[0] : base.has_value()) {
        fault(id, layer_.tensors[output].name +
                      (makes_views ? " must be a view of what the operator reads"
                                   : " cannot be a view: the operator writes it"));
      }
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
  enum class ViewState : char { kUnknown, kOnPath, kEnds };
  IdVector<TensorId, ViewState> view_state_;
  bool is_forward_only_ = true;
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
