#include "report/operator_text.h"

namespace phaze::report {

using graph::Layer;
using graph::Operator;

std::string shape_text(const graph::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text.empty() ? "1" : text;
}

std::string operator_shape(const Layer& layer, const Operator& op) {
  if (op.product) {
    const graph::ProductShape& p = *op.product;
    return (p.batch > 1 ? std::to_string(p.batch) + " * " : "") + shape_text({p.m, p.n, p.k});
  }
  if (op.attention) {
    const graph::AttentionShape& a = *op.attention;
    return std::to_string(a.batch * a.heads) + " * " + shape_text({a.queries, a.keys, a.head_dim}) +
           (a.is_causal ? " causal" : "");
  }
  const graph::Tensor& result = layer.tensors[op.outputs[0]];
  return shape_text(result.shape);
}

std::string operator_name(const Operator& op) {
  std::string name = op.name;
  for (const graph::FusedPart& part : op.fused) {
    name += " + " + part.name;
  }
  constexpr std::size_t kLongest = 48;
  if (name.size() > kLongest) {
    name = op.name + " + " + std::to_string(op.fused.size()) + " fused";
  }
  return name;
}

}  // namespace phaze::report
