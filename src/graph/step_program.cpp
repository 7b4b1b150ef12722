// Executions of one layer are alike but for their neighbours: the first comes after another layer,
// the last comes before one; in backward the last two are the first and second that make gradients
// of tied parameters and shared tensors; all others are the same. So four of them are written, and
// those between stand for as many as there are. No storage reaches further than from one layer to
// the next but through offers and sums, which the rules in step_program.h leave to last executions.
#include "graph/step_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "graph/liveness.h"

namespace phaze::graph {
namespace {

// Shape and type: by what tensors of different layers are told apart, since layers name their own.
using Kind = std::pair<Shape, ElementType>;
Kind kind_of(const Tensor& tensor) { return {tensor.shape, tensor.type}; }

bool is_permanent(Role role) {
  return role == Role::kParameter || role == Role::kConstant || role == Role::kOptimizerState;
}

using OptionalStorage = std::optional<StorageId>;  // none: permanent

struct Execution {
  std::size_t layer = 0;
  std::int64_t times = 1;
  bool is_last = true;  // of its layer
  IdVector<TensorId, OptionalStorage> storages;
  std::vector<OptionalStorage> outputs;
  std::vector<StorageId> held;              // outputs that nobody takes
  std::vector<std::size_t> offered;         // offers
  std::map<TensorId, std::size_t> claimed;  // offers, by the shared tensor that they are
};

std::vector<Execution> list_executions(const Model& model) {
  constexpr std::int64_t kUnlike = 4;  // first, those between, next to last, last
  std::vector<Execution> executions;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::int64_t repeat = model.layers[i].repeat;
    const std::int64_t listed = std::min(repeat, kUnlike);
    for (std::int64_t n = 0; n < listed; ++n) {
      const bool is_between = listed == kUnlike && n == 1;
      Execution execution;
      execution.layer = i;
      execution.times = is_between ? repeat - (kUnlike - 1) : 1;
      execution.is_last = n + 1 == listed;
      executions.push_back(std::move(execution));
    }
  }
  return executions;
}

// An output that the next layer does not take, for later layers that share it.
struct Offer {
  StorageId storage;
  bool is_claimed = false;
  OptionalStorage gradient;  // the sum of its readers' gradients
};

// Which layer owns a parameter that others use: the first that runs once and has one of its kind.
class TiedParameters {
 public:
  explicit TiedParameters(const Model& model) : model_(model) {
    std::set<Kind> tied;
    for (const Layer& layer : model.layers) {
      for (const Tensor& tensor : layer.tensors) {
        if (is_weight(tensor) && tensor.is_tied) {
          tied.insert(kind_of(tensor));
        }
      }
    }
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const Layer& layer = model.layers[i];
      for (const TensorId id : ids_of(layer.tensors)) {
        const Tensor& tensor = layer.tensors[id];
        if (layer.repeat == 1 && is_weight(tensor) && !tensor.is_tied &&
            tied.contains(kind_of(tensor))) {
          owners_.try_emplace(kind_of(tensor), i, id);
        }
      }
    }
  }

  // Is it tied, or the one that others are tied to?
  bool contains(std::size_t layer, TensorId id) const {
    const Tensor& tensor = model_.layers[layer].tensors[id];
    const auto owner = owners_.find(kind_of(tensor));
    return tensor.is_tied || (owner != owners_.end() && owner->second == std::pair(layer, id));
  }

 private:
  const Model& model_;
  std::map<Kind, std::pair<std::size_t, TensorId>> owners_;
};

class StepWriter {
 public:
  StepWriter(const Model& model, TensorSizes& sizes)
      : model_(model), sizes_(sizes), executions_(list_executions(model)), tied_(model) {
    for (const Layer& layer : model.layers) {
      lives_.push_back(compute_liveness(layer));
    }
  }

  StepProgram run() && {
    for (std::size_t at = 0; at < executions_.size(); ++at) {
      run_forward(at);
    }
    program_.backward_begin = program_.events.size();
    for (std::size_t at = executions_.size(); at > 0; --at) {
      run_backward(at - 1);
    }
    const std::size_t end = border();
    program_.blocks.push_back({end, end + 1, 1, model_.layers.size()});
    for (const StorageId id : kept_to_the_end_) {
      use(id);
    }
    find_overwritten();
    return std::move(program_);
  }

 private:
  const Layer& layer_of(const Execution& e) const { return model_.layers[e.layer]; }
  const LayerLiveness& live_of(const Execution& e) const { return lives_[e.layer]; }
  OptionalStorage storage_of(const Execution& e, TensorId id) const {
    return e.storages[live_of(e).storages[id]];
  }

  std::size_t now() const { return program_.events.size() - 1; }
  std::size_t border() {
    program_.events.emplace_back();
    return now();
  }

  StorageId add_storage(const Tensor& tensor) {
    const bool is_of_parameter = tensor.role == Role::kParameterGradient;
    Storage storage;
    storage.bytes =
        is_of_parameter ? sizes_.packed(tensor.shape, tensor.type) : sizes_.allocated(tensor);
    return program_.storages.push_back(storage);
  }
  StorageId make_storage(const Tensor& tensor) {
    const StorageId id = add_storage(tensor);
    make(id);
    return id;
  }
  void use(StorageId id) { program_.storages[id].last = now(); }
  void use(const OptionalStorage& storage) {
    if (storage) {
      use(*storage);
    }
  }
  void make(StorageId id) {
    Storage& storage = program_.storages[id];
    storage.made = storage.made.value_or(now());
    use(id);
  }

  void run_operator(const Execution& e, OpId id) {
    const Operator& op = layer_of(e).operators[id];
    program_.events.push_back({&layer_of(e), &op, kernel_bytes(layer_of(e), op), Bytes(), {}});
    for (const TensorId input : op.inputs) {
      use(storage_of(e, input));
    }
    for (const TensorId output : op.outputs) {
      if (const OptionalStorage storage = storage_of(e, output)) {
        make(*storage);
      }
    }
    if (is_gradient_sum(op)) {
      sums_.push_back({now(), storage_of(e, op.inputs[0]), storage_of(e, op.inputs[1]),
                       storage_of(e, op.outputs[0])});
    }
  }

  void run_forward(std::size_t at) {
    const Execution& e = executions_[at];
    const std::size_t begin = border();
    find_storages(at);
    for (const OpId id : live_of(e).forward) {
      run_operator(e, id);
    }
    border();
    for (std::size_t output = 0; output < layer_of(e).outputs.size(); ++output) {
      hand_over(at, output);
    }
    program_.blocks.push_back({begin, now() + 1, e.times, e.layer});
  }

  void find_storages(std::size_t at) {
    Execution& e = executions_[at];
    const IdVector<TensorId, Tensor>& tensors = layer_of(e).tensors;
    e.storages.resize(tensors.size(), std::nullopt);
    std::size_t input = 0;
    for (const TensorId id : ids_of(tensors)) {
      const Tensor& tensor = tensors[id];
      if (tensor.role == Role::kInput) {
        const bool is_handed_over = at > 0 && input < executions_[at - 1].outputs.size();
        e.storages[id] = is_handed_over ? executions_[at - 1].outputs[input] : make_storage(tensor);
        ++input;
      } else if (tensor.role == Role::kShared) {
        e.storages[id] = shared_storage(e, id);
      } else if (!tensor.view_of && !is_permanent(tensor.role)) {
        e.storages[id] = add_storage(tensor);
      }
    }
  }

  // The latest offer of this kind. What no layer offers comes from outside and stays.
  StorageId shared_storage(Execution& e, TensorId id) {
    const Tensor& tensor = layer_of(e).tensors[id];
    if (const auto latest = latest_offers_.find(kind_of(tensor)); latest != latest_offers_.end()) {
      Offer& offer = offers_[latest->second];
      offer.is_claimed = true;
      e.claimed[id] = latest->second;
      use(offer.storage);
      return offer.storage;
    }
    const auto [place, is_new] =
        from_outside_.try_emplace({tensor.name, kind_of(tensor)}, StorageId());
    if (is_new) {
      place->second = make_storage(tensor);
      kept_to_the_end_.push_back(place->second);
    }
    return place->second;
  }

  void hand_over(std::size_t at, std::size_t output) {
    Execution& e = executions_[at];
    const TensorId tensor = layer_of(e).outputs[output];
    const Tensor& owner = layer_of(e).tensors[live_of(e).storages[tensor]];
    OptionalStorage storage = storage_of(e, tensor);
    if (owner.role == Role::kInput || owner.role == Role::kShared) {
      storage = make_storage(owner);
    }
    use(storage);
    e.outputs.push_back(storage);
    const bool is_taken =
        at + 1 < executions_.size() && output < live_of(executions_[at + 1]).inputs.size();
    if (!storage || is_taken) {
      return;
    }
    if (e.is_last) {
      e.offered.push_back(offers_.size());
      latest_offers_[kind_of(layer_of(e).tensors[tensor])] = offers_.size();
      offers_.push_back({*storage, false, {}});
    } else {
      e.held.push_back(*storage);
    }
  }

  void run_backward(std::size_t at) {
    const Execution& e = executions_[at];
    const LayerLiveness& live = live_of(e);
    const std::size_t begin = border();
    for (const std::size_t offer : e.offered) {
      use(offers_[offer].gradient);  // goes on as one of the gradients from outside
    }
    for (const TensorId id : live.outside_gradients) {
      make(*e.storages[id]);
    }
    for (const BackwardNode& node : live.backward) {
      run_node(e, node);
    }
    border();
    for (const TensorId id : live.checkpoint) {
      use(e.storages[id]);  // a checkpoint holds what it starts from until it is done
    }
    for (const TensorId id : live.handed_on) {
      use(storage_of(e, id));
    }
    for (const StorageId id : e.held) {
      use(id);
    }
    for (const std::size_t offer : e.offered) {
      if (!offers_[offer].is_claimed) {
        use(offers_[offer].storage);
      }
    }
    program_.blocks.push_back({begin, now() + 1, e.times, e.layer});
  }

  void run_node(const Execution& e, const BackwardNode& node) {
    const LayerLiveness& live = live_of(e);
    const std::size_t begin = program_.events.size();
    for (const OpId id : node) {
      run_operator(e, id);
      const auto found = live.contributions.find(id);
      if (found != live.contributions.end()) {
        for (const Contribution& contribution : found->second) {
          contribute(e, contribution);
        }
      }
    }
    for (const OpId id : node) {
      for (const TensorId input : layer_of(e).operators[id].inputs) {
        const OptionalStorage storage = storage_of(e, input);
        if (storage && program_.storages[*storage].made < begin) {
          use(*storage);
        }
      }
    }
  }

  // The first gradient of a tied parameter or a shared tensor stays, others are added to it: in
  // place, but for the first sum of a tied parameter, since PyTorch does not write over the
  // gradient of a product's weight.
  void contribute(const Execution& e, const Contribution& contribution) {
    const OptionalStorage storage = storage_of(e, contribution.gradient);
    if (!storage) {
      return;
    }
    if (!contribution.of) {
      keep_for_optimizer(*storage);
      return;
    }
    const Tensor& of = layer_of(e).tensors[*contribution.of];
    if (of.role == Role::kShared) {
      const auto claim = e.claimed.find(*contribution.of);
      if (claim != e.claimed.end()) {
        OptionalStorage& sum = offers_[claim->second].gradient;
        sum = sum.value_or(*storage);
      } else if (gradients_for_outside_.emplace(of.name, kind_of(of)).second) {
        kept_to_the_end_.push_back(*storage);
      }
      return;
    }
    const bool is_tied = tied_.contains(e.layer, *contribution.of);
    const int made_before = is_tied ? tied_gradients_[kind_of(of)]++ : 0;
    if (made_before == 0) {
      keep_for_optimizer(*storage);
    } else if (made_before == 1) {
      Bytes& sum = program_.events.back().sum;
      sum = std::max(sum, program_.storages[*storage].bytes);
    }
  }

  void keep_for_optimizer(StorageId id) {
    program_.storages[id].is_parameter_gradient = true;
    kept_to_the_end_.push_back(id);
  }

  // A sum of gradients takes the place of the older one when nobody else needs that.
  void find_overwritten() {
    for (const Sum& sum : sums_) {
      if (!sum.older || !sum.result || sum.older == sum.newer) {
        continue;
      }
      const Storage& older = program_.storages[*sum.older];
      const Storage& result = program_.storages[*sum.result];
      const bool is_free = older.last == sum.event && older.made >= program_.backward_begin;
      if (is_free && older.made < sum.event && result.made == sum.event &&
          result.bytes == older.bytes) {
        program_.events[sum.event].overwritten = sum.older;
      }
    }
  }

  struct Sum {
    std::size_t event = 0;
    OptionalStorage older, newer, result;
  };

  const Model& model_;
  TensorSizes& sizes_;
  std::vector<LayerLiveness> lives_;
  std::vector<Execution> executions_;
  TiedParameters tied_;
  std::vector<Offer> offers_;
  std::map<Kind, std::size_t> latest_offers_;
  std::vector<Sum> sums_;
  std::map<Kind, int> tied_gradients_;  // how many have been made
  std::map<std::pair<std::string, Kind>, StorageId> from_outside_;
  std::set<std::pair<std::string, Kind>> gradients_for_outside_;
  std::vector<StorageId> kept_to_the_end_;
  StepProgram program_;
};

}  // namespace

StepProgram write_step_program(const Model& training_model, TensorSizes& sizes) {
  return StepWriter(training_model, sizes).run();
}

}  // namespace phaze::graph
