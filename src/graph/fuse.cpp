#include "graph/fuse.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>

#include "base/check.h"

namespace phaze::graph {
namespace {

class Fuser {
 public:
  Fuser(const Layer& layer, Fusion fusion)
      : layer_(layer), fusion_(fusion), operators_(layer.operators.begin(), layer.operators.end()) {
    layer_.operators = {};
    results_.insert(layer.outputs.begin(), layer.outputs.end());
    for (const TensorId id : ids_of(layer.tensors)) {
      const Role role = layer.tensors[id].role;
      if ((role == Role::kGradient || role == Role::kParameterGradient) && !is_read(id)) {
        results_.insert(id);
      }
    }
  }

  Layer run() && {
    // A pair that fuses may take away what kept another from fusing: again until none does.
    for (std::size_t before = operators_.size() + 1; operators_.size() < before;) {
      before = operators_.size();
      for (std::size_t at = 0; at < operators_.size();) {
        at = traits(operators_[at].kind).elementwise ? fuse_at(at) : at + 1;
      }
    }
    join_in_place();
    for (Operator& op : operators_) {
      layer_.operators.push_back(std::move(op));
    }
    return without_unused_tensors(layer_);
  }

 private:
  const Shape& shape(TensorId id) const { return layer_.tensors[id].shape; }

  bool can_host(const Operator& host, const Operator& guest) const {
    const bool is_product = host.product.has_value();
    if (host.pass != guest.pass || !(is_product || traits(host.kind).elementwise) ||
        (is_product && fusion_ != Fusion::kFull)) {
      return false;
    }
    return element_count(shape(host.outputs[0])) == element_count(shape(guest.outputs[0]));
  }

  bool writes(const Operator& op, TensorId id) const {
    return std::ranges::find(op.outputs, id) != op.outputs.end();
  }

  // Does an operator strictly between the two read the host, or feed the guest?
  bool reads_any(const Operator& op, const std::set<TensorId>& tensors) const {
    return std::ranges::any_of(op.inputs, [&](TensorId id) {
      return tensors.contains(id) || tensors.contains(storage_of(layer_, id));
    });
  }

  // May the pair run at the guest's place? Nobody between them needs what the host writes.
  bool can_move_down(std::size_t host, std::size_t guest) const {
    const std::set<TensorId> written(operators_[host].outputs.begin(),
                                     operators_[host].outputs.end());
    for (std::size_t at = host + 1; at < guest; ++at) {
      if (reads_any(operators_[at], written)) {
        return false;
      }
    }
    return true;
  }

  // May the pair run at the host's place? Nobody between them writes what the guest needs.
  bool can_move_up(std::size_t host, std::size_t guest) const {
    for (std::size_t at = host + 1; at < guest; ++at) {
      for (const TensorId id : operators_[guest].inputs) {
        if (writes(operators_[at], id)) {
          return false;
        }
      }
    }
    return true;
  }

  // Fuses the operator at `guest` into the one before it if it can; returns where to go on.
  std::size_t fuse_at(std::size_t guest) {
    std::optional<std::size_t> best;
    for (const TensorId input : operators_[guest].inputs) {
      for (std::size_t host = guest; host > 0;) {
        --host;
        if (!writes(operators_[host], input)) {
          continue;
        }
        if (can_host(operators_[host], operators_[guest]) &&
            (can_move_down(host, guest) || can_move_up(host, guest)) &&
            (!best || (operators_[host].product && !operators_[*best].product))) {
          best = host;
        }
        break;
      }
    }
    if (!best) {
      return guest + 1;
    }
    const bool at_guest = can_move_down(*best, guest);
    Operator merged = merge(operators_[*best], operators_[guest]);
    operators_[at_guest ? guest : *best] = std::move(merged);
    operators_.erase(operators_.begin() + static_cast<std::ptrdiff_t>(at_guest ? *best : guest));
    const std::size_t merged_at = at_guest ? guest - 1 : *best;
    drop_unread_outputs(operators_[merged_at]);
    return merged_at;  // the pair may join the one that writes another of its operands
  }

  Operator merge(const Operator& host, const Operator& guest) const {
    Operator merged = host;
    for (const TensorId input : guest.inputs) {
      if (!writes(host, input) && std::ranges::find(merged.inputs, input) == merged.inputs.end()) {
        merged.inputs.push_back(input);
      }
    }
    // What the pair is for comes first.
    merged.outputs = guest.outputs;
    merged.outputs.insert(merged.outputs.end(), host.outputs.begin(), host.outputs.end());
    merged.vector_flops += guest.vector_flops;
    merged.fused.push_back({guest.name, guest.kind});
    merged.fused.insert(merged.fused.end(), guest.fused.begin(), guest.fused.end());
    // Fusion comes after recomputation: a mixed operator belongs to no region any more.
    if (guest.region != host.region) {
      merged.region = Region::kNone;
    }
    return merged;
  }

  bool is_read(TensorId id) const {
    return std::ranges::any_of(operators_, [&](const Operator& op) {
      return std::ranges::find(op.inputs, id) != op.inputs.end();
    });
  }

  bool is_result(const Operator& op, TensorId id) const {
    return results_.contains(id) || op.outputs[0] == id;
  }

  void drop_unread_outputs(Operator& op) {
    std::vector<TensorId> kept;
    for (const TensorId id : op.outputs) {
      if (is_result(op, id) || is_read(id)) {
        kept.push_back(id);
      }
    }
    op.outputs = std::move(kept);
  }

  // A concatenation of tensors that were written only for it.
  void join_in_place() {
    for (Operator& op : operators_) {
      if (op.kind != OpKind::kConcatenate) {
        continue;
      }
      const std::set<TensorId> distinct(op.inputs.begin(), op.inputs.end());
      const bool can_join =
          distinct.size() == op.inputs.size() && std::ranges::all_of(op.inputs, [&](TensorId id) {
            return !layer_.tensors[id].view_of && count_readers(id) == 1 && is_written(id, op.pass);
          });
      if (can_join) {
        op.kind = OpKind::kJoin;
        op.vector_flops = Flops();
        for (const TensorId id : op.inputs) {
          layer_.tensors[id].view_of = op.outputs[0];
        }
      }
    }
  }

  std::size_t count_readers(TensorId id) const {
    return static_cast<std::size_t>(std::ranges::count_if(operators_, [&](const Operator& op) {
      return std::ranges::find(op.inputs, id) != op.inputs.end();
    }));
  }

  bool is_written(TensorId id, Pass pass) const {
    return std::ranges::any_of(operators_, [&](const Operator& op) {
      return op.pass == pass && writes(op, id) && traits(op.kind).unit != Unit::kNone;
    });
  }

  static Layer without_unused_tensors(const Layer& layer) {
    std::set<TensorId> used(layer.outputs.begin(), layer.outputs.end());
    for (const Operator& op : layer.operators) {
      used.insert(op.inputs.begin(), op.inputs.end());
      used.insert(op.outputs.begin(), op.outputs.end());
    }
    for (const TensorId id : ids_of(layer.tensors)) {
      const Tensor& tensor = layer.tensors[id];
      if (is_weight(tensor)) {
        used.insert(id);
      }
      for (std::optional<TensorId> at = tensor.view_of; at && used.contains(id);
           at = layer.tensors[*at].view_of) {
        used.insert(*at);
      }
    }
    Layer result;
    result.name = layer.name;
    result.repeat = layer.repeat;
    result.can_recompute = layer.can_recompute;
    std::map<TensorId, TensorId> moved;
    for (const TensorId id : used) {
      moved[id] = result.tensors.push_back(layer.tensors[id]);
    }
    for (Tensor& tensor : result.tensors) {
      if (tensor.view_of) {
        tensor.view_of = moved.at(*tensor.view_of);
      }
    }
    const auto renumber = [&moved](std::vector<TensorId>& ids) {
      for (TensorId& id : ids) {
        id = moved.at(id);
      }
    };
    result.outputs = layer.outputs;
    renumber(result.outputs);
    for (Operator op : layer.operators) {
      renumber(op.inputs);
      renumber(op.outputs);
      result.operators.push_back(std::move(op));
    }
    return result;
  }

  Layer layer_;
  Fusion fusion_;
  std::vector<Operator> operators_;
  // What is handed over, and the gradients of parameters and inputs, which nobody in the layer
  // reads.
  std::set<TensorId> results_;
};

}  // namespace

std::optional<Fusion> parse_fusion(std::string_view name) {
  if (name == "none") {
    return Fusion::kNone;
  }
  if (name == "elementwise") {
    return Fusion::kElementwise;
  }
  if (name == "full") {
    return Fusion::kFull;
  }
  return std::nullopt;
}

std::string_view to_string(Fusion fusion) {
  switch (fusion) {
    case Fusion::kNone:
      return "none";
    case Fusion::kElementwise:
      return "elementwise";
    case Fusion::kFull:
      return "full";
  }
  CHECK(false, "unknown fusion");
}

Layer fuse_elementwise(const Layer& layer, Fusion fusion) {
  if (fusion == Fusion::kNone) {
    return layer;
  }
  return Fuser(layer, fusion).run();
}

}  // namespace phaze::graph
