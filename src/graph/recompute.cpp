#include "graph/recompute.h"

#include <map>
#include <set>
#include <utility>

#include "base/check.h"

namespace phaze::graph {
namespace {

bool is_free(const Operator& op) { return traits(op.kind).unit == Unit::kNone; }

// Does the policy drop the results of a region, or only what lies inside it?
bool drops_results(Region region) {
  return region == Region::kNorm || region == Region::kActivation || region == Region::kRegather;
}

using Regions = std::set<Region>;

class Recomputer {
 public:
  Recomputer(const Layer& layer, bool full, Regions regions)
      : source_(layer),
        full_(full),
        regions_(std::move(regions)),
        producers_(compute_producers(layer)),
        result_(layer) {
    result_.operators = {};
    for (const OpId id : ids_of(layer.operators)) {
      for (const TensorId input : layer.operators[id].inputs) {
        if (layer.operators[id].pass == Pass::kForward) {
          consumers_[input].push_back(id);
        }
      }
    }
  }

  Layer run() && {
    for (const Operator& op : source_.operators) {
      Operator copy = op;
      if (op.pass != Pass::kForward) {
        for (TensorId& input : copy.inputs) {
          input = again(input);
        }
      }
      result_.operators.push_back(std::move(copy));
    }
    return std::move(result_);
  }

 private:
  const Operator* producer(TensorId id) const {
    const std::optional<OpId> op = producers_[id];
    return op ? &source_.operators[*op] : nullptr;
  }

  bool is_selected(const Operator& op) const {
    return op.pass == Pass::kForward && (full_ || regions_.contains(op.region));
  }

  // Is every forward reader of the tensor, looking through views, in this region?
  bool stays_inside(TensorId id, Region region) const {
    const auto found = consumers_.find(id);
    if (found == consumers_.end()) {
      return true;
    }
    for (const OpId consumer : found->second) {
      const Operator& op = source_.operators[consumer];
      if (op.region == region) {
        continue;
      }
      if (!is_free(op)) {
        return false;
      }
      for (const TensorId output : op.outputs) {
        if (!stays_inside(output, region)) {
          return false;
        }
      }
    }
    return true;
  }

  bool is_dropped(TensorId id) const {
    const Operator* op = producer(id);
    if (op == nullptr || op->pass != Pass::kForward) {
      return false;
    }
    if (is_selected(*op) && (full_ || drops_results(op->region) || stays_inside(id, op->region))) {
      return true;
    }
    return is_free(*op) && is_dropped(op->inputs[0]);
  }

  // The tensor to read in backward in place of `id`: itself, or its copy made again.
  TensorId again(TensorId id) {
    if (!is_dropped(id)) {
      return id;
    }
    if (!copies_.contains(id)) {
      const OpId op = *producers_[id];
      if (full_) {
        for (const OpId every : ids_of(source_.operators)) {
          if (source_.operators[every].pass == Pass::kForward) {
            clone(every);
          }
        }
      } else if (source_.operators[op].region == Region::kAttentionCore &&
                 is_selected(source_.operators[op])) {
        for (const OpId part : connected_region(op)) {
          clone(part);
        }
      } else {
        clone(op);
      }
    }
    return copies_.at(id);
  }

  // The operators of one attention core in order: those of the region that are joined to `start`
  // by tensors.
  std::set<OpId> connected_region(OpId start) const {
    std::set<OpId> found;
    std::vector<OpId> open = {start};
    const Region region = source_.operators[start].region;
    while (!open.empty()) {
      const OpId at = open.back();
      open.pop_back();
      const Operator& op = source_.operators[at];
      if (op.pass != Pass::kForward || op.region != region || !found.insert(at).second) {
        continue;
      }
      for (const TensorId input : op.inputs) {
        if (producers_[input]) {
          open.push_back(*producers_[input]);
        }
      }
      for (const TensorId output : op.outputs) {
        const auto readers = consumers_.find(output);
        if (readers != consumers_.end()) {
          open.insert(open.end(), readers->second.begin(), readers->second.end());
        }
      }
    }
    return found;
  }

  void clone(OpId id) {
    const Operator& original = source_.operators[id];
    if (copies_.contains(original.outputs[0])) {
      return;
    }
    Operator copy = original;
    copy.name += ".recompute";
    copy.pass = Pass::kRecompute;
    for (TensorId& input : copy.inputs) {
      input = again(input);
    }
    for (TensorId& output : copy.outputs) {
      Tensor tensor = source_.tensors[output];
      tensor.name += ".recompute";
      if (tensor.view_of) {
        const auto viewed = copies_.find(*tensor.view_of);
        if (viewed != copies_.end()) {
          tensor.view_of = viewed->second;
        }
      }
      const TensorId made = result_.tensors.push_back(std::move(tensor));
      copies_[output] = made;
      output = made;
    }
    result_.operators.push_back(std::move(copy));
  }

  const Layer& source_;
  bool full_;
  Regions regions_;
  IdVector<TensorId, std::optional<OpId>> producers_;
  std::map<TensorId, std::vector<OpId>> consumers_;
  std::map<TensorId, TensorId> copies_;
  Layer result_;
};

}  // namespace

std::optional<RecomputePolicy> parse_recompute_policy(std::string_view text) {
  RecomputePolicy policy;
  if (text == "none") {
    return policy;
  }
  if (text == "full") {
    policy.full = true;
    return policy;
  }
  while (true) {
    const std::size_t end = text.find('+');
    const std::string_view part = text.substr(0, end);
    if (part == "selective" || part == "attention") {
      policy.attention = true;
    } else if (part == "norms") {
      policy.norms = true;
    } else if (part == "activations") {
      policy.activations = true;
    } else {
      return std::nullopt;
    }
    if (end == std::string_view::npos) {
      return policy;
    }
    text.remove_prefix(end + 1);
  }
}

std::string to_string(const RecomputePolicy& policy) {
  if (policy.full) {
    return "full";
  }
  std::string text;
  const auto append = [&text](bool chosen, const char* name) {
    if (chosen) {
      text += (text.empty() ? "" : "+") + std::string(name);
    }
  };
  if (policy.attention && !policy.norms && !policy.activations) {
    return "selective";
  }
  append(policy.attention, "attention");
  append(policy.norms, "norms");
  append(policy.activations, "activations");
  return text.empty() ? "none" : text;
}

Layer apply_recompute(const Layer& layer, const RecomputePolicy& policy) {
  if (policy.full) {
    return Recomputer(layer, true, {}).run();  // gathers included
  }
  Regions regions = {Region::kRegather};
  if (policy.attention) {
    regions.insert(Region::kAttentionCore);
  }
  if (policy.norms) {
    regions.insert(Region::kNorm);
  }
  if (policy.activations) {
    regions.insert(Region::kActivation);
  }
  return Recomputer(layer, false, std::move(regions)).run();
}

}  // namespace phaze::graph
