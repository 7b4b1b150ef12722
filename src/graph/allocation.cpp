#include "graph/allocation.h"

#include <algorithm>
#include <set>
#include <utility>

namespace phaze::graph {
namespace {

// PyTorch's CUDACachingAllocator: sizes are multiples of 512 bytes. What is over 1 MiB is cut from
// segments of 20 MiB, or has one of its own of a multiple of 2 MiB from 10 MiB on; what remains of
// a block is cut off only when it is over 1 MiB. Smaller tensors share segments without loss.
constexpr std::int64_t kGranule = 512;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::int64_t kSmall = kMebi, kCutOff = kMebi;
constexpr std::int64_t kOwnSegment = 10 * kMebi, kSharedSegment = 20 * kMebi,
                       kSegmentStep = 2 * kMebi;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

std::int64_t segment_for(std::int64_t size) {
  return size < kOwnSegment ? kSharedSegment : round_up(size, kSegmentStep);
}

constexpr std::int64_t kF32Bytes = 4;

// Gradients of q are added up in fp32, one sum for each row of scores is kept beside them, and
// heads that share k and v have gradients of their own until these are added up.
std::int64_t attention_backward_bytes(const AttentionShape& a, std::int64_t element) {
  const std::int64_t rows = a.batch * a.heads * a.queries;
  std::int64_t expanded = 0;
  if (a.kv_heads < a.heads) {
    // No tensor of the graph is that large: an odd file might take it beyond all bounds.
    constexpr double kMost = 0x1p58;
    const double all_heads = static_cast<double>(a.batch * a.heads) * static_cast<double>(a.keys) *
                             static_cast<double>(a.head_dim);
    expanded =
        static_cast<std::int64_t>(std::min(kMost, 2 * static_cast<double>(element) * all_heads));
  }
  return kF32Bytes * rows * (a.head_dim + 1) + expanded;
}

// A sum over rows: 128 columns a thread block, four to a thread, and the rows in as many pieces as
// keep 132 multiprocessors busy with 16 blocks each, at least 64 rows. Each has its own results.
std::int64_t reduce_bytes(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kColumns = 128, kRows = 64, kBlocks = 2112, kBytes = 512;
  const std::int64_t blocks = (columns + kColumns - 1) / kColumns;
  if (columns % 4 != 0 || blocks > kBlocks || rows < 4 * kRows) {
    return 0;
  }
  return kBytes * columns * std::min((kBlocks + blocks - 1) / blocks, (rows + kRows - 1) / kRows);
}

// Ids are sorted, and equal ones added up in pieces of ten, in fp32. A few are added one by one.
std::int64_t embedding_backward_bytes(std::int64_t ids, std::int64_t rows, std::int64_t width) {
  constexpr std::int64_t kFew = 3072, kPiece = 10, kSortBytes = 48;
  if (ids <= kFew) {
    return 0;
  }
  return (ids / kPiece + std::min(ids, rows)) * width * kF32Bytes + kSortBytes * ids;
}

}  // namespace

Bytes allocated_bytes(Bytes size, Allocation allocation) {
  if (allocation == Allocation::kExact) {
    return size;
  }
  const std::int64_t block = round_up(size.value(), kGranule);
  const std::int64_t segment = segment_for(block);
  return Bytes(block >= kOwnSegment && segment - block <= kCutOff ? segment : block);
}

PackedSizes::PackedSizes(const std::vector<Bytes>& sizes, Allocation allocation)
    : allocation_(allocation) {
  if (allocation == Allocation::kExact) {
    return;
  }
  struct Sum {
    std::int64_t bytes = 0, count = 0;
  };
  std::map<Bytes, Sum> sums;
  std::multiset<std::int64_t> free;
  for (const Bytes size : sizes) {
    std::int64_t block = round_up(size.value(), kGranule);
    if (block <= kSmall) {
      continue;
    }
    const auto fitting = free.lower_bound(block);
    const std::int64_t found = fitting == free.end() ? segment_for(block) : *fitting;
    if (fitting != free.end()) {
      free.erase(fitting);
    }
    if (found - block > kCutOff) {
      free.insert(found - block);
    } else {
      block = found;
    }
    Sum& sum = sums[size];
    sum.bytes += block;
    ++sum.count;
  }
  for (const auto& [size, sum] : sums) {
    blocks_[size] = Bytes(sum.bytes / sum.count);
  }
}

Bytes PackedSizes::of(Bytes size) const {
  const auto found = blocks_.find(size);
  return found == blocks_.end() ? allocated_bytes(size, allocation_) : found->second;
}

Bytes TensorSizes::packed(const Shape& shape, ElementType type) {
  constexpr std::int64_t kEnough = 32;  // layers in a row, for an average
  const std::int64_t element = bytes_per_element(type);
  auto found = packed_.find(type);
  if (found == packed_.end()) {
    std::vector<Bytes> sizes;
    for (const Layer& layer : model_.layers) {
      for (std::int64_t n = 0; n < std::min(layer.repeat, kEnough); ++n) {
        for (const Tensor& tensor : layer.tensors) {
          if (is_weight(tensor) && !tensor.is_tied) {
            sizes.push_back(Bytes(element) * element_count(tensor.shape));
          }
        }
      }
    }
    found = packed_.emplace(type, PackedSizes(sizes, allocation_)).first;
  }
  return found->second.of(Bytes(element) * element_count(shape));
}

Bytes kernel_bytes(const Layer& layer, const Operator& op) {
  if (op.pass != Pass::kBackward || op.inputs.empty() || op.outputs.empty()) {
    return {};
  }
  const Tensor& in = layer.tensors[op.inputs[0]];
  const Tensor& out = layer.tensors[op.outputs[0]];
  const std::int64_t in_count = element_count(in.shape);
  const std::int64_t out_count = element_count(out.shape);
  switch (op.kind) {
    case OpKind::kAttention:
      return op.attention
                 ? Bytes(attention_backward_bytes(*op.attention, bytes_per_element(in.type)))
                 : Bytes();
    case OpKind::kSoftmax:
      return size_of(in);  // the gradient times the result
    case OpKind::kPower:
      return size_of(out) * 2;  // a lower power of the input, and that times the exponent
    case OpKind::kReduce:
      return Bytes(reduce_bytes(in_count / out_count, out_count));
    case OpKind::kEmbedding: {
      const std::int64_t width = last_extent(out.shape);
      return Bytes(embedding_backward_bytes(in_count / width, out_count / width, width));
    }
    default:
      return {};
  }
}

}  // namespace phaze::graph
