// Vector operations per element are counts of the additions, multiplications, comparisons and
// special functions of the textbook formula (docs/models.md, "Vector work"), a special function
// (exp, tanh, erf, rsqrt, division) counted as one.
#include "graph/op_kind.h"

#include <array>

#include "base/check.h"

namespace phaze::graph {
namespace {

using enum OpKind;

constexpr int kAnyNumber = 1 << 30;

constexpr std::array kTraits = {
    KindTraits{kProduct, "product", Unit::kTensor, false, 0, 0, 2, 3, 1, ResultSize::kOther},
    KindTraits{kConvolution, "convolution", Unit::kTensor, false, 0, 0, 2, 3, 1,
               ResultSize::kOther},
    KindTraits{kAttention, "attention", Unit::kTensor, false, 0, 0, 3, 4, 2, ResultSize::kOther},
    KindTraits{kLayerNorm, "layer_norm", Unit::kVector, false, 8, 14, 1, 3, 2,
               ResultSize::kAsFirst},
    KindTraits{kRmsNorm, "rms_norm", Unit::kVector, false, 4, 10, 1, 2, 2, ResultSize::kAsFirst},
    KindTraits{kSoftmax, "softmax", Unit::kVector, false, 5, 4, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kLogSoftmax, "log_softmax", Unit::kVector, false, 5, 4, 1, 1, 1,
               ResultSize::kAsFirst},
    KindTraits{kCrossEntropy, "cross_entropy", Unit::kVector, false, 5, 5, 2, 2, 2,
               ResultSize::kOther},
    KindTraits{kNllLoss, "nll_loss", Unit::kVector, false, 0, 1, 2, 2, 1, ResultSize::kOther},
    KindTraits{kSquaredError, "squared_error", Unit::kVector, false, 3, 2, 2, 2, 1,
               ResultSize::kOther},
    KindTraits{kMean, "mean", Unit::kVector, false, 1, 1, 1, 1, 1, ResultSize::kOther},
    KindTraits{kReduce, "reduce", Unit::kVector, false, 1, 1, 1, 1, 1, ResultSize::kOther},
    KindTraits{kTopK, "top_k", Unit::kVector, false, 4, 1, 1, 1, 2, ResultSize::kOther},
    KindTraits{kAdd, "add", Unit::kVector, true, 1, 0, 2, 2, 1, ResultSize::kAsLargest},
    KindTraits{kMultiply, "multiply", Unit::kVector, true, 1, 1, 2, 2, 1, ResultSize::kAsLargest},
    KindTraits{kScale, "scale", Unit::kVector, true, 1, 1, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kGelu, "gelu", Unit::kVector, true, 5, 10, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kGeluTanh, "gelu_tanh", Unit::kVector, true, 9, 14, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kQuickGelu, "quick_gelu", Unit::kVector, true, 5, 8, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kRelu, "relu", Unit::kVector, true, 1, 2, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kSilu, "silu", Unit::kVector, true, 4, 7, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kTanh, "tanh", Unit::kVector, true, 1, 3, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kSigmoid, "sigmoid", Unit::kVector, true, 3, 3, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kPower, "power", Unit::kVector, true, 1, 2, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kRsqrt, "rsqrt", Unit::kVector, true, 1, 3, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kDivide, "divide", Unit::kVector, true, 1, 3, 2, 2, 1, ResultSize::kAsLargest},
    KindTraits{kNegate, "negate", Unit::kVector, true, 1, 1, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kAddScalar, "add_scalar", Unit::kVector, true, 1, 0, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kSwiglu, "swiglu", Unit::kVector, true, 5, 10, 2, 2, 1, ResultSize::kAsFirst},
    KindTraits{kGeglu, "geglu", Unit::kVector, true, 10, 17, 2, 2, 1, ResultSize::kAsFirst},
    KindTraits{kReglu, "reglu", Unit::kVector, true, 2, 4, 2, 2, 1, ResultSize::kAsFirst},
    KindTraits{kRotary, "rotary", Unit::kVector, true, 3, 3, 1, 3, 1, ResultSize::kAsFirst},
    KindTraits{kDropout, "dropout", Unit::kVector, true, 3, 2, 1, 1, 2, ResultSize::kAsFirst},
    KindTraits{kCast, "cast", Unit::kVector, true, 0, 0, 1, 1, 1, ResultSize::kAsFirst},
    KindTraits{kCopy, "copy", Unit::kVector, false, 0, 0, 1, 1, 1, ResultSize::kOther},
    KindTraits{kConcatenate, "concatenate", Unit::kVector, false, 0, 0, 1, kAnyNumber, 1,
               ResultSize::kOther},
    KindTraits{kEmbedding, "embedding", Unit::kVector, false, 0, 1, 2, 2, 1, ResultSize::kOther},
    KindTraits{kGather, "gather", Unit::kVector, false, 0, 0, 2, 2, 1, ResultSize::kOther},
    KindTraits{kScatterAdd, "scatter_add", Unit::kVector, false, 1, 1, 2, 2, 1, ResultSize::kOther},
    KindTraits{kView, "view", Unit::kNone, false, 0, 0, 1, 1, 1, ResultSize::kOther},
    KindTraits{kSplit, "split", Unit::kNone, false, 0, 0, 1, 1, 0, ResultSize::kOther},
    KindTraits{kJoin, "join", Unit::kNone, false, 0, 0, 1, kAnyNumber, 1, ResultSize::kOther},
    KindTraits{kAllReduce, "all_reduce", Unit::kNetwork, false, 0, 0, 1, 1, 1, ResultSize::kOther},
    KindTraits{kAllGather, "all_gather", Unit::kNetwork, false, 0, 0, 1, 1, 1, ResultSize::kOther},
    KindTraits{kReduceScatter, "reduce_scatter", Unit::kNetwork, false, 0, 0, 1, 1, 1,
               ResultSize::kOther},
    KindTraits{kAllToAll, "all_to_all", Unit::kNetwork, false, 0, 0, 1, 1, 1, ResultSize::kOther},
    KindTraits{kEnterTensorParallel, "enter_tensor_parallel", Unit::kNone, false, 0, 0, 1, 1, 1,
               ResultSize::kAsFirst},
    KindTraits{kAdam, "adam", Unit::kVector, false, 12, 0, 1, kAnyNumber, 0, ResultSize::kOther},
    KindTraits{kSgd, "sgd", Unit::kVector, false, 2, 0, 1, kAnyNumber, 0, ResultSize::kOther},
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
  kinds.reserve(kTraits.size());
  for (const KindTraits& row : kTraits) {
    kinds.push_back(row.kind);
  }
  return kinds;
}

}  // namespace phaze::graph
