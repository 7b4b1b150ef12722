#include "simulate/pass_order.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace phaze::simulate {
namespace {

using plan::PassKind;
using plan::PipelineSchedule;

// "F0 F1 B0 ...": micro-batches, with several chunks "F0.1" of chunk 1.
std::string text_of(const PassOrder& order) {
  std::string text;
  for (std::int64_t i = 0; i < 2 * order.passes(); ++i) {
    const Pass pass = pass_at(order, i);
    text += (text.empty() ? "" : " ") + std::string(pass.kind == PassKind::kForward ? "F" : "B") +
            std::to_string(pass.microbatch) +
            (order.chunks > 1 ? "." + std::to_string(pass.chunk) : "");
  }
  return text;
}

TEST(PassOrder, OneForwardOneBackward) {
  const auto order = [](std::int64_t microbatches, std::int64_t stage) {
    return text_of(order_of(PipelineSchedule::k1F1B, 3, 1, microbatches, stage));
  };
  EXPECT_EQ(order(4, 0), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(order(4, 1), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(order(4, 2), "F0 B0 F1 B1 F2 B2 F3 B3");
  // Fewer micro-batches than stages after this one.
  EXPECT_EQ(order(1, 0), "F0 B0");
  EXPECT_EQ(order(2, 0), "F0 F1 B0 B1");
}

TEST(PassOrder, AllForwardThenAllBackward) {
  EXPECT_EQ(text_of(order_of(PipelineSchedule::kGpipe, 3, 1, 3, 2)), "F0 F1 F2 B0 B1 B2");
}

// Megatron-LM with 2 stages, 2 chunks and 4 micro-batches: 2 x (stages after) + 2 forwards first.
TEST(PassOrder, Interleaved) {
  const auto order = [](std::int64_t stage) {
    return text_of(order_of(PipelineSchedule::kInterleaved, 2, 2, 4, stage));
  };
  EXPECT_EQ(order(0),
            "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
  EXPECT_EQ(order(1),
            "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
}

TEST(PassOrder, OneChunkIsNotInterleaved) {
  EXPECT_EQ(text_of(order_of(PipelineSchedule::kInterleaved, 3, 1, 4, 1)),
            text_of(order_of(PipelineSchedule::k1F1B, 3, 1, 4, 1)));
}

TEST(PassOrder, EveryPassOnceAndForwardFirst) {
  for (const std::int64_t stages : {1, 2, 3, 5}) {
    for (const std::int64_t chunks : {1, 2, 3}) {
      for (const std::int64_t rounds : {1, 2, 4}) {
        for (std::int64_t stage = 0; stage < stages; ++stage) {
          const PassOrder order =
              order_of(PipelineSchedule::kInterleaved, stages, chunks, rounds * stages, stage);
          std::set<std::tuple<PassKind, std::int64_t, std::int64_t>> seen;
          for (std::int64_t i = 0; i < 2 * order.passes(); ++i) {
            const Pass pass = pass_at(order, i);
            EXPECT_TRUE(seen.emplace(pass.kind, pass.chunk, pass.microbatch).second);
            if (pass.kind == PassKind::kBackward) {
              EXPECT_TRUE(seen.contains({PassKind::kForward, pass.chunk, pass.microbatch}));
            }
          }
          EXPECT_EQ(static_cast<std::int64_t>(seen.size()), 2 * chunks * rounds * stages);
        }
      }
    }
  }
}

}  // namespace
}  // namespace phaze::simulate
