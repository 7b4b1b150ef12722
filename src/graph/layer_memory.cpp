// From the program of the whole step. What forward leaves for backward belongs to the execution in
// whose backward half it is freed: a layer's input to the layer that reads it, and not to the one
// that made it. When an execution runs, in either direction, all that belongs to those before it is
// there and nothing that belongs to those behind it but what it hands on. So what is alive beside
// those before, less what is its own in the end, is what it needs besides.
#include "graph/layer_memory.h"

#include <algorithm>

#include "graph/step_program.h"
#include "graph/summary.h"

namespace phaze::graph {
namespace {

struct Usage {
  std::vector<Bytes> owned;  // by execution: what is freed in its backward half
  // By event, what is alive and belongs to no execution before the one that runs. Gradients of
  // parameters are left out.
  std::vector<Bytes> alive;
};

// Blocks are the forward halves of all executions, then the backward halves in opposite order, then
// the optimiser.
class UsageCounter {
 public:
  explicit UsageCounter(const StepProgram& program)
      : program_(program), executions_(program.blocks.size() / 2) {
    usage_.owned.resize(executions_);
    usage_.alive.resize(program.events.size() + 1);
  }

  Usage run() && {
    std::vector<std::size_t> block_of(program_.events.size());
    for (std::size_t i = 0; i < program_.blocks.size(); ++i) {
      const Block& block = program_.blocks[i];
      std::fill(block_of.begin() + static_cast<std::ptrdiff_t>(block.begin),
                block_of.begin() + static_cast<std::ptrdiff_t>(block.end), i);
    }
    for (const StorageId id : ids_of(program_.storages)) {
      const Storage& storage = program_.storages[id];
      if (storage.made && !storage.is_parameter_gradient) {
        const bool is_overwritten = program_.events[storage.last].overwritten == id;
        count(storage, storage.last + (is_overwritten ? 0 : 1), block_of[storage.last]);
      }
    }
    Bytes now;
    for (Bytes& alive : usage_.alive) {
      now += alive;
      alive = now;
    }
    return std::move(usage_);
  }

 private:
  void add(Bytes bytes, std::size_t begin, std::size_t end) {
    usage_.alive[begin] += bytes;
    usage_.alive[end] = usage_.alive[end] - bytes;
  }

  void count(const Storage& storage, std::size_t end, std::size_t last_block) {
    const bool is_left = storage.made < program_.backward_begin && last_block >= executions_ &&
                         last_block < 2 * executions_;
    if (!is_left) {
      add(storage.bytes, *storage.made, end);
      return;
    }
    const std::size_t owner = 2 * executions_ - 1 - last_block;
    usage_.owned[owner] += storage.bytes;
    add(storage.bytes, *storage.made, program_.blocks[owner].end);
    add(storage.bytes, program_.blocks[last_block].begin, end);
  }

  const StepProgram& program_;
  std::size_t executions_;
  Usage usage_;
};

// While one of the block's operators runs.
Bytes most_alive(const StepProgram& program, const Usage& usage, const Block& block) {
  Bytes most;
  for (std::size_t at = block.begin; at < block.end; ++at) {
    const Event& event = program.events[at];
    if (event.op != nullptr) {
      most = std::max(most, usage.alive[at] + std::max(event.besides, event.sum));
    }
  }
  return most;
}

// What the layer reads in backward must be there, whichever layer reads it last.
Bytes bytes_saved(const Layer& layer, const TensorSizes& sizes) {
  Bytes sum;
  for (const TensorId id : compute_saved(layer)) {
    sum += sizes.allocated(layer.tensors[id]);
  }
  return sum;
}

Bytes bytes_shared(const Layer& layer, const TensorSizes& sizes) {
  Bytes sum;
  for (const Tensor& tensor : layer.tensors) {
    sum += tensor.role == Role::kShared ? sizes.allocated(tensor) : Bytes();
  }
  return sum;
}

}  // namespace

std::vector<LayerMemory> compute_layer_memory(const Model& training_model, Allocation allocation) {
  const std::vector<Layer>& layers = training_model.layers;
  TensorSizes sizes(training_model, allocation);
  const StepProgram program = write_step_program(training_model, sizes);
  const Usage usage = UsageCounter(program).run();
  std::vector<Bytes> owned(layers.size());  // by all executions
  for (std::size_t i = 0; i < usage.owned.size(); ++i) {
    const Block& block = program.blocks[i];
    owned[block.layer] += usage.owned[i] * block.times;
  }
  std::vector<LayerMemory> memory(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Bytes mean((owned[i].value() + layers[i].repeat - 1) / layers[i].repeat);
    memory[i].saved = std::max(mean, bytes_saved(layers[i], sizes));
  }
  for (const Block& block : program.blocks) {
    if (block.layer < layers.size()) {
      LayerMemory& own = memory[block.layer];
      own.transient = std::max(own.transient, most_alive(program, usage, block) - own.saved);
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    memory[i].shared = bytes_shared(layers[i], sizes);
    memory[i].transient += memory[i].shared;
  }
  return memory;
}

}  // namespace phaze::graph
