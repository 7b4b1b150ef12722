#include "graph/recompute.h"

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
        consumers_(layer.tensors.size(), {}),
        is_dropped_(layer.tensors.size(), 0),
        copies_(layer.tensors.size(), std::nullopt),
        result_(layer) {
    result_.operators = {};
    for (const OpId id : ids_of(layer.operators)) {
      for (const TensorId input : layer.operators[id].inputs) {
        if (layer.operators[id].pass == Pass::kForward) {
          consumers_[input].push_back(id);
        }
      }
    }
    mark_dropped();
  }

  Layer run() && {
    for (const Operator& op : source_.operators) {
      Operator copy = op;
      if (op.pass != Pass::kForward) {
        for (TensorId& input : copy.inputs) {
          make_again(input);
          input = current(input);
        }
      }
      result_.operators.push_back(std::move(copy));
    }
    return std::move(result_);
  }

 private:
  // Regions whose operators read a tensor in the forward pass, looking through views.
  struct Readers {
    std::set<Region> regions;
  };

  bool is_selected(const Operator& op) const {
    return op.pass == Pass::kForward && (full_ || regions_.contains(op.region));
  }

  void mark_dropped() {
    IdVector<TensorId, Readers> readers(source_.tensors.size(), {});
    for (std::size_t at = source_.operators.size(); at > 0; --at) {
      const Operator& op = source_.operators[OpId(at - 1)];
      if (op.pass != Pass::kForward) {
        continue;
      }
      std::set<Region> seen = {op.region};
      if (is_free(op)) {
        seen.clear();
        for (const TensorId output : op.outputs) {
          seen.insert(readers[output].regions.begin(), readers[output].regions.end());
        }
      }
      for (const TensorId input : op.inputs) {
        readers[input].regions.insert(seen.begin(), seen.end());
      }
    }
    for (const Operator& op : source_.operators) {
      if (op.pass != Pass::kForward) {
        continue;
      }
      for (const TensorId output : op.outputs) {
        const std::set<Region>& read_in = readers[output].regions;
        const bool stays_inside = read_in.empty() || read_in == std::set<Region>{op.region};
        const bool is_let_go =
            is_selected(op) && (full_ || drops_results(op.region) || stays_inside);
        const bool is_view_of_such = is_free(op) && is_dropped_[op.inputs[0]] != 0;
        is_dropped_[output] = is_let_go || is_view_of_such ? 1 : 0;
      }
    }
  }

  // The tensor to read in backward in place of `id`.
  TensorId current(TensorId id) const { return copies_[id].value_or(id); }

  // Puts operators in that make `id` again, if it was dropped and is not there yet.
  void make_again(TensorId id) {
    if (is_dropped_[id] == 0 || copies_[id]) {
      return;
    }
    std::set<OpId> needed;
    std::vector<OpId> open = {*producers_[id]};
    while (!open.empty()) {
      const OpId at = open.back();
      open.pop_back();
      for (const OpId part : run_together(at)) {
        if (copies_[source_.operators[part].outputs[0]] || !needed.insert(part).second) {
          continue;
        }
        for (const TensorId input : source_.operators[part].inputs) {
          if (is_dropped_[input] != 0 && !copies_[input]) {
            open.push_back(*producers_[input]);
          }
        }
      }
    }
    for (const OpId each : needed) {  // in the order of the forward pass
      clone(each);
    }
  }

  // Operators that run again as one: the whole layer, an attention core, or one by one.
  std::set<OpId> run_together(OpId id) const {
    const Operator& op = source_.operators[id];
    if (full_) {
      std::set<OpId> all;
      for (const OpId each : ids_of(source_.operators)) {
        if (source_.operators[each].pass == Pass::kForward) {
          all.insert(each);
        }
      }
      return all;
    }
    if (op.region == Region::kAttentionCore && is_selected(op)) {
      return connected_region(id);
    }
    return {id};
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
        open.insert(open.end(), consumers_[output].begin(), consumers_[output].end());
      }
    }
    return found;
  }

  void clone(OpId id) {
    Operator copy = source_.operators[id];
    copy.name += ".recompute";
    copy.pass = Pass::kRecompute;
    for (TensorId& input : copy.inputs) {
      input = current(input);
    }
    for (TensorId& output : copy.outputs) {
      Tensor tensor = source_.tensors[output];
      tensor.name += ".recompute";
      if (tensor.view_of) {
        tensor.view_of = current(*tensor.view_of);
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
  IdVector<TensorId, std::vector<OpId>> consumers_;
  IdVector<TensorId, char> is_dropped_;
  IdVector<TensorId, std::optional<TensorId>> copies_;
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
