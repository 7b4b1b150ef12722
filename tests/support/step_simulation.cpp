#include "support/step_simulation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace phaze::tests {

using graph::Layer;
using graph::MemoryOptions;
using graph::Model;
using graph::Operator;
using graph::OpId;
using graph::OpKind;
using graph::Pass;
using graph::PeakMemory;
using graph::Role;
using graph::Tensor;
using graph::TensorId;

namespace {

struct Device {
  std::int64_t saved = 0, transient = 0, gradients = 0;
};

// Takes its bytes of one of the device's sums while it exists.
class Buffer {
 public:
  Buffer(std::int64_t& sum, std::int64_t bytes, int number)
      : sum_(sum), bytes_(bytes), number_(number) {
    sum_ += bytes_;
  }
  ~Buffer() { sum_ -= bytes_; }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::int64_t bytes() const { return bytes_; }
  int number() const { return number_; }  // in the order in which they were made

 private:
  std::int64_t& sum_;
  std::int64_t bytes_;
  int number_;
};

using Handle = std::shared_ptr<Buffer>;  // nothing: a weight or a constant
using Handles = std::map<TensorId, Handle>;
using Kind = std::pair<graph::Shape, graph::ElementType>;

Kind kind(const Tensor& tensor) { return {tensor.shape, tensor.type}; }

bool is_backward_half(const Operator& op) {
  return op.pass == Pass::kRecompute || op.pass == Pass::kBackward;
}

bool is_sum(const Operator& op) {
  return op.pass == Pass::kBackward && op.kind == OpKind::kAdd && op.fused.empty() &&
         op.inputs.size() == 2;
}

// "fc1" of "fc1.weight_gradient" and "fc1.gradient.2"; nothing for other operators.
std::string forward_name(const Operator& op) {
  const std::size_t word = op.name.rfind("gradient");
  const std::size_t dot = word == std::string::npos ? word : op.name.rfind('.', word);
  return op.pass != Pass::kBackward || dot == std::string::npos ? "" : op.name.substr(0, dot);
}

bool is_gradient_of(const Tensor& gradient, const Tensor& of) {
  const std::string begin = "d(" + of.name + ")";
  return gradient.name.starts_with(begin) &&
         gradient.name.find(')', begin.size()) == std::string::npos;
}

std::vector<TensorId> tensors_of(const Layer& layer, Role role) {
  std::vector<TensorId> ids;
  for (const TensorId id : ids_of(layer.tensors)) {
    if (layer.tensors[id].role == role) {
      ids.push_back(id);
    }
  }
  return ids;
}

// How often each tensor is read in one half of the step.
std::map<TensorId, int> count_reads(const Layer& layer, bool of_backward_half) {
  std::map<TensorId, int> reads;
  for (const Operator& op : layer.operators) {
    const bool is_here = of_backward_half ? is_backward_half(op) : op.pass == Pass::kForward;
    for (const TensorId id : op.inputs) {
      reads[id] += is_here ? 1 : 0;
    }
  }
  return reads;
}

// An output that the next execution does not take.
struct Offer {
  std::size_t run = 0;
  Kind kind;
  bool is_claimed = false;
  std::size_t last_claim = 0;  // a run
  Handle buffer;
  Handle gradient;
};

// One execution of a layer.
struct Run {
  const Layer* layer = nullptr;
  bool is_last = false;                        // of its layer
  std::map<TensorId, std::size_t> claimed;     // offers, by shared tensor
  std::map<std::size_t, std::size_t> offered;  // offers, by output
  Handles saved;
  std::vector<Handle> outputs, held;
  std::map<TensorId, std::weak_ptr<Buffer>> storages;
};

// What a first walk found out about the buffers, by their numbers.
struct Fates {
  std::set<int> are_saved;  // made in forward, there when backward begins
  std::set<int> are_parameter_gradients;
};

class Simulation {
 public:
  Simulation(const Model& model, const MemoryOptions& options, Fates fates)
      : model_(model), sizes_(model, options.allocation), known_(std::move(fates)) {
    permanent_.workspace = options.workspace;
    for (const Layer& layer : model.layers) {
      for (std::int64_t n = 0; n < layer.repeat; ++n) {
        runs_.push_back({&layer, n + 1 == layer.repeat, {}, {}, {}, {}, {}, {}});
      }
    }
    offer_and_claim();
    add_permanent();
  }

  PeakMemory run() {
    for (std::size_t at = 0; at < runs_.size(); ++at) {
      forward(at);
    }
    for (const std::weak_ptr<Buffer>& buffer : made_forward_) {
      if (const Handle alive = buffer.lock()) {
        found_.are_saved.insert(alive->number());
      }
    }
    is_backward_ = true;
    for (std::size_t at = runs_.size(); at > 0; --at) {
      backward(at - 1);
    }
    note(nullptr, nullptr, 0);
    return peak_;
  }

  const Fates& found() const { return found_; }
  std::int64_t most_activations() const { return most_activations_; }

 private:
  bool is_taken(std::size_t at, std::size_t output) const {
    return at + 1 < runs_.size() && output < tensors_of(*runs_[at + 1].layer, Role::kInput).size();
  }

  void offer_and_claim() {
    for (std::size_t at = 0; at < runs_.size(); ++at) {
      Run& run = runs_[at];
      for (const TensorId id : tensors_of(*run.layer, Role::kShared)) {
        for (std::size_t i = offers_.size(); i > 0 && !run.claimed.contains(id); --i) {
          if (offers_[i - 1].kind == kind(run.layer->tensors[id])) {
            run.claimed[id] = i - 1;
            offers_[i - 1].is_claimed = true;
            offers_[i - 1].last_claim = at;
          }
        }
      }
      for (std::size_t output = 0; output < run.layer->outputs.size(); ++output) {
        if (run.is_last && !is_taken(at, output) && !is_permanent(run, output)) {
          run.offered[output] = offers_.size();
          offers_.push_back(
              {at, kind(run.layer->tensors[run.layer->outputs[output]]), false, 0, {}, {}});
        }
      }
    }
  }

  static bool is_permanent(const Run& run, std::size_t output) {
    const TensorId id = graph::storage_of(*run.layer, run.layer->outputs[output]);
    const Role role = run.layer->tensors[id].role;
    return role == Role::kParameter || role == Role::kConstant || role == Role::kOptimizerState;
  }

  void add_permanent() {
    std::set<Kind> constants, owned, tied;
    for (const Run& run : runs_) {
      for (const Tensor& tensor : run.layer->tensors) {
        if (tensor.role == Role::kConstant && constants.insert(kind(tensor)).second) {
          permanent_.constants += sizes_.allocated(tensor);
        }
        if (tensor.role != Role::kParameter) {
          continue;
        }
        (tensor.is_tied ? tied : owned).insert(kind(tensor));
        if (tensor.is_tied) {
          continue;
        }
        permanent_.parameters += sizes_.packed(tensor.shape, tensor.type);
        for (const Operator& op : run.layer->operators) {
          for (std::size_t i = 0; op.pass == Pass::kOptimizer && i + 1 < op.outputs.size(); ++i) {
            const graph::ElementType type = run.layer->tensors[op.outputs[i]].type;
            permanent_.optimizer_states += sizes_.packed(tensor.shape, type);
          }
        }
      }
    }
    for (const Kind& each : tied) {
      if (!owned.contains(each)) {
        permanent_.parameters += sizes_.packed(each.first, each.second);
      }
    }
    for (const Run& run : runs_) {  // whose gradient the tied ones are added to
      for (const TensorId id : tensors_of(*run.layer, Role::kParameter)) {
        const Tensor& tensor = run.layer->tensors[id];
        if (run.layer->repeat == 1 && !tensor.is_tied && tied.contains(kind(tensor))) {
          owners_.try_emplace(kind(tensor), run.layer, id);
        }
      }
    }
  }

  void note(const Layer* layer, const Operator* op, std::int64_t besides) {
    PeakMemory now = permanent_;
    now.saved_activations = Bytes(device_.saved);
    now.gradients = Bytes(device_.gradients);
    now.transient = Bytes(device_.transient + besides);
    most_activations_ = std::max(most_activations_, device_.saved + device_.transient + besides);
    now.total = now.parameters + now.gradients + now.optimizer_states + now.saved_activations +
                now.constants + now.transient + now.workspace;
    if (now.total <= peak_.total) {
      return;
    }
    if (op != nullptr) {
      const std::set<OpKind> loss = {OpKind::kCrossEntropy, OpKind::kNllLoss, OpKind::kLogSoftmax,
                                     OpKind::kSquaredError};
      const std::map<Pass, graph::Moment> moments = {{Pass::kForward, graph::Moment::kForward},
                                                     {Pass::kRecompute, graph::Moment::kRecompute},
                                                     {Pass::kBackward, graph::Moment::kBackward}};
      now.moment = loss.contains(op->kind) ? graph::Moment::kLoss : moments.at(op->pass);
      now.layer = layer->name;
      now.op = op->name;
    }
    peak_ = now;
  }

  Handle make(const Tensor& tensor) {
    const int number = next_number_++;
    std::int64_t& sum = known_.are_parameter_gradients.contains(number) ? device_.gradients
                        : known_.are_saved.contains(number)             ? device_.saved
                                                                        : device_.transient;
    const Bytes bytes = tensor.role == Role::kParameterGradient
                            ? sizes_.packed(tensor.shape, tensor.type)
                            : sizes_.allocated(tensor);
    const Handle buffer = std::make_shared<Buffer>(sum, bytes.value(), number);
    if (!is_backward_) {
      made_forward_.push_back(buffer);
    }
    return buffer;
  }

  // The buffer of a tensor that is being written: that of what it is a view of, or a new one.
  Handle write(Run& run, TensorId id) {
    const TensorId owner = graph::storage_of(*run.layer, id);
    const Tensor& tensor = run.layer->tensors[owner];
    if (tensor.role == Role::kParameter || tensor.role == Role::kConstant ||
        tensor.role == Role::kOptimizerState) {
      return nullptr;
    }
    Handle buffer = run.storages[owner].lock();
    if (!buffer && tensor.role != Role::kInput && tensor.role != Role::kShared) {
      buffer = make(tensor);
      run.storages[owner] = buffer;
    }
    return buffer;
  }

  void forward(std::size_t at) {
    Run& run = runs_[at];
    const Layer& layer = *run.layer;
    std::map<TensorId, int> reads = count_reads(layer, false);
    const std::map<TensorId, int> later = count_reads(layer, true);
    Handles here;
    const auto keep = [&](TensorId id, const Handle& buffer) {
      if (reads[id] > 0) {
        here[id] = buffer;
      }
      if (const auto found = later.find(id); found != later.end() && found->second > 0) {
        run.saved[id] = buffer;
      }
    };
    const std::vector<TensorId> inputs = tensors_of(layer, Role::kInput);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool is_given = at > 0 && i < runs_[at - 1].outputs.size();
      const Handle buffer = is_given ? runs_[at - 1].outputs[i] : make(layer.tensors[inputs[i]]);
      run.storages[inputs[i]] = buffer;
      keep(inputs[i], buffer);
    }
    for (const TensorId id : tensors_of(layer, Role::kShared)) {
      const Handle buffer = shared(run, id);
      run.storages[id] = buffer;
      keep(id, buffer);
    }
    if (at > 0) {
      runs_[at - 1].outputs.clear();
    }
    for (Offer& offer : offers_) {
      if (offer.is_claimed && offer.last_claim == at) {
        offer.buffer.reset();
      }
    }
    Handles results;
    for (const Operator& op : layer.operators) {
      if (op.pass != Pass::kForward) {
        continue;
      }
      Handles written;
      for (const TensorId id : op.outputs) {
        written[id] = write(run, id);
        keep(id, written[id]);
        const bool is_output = std::ranges::find(layer.outputs, id) != layer.outputs.end();
        if (is_output && !is_handed_on(layer, id)) {
          results[id] = written[id];
        }
      }
      note(&layer, &op, graph::kernel_bytes(layer, op).value());
      for (const TensorId id : op.inputs) {
        if (--reads[id] == 0) {
          here.erase(id);
        }
      }
    }
    hand_over(at, results);
  }

  Handle shared(const Run& run, TensorId id) {
    if (run.claimed.contains(id)) {
      // Only the last to claim lets go of it, afterwards.
      return offers_[run.claimed.at(id)].buffer;
    }
    const Tensor& tensor = run.layer->tensors[id];
    Handle& buffer = from_outside_[{tensor.name, kind(tensor)}];
    if (!buffer) {
      buffer = make(tensor);
    }
    return buffer;
  }

  // An output that is one of the layer's inputs, or a view of one, is copied.
  static bool is_handed_on(const Layer& layer, TensorId output) {
    const Role role = layer.tensors[graph::storage_of(layer, output)].role;
    return role == Role::kInput || role == Role::kShared;
  }

  void hand_over(std::size_t at, const Handles& results) {
    Run& run = runs_[at];
    const Layer& layer = *run.layer;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
      const TensorId id = layer.outputs[i];
      Handle buffer;
      if (!is_permanent(run, i)) {
        buffer = is_handed_on(layer, id) ? make(layer.tensors[graph::storage_of(layer, id)])
                                         : results.at(id);
      }
      if (is_taken(at, i)) {
        run.outputs.push_back(buffer);
        continue;
      }
      run.outputs.push_back(nullptr);
      if (run.offered.contains(i)) {
        offers_[run.offered.at(i)].buffer = buffer;
      } else {
        run.held.push_back(buffer);
      }
    }
  }

  // Operators of the backward half in the order in which they run: those of one forward operator
  // together, sums of gradients as soon as they can.
  static std::vector<std::vector<OpId>> order_of(const Layer& layer) {
    std::set<TensorId> missing;
    std::vector<OpId> sums, others;
    for (const OpId id : ids_of(layer.operators)) {
      if (is_backward_half(layer.operators[id])) {
        (is_sum(layer.operators[id]) ? sums : others).push_back(id);
        missing.insert(layer.operators[id].outputs.begin(), layer.operators[id].outputs.end());
      }
    }
    std::vector<std::vector<OpId>> order;
    const auto run = [&](const std::vector<OpId>& node) {
      order.push_back(node);
      for (const OpId id : node) {
        for (const TensorId output : layer.operators[id].outputs) {
          missing.erase(output);
        }
      }
    };
    const auto run_sums = [&] {
      for (std::size_t i = 0; i < sums.size();) {
        const std::vector<TensorId>& inputs = layer.operators[sums[i]].inputs;
        if (missing.contains(inputs[0]) || missing.contains(inputs[1])) {
          ++i;
          continue;
        }
        run({sums[i]});
        sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(i));
        i = 0;
      }
    };
    run_sums();
    for (std::size_t i = 0; i < others.size();) {
      const std::string name = forward_name(layer.operators[others[i]]);
      std::vector<OpId> node = {others[i++]};
      while (i < others.size() && !name.empty() &&
             forward_name(layer.operators[others[i]]) == name) {
        node.push_back(others[i++]);
      }
      run(node);
      run_sums();
    }
    return order;
  }

  void backward(std::size_t at) {
    Run& run = runs_[at];
    const Layer& layer = *run.layer;
    std::map<TensorId, int> reads = count_reads(layer, true);
    Handles here;
    std::set<TensorId> are_made;
    for (const Operator& op : layer.operators) {
      are_made.insert(op.outputs.begin(), op.outputs.end());
    }
    for (Offer& offer : offers_) {
      if (offer.run == at) {
        offer.gradient.reset();
      }
    }
    for (const TensorId id : tensors_of(layer, Role::kGradient)) {
      if (!are_made.contains(id) && !layer.tensors[id].view_of) {
        const Handle buffer = make(layer.tensors[id]);
        run.storages[id] = buffer;
        if (reads[id] > 0) {
          here[id] = buffer;
        }
      }
    }
    const std::vector<Handle> checkpoint = checkpoint_of(run);
    for (const std::vector<OpId>& node : order_of(layer)) {
      const int first_number = next_number_;
      std::vector<Handle> until_end;
      for (const OpId id : node) {
        run_backward(run, layer.operators[id], reads, here, first_number, until_end);
      }
    }
    run.saved.clear();
    run.held.clear();
    for (Offer& offer : offers_) {
      if (offer.run == at && !offer.is_claimed) {
        offer.buffer.reset();
      }
    }
  }

  // What recomputation starts from.
  static std::vector<Handle> checkpoint_of(const Run& run) {
    std::vector<Handle> buffers;
    for (const Operator& op : run.layer->operators) {
      for (const TensorId id : op.inputs) {
        const auto found = run.saved.find(id);
        if (op.pass == Pass::kRecompute && found != run.saved.end()) {
          buffers.push_back(found->second);
        }
      }
    }
    return buffers;
  }

  void run_backward(Run& run, const Operator& op, std::map<TensorId, int>& reads, Handles& here,
                    int first_number, std::vector<Handle>& until_end) {
    const Layer& layer = *run.layer;
    if (is_sum(op)) {
      overwrite(run, op, reads, here);
    }
    Handles written;
    for (const TensorId id : op.outputs) {
      written[id] = write(run, id);
      const Role role = layer.tensors[id].role;
      const bool is_gradient = role == Role::kGradient || role == Role::kParameterGradient;
      if (reads[id] > 0 || (is_gradient && !origin_of(layer, id) && role == Role::kGradient)) {
        here[id] = written[id];  // read later, or handed on when the layer is done
      }
    }
    note(&layer, &op, graph::kernel_bytes(layer, op).value());
    for (const TensorId id : op.outputs) {
      const Role role = layer.tensors[id].role;
      const bool is_gradient = role == Role::kGradient || role == Role::kParameterGradient;
      if (is_gradient && reads[id] == 0 && written[id]) {
        contribute(run, op, id, written[id]);
      }
    }
    for (const TensorId id : op.inputs) {
      for (Handles* handles : {&here, &run.saved}) {
        const auto found = handles->find(id);
        if (found == handles->end()) {
          continue;
        }
        if (found->second && found->second->number() < first_number) {
          until_end.push_back(found->second);
        }
      }
      if (--reads[id] == 0) {
        here.erase(id);
        run.saved.erase(id);
      }
    }
  }

  // A sum takes the place of the older gradient if nobody else holds that.
  void overwrite(Run& run, const Operator& op, const std::map<TensorId, int>& reads,
                 Handles& here) {
    const Layer& layer = *run.layer;
    const auto older = here.find(op.inputs[0]);
    const TensorId result = graph::storage_of(layer, op.outputs[0]);
    if (older == here.end() || !older->second || older->second.use_count() > 1 ||
        reads.at(op.inputs[0]) > 1 ||
        graph::storage_of(layer, op.inputs[0]) == graph::storage_of(layer, op.inputs[1]) ||
        !run.storages[result].expired()) {
      return;
    }
    const Tensor& tensor = layer.tensors[result];
    const Bytes bytes = tensor.role == Role::kParameterGradient
                            ? sizes_.packed(tensor.shape, tensor.type)
                            : sizes_.allocated(tensor);
    if (older->second->bytes() == bytes.value()) {
      older->second.reset();
    }
  }

  static std::optional<TensorId> origin_of(const Layer& layer, TensorId gradient) {
    for (const Role role : {Role::kShared, Role::kParameter}) {
      for (const TensorId id : tensors_of(layer, role)) {
        if (is_gradient_of(layer.tensors[gradient], layer.tensors[id])) {
          return id;
        }
      }
    }
    return std::nullopt;
  }

  void contribute(const Run& run, const Operator& op, TensorId gradient, const Handle& buffer) {
    const Layer& layer = *run.layer;
    const std::optional<TensorId> origin = origin_of(layer, gradient);
    if (!origin) {
      if (layer.tensors[gradient].role == Role::kParameterGradient) {
        keep_gradient(buffer);
      }
      return;
    }
    const Tensor& of = layer.tensors[*origin];
    if (of.role == Role::kShared) {
      const auto claim = run.claimed.find(*origin);
      Handle& sum = claim == run.claimed.end() ? for_outside_[{of.name, kind(of)}]
                                               : offers_[claim->second].gradient;
      sum = sum ? sum : buffer;
      return;
    }
    const auto owner = owners_.find(kind(of));
    const bool is_owner = owner != owners_.end() && owner->second == std::pair(&layer, *origin);
    if (!of.is_tied && !is_owner) {
      keep_gradient(buffer);
      return;
    }
    const int made_before = tied_made_[kind(of)]++;
    if (made_before == 0) {
      keep_gradient(buffer);
    } else if (made_before == 1) {
      note(&layer, &op, buffer->bytes());
    }
  }

  void keep_gradient(const Handle& buffer) {
    found_.are_parameter_gradients.insert(buffer->number());
    gradients_.push_back(buffer);
  }

  const Model& model_;
  graph::TensorSizes sizes_;
  Fates known_, found_;
  Device device_;
  PeakMemory permanent_, peak_;
  std::int64_t most_activations_ = 0;
  int next_number_ = 0;
  bool is_backward_ = false;
  std::vector<std::weak_ptr<Buffer>> made_forward_;
  std::map<Kind, std::pair<const Layer*, TensorId>> owners_;
  std::map<Kind, int> tied_made_;
  std::map<std::pair<std::string, Kind>, Handle> from_outside_, for_outside_;
  std::vector<Handle> gradients_;
  std::vector<Offer> offers_;
  std::vector<Run> runs_;
};

}  // namespace

PeakMemory simulate_step(const Model& training_model, const MemoryOptions& options) {
  Simulation first(training_model, options, {});
  first.run();
  return Simulation(training_model, options, first.found()).run();
}

Bytes simulate_activations(const Model& training_model, graph::Allocation allocation) {
  MemoryOptions options;
  options.allocation = allocation;
  Simulation first(training_model, options, {});
  first.run();
  Simulation second(training_model, options, first.found());
  second.run();
  return Bytes(second.most_activations());
}

}  // namespace phaze::tests
