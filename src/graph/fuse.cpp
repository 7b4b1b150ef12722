#include "graph/fuse.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"

namespace phaze::graph {
namespace {

// Operators stay in their slots: of a pair that fuses one slot empties. Who writes and who reads
// each tensor is kept in tables, so that a pair costs as much as it has operands and readers.
class Fuser {
 public:
  Fuser(const Layer& layer, Fusion fusion)
      : layer_(layer),
        fusion_(fusion),
        slots_(layer.operators.begin(), layer.operators.end()),
        is_empty_(slots_.size(), false),
        writer_(layer.tensors.size(), std::nullopt),
        readers_(layer.tensors.size(), {}) {
    layer_.operators = {};
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      enter_tables(slot);
    }
    results_.insert(layer.outputs.begin(), layer.outputs.end());
    for (const TensorId id : ids_of(layer.tensors)) {
      const Role role = layer.tensors[id].role;
      if ((role == Role::kGradient || role == Role::kParameterGradient) && readers_[id].empty()) {
        results_.insert(id);
      }
    }
  }

  Layer run() && {
    // A pair that fuses may take away what kept another from fusing: again until none does.
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        for (std::optional<std::size_t> at = slot; at && can_be_guest(*at);) {
          at = fuse(*at);  // the pair may join the one that writes another of its operands
          has_changed = has_changed || at.has_value();
        }
      }
    }
    join_in_place();
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (!is_empty_[slot]) {
        layer_.operators.push_back(std::move(slots_[slot]));
      }
    }
    return without_unused_tensors(layer_);
  }

 private:
  std::int64_t elements(const Operator& op) const {
    return element_count(layer_.tensors[op.outputs[0]].shape);
  }

  bool can_be_guest(std::size_t slot) const {
    return !is_empty_[slot] && traits(slots_[slot].kind).elementwise;
  }

  void enter_tables(std::size_t slot) {
    for (const TensorId id : slots_[slot].outputs) {
      writer_[id] = slot;
    }
    for (const TensorId id : slots_[slot].inputs) {
      readers_[id].insert(slot);
    }
  }

  void leave_tables(std::size_t slot) {
    for (const TensorId id : slots_[slot].outputs) {
      writer_[id].reset();
    }
    for (const TensorId id : slots_[slot].inputs) {
      readers_[id].erase(slot);
    }
  }

  bool can_host(const Operator& host, const Operator& guest) const {
    const bool is_product = host.product.has_value();
    if (host.pass != guest.pass || !(is_product || traits(host.kind).elementwise) ||
        (is_product && fusion_ != Fusion::kFull)) {
      return false;
    }
    return elements(host) == elements(guest);
  }

  bool writes(const Operator& op, TensorId id) const {
    return std::ranges::find(op.outputs, id) != op.outputs.end();
  }

  // May the pair run at the guest's place? Nobody between them reads what the host writes.
  bool can_move_down(std::size_t host, std::size_t guest) const {
    return std::ranges::none_of(slots_[host].outputs, [&](TensorId id) {
      const auto next = readers_[id].upper_bound(host);
      return next != readers_[id].end() && *next < guest;
    });
  }

  // May the pair run at the host's place? Nobody between them writes what the guest reads.
  bool can_move_up(std::size_t host, std::size_t guest) const {
    return std::ranges::none_of(slots_[guest].inputs, [&](TensorId id) {
      return writer_[id] && *writer_[id] > host && *writer_[id] < guest;
    });
  }

  // Fuses the operator at `guest` into one that writes an operand of it, a product if there is
  // one; returns the pair's slot, or nothing when it cannot.
  std::optional<std::size_t> fuse(std::size_t guest) {
    std::optional<std::size_t> best;
    for (const TensorId input : slots_[guest].inputs) {
      const std::optional<std::size_t> host = writer_[input];
      if (host && can_host(slots_[*host], slots_[guest]) &&
          (can_move_down(*host, guest) || can_move_up(*host, guest)) &&
          (!best || (slots_[*host].product && !slots_[*best].product))) {
        best = host;
      }
    }
    if (!best) {
      return std::nullopt;
    }
    const std::size_t host = *best;
    const std::size_t kept = can_move_down(host, guest) ? guest : host;
    leave_tables(host);
    leave_tables(guest);
    Operator merged = merge(std::move(slots_[host]), std::move(slots_[guest]));
    is_empty_[kept == guest ? host : guest] = true;
    slots_[kept] = std::move(merged);
    drop_unread_outputs(slots_[kept]);
    enter_tables(kept);
    return kept;
  }

  Operator merge(Operator host, Operator guest) const {
    std::erase_if(guest.inputs, [&](TensorId id) {
      return writes(host, id) || std::ranges::find(host.inputs, id) != host.inputs.end();
    });
    host.inputs.insert(host.inputs.end(), guest.inputs.begin(), guest.inputs.end());
    // What the pair is for comes first.
    host.outputs.insert(host.outputs.begin(), guest.outputs.begin(), guest.outputs.end());
    host.vector_flops += guest.vector_flops;
    host.fused.push_back({guest.name, guest.kind});
    host.fused.insert(host.fused.end(), guest.fused.begin(), guest.fused.end());
    // Fusion comes after recomputation: a mixed operator belongs to no region any more.
    if (guest.region != host.region) {
      host.region = Region::kNone;
    }
    return host;
  }

  void drop_unread_outputs(Operator& op) {
    const TensorId first = op.outputs[0];
    std::erase_if(op.outputs, [&](TensorId id) {
      return id != first && !results_.contains(id) && readers_[id].empty();
    });
  }

  // A concatenation of tensors that were written only for it.
  void join_in_place() {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      Operator& op = slots_[slot];
      if (is_empty_[slot] || op.kind != OpKind::kConcatenate) {
        continue;
      }
      const std::set<TensorId> distinct(op.inputs.begin(), op.inputs.end());
      const bool can_join =
          distinct.size() == op.inputs.size() && std::ranges::all_of(op.inputs, [&](TensorId id) {
            const bool is_made_here = writer_[id] && slots_[*writer_[id]].pass == op.pass &&
                                      traits(slots_[*writer_[id]].kind).unit != Unit::kNone;
            return is_made_here && !layer_.tensors[id].view_of && readers_[id].size() == 1;
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

  static Layer without_unused_tensors(const Layer& layer) {
    std::set<TensorId> used(layer.outputs.begin(), layer.outputs.end());
    for (const Operator& op : layer.operators) {
      used.insert(op.inputs.begin(), op.inputs.end());
      used.insert(op.outputs.begin(), op.outputs.end());
    }
    for (const TensorId id : ids_of(layer.tensors)) {
      if (is_weight(layer.tensors[id])) {
        used.insert(id);
      }
    }
    // What a view looks at stays too; a chain ends where it meets one that was followed.
    for (const TensorId id : std::vector<TensorId>(used.begin(), used.end())) {
      for (std::optional<TensorId> at = layer.tensors[id].view_of; at && used.insert(*at).second;
           at = layer.tensors[*at].view_of) {
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
  std::vector<Operator> slots_;
  std::vector<bool> is_empty_;
  IdVector<TensorId, std::optional<std::size_t>> writer_;
  IdVector<TensorId, std::set<std::size_t>> readers_;
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
