#include "models/layers.h"
#include "models/parts.h"

namespace phaze::models {

using graph::ElementType;
using graph::Layer;
using graph::LayerBuilder;
using graph::OpKind;
using graph::Role;
using graph::Shape;
using graph::TensorId;

namespace {

class HeadBuilder {
 public:
  HeadBuilder(const ModelSpec& spec, const BuildOptions& options)
      : spec_(spec),
        options_(options),
        build_("head"),
        parts_(build_, options, spec.hidden,
               stack_sequence(spec, options, spec.stacks.size() - 1)) {
    build_.forbid_recompute();
  }

  std::optional<Layer> run() && {
    const Stack& stack = spec_.stacks.back();
    TensorId x = build_.input("x", parts_.token_shape(spec_.hidden), parts_.type());
    if (stack.has_final_norm) {
      x = parts_.norm("norm", spec_.norm, x);
    }
    x = parts_.dropout("dropout", stack.final_dropout, x);
    if (spec_.embedding.vocabulary > 0 && spec_.embedding.width != spec_.hidden) {
      x = parts_.whole("project_out", x, spec_.embedding.width, false);
    }
    bool has_loss = false;
    if (spec_.head.vocabulary) {
      add_vocabulary(x);
      has_loss = true;
    }
    has_loss = add_small_heads(x) || has_loss;
    if (build_.layer().operators.empty()) {
      return std::nullopt;
    }
    if (!has_loss) {
      build_.hand_over(TensorId(
          build_.layer().operators[graph::OpId(build_.layer().operators.size() - 1)].outputs[0]));
    }
    return std::move(build_).finish();
  }

 private:
  bool is_split() const { return options_.tensor_width > 1; }

  // All tokens of the sequence on every device, for the small heads that are not split.
  TensorId gather(TensorId x) {
    if (!options_.sequence_parallel) {
      return x;
    }
    Shape whole = build_.shape(x);
    whole[1] *= options_.tensor_width;
    return build_.collective(OpKind::kAllGather, "gather_tokens", x, std::move(whole),
                             options_.tensor_width);
  }

  void add_vocabulary(TensorId x) {
    const Head& head = spec_.head;
    const VocabularyProjection& projection = *head.vocabulary;
    if (head.has_transform) {
      x = parts_.whole("transform", x, spec_.hidden, true);
      x = parts_.activate("transform_activation", head.transform_activation, x);
      x = parts_.norm("transform_norm", spec_.norm, x);
    }
    if (head.has_scaled_output) {
      x = build_.unary(OpKind::kScale, "scale", x);
    }
    x = parts_.enter("enter_vocabulary", x);
    const std::int64_t share = spec_.embedding.vocabulary / options_.tensor_width;
    const TensorId weight = build_.parameter("vocabulary.weight", {share, build_.shape(x).back()},
                                             parts_.type(), projection.is_tied);
    std::optional<TensorId> bias;
    if (projection.has_bias) {
      bias = build_.parameter("vocabulary.bias", {share}, parts_.type());
    }
    if (projection.unused_biases > 0) {
      build_.parameter("vocabulary.unused_bias", {projection.unused_biases / options_.tensor_width},
                       parts_.type());
    }
    const TensorId logits = build_.linear("vocabulary", x, weight, bias);
    const Shape shape = build_.shape(logits);
    add_loss("loss", logits, shape[0] * shape[1], spec_.head.has_f32_loss, is_split());
  }

  // Cross-entropy of each row. Over a split vocabulary the maximum, the sum of exponentials and
  // the label's logit of each row are added up over the devices.
  void add_loss(const std::string& name, TensorId logits, std::int64_t rows, bool in_f32,
                bool is_over_devices) {
    const TensorId labels = build_.constant(name + ".labels", {rows}, ElementType::kI64);
    if (in_f32 && parts_.type() != ElementType::kF32) {
      logits = build_.unary(OpKind::kCast, name + ".to_f32", logits, ElementType::kF32);
    }
    if (parts_.is_eager() && !is_over_devices) {
      const TensorId odds = build_.unary(OpKind::kLogSoftmax, name + ".log_softmax", logits);
      build_.hand_over(add(OpKind::kNllLoss, name, {odds, labels},
                           {{name, {1}, build_.tensor(odds).type, Role::kActivation, {}, false}}));
      return;
    }
    constexpr std::int64_t kPartial = 3;
    const Shape result = is_over_devices ? Shape{rows, kPartial} : Shape{1};
    const TensorId loss =
        add(OpKind::kCrossEntropy, name, {logits, labels},
            {{name, result, ElementType::kF32, Role::kActivation, {}, false},
             {name + ".statistics", {rows, 2}, ElementType::kF32, Role::kActivation, {}, false}});
    build_.hand_over(is_over_devices ? build_.collective(OpKind::kAllReduce, name + ".reduce", loss,
                                                         build_.shape(loss), options_.tensor_width)
                                     : loss);
  }

  bool add_small_heads(TensorId x) {
    const Head& head = spec_.head;
    if (head.pooler_width == 0 && head.classifiers.empty()) {
      return false;
    }
    x = gather(x);
    if (head.pooler_width > 0) {
      x = first_tokens("first_token", x);
      x = linear("pooler", x, head.pooler_width, true);
      x = parts_.activate("pooler_activation", Activation::kTanh, x);
    }
    int number = 0;
    for (const Classifier& classifier : head.classifiers) {
      const std::string name = "classifier" + (++number > 1 ? std::to_string(number) : "");
      add_classifier(name, classifier, x);
    }
    return !head.classifiers.empty();
  }

  void add_classifier(const std::string& name, const Classifier& classifier, TensorId x) {
    const bool has_tokens = build_.shape(x).size() == 3;
    if (has_tokens && !classifier.is_per_token) {
      x = first_tokens(name + ".token", x);
    }
    if (classifier.has_dense) {
      x = linear(name + ".dense", x, spec_.hidden, true);
      x = parts_.activate(name + ".activation", Activation::kTanh, x);
    }
    const TensorId y = linear(name, x, classifier.outputs, classifier.has_bias);
    if (spec_.head.is_image_reconstruction) {
      const TensorId target = build_.constant("target", build_.shape(y), parts_.type());
      build_.hand_over(add(OpKind::kSquaredError, name + ".loss", {y, target},
                           {{name + ".loss", {1}, parts_.type(), Role::kActivation, {}, false}}));
      return;
    }
    const std::int64_t rows = graph::element_count(build_.shape(y)) / classifier.outputs;
    add_loss(name + ".loss", y, rows, false, false);
  }

  // A view: the whole sequence stays alive behind it.
  TensorId first_tokens(const std::string& name, TensorId x) {
    return build_.view(name, x, {options_.microbatch, build_.shape(x).back()});
  }

  // Small matrices see all tokens on every device: no part of their gradient is missing.
  TensorId linear(const std::string& name, TensorId x, std::int64_t outputs, bool has_bias) {
    const TensorId weight =
        build_.parameter(name + ".weight", {outputs, build_.shape(x).back()}, parts_.type());
    std::optional<TensorId> bias;
    if (has_bias) {
      bias = build_.parameter(name + ".bias", {outputs}, parts_.type());
    }
    return build_.linear(name, x, weight, bias);
  }

  TensorId add(OpKind kind, const std::string& name, std::vector<TensorId> inputs,
               std::vector<graph::Tensor> outputs) {
    graph::Operator op;
    op.kind = kind;
    op.name = name;
    op.inputs = std::move(inputs);
    return build_.add(std::move(op), std::move(outputs))[0];
  }

  const ModelSpec& spec_;
  const BuildOptions& options_;
  LayerBuilder build_;
  Parts parts_;
};

}  // namespace

std::optional<Layer> build_head(const ModelSpec& spec, const BuildOptions& options) {
  return HeadBuilder(spec, options).run();
}

}  // namespace phaze::models
