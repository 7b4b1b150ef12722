#pragma once
// A training step as one straight program over storages, for memory.h. A storage lives from the
// first operator that writes it to the last that uses it, whichever layers these belong to.
//
// Between layers: the k-th result of a layer is the k-th input of the next. A result that the next
// layer does not take is offered to later layers, whose shared tensors of that shape and type it
// then is; if nobody wants it, it stays until its layer's backward has run. Inputs and shared
// tensors that no layer makes come from outside. What a layer hands on of what it was handed
// counts as a copy.

#include <optional>
#include <vector>

#include "graph/allocation.h"
#include "graph/layer.h"

namespace phaze::graph {

using StorageId = Id<struct StorageTag>;

struct Storage {
  Bytes bytes;
  std::optional<std::size_t> made;  // events
  std::size_t last = 0;
  bool is_parameter_gradient = false;
};

// An operator's run, or (without an operator) a border between layers, at which storages may come
// and go.
struct Event {
  const Layer* layer = nullptr;
  const Operator* op = nullptr;
  Bytes besides;                         // what the kernel takes while it runs
  Bytes sum;                             // afterwards, while gradients of layers are added up
  std::optional<StorageId> overwritten;  // freed before results are made
};

// Half of a layer's execution: events begin to end, so many times.
struct Block {
  std::size_t begin = 0, end = 0;
  std::int64_t times = 1;
  std::size_t layer = 0;  // of the model
};

struct StepProgram {
  std::vector<Event> events;  // the last one is the optimiser
  std::vector<Block> blocks;  // forward, backward, and the optimiser, which is no layer's
  IdVector<StorageId, Storage> storages;
  std::size_t backward_begin = 0;
};

// Pointers into the model's layers stay in the events. O(operators log operators).
StepProgram write_step_program(const Model& training_model, TensorSizes& sizes);

}  // namespace phaze::graph
