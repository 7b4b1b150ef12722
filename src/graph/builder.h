#pragma once
// Builds one layer operator by operator, inferring shapes. Every function adds one operator and
// returns its first output; names of operators and tensors are unique within the layer (a repeated
// name gets a number). Wrong shapes are bugs of the caller: CHECK.

#include <map>
#include <string>
#include <vector>

#include "graph/layer.h"

namespace phaze::graph {

class LayerBuilder {
 public:
  explicit LayerBuilder(std::string name, std::int64_t repeat = 1);
  // Goes on with a layer that exists: the operators that follow get this pass.
  LayerBuilder(Layer layer, Pass pass);

  // Tensors that no operator writes.
  TensorId input(const std::string& name, Shape shape, ElementType type);
  TensorId shared(const std::string& name, Shape shape, ElementType type);
  TensorId constant(const std::string& name, Shape shape, ElementType type);
  TensorId parameter(const std::string& name, Shape shape, ElementType type, bool is_tied = false);
  TensorId state(const std::string& name, Shape shape, ElementType type);
  TensorId outside_gradient(const std::string& name, TensorId of);

  // x[..., k] times weight[n, k], plus bias[n] when given.
  TensorId linear(const std::string& name, TensorId x, TensorId weight,
                  std::optional<TensorId> bias = std::nullopt);
  // Two activations, or anything else whose shape the caller knows.
  TensorId product(const std::string& name, TensorId a, TensorId b, ProductShape shape,
                   Shape output, ElementType type);
  TensorId convolution(const std::string& name, TensorId x, TensorId weight, TensorId bias,
                       ProductShape shape, Shape output);
  TensorId attention(const std::string& name, std::vector<TensorId> inputs, AttentionShape shape,
                     Shape output);

  TensorId layer_norm(const std::string& name, TensorId x, std::vector<TensorId> weights);
  TensorId rms_norm(const std::string& name, TensorId x, std::vector<TensorId> weights);
  // A row or element-wise operator whose output has x's shape.
  TensorId unary(OpKind kind, const std::string& name, TensorId x);
  TensorId unary(OpKind kind, const std::string& name, TensorId x, ElementType type);
  // Element-wise with broadcasting: the output has the larger operand's shape.
  TensorId binary(OpKind kind, const std::string& name, TensorId a, TensorId b);
  TensorId binary(OpKind kind, const std::string& name, TensorId a, TensorId b, ElementType type);
  TensorId dropout(const std::string& name, TensorId x);
  TensorId mean(const std::string& name, TensorId x);

  TensorId copy(const std::string& name, TensorId x, Shape shape);
  TensorId concatenate(const std::string& name, std::vector<TensorId> parts, Shape shape);
  TensorId embedding(const std::string& name, TensorId table, TensorId ids);
  TensorId gather(const std::string& name, TensorId x, TensorId indices, Shape shape);
  TensorId scatter_add(const std::string& name, TensorId x, TensorId indices, Shape shape);
  TensorId view(const std::string& name, TensorId x, Shape shape);
  // Views of consecutive parts of the last dimension.
  std::vector<TensorId> split(const std::string& name, TensorId x,
                              const std::vector<std::int64_t>& sizes);

  TensorId collective(OpKind kind, const std::string& name, TensorId x, Shape shape,
                      std::int64_t group);

  // The general form behind all of them.
  std::vector<TensorId> add(Operator op, std::vector<Tensor> outputs);

  void set_region(Region region) { region_ = region; }
  Region region() const { return region_; }
  void forbid_recompute() { layer_.can_recompute = false; }
  void hand_over(TensorId output) { layer_.outputs.push_back(output); }

  const Tensor& tensor(TensorId id) const { return layer_.tensors[id]; }
  const Shape& shape(TensorId id) const { return layer_.tensors[id].shape; }
  const Layer& layer() const { return layer_; }
  Layer finish() && { return std::move(layer_); }

 private:
  TensorId add_tensor(Tensor tensor);
  std::string unique(const std::string& name, std::map<std::string, int>& used) const;

  Layer layer_;
  Pass pass_ = Pass::kForward;
  Region region_ = Region::kNone;
  std::map<std::string, int> tensor_names_;
  std::map<std::string, int> operator_names_;
};

}  // namespace phaze::graph
