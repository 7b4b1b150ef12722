#include "plan/measured.h"

namespace phaze::plan {

using graph::OpKind;

OperatorExtents extents_of(const graph::ProductShape& shape) {
  return {shape.batch, shape.m, shape.n, shape.k};
}

OperatorExtents extents_of(const graph::AttentionShape& shape) {
  return {shape.batch, shape.heads,    shape.kv_heads,          shape.queries,
          shape.keys,  shape.head_dim, shape.is_causal ? 1 : 0, shape.window};
}

OperatorExtents extents_of(const MeasuredOperator& measured) {
  switch (measured.kind) {
    case OpKind::kProduct:
    case OpKind::kConvolution:
      return extents_of(measured.product);
    case OpKind::kAttention:
      return extents_of(measured.attention);
    default:
      return {measured.rows, measured.columns};
  }
}

bool has_backward_form(OpKind kind) {
  switch (kind) {
    case OpKind::kProduct:
    case OpKind::kConvolution:
    case OpKind::kAttention:
    case OpKind::kLayerNorm:
    case OpKind::kRmsNorm:
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax:
    case OpKind::kCrossEntropy:
    case OpKind::kNllLoss:
    case OpKind::kSquaredError:
    case OpKind::kMean:
    case OpKind::kTopK:
    case OpKind::kGelu:
    case OpKind::kGeluTanh:
    case OpKind::kQuickGelu:
    case OpKind::kRelu:
    case OpKind::kSilu:
    case OpKind::kTanh:
    case OpKind::kSigmoid:
    case OpKind::kPower:
    case OpKind::kRsqrt:
    case OpKind::kDivide:
    case OpKind::kSwiglu:
    case OpKind::kGeglu:
    case OpKind::kReglu:
    case OpKind::kDropout:
    case OpKind::kEmbedding:
      return true;
    case OpKind::kReduce:
    case OpKind::kAdd:
    case OpKind::kMultiply:
    case OpKind::kScale:
    case OpKind::kNegate:
    case OpKind::kAddScalar:
    case OpKind::kRotary:
    case OpKind::kCast:
    case OpKind::kCopy:
    case OpKind::kConcatenate:
    case OpKind::kGather:
    case OpKind::kScatterAdd:
    case OpKind::kView:
    case OpKind::kSplit:
    case OpKind::kJoin:
    case OpKind::kAllReduce:
    case OpKind::kAllGather:
    case OpKind::kReduceScatter:
    case OpKind::kAllToAll:
    case OpKind::kEnterTensorParallel:
    case OpKind::kAdam:
    case OpKind::kSgd:
      return false;
  }
  return false;
}

}  // namespace phaze::plan
