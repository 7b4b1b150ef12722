// Vector operations per element are counts of the additions, multiplications, comparisons and
// special functions of the textbook formula (docs/models.md, "Vector work"), a special function
// (exp, tanh, erf, rsqrt, division) counted as one.
#include "graph/op_kind.h"

#include <array>

#include "base/check.h"

namespace phaze::graph {
namespace {

using enum OpKind;

constexpr std::array kTraits = {
    KindTraits{kProduct, "product", Unit::kTensor, false, 0, 0},
    KindTraits{kConvolution, "convolution", Unit::kTensor, false, 0, 0},
    KindTraits{kAttention, "attention", Unit::kTensor, false, 0, 0},
    KindTraits{kLayerNorm, "layer_norm", Unit::kVector, false, 8, 14},
    KindTraits{kRmsNorm, "rms_norm", Unit::kVector, false, 4, 10},
    KindTraits{kSoftmax, "softmax", Unit::kVector, false, 5, 4},
    KindTraits{kLogSoftmax, "log_softmax", Unit::kVector, false, 5, 4},
    KindTraits{kCrossEntropy, "cross_entropy", Unit::kVector, false, 5, 5},
    KindTraits{kNllLoss, "nll_loss", Unit::kVector, false, 0, 1},
    KindTraits{kSquaredError, "squared_error", Unit::kVector, false, 3, 2},
    KindTraits{kMean, "mean", Unit::kVector, false, 1, 1},
    KindTraits{kReduce, "reduce", Unit::kVector, false, 1, 1},
    KindTraits{kTopK, "top_k", Unit::kVector, false, 4, 1},
    KindTraits{kAdd, "add", Unit::kVector, true, 1, 0},
    KindTraits{kMultiply, "multiply", Unit::kVector, true, 1, 1},
    KindTraits{kScale, "scale", Unit::kVector, true, 1, 1},
    KindTraits{kGelu, "gelu", Unit::kVector, true, 5, 10},
    KindTraits{kGeluTanh, "gelu_tanh", Unit::kVector, true, 9, 14},
    KindTraits{kQuickGelu, "quick_gelu", Unit::kVector, true, 5, 8},
    KindTraits{kRelu, "relu", Unit::kVector, true, 1, 2},
    KindTraits{kSilu, "silu", Unit::kVector, true, 4, 7},
    KindTraits{kTanh, "tanh", Unit::kVector, true, 1, 3},
    KindTraits{kSigmoid, "sigmoid", Unit::kVector, true, 3, 3},
    KindTraits{kPower, "power", Unit::kVector, true, 1, 2},
    KindTraits{kRsqrt, "rsqrt", Unit::kVector, true, 1, 3},
    KindTraits{kDivide, "divide", Unit::kVector, true, 1, 3},
    KindTraits{kNegate, "negate", Unit::kVector, true, 1, 1},
    KindTraits{kAddScalar, "add_scalar", Unit::kVector, true, 1, 0},
    KindTraits{kSwiglu, "swiglu", Unit::kVector, true, 5, 10},
    KindTraits{kGeglu, "geglu", Unit::kVector, true, 10, 17},
    KindTraits{kReglu, "reglu", Unit::kVector, true, 2, 4},
    KindTraits{kRotary, "rotary", Unit::kVector, true, 3, 3},
    KindTraits{kDropout, "dropout", Unit::kVector, true, 3, 2},
    KindTraits{kCast, "cast", Unit::kVector, true, 0, 0},
    KindTraits{kCopy, "copy", Unit::kVector, false, 0, 0},
    KindTraits{kConcatenate, "concatenate", Unit::kVector, false, 0, 0},
    KindTraits{kEmbedding, "embedding", Unit::kVector, false, 0, 1},
    KindTraits{kGather, "gather", Unit::kVector, false, 0, 1},
    KindTraits{kScatterAdd, "scatter_add", Unit::kVector, false, 1, 0},
    KindTraits{kView, "view", Unit::kNone, false, 0, 0},
    KindTraits{kSplit, "split", Unit::kNone, false, 0, 0},
    KindTraits{kJoin, "join", Unit::kNone, false, 0, 0},
    KindTraits{kAllReduce, "all_reduce", Unit::kNetwork, false, 0, 0},
    KindTraits{kAllGather, "all_gather", Unit::kNetwork, false, 0, 0},
    KindTraits{kReduceScatter, "reduce_scatter", Unit::kNetwork, false, 0, 0},
    KindTraits{kAllToAll, "all_to_all", Unit::kNetwork, false, 0, 0},
    KindTraits{kEnterTensorParallel, "enter_tensor_parallel", Unit::kNone, false, 0, 0},
    KindTraits{kAdam, "adam", Unit::kVector, false, 12, 0},
    KindTraits{kSgd, "sgd", Unit::kVector, false, 2, 0},
};

constexpr bool is_in_enum_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].kind != static_cast<OpKind>(i)) {
      return false;
    }
  }
  return kTraits.back().kind == kSgd;
}
static_assert(is_in_enum_order(), "one row per OpKind, in its order");

}  // namespace

const KindTraits& traits(OpKind kind) { return kTraits[static_cast<std::size_t>(kind)]; }

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::kTensor:
      return "tensor";
    case Unit::kVector:
      return "vector";
    case Unit::kNetwork:
      return "network";
    case Unit::kNone:
      return "none";
  }
  CHECK(false, "unknown unit");
}

std::optional<OpKind> parse_op_kind(std::string_view name) {
  for (const KindTraits& row : kTraits) {
    if (row.name == name) {
      return row.kind;
    }
  }
  return std::nullopt;
}

std::vector<OpKind> all_op_kinds() {
  std::vector<OpKind> kinds;
  for (const KindTraits& row : kTraits) {
    kinds.push_back(row.kind);
  }
  return kinds;
}

}  // namespace phaze::graph
