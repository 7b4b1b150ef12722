#pragma once
// The closed set of operators, and what is known of each kind without looking at a tensor.

#include <optional>
#include <string_view>
#include <vector>

namespace phaze::graph {

enum class OpKind {
  // Matrix work.
  kProduct,      // batch x (m x k) (k x n), optional bias as third input
  kConvolution,  // non-overlapping patches: an implicit product
  kAttention,    // fused ("flash") attention: q, k, v [, bias] -> out, row statistics
  // Row operators: a reduction along the last dimension.
  kLayerNorm,     // x [, weight, bias] -> y, statistics (mean, 1/deviation)
  kRmsNorm,       // x [, weight] -> y, statistics (1/rms)
  kSoftmax,       // x -> y
  kLogSoftmax,    // x -> y
  kCrossEntropy,  // logits, labels -> loss, row statistics; one kernel, softmax recomputed
  kNllLoss,       // log-probabilities, labels -> loss
  kSquaredError,  // prediction, target -> loss
  kMean,          // mean along the last dimension
  kReduce,        // sum over rows, such as the gradient of a bias
  kTopK,          // the k largest of a row and their indices
  // Element-wise operators.
  kAdd,
  kMultiply,
  kScale,  // times a scalar
  kGelu,
  kGeluTanh,
  kQuickGelu,
  kRelu,
  kSilu,
  kTanh,
  kSigmoid,
  kPower,  // x ^ 2, x ^ 3, ...
  kRsqrt,  // 1 / sqrt(x)
  kDivide,
  kNegate,
  kAddScalar,
  kSwiglu,   // gate, up -> silu(gate) * up
  kGeglu,    // gate, up -> gelu(gate) * up
  kReglu,    // gate, up -> relu(gate) * up
  kRotary,   // rotates pairs of elements by the position's angle
  kDropout,  // x -> y, mask
  kCast,
  // Moving data.
  kCopy,         // another layout: a materialised transpose or expansion
  kConcatenate,  // of several tensors
  kEmbedding,    // rows of a table by index
  kGather,       // rows of an activation by index (tokens to experts)
  kScatterAdd,   // rows added back by index (experts to tokens)
  // Free: another shape of the same storage.
  kView,
  kSplit,  // outputs are views of parts of the input
  kJoin,   // inputs are views of parts of the output, written in place
  // Network.
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kEnterTensorParallel,  // identity forward, all-reduce of the gradient backward
  // Optimiser.
  kAdam,
  kSgd,
};

enum class Unit { kTensor, kVector, kNetwork, kNone };

// How the first result of a forward operator is as large as its operands.
enum class ResultSize {
  kOther,      // by a rule of its own, or any
  kAsFirst,    // as the first input
  kAsLargest,  // as the largest input
};

struct KindTraits {
  OpKind kind;
  std::string_view name;
  Unit unit;
  bool elementwise;       // each output element depends on the same element of each input
  double forward_flops;   // vector operations per element (of the first output; of the first
  double backward_flops;  // input for reductions), forward and backward
  // Of a forward operator: fewest and most inputs, and outputs (0: any number from 1 on).
  int least_inputs;
  int most_inputs;
  int outputs;
  ResultSize result_size;
};

const KindTraits& traits(OpKind kind);
inline std::string_view to_string(OpKind kind) { return traits(kind).name; }
std::string_view to_string(Unit unit);
std::optional<OpKind> parse_op_kind(std::string_view name);
std::vector<OpKind> all_op_kinds();

}  // namespace phaze::graph
