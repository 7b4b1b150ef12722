// A walk through the step's program. What a block leaves behind is the same each time it runs, so
// usage during its i-th run is that during the first plus i times what one leaves, hence largest in
// the first run or in the last. tests/differential/memory_test.cpp walks through all of them.
#include "graph/memory.h"

#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "base/names.h"
#include "graph/step_program.h"

namespace phaze::graph {
namespace {

constexpr std::array kMoments = {
    NameOf<Moment>{Moment::kForward, "forward"},     NameOf<Moment>{Moment::kLoss, "loss"},
    NameOf<Moment>{Moment::kRecompute, "recompute"}, NameOf<Moment>{Moment::kBackward, "backward"},
    NameOf<Moment>{Moment::kOptimizer, "optimizer"},
};
static_assert(is_in_order(kMoments));

Moment moment_of(const Operator& op) {
  const bool is_loss = op.kind == OpKind::kCrossEntropy || op.kind == OpKind::kNllLoss ||
                       op.kind == OpKind::kLogSoftmax || op.kind == OpKind::kSquaredError;
  return is_loss                       ? Moment::kLoss
         : op.pass == Pass::kForward   ? Moment::kForward
         : op.pass == Pass::kRecompute ? Moment::kRecompute
                                       : Moment::kBackward;
}

enum Part { kParameters, kGradients, kStates, kSaved, kConstants, kTransient, kWorkspace, kParts };

struct Usage {
  std::array<Bytes, kParts> parts;

  Bytes total() const { return std::accumulate(parts.begin(), parts.end(), Bytes()); }
  void add(const Usage& other, std::int64_t times) {
    for (std::size_t i = 0; i < kParts; ++i) {
      parts[i] += other.parts[i] * times;
    }
  }
};

// Types of the states that the optimiser keeps for each weight. In the graph each is one tensor for
// all weights, and the weights themselves are the last of the results (optimizer.h).
std::vector<ElementType> state_types(const Layer& layer) {
  std::vector<ElementType> types;
  for (const Operator& op : layer.operators) {
    if (op.pass == Pass::kOptimizer) {
      for (std::size_t i = 0; i + 1 < op.outputs.size(); ++i) {
        types.push_back(layer.tensors[op.outputs[i]].type);
      }
    }
  }
  return types;
}

// What is there all the time.
Usage permanent_usage(const Model& model, TensorSizes& sizes) {
  Usage usage;
  std::set<std::pair<Shape, ElementType>> constants, owned, tied;
  for (const Layer& layer : model.layers) {
    const std::vector<ElementType> states = state_types(layer);
    for (const Tensor& tensor : layer.tensors) {
      const std::pair kind(tensor.shape, tensor.type);
      if (tensor.role == Role::kConstant && constants.insert(kind).second) {
        usage.parts[kConstants] += sizes.allocated(tensor);
      } else if (is_weight(tensor) && tensor.is_tied) {
        tied.insert(kind);
      } else if (is_weight(tensor)) {
        owned.insert(kind);
        usage.parts[kParameters] += sizes.packed(tensor.shape, tensor.type) * layer.repeat;
        for (const ElementType type : states) {
          usage.parts[kStates] += sizes.packed(tensor.shape, type) * layer.repeat;
        }
      }
    }
  }
  for (const auto& [shape, type] : tied) {
    if (!owned.contains({shape, type})) {  // the owner is on another device
      usage.parts[kParameters] += sizes.packed(shape, type);
    }
  }
  return usage;
}

class Walk {
 public:
  Walk(const StepProgram& program, const Usage& permanent)
      : program_(program),
        now_(permanent),
        made_(program.events.size()),
        freed_(program.events.size()) {
    for (const StorageId id : ids_of(program.storages)) {
      const Storage& storage = program.storages[id];
      if (!storage.made) {
        continue;
      }
      made_[*storage.made].push_back(id);
      if (program.events[storage.last].overwritten != id) {
        freed_[storage.last].push_back(id);
      }
    }
  }

  PeakMemory run() && {
    for (const Block& block : program_.blocks) {
      run_block(block);
    }
    return std::move(peak_);
  }

 private:
  struct Highest {
    Usage usage;
    std::size_t event = 0;
  };

  void run_block(const Block& block) {
    const Usage before = now_;
    Highest highest;
    for (std::size_t at = block.begin; at < block.end; ++at) {
      run_event(at, highest);
    }
    Usage left = now_;
    left.add(before, -1);
    now_.add(left, block.times - 1);
    if (left.total() > Bytes()) {
      highest.usage.add(left, block.times - 1);
    }
    if (highest.usage.total() > peak_.total) {
      set_peak(highest);
    }
  }

  void run_event(std::size_t at, Highest& highest) {
    const Event& event = program_.events[at];
    if (event.overwritten) {
      free(*event.overwritten);
    }
    for (const StorageId id : made_[at]) {
      now_.parts[part_of(id)] += program_.storages[id].bytes;
    }
    Usage usage = now_;
    usage.parts[kTransient] += std::max(event.besides, event.sum);
    if ((event.op != nullptr || is_optimizer(at)) && usage.total() > highest.usage.total()) {
      highest = {usage, at};
    }
    for (const StorageId id : freed_[at]) {
      free(id);
    }
  }

  bool is_optimizer(std::size_t event) const { return event + 1 == program_.events.size(); }

  void free(StorageId id) {
    Bytes& part = now_.parts[part_of(id)];
    part = part - program_.storages[id].bytes;
  }

  Part part_of(StorageId id) const {
    const Storage& storage = program_.storages[id];
    const bool is_saved =
        storage.made < program_.backward_begin && storage.last >= program_.backward_begin;
    return storage.is_parameter_gradient ? kGradients : is_saved ? kSaved : kTransient;
  }

  void set_peak(const Highest& highest) {
    const Event& event = program_.events[highest.event];
    const auto part = [&](Part which) { return highest.usage.parts[which]; };
    peak_.total = highest.usage.total();
    peak_.moment = event.op == nullptr ? Moment::kOptimizer : moment_of(*event.op);
    peak_.layer = event.op == nullptr ? "" : event.layer->name;
    peak_.op = event.op == nullptr ? "" : event.op->name;
    peak_.parameters = part(kParameters);
    peak_.gradients = part(kGradients);
    peak_.optimizer_states = part(kStates);
    peak_.saved_activations = part(kSaved);
    peak_.constants = part(kConstants);
    peak_.transient = part(kTransient);
    peak_.workspace = part(kWorkspace);
  }

  const StepProgram& program_;
  Usage now_;
  std::vector<std::vector<StorageId>> made_, freed_;  // by event
  PeakMemory peak_;
};

}  // namespace

std::string_view to_string(Moment moment) { return name_in(kMoments, moment); }

PeakMemory compute_peak_memory(const Model& training_model, const MemoryOptions& options) {
  TensorSizes sizes(training_model, options.allocation);
  Usage permanent = permanent_usage(training_model, sizes);
  permanent.parts[kWorkspace] = options.workspace;
  return Walk(write_step_program(training_model, sizes), permanent).run();
}

}  // namespace phaze::graph
