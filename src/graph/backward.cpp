// Which tensors a rule reads is what frameworks save: the activation's input for GELU and SiLU, the
// result for ReLU, tanh, sigmoid, softmax and 1/sqrt, the mask for dropout, both operands of a
// product, input and row statistics for norms, and q, k, v, output and row statistics for fused
// attention (docs/models.md, "Backward rules").
#include "graph/backward.h"

#include <utility>

#include "base/check.h"
#include "graph/builder.h"

namespace phaze::graph {
namespace {

class Differentiator {
 public:
  Differentiator(Layer forward, const BackwardOptions& options)
      : forward_operators_(forward.operators.size()),
        options_(options),
        build_(std::move(forward), Pass::kBackward) {
    mark_needed();
    parts_.resize(layer().tensors.size(), {});
  }

  Layer run() && {
    const std::vector<TensorId> outputs = layer().outputs;
    for (const TensorId output : outputs) {
      if (needs_[output]) {
        contribute(output, build_.outside_gradient("d(" + tensor(output).name + ")", output));
      }
    }
    for (std::size_t at = forward_operators_; at > 0; --at) {
      differentiate(layer().operators[OpId(at - 1)]);
    }
    for (const TensorId id : IdRange<TensorId>(parts_.size())) {
      finish_gradient(id);  // of inputs and parameters
    }
    return std::move(build_).finish();
  }

 private:
  const Layer& layer() const { return build_.layer(); }
  const Tensor& tensor(TensorId id) const { return layer().tensors[id]; }

  void mark_needed() {
    needs_.resize(layer().tensors.size(), false);
    for (const TensorId id : ids_of(layer().tensors)) {
      const Tensor& t = tensor(id);
      needs_[id] = is_floating(t.type) && (t.role == Role::kInput || t.role == Role::kShared ||
                                           t.role == Role::kParameter);
    }
    for (const Operator& op : layer().operators) {
      bool needed = false;
      for (const TensorId input : op.inputs) {
        needed = needed || needs_[input];
      }
      for (const TensorId output : op.outputs) {
        needs_[output] = needed && is_floating(tensor(output).type);
      }
    }
  }

  void contribute(TensorId of, TensorId gradient) { parts_[of].push_back(gradient); }

  // The whole gradient of a tensor: its contributions added up, or nothing.
  std::optional<TensorId> finish_gradient(TensorId of) {
    std::vector<TensorId>& parts = parts_[of];
    if (parts.empty()) {
      return std::nullopt;
    }
    const std::string name = "d(" + tensor(of).name + ")";
    while (parts.size() > 1) {
      const TensorId a = parts[0];
      const TensorId b = parts[1];
      Operator op = make(OpKind::kAdd, name + ".sum", {a, b});
      Tensor sum = tensor(a);
      sum.name = name + ".sum";
      sum.view_of = std::nullopt;
      op.vector_flops = Flops(static_cast<double>(element_count(sum.shape)));
      const TensorId total = build_.add(std::move(op), {sum})[0];
      parts.erase(parts.begin());
      parts[0] = total;
    }
    return parts[0];
  }

  static Operator make(OpKind kind, std::string name, std::vector<TensorId> inputs) {
    Operator op;
    op.kind = kind;
    op.name = std::move(name);
    op.inputs = std::move(inputs);
    return op;
  }

  Tensor gradient_tensor(TensorId of) const {
    const Tensor& t = tensor(of);
    const bool is_parameter = t.role == Role::kParameter;
    // A tied parameter's gradient is handed to the layer that owns it.
    return {"d(" + t.name + ")",
            t.shape,
            is_parameter ? options_.parameter_gradient : t.type,
            is_parameter && !t.is_tied ? Role::kParameterGradient : Role::kGradient,
            std::nullopt,
            false};
  }

  // Adds an operator whose outputs are the gradients of `of` (those that need one) and hands them
  // on. Nothing is added when none needs one.
  void emit(Operator op, const std::vector<TensorId>& of) {
    std::vector<TensorId> wanted;
    std::vector<Tensor> outputs;
    for (const TensorId id : of) {
      if (needs_[id]) {
        wanted.push_back(id);
        outputs.push_back(gradient_tensor(id));
      }
    }
    if (wanted.empty()) {
      return;
    }
    const std::vector<TensorId> ids = build_.add(std::move(op), std::move(outputs));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      contribute(wanted[i], ids[i]);
    }
  }

  // dy as the gradient of an operand that may have been broadcast: summed over what was repeated.
  void emit_reduced(const std::string& name, TensorId dy, TensorId of) {
    if (!needs_[of]) {
      return;
    }
    const bool same = element_count(tensor(dy).shape) == element_count(tensor(of).shape);
    if (same && tensor(of).role != Role::kParameter) {
      contribute(of, dy);
    } else {
      emit(make(OpKind::kReduce, name, {dy}), {of});
    }
  }

  void emit_view(const std::string& name, TensorId dy, TensorId of) {
    if (!needs_[of]) {
      return;
    }
    Tensor out = gradient_tensor(of);
    if (out.type != tensor(dy).type) {  // a parameter's gradient may be wider than an activation's
      emit(make(OpKind::kCast, name, {dy}), {of});
      return;
    }
    out.view_of = dy;
    contribute(of, build_.add(make(OpKind::kView, name, {dy}), {out})[0]);
  }

  void differentiate_product(const Operator& op, TensorId dy) {
    const TensorId a = op.inputs[0];
    const TensorId b = op.inputs[1];
    const bool has_weight = tensor(storage_of(layer(), b)).role == Role::kParameter;
    const ProductShape& p = *op.product;
    Operator left =
        make(op.kind, op.name + (has_weight ? ".data_gradient" : ".left_gradient"), {dy, b});
    left.product = ProductShape{p.batch, p.m, p.k, p.n};
    Operator right = make(op.kind, op.name + (has_weight ? ".weight_gradient" : ".right_gradient"),
                          has_weight ? std::vector{dy, a} : std::vector{a, dy});
    right.product =
        has_weight ? ProductShape{p.batch, p.n, p.k, p.m} : ProductShape{p.batch, p.k, p.n, p.m};
    emit(std::move(left), {a});
    emit(std::move(right), {b});
    if (op.inputs.size() > 2) {
      emit(make(OpKind::kReduce, op.name + ".bias_gradient", {dy}), {op.inputs[2]});
    }
  }

  void differentiate_split(const Operator& op) {
    std::vector<TensorId> parts;
    for (const TensorId output : op.outputs) {
      if (const auto gradient = finish_gradient(output)) {
        parts.push_back(*gradient);
      }
    }
    if (!parts.empty()) {
      emit(make(OpKind::kConcatenate, op.name + ".gradient", std::move(parts)), {op.inputs[0]});
    }
  }

  void differentiate_concatenate(const Operator& op, TensorId dy) {
    Operator split = make(OpKind::kSplit, op.name + ".gradient", {dy});
    std::vector<Tensor> outputs;
    for (const TensorId input : op.inputs) {
      Tensor part = gradient_tensor(input);
      part.view_of = dy;
      part.role = Role::kGradient;
      part.type = tensor(dy).type;
      outputs.push_back(std::move(part));
    }
    const std::vector<TensorId> ids = build_.add(std::move(split), std::move(outputs));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      emit_reduced(op.name + ".gradient.sum", ids[i], op.inputs[i]);
    }
  }

  void differentiate(const Operator& forward_op) {
    const Operator op = forward_op;  // the table grows while we add to it
    const std::string name = op.name + ".gradient";
    if (op.kind == OpKind::kSplit) {
      differentiate_split(op);
      return;
    }
    const std::optional<TensorId> gradient = finish_gradient(op.outputs[0]);
    if (!gradient) {
      return;
    }
    const TensorId dy = *gradient;
    const TensorId x = op.inputs[0];
    const TensorId y = op.outputs[0];
    switch (op.kind) {
      case OpKind::kProduct:
      case OpKind::kConvolution:
        differentiate_product(op, dy);
        return;
      case OpKind::kAttention: {
        std::vector<TensorId> reads = {dy};
        reads.insert(reads.end(), op.inputs.begin(), op.inputs.end());
        reads.insert(reads.end(), op.outputs.begin(), op.outputs.end());
        Operator backward = make(op.kind, name, std::move(reads));
        backward.attention = op.attention;
        emit(std::move(backward), op.inputs);
        return;
      }
      case OpKind::kLayerNorm:
      case OpKind::kRmsNorm: {
        std::vector<TensorId> reads = {dy, x, op.outputs[1]};
        if (op.inputs.size() > 1) {
          reads.push_back(op.inputs[1]);  // the weight; a bias is not read
        }
        emit(make(op.kind, name, std::move(reads)), op.inputs);
        return;
      }
      case OpKind::kCrossEntropy: {
        std::vector<TensorId> reads = {dy, x, op.inputs[1], op.outputs[1]};
        emit(make(op.kind, name, std::move(reads)), {x});
        return;
      }
      case OpKind::kNllLoss:
        emit(make(op.kind, name, {dy, op.inputs[1]}), {x});
        return;
      case OpKind::kSquaredError:
        emit(make(op.kind, name, {dy, x, op.inputs[1]}), {x});
        return;
      case OpKind::kTopK:
        emit(make(op.kind, name, {dy, op.outputs[1]}), {x});
        return;
      case OpKind::kAdd:
        for (const TensorId input : op.inputs) {
          emit_reduced(name, dy, input);
        }
        return;
      case OpKind::kMultiply:
        differentiate_multiply(op, dy);
        return;
      case OpKind::kDivide:
        emit(make(op.kind, name, {dy, op.inputs[1]}), {x});
        if (op.inputs.size() > 1) {
          emit(make(op.kind, name, {dy, y, op.inputs[1]}), {op.inputs[1]});
        }
        return;
      case OpKind::kAddScalar:
        emit_reduced(name, dy, x);
        return;
      case OpKind::kScale:
      case OpKind::kNegate:
      case OpKind::kCast:
      case OpKind::kMean:
        emit(make(op.kind, name, {dy}), {x});
        return;
      case OpKind::kReduce:
        emit(make(OpKind::kCopy, name, {dy}), {x});
        return;
      case OpKind::kGelu:
      case OpKind::kGeluTanh:
      case OpKind::kQuickGelu:
      case OpKind::kSilu:
      case OpKind::kPower:
        emit(make(op.kind, name, {dy, x}), {x});
        return;
      case OpKind::kSoftmax:
      case OpKind::kLogSoftmax:
      case OpKind::kRelu:
      case OpKind::kTanh:
      case OpKind::kSigmoid:
      case OpKind::kRsqrt:
        emit(make(op.kind, name, {dy, y}), {x});
        return;
      case OpKind::kSwiglu:
      case OpKind::kGeglu:
      case OpKind::kReglu:
        emit(make(op.kind, name, {dy, x, op.inputs[1]}), op.inputs);
        return;
      case OpKind::kRotary: {
        std::vector<TensorId> reads = {dy};
        reads.insert(reads.end(), op.inputs.begin() + 1, op.inputs.end());
        emit(make(op.kind, name, std::move(reads)), {x});
        return;
      }
      case OpKind::kDropout:
        emit(make(op.kind, name, {dy, op.outputs[1]}), {x});
        return;
      case OpKind::kCopy:
        if (element_count(tensor(x).shape) == element_count(tensor(y).shape)) {
          emit_view(name, dy, x);
        } else {
          emit(make(OpKind::kReduce, name, {dy}), {x});
        }
        return;
      case OpKind::kConcatenate:
        differentiate_concatenate(op, dy);
        return;
      case OpKind::kEmbedding:
        emit(make(op.kind, name, {dy, x}), {op.inputs[1]});
        return;
      case OpKind::kGather:
        emit(make(OpKind::kScatterAdd, name, {dy, op.inputs[1]}), {x});
        return;
      case OpKind::kScatterAdd:
        emit(make(OpKind::kGather, name, {dy, op.inputs[1]}), {x});
        return;
      case OpKind::kView:
        if (element_count(tensor(x).shape) == element_count(tensor(y).shape)) {
          emit_view(name, dy, x);
        } else {  // a part of x: the rest of its gradient is zero, and written
          emit(make(OpKind::kCopy, name, {dy}), {x});
        }
        return;
      case OpKind::kAllReduce:
        emit_reduced(name, dy, x);
        return;
      case OpKind::kEnterTensorParallel:
        emit_collective(OpKind::kAllReduce, op, dy);
        return;
      case OpKind::kAllGather:
        emit_collective(OpKind::kReduceScatter, op, dy);
        return;
      case OpKind::kReduceScatter:
        emit_collective(OpKind::kAllGather, op, dy);
        return;
      case OpKind::kAllToAll:
        emit_collective(OpKind::kAllToAll, op, dy);
        return;
      case OpKind::kSplit:
      case OpKind::kJoin:
      case OpKind::kAdam:
      case OpKind::kSgd:
        break;
    }
    CHECK(false, op.name + ": not an operator of a forward pass");
  }

  void differentiate_multiply(const Operator& op, TensorId dy) {
    for (std::size_t i = 0; i < 2; ++i) {
      const TensorId of = op.inputs[i];
      const TensorId other = op.inputs[1 - i];
      if (!needs_[of]) {
        continue;
      }
      const std::string name = op.name + ".gradient";
      if (element_count(tensor(of).shape) == element_count(tensor(dy).shape) &&
          tensor(of).role != Role::kParameter) {
        emit(make(op.kind, name, {dy, other}), {of});
      } else {  // was broadcast: the product has dy's shape, then it is summed
        Tensor full = tensor(dy);
        full.name = name;
        full.view_of = std::nullopt;
        const TensorId whole = build_.add(make(op.kind, name, {dy, other}), {full})[0];
        emit(make(OpKind::kReduce, name + ".sum", {whole}), {of});
      }
    }
  }

  void emit_collective(OpKind kind, const Operator& forward, TensorId dy) {
    Operator op = make(kind, forward.name + ".gradient", {dy});
    op.group = forward.group;
    emit(std::move(op), {forward.inputs[0]});
  }

  std::size_t forward_operators_;
  BackwardOptions options_;
  LayerBuilder build_;
  IdVector<TensorId, bool> needs_;
  IdVector<TensorId, std::vector<TensorId>> parts_;
};

}  // namespace

Layer add_backward(Layer forward, const BackwardOptions& options) {
  return Differentiator(std::move(forward), options).run();
}

}  // namespace phaze::graph
