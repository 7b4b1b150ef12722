#include "graph/layer.h"

#include <array>

#include "base/check.h"
#include "base/names.h"

namespace phaze::graph {
namespace {

constexpr std::array kRoles = {
    NameOf<Role>{Role::kInput, "input"},
    NameOf<Role>{Role::kShared, "shared"},
    NameOf<Role>{Role::kConstant, "constant"},
    NameOf<Role>{Role::kParameter, "parameter"},
    NameOf<Role>{Role::kActivation, "activation"},
    NameOf<Role>{Role::kGradient, "gradient"},
    NameOf<Role>{Role::kParameterGradient, "parameter_gradient"},
    NameOf<Role>{Role::kOptimizerState, "optimizer_state"},
};
constexpr std::array kPasses = {
    NameOf<Pass>{Pass::kForward, "forward"},
    NameOf<Pass>{Pass::kRecompute, "recompute"},
    NameOf<Pass>{Pass::kBackward, "backward"},
    NameOf<Pass>{Pass::kOptimizer, "optimizer"},
};
constexpr std::array kRegions = {
    NameOf<Region>{Region::kNone, "none"},
    NameOf<Region>{Region::kAttentionCore, "attention"},
    NameOf<Region>{Region::kNorm, "norms"},
    NameOf<Region>{Region::kActivation, "activations"},
    NameOf<Region>{Region::kRegather, "regather"},
};

static_assert(is_in_order(kRoles) && is_in_order(kPasses) && is_in_order(kRegions));

}  // namespace

std::string_view to_string(Role role) { return name_in(kRoles, role); }
std::string_view to_string(Pass pass) { return name_in(kPasses, pass); }
std::string_view to_string(Region region) { return name_in(kRegions, region); }
std::optional<Role> parse_role(std::string_view name) { return find_in(kRoles, name); }
std::optional<Pass> parse_pass(std::string_view name) { return find_in(kPasses, name); }
std::optional<Region> parse_region(std::string_view name) { return find_in(kRegions, name); }

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count = checked_multiply(count, extent);
  }
  return count;
}

Bytes size_of(const Tensor& tensor) {
  return Bytes(bytes_per_element(tensor.type)) * element_count(tensor.shape);
}

TensorId storage_of(const Layer& layer, TensorId id) {
  for (std::size_t steps = 0; layer.tensors[id].view_of; ++steps) {
    CHECK(steps < layer.tensors.size(), "views form a cycle");
    id = *layer.tensors[id].view_of;
  }
  return id;
}

IdVector<TensorId, TensorId> compute_storages(const Layer& layer) {
  IdVector<TensorId, std::optional<TensorId>> known(layer.tensors.size(), std::nullopt);
  IdVector<TensorId, TensorId> storages(layer.tensors.size(), TensorId());
  std::vector<TensorId> path;
  for (const TensorId id : ids_of(layer.tensors)) {
    TensorId at = id;
    path.clear();
    while (!known[at] && layer.tensors[at].view_of) {
      CHECK(path.size() <= layer.tensors.size(), "views form a cycle");
      path.push_back(at);
      at = *layer.tensors[at].view_of;
    }
    const TensorId storage = known[at].value_or(at);
    known[at] = storage;
    for (const TensorId each : path) {
      known[each] = storage;
    }
    storages[id] = storage;
  }
  return storages;
}

IdVector<TensorId, std::optional<OpId>> compute_producers(const Layer& layer) {
  IdVector<TensorId, std::optional<OpId>> producers(layer.tensors.size(), std::nullopt);
  for (const OpId op : ids_of(layer.operators)) {
    for (const TensorId output : layer.operators[op].outputs) {
      producers[output] = op;
    }
  }
  return producers;
}

bool is_weight(const Tensor& tensor) { return tensor.role == Role::kParameter; }

}  // namespace phaze::graph
