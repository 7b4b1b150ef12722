#pragma once
// What tensors and kernels take of a device's memory: the rules of an allocator, and the buffers
// that kernels allocate for themselves. When a tensor is there is step_program.h.

#include <map>
#include <vector>

#include "graph/layer.h"

namespace phaze::graph {

// Exact: a tensor takes its own bytes. Caching: what PyTorch's caching allocator counts as
// allocated (torch.cuda.max_memory_allocated).
enum class Allocation { kExact, kCaching };

// Bytes that a tensor of this size takes.
Bytes allocated_bytes(Bytes size, Allocation allocation);

// Bytes that the operator's kernel allocates while it runs, beside its results.
Bytes kernel_bytes(const Layer& layer, const Operator& op);

// Bytes that tensors take which are allocated one after another and stay: the allocator cuts blocks
// from segments and leaves what is too small to be cut off with the last one.
class PackedSizes {
 public:
  PackedSizes(const std::vector<Bytes>& sizes, Allocation allocation);

  // Of a tensor of this size, on average. One that was not among them takes allocated_bytes.
  Bytes of(Bytes size) const;

 private:
  Allocation allocation_;
  std::map<Bytes, Bytes> blocks_;
};

// Bytes that the tensors of a model take.
class TensorSizes {
 public:
  // Keeps a reference to the model.
  TensorSizes(const Model& model, Allocation allocation) : model_(model), allocation_(allocation) {}

  Bytes allocated(const Tensor& tensor) const {
    return allocated_bytes(size_of(tensor), allocation_);
  }
  // Of a tensor that has a parameter's shape and stays: the parameter, its gradient, its states.
  Bytes packed(const Shape& shape, ElementType type);

 private:
  const Model& model_;
  Allocation allocation_;
  std::map<ElementType, PackedSizes> packed_;
};

}  // namespace phaze::graph
