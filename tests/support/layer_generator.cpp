// Random layers: operators on tensors of a few shapes, so that they often fit one another.
#include <ostream>

#include "graph/builder.h"
#include "support/generators.h"

namespace phaze::tests {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::Region;
using graph::Shape;
using graph::TensorId;

namespace {

class LayerMaker {
 public:
  graph::Layer make(int most) {
    tensors_.push_back(build_.input("x", {2, kWide}, ElementType::kBf16));
    tensors_.push_back(build_.input("z", {2, kWide}, ElementType::kBf16));
    tensors_.push_back(build_.shared("shared", {2, kWide}, ElementType::kBf16));
    tensors_.push_back(build_.constant("constant", {2, kWide}, ElementType::kBf16));
    const int operators = *rc::gen::inRange(1, most + 1);
    for (int i = 0; i < operators; ++i) {
      build_.set_region(*rc::gen::weightedElement<Region>({{4, Region::kNone},
                                                           {2, Region::kAttentionCore},
                                                           {1, Region::kNorm},
                                                           {1, Region::kActivation},
                                                           {1, Region::kRegather}}));
      tensors_.push_back(add());
    }
    build_.hand_over(tensors_.back());
    if (*rc::gen::arbitrary<bool>()) {
      build_.hand_over(any());
    }
    return std::move(build_).finish();
  }

 private:
  static constexpr std::int64_t kWide = 4;

  TensorId any() { return *rc::gen::elementOf(tensors_); }
  const Shape& shape(TensorId id) { return build_.shape(id); }
  TensorId parameter(Shape shape) {
    return build_.parameter("w", std::move(shape), ElementType::kBf16,
                            *rc::gen::weightedElement<bool>({{4, false}, {1, true}}));
  }

  // An operator on tensors of two rows, with a result of two rows.
  TensorId add() {
    const TensorId x = any();
    switch (*rc::gen::inRange(0, 13)) {
      case 0:
        return build_.linear("linear", x, parameter({kWide, kWide}));
      case 1:
        return build_.linear("biased", x, parameter({kWide, kWide}), parameter({kWide}));
      case 2:
        return build_.unary(*rc::gen::element(OpKind::kGelu, OpKind::kRelu, OpKind::kSoftmax,
                                              OpKind::kScale, OpKind::kTanh, OpKind::kAddScalar),
                            "unary", x);
      case 3: {
        const TensorId y = any();
        return build_.binary(
            *rc::gen::element(OpKind::kAdd, OpKind::kMultiply, OpKind::kSwiglu, OpKind::kDivide),
            "binary", x, y);
      }
      case 4:
        return build_.binary(*rc::gen::element(OpKind::kAdd, OpKind::kMultiply), "row", x,
                             parameter({kWide}));
      case 5:
        return build_.layer_norm("norm", x, {parameter({kWide}), parameter({kWide})});
      case 6:
        return build_.dropout("dropout", x);
      case 7:
        return build_.copy("copy", x, shape(x));
      case 8:
        return build_.view("view", build_.view("flat", x, {2 * kWide}), shape(x));
      case 9: {
        const std::vector<TensorId> parts = build_.split("split", x, {1, kWide - 1});
        return build_.concatenate("join", parts, shape(x));
      }
      case 10: {
        const TensorId y = any();
        const TensorId scores =
            build_.product("scores", x, y, {1, 2, 2, kWide}, {2, 2}, ElementType::kBf16);
        const TensorId v = any();
        return build_.product("context", scores, v, {1, 2, kWide, 2}, {2, kWide},
                              ElementType::kBf16);
      }
      case 11: {
        const TensorId part =
            build_.collective(OpKind::kReduceScatter, "scatter", x, {1, kWide}, 2);
        return build_.collective(OpKind::kAllGather, "gather", part, {2, kWide}, 2);
      }
      default: {
        const TensorId k = any();
        const TensorId v = any();
        return build_.attention("attention", {x, k, v}, {1, 2, 2, 2, 2, 2, true, 0}, shape(x));
      }
    }
  }

  LayerBuilder build_{"random"};
  std::vector<TensorId> tensors_;
};

}  // namespace

rc::Gen<graph::Layer> any_layer(int most) {
  return rc::gen::exec([most] { return LayerMaker().make(most); });
}

}  // namespace phaze::tests

namespace phaze::graph {

void showValue(const Layer& layer, std::ostream& out) {
  for (const Operator& op : layer.operators) {
    out << "\n  " << op.name << " (" << to_string(op.kind) << ", " << to_string(op.region) << "):";
    for (const TensorId id : op.inputs) {
      out << " " << layer.tensors[id].name;
    }
    out << " ->";
    for (const TensorId id : op.outputs) {
      out << " " << layer.tensors[id].name;
    }
  }
  out << "\n  outputs:";
  for (const TensorId id : layer.outputs) {
    out << " " << layer.tensors[id].name;
  }
}

}  // namespace phaze::graph
