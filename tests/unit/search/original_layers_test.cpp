// Layers as the original's placement sees them, against the chain of our own placement.
#include "search/original_layers.h"

#include <gtest/gtest.h>

#include "presets/chips.h"
#include "presets/clusters.h"
#include "search/chain_profile.h"

namespace phaze::search {
namespace {

class OriginalLayers : public ::testing::Test {
 protected:
  OriginalLayers() {
    Diagnostics diagnostics;
    model_ = models::load_model("bert-large", diagnostics).value();
    chip_ = presets::load_chip("a100-40g", {}, diagnostics).value();
    chip_.host_microbatch = Seconds();  // the original knows no host
    cluster_ = presets::load_cluster("flat", {}, diagnostics).value();
    request_.model = &model_;
    request_.build.attention = models::AttentionMode::kEager;
    request_.build.execution = models::Execution::kEager;
    request_.training = {
        graph::Precision::kBf16, graph::OptimizerKind::kSgd, {}, graph::Fusion::kNone};
    request_.widths = {1, 2};
    request_.microbatches = {1, 4};
  }

  OriginalChains chains() const {
    const OriginalGraphs graphs = make_original_graphs(request_);
    return price_original_graphs(graphs, cost::make_context(chip_), cluster_, {});
  }

  models::LoadedModel model_;
  hw::Chip chip_;
  hw::Cluster cluster_;
  OriginalGraphsRequest request_;
};

TEST_F(OriginalLayers, OneLayerTimeServesBothPlacements) {
  const OriginalChains priced = chains();
  ASSERT_EQ(priced.chains.size(), 4U);
  for (const OriginalChain& chain : priced.chains) {
    ProfileRequest profile;
    profile.model = &model_;
    profile.build = request_.build;
    profile.training = request_.training;
    profile.context = cost::make_context(chip_);
    profile.cluster = &cluster_;
    const ChainOrReason other = compute_chain(
        profile, {chain.width, false, chain.microbatch,
                  cost::place_group(cluster_, chain.width, 1, cost::Company::kAll).value()});
    ASSERT_TRUE(other.chain);
    ASSERT_EQ(other.chain->layers.size(), chain.chain.layers.size());
    for (std::size_t i = 0; i < chain.chain.layers.size(); ++i) {
      const plan::ChainLayer& a = chain.chain.layers[i];
      const plan::ChainLayer& b = other.chain->layers[i];
      EXPECT_EQ(a.parameters, b.parameters);
      EXPECT_EQ(a.flops, b.flops);
      EXPECT_EQ(a.work[0]->forward, b.work[0]->forward);
      EXPECT_EQ(a.work[0]->backward, b.work[0]->backward);
      EXPECT_EQ(a.work[0]->forward_network, b.work[0]->forward_network);
    }
    EXPECT_EQ(chain.chain.boundary, other.chain->boundary);
    EXPECT_EQ(chain.chain.tied_parameters, other.chain->tied_parameters);
  }
}

TEST_F(OriginalLayers, RecomputationIsAForwardPassMore) {
  for (const OriginalChain& chain : chains().chains) {
    for (const plan::ChainLayer& layer : chain.chain.layers) {
      const plan::LayerWork& stored = *layer.work[0];
      const plan::LayerWork& again = *layer.work[2];
      EXPECT_EQ(again.forward, stored.forward);
      EXPECT_EQ(again.backward, stored.backward + stored.forward);
      EXPECT_EQ(again.recompute, stored.forward - stored.forward_network);
    }
  }
}

TEST_F(OriginalLayers, EdgesCarryTheWholeTensorWhateverTheWidth) {
  const OriginalGraphs graphs = make_original_graphs(request_);
  for (const OriginalGraphs::Shape& shape : graphs.shapes) {
    const std::int64_t bytes = shape.microbatch * 512 * 1024 * 2;
    EXPECT_EQ(shape.to_next[0], Bytes(bytes));
    EXPECT_EQ(shape.to_itself[1], Bytes(bytes));
    EXPECT_EQ(shape.to_next.back(), Bytes());
  }
}

TEST_F(OriginalLayers, TheReleasedCodeForgetsWeightGradients) {
  const OriginalChains all = chains();
  request_.weight_gradients = false;
  const OriginalGraphs graphs = make_original_graphs(request_);
  for (const OriginalGraphs::Shape& shape : graphs.shapes) {
    for (const graph::Layer& layer : shape.model.layers) {
      for (const graph::Operator& op : layer.operators) {
        EXPECT_FALSE(op.name.ends_with(".weight_gradient")) << op.name;
      }
    }
  }
  const OriginalChains fewer = chains();
  ASSERT_EQ(fewer.chains.size(), all.chains.size());
  for (std::size_t i = 0; i < all.chains.size(); ++i) {
    // The block: products with weights have one gradient left, scores both of theirs.
    const plan::ChainLayer& a = all.chains[i].chain.layers[1];
    const plan::ChainLayer& b = fewer.chains[i].chain.layers[1];
    EXPECT_EQ(b.work[0]->forward, a.work[0]->forward);
    EXPECT_LT(b.work[0]->backward, a.work[0]->backward);
    EXPECT_EQ(b.work[0]->saved, a.work[0]->saved);
    EXPECT_EQ(b.parameters, a.parameters);
    EXPECT_EQ(b.flops, a.flops);
    EXPECT_LT(b.run_flops, a.run_flops);
  }
}

TEST_F(OriginalLayers, AWidthThatDoesNotDivideIsLeftOut) {
  request_.widths = {1, 3};
  const OriginalGraphs graphs = make_original_graphs(request_);
  EXPECT_EQ(graphs.shapes.size(), 2U);
  EXPECT_NE(graphs.reason, "");
}

}  // namespace
}  // namespace phaze::search
