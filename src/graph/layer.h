#pragma once
// The operator graph of a model as plain data: a chain of layers, equal ones stored once with a
// count; a layer is a list of operators in an order that may be run, joined by tensors that are
// each written once. What a graph must keep is in verify.h; how it is made in builder.h (forward),
// backward.h, recompute.h, optimizer.h and fuse.h; what follows from it in work.h and summary.h.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "graph/element_type.h"
#include "graph/op_kind.h"

namespace phaze::graph {

using TensorId = Id<struct TensorTag>;
using OpId = Id<struct OpTag>;
using Shape = std::vector<std::int64_t>;

enum class Role {
  kInput,      // what the layer before hands over
  kShared,     // another layer's result that several layers read: the encoder's output
  kConstant,   // made once and not trained: token ids, masks, rotary tables, images
  kParameter,  // a weight
  kActivation,
  kGradient,
  kParameterGradient,
  kOptimizerState,
};

struct Tensor {
  std::string name;
  Shape shape;
  ElementType type = ElementType::kBf16;
  Role role = Role::kActivation;
  std::optional<TensorId> view_of;  // shares that tensor's storage
  bool is_tied = false;             // a parameter that another layer owns and counts

  bool operator==(const Tensor&) const = default;
};

enum class Pass { kForward, kRecompute, kBackward, kOptimizer };

// Parts of a layer that a recompute policy can name.
enum class Region { kNone, kAttentionCore, kNorm, kActivation, kRegather };

struct ProductShape {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool operator==(const ProductShape&) const = default;
};

struct AttentionShape {
  std::int64_t batch = 1, heads = 0, kv_heads = 0, queries = 0, keys = 0, head_dim = 0;
  bool is_causal = false;
  std::int64_t window = 0;   // a query sees at most so many keys; 0: all
  bool has_dropout = false;  // on the weights, inside
  bool operator==(const AttentionShape&) const = default;
};

// An operator that was fused into another one and keeps nothing but its name and kind.
struct FusedPart {
  std::string name;
  OpKind kind = OpKind::kAdd;
  bool operator==(const FusedPart&) const = default;
};

struct Operator {
  std::string name;
  OpKind kind = OpKind::kAdd;
  Pass pass = Pass::kForward;
  Region region = Region::kNone;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::optional<ProductShape> product;      // kProduct, kConvolution
  std::optional<AttentionShape> attention;  // kAttention
  std::int64_t group = 1;                   // devices that take part, for network operators
  Flops vector_flops;                       // fused parts included
  std::vector<FusedPart> fused;

  bool operator==(const Operator&) const = default;
};

struct Layer {
  std::string name;
  std::int64_t repeat = 1;
  IdVector<TensorId, Tensor> tensors;
  IdVector<OpId, Operator> operators;
  std::vector<TensorId> outputs;  // what is handed to the next layer (or the loss)
  bool can_recompute = true;      // recompute policies apply to it: a block, not a loss

  bool operator==(const Layer&) const = default;
};

struct Model {
  std::string name;
  std::int64_t sequence = 0;
  std::int64_t microbatch = 1;
  std::int64_t tensor_width = 1;
  std::int64_t parameters = 0;  // of the whole model, each tied one once, over all shards
  std::map<std::string, std::string> settings;  // how the graph was made, for people
  std::vector<Layer> layers;

  bool operator==(const Model&) const = default;
};

std::string_view to_string(Role role);
std::string_view to_string(Pass pass);
std::string_view to_string(Region region);
std::optional<Role> parse_role(std::string_view name);
std::optional<Pass> parse_pass(std::string_view name);
std::optional<Region> parse_region(std::string_view name);

std::int64_t element_count(const Shape& shape);
// Elements of a row: 1 for a scalar.
inline std::int64_t last_extent(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }
Bytes size_of(const Tensor& tensor);

// The tensor that owns the storage.
TensorId storage_of(const Layer& layer, TensorId id);

// The same for all tensors at once. O(tensors).
IdVector<TensorId, TensorId> compute_storages(const Layer& layer);

// For each tensor the operator that writes it, if one does. O(operators).
IdVector<TensorId, std::optional<OpId>> compute_producers(const Layer& layer);

bool is_weight(const Tensor& tensor);

}  // namespace phaze::graph
