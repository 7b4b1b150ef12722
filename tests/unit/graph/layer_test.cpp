#include "graph/layer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/layers.h"

namespace phaze::graph {
namespace {

TEST(LayerNames, OfRolesPassesAndRegionsReadBack) {
  for (const Role role :
       {Role::kInput, Role::kShared, Role::kConstant, Role::kParameter, Role::kActivation,
        Role::kGradient, Role::kParameterGradient, Role::kOptimizerState}) {
    EXPECT_EQ(parse_role(to_string(role)), role);
  }
  for (const Pass pass : {Pass::kForward, Pass::kRecompute, Pass::kBackward, Pass::kOptimizer}) {
    EXPECT_EQ(parse_pass(to_string(pass)), pass);
  }
  for (const Region region : {Region::kNone, Region::kAttentionCore, Region::kNorm,
                              Region::kActivation, Region::kRegather}) {
    EXPECT_EQ(parse_region(to_string(region)), region);
  }
  EXPECT_EQ(to_string(Role::kParameterGradient), "parameter_gradient");
  EXPECT_EQ(to_string(Region::kAttentionCore), "attention");
  EXPECT_FALSE(parse_role("weight"));
  EXPECT_FALSE(parse_pass("Forward"));
  EXPECT_FALSE(parse_region(""));
}

TEST(ElementCount, IsTheProductOfTheExtents) {
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({}), 1);  // a scalar
  EXPECT_THROW(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}), std::logic_error);
}

TEST(SizeOf, IsElementsTimesTheirBytes) {
  Tensor tensor;
  tensor.shape = {3, 5};
  tensor.type = ElementType::kF32;
  EXPECT_EQ(size_of(tensor), Bytes(60));
  tensor.type = ElementType::kBool;
  EXPECT_EQ(size_of(tensor), Bytes(15));
}

//   a <- view b <- view c
TEST(StorageOf, FollowsViewsToTheirEnd) {
  Layer layer;
  const TensorId a = layer.tensors.push_back({"a", {6}, {}, {}, std::nullopt, false});
  const TensorId b = layer.tensors.push_back({"b", {2, 3}, {}, {}, a, false});
  const TensorId c = layer.tensors.push_back({"c", {3, 2}, {}, {}, b, false});
  EXPECT_EQ(storage_of(layer, c), a);
  EXPECT_EQ(storage_of(layer, b), a);
  EXPECT_EQ(storage_of(layer, a), a);
}

//   a <- b <- c,  d <- e, and f by itself; views may stand before what they view
TEST(ComputeStorages, AreThoseOfEachTensor) {
  Layer layer;
  const std::optional<TensorId> views[] = {TensorId(1),  TensorId(2), std::nullopt,
                                           std::nullopt, TensorId(3), std::nullopt};
  for (const std::optional<TensorId>& view : views) {
    layer.tensors.push_back({"t", {6}, {}, {}, view, false});
  }
  const auto storages = compute_storages(layer);
  for (const TensorId id : ids_of(layer.tensors)) {
    EXPECT_EQ(storages[id], storage_of(layer, id)) << id.index();
  }
}

TEST(StorageOf, ACycleIsThrownNotFollowed) {
  Layer layer;
  const TensorId a = layer.tensors.push_back({"a", {6}, {}, {}, TensorId(1), false});
  layer.tensors.push_back({"b", {6}, {}, {}, a, false});
  EXPECT_THROW(storage_of(layer, a), std::logic_error);
  EXPECT_THROW(compute_storages(layer), std::logic_error);
}

TEST(ComputeProducers, NamesTheWriterOfEachTensor) {
  const Layer layer = tests::mlp_layer();
  const auto producers = compute_producers(layer);
  EXPECT_EQ(producers[tests::tensor_id(layer, "gelu")], tests::op_id(layer, "gelu"));
  EXPECT_EQ(producers[tests::tensor_id(layer, "residual")], tests::op_id(layer, "residual"));
  EXPECT_EQ(producers[tests::tensor_id(layer, "x")], std::nullopt);
  EXPECT_EQ(producers[tests::tensor_id(layer, "w1")], std::nullopt);
}

TEST(IsWeight, OnlyParametersAre) {
  const Layer layer = tests::mlp_layer();
  EXPECT_TRUE(is_weight(tests::tensor_of(layer, "w1")));
  EXPECT_FALSE(is_weight(tests::tensor_of(layer, "x")));
  EXPECT_FALSE(is_weight(tests::tensor_of(layer, "gelu")));
}

}  // namespace
}  // namespace phaze::graph
