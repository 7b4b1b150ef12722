#include "graph/op_kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace phaze::graph {
namespace {

TEST(OpKind, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (const OpKind kind : all_op_kinds()) {
    EXPECT_TRUE(names.insert(to_string(kind)).second) << to_string(kind);
    EXPECT_EQ(parse_op_kind(to_string(kind)), kind);
    EXPECT_EQ(traits(kind).kind, kind);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(OpKind::kSgd) + 1);
}

TEST(OpKind, OtherNamesAreNone) {
  EXPECT_FALSE(parse_op_kind(""));
  EXPECT_FALSE(parse_op_kind("Product"));
  EXPECT_FALSE(parse_op_kind("kProduct"));
}

TEST(OpKind, EachUnitHasItsKinds) {
  for (const OpKind kind : {OpKind::kProduct, OpKind::kConvolution, OpKind::kAttention}) {
    EXPECT_EQ(traits(kind).unit, Unit::kTensor) << to_string(kind);
  }
  for (const OpKind kind :
       {OpKind::kAllReduce, OpKind::kAllGather, OpKind::kReduceScatter, OpKind::kAllToAll}) {
    EXPECT_EQ(traits(kind).unit, Unit::kNetwork) << to_string(kind);
  }
  // An identity forward: what it costs is the all-reduce that backward makes of it.
  for (const OpKind kind :
       {OpKind::kView, OpKind::kSplit, OpKind::kJoin, OpKind::kEnterTensorParallel}) {
    EXPECT_EQ(traits(kind).unit, Unit::kNone) << to_string(kind);
  }
  EXPECT_EQ(to_string(Unit::kTensor), "tensor");
  EXPECT_EQ(to_string(Unit::kVector), "vector");
  EXPECT_EQ(to_string(Unit::kNetwork), "network");
  EXPECT_EQ(to_string(Unit::kNone), "none");
}

TEST(OpKind, OnlyVectorKindsDoVectorWork) {
  for (const OpKind kind : all_op_kinds()) {
    const KindTraits& t = traits(kind);
    EXPECT_GE(t.forward_flops, 0) << t.name;
    EXPECT_GE(t.backward_flops, 0) << t.name;
    if (t.unit != Unit::kVector) {
      EXPECT_EQ(t.forward_flops + t.backward_flops, 0) << t.name;
      EXPECT_FALSE(t.elementwise) << t.name;
    }
  }
}

TEST(OpKind, ElementwiseMeansElementByElement) {
  for (const OpKind kind : {OpKind::kAdd, OpKind::kGelu, OpKind::kSwiglu, OpKind::kRotary,
                            OpKind::kDropout, OpKind::kCast}) {
    EXPECT_TRUE(traits(kind).elementwise) << to_string(kind);
  }
  for (const OpKind kind : {OpKind::kSoftmax, OpKind::kLayerNorm, OpKind::kMean, OpKind::kReduce,
                            OpKind::kCopy, OpKind::kConcatenate, OpKind::kEmbedding}) {
    EXPECT_FALSE(traits(kind).elementwise) << to_string(kind);
  }
}

}  // namespace
}  // namespace phaze::graph
