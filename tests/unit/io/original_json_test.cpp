#include "io/original_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "place/original.h"
#include "support/original_chains.h"

namespace phaze::io {
namespace {

using Json = nlohmann::json;

Json written(const plan::OriginalInstance& instance) {
  return Json::parse(write_original_answer(instance, place::solve_original(instance)));
}

TEST(OriginalJson, AnAnswer) {
  plan::OriginalInstance instance = tests::original_chain({{1, 1, 10}, {1, 1, 10}}, {}, -1);
  instance.memory = plan::RealBytes(25);
  instance.devices = 2;
  instance.fixed = plan::FixedStrategy{2, 1, 1, 0};
  EXPECT_EQ(written(instance), Json::parse(R"({
    "schema": 1, "status": "optimal", "finalTimePerBatch": 4.0, "lowerBound": 4.0,
    "dataParallelDegree": 1, "tensorParallelDegree": 1,
    "stages": [{"nodes": [-1], "devicesForStage": 1}, {"nodes": [0], "devicesForStage": 1}],
    "stageLoads": [2.0, 2.0], "stageMemory": [20.0, 20.0], "timePerBatchByWidth": {"1": 4.0},
    "fixedStrategyTimePerBatch": 4.0, "fixedStrategyFailure": null, "work": 0})"));
}

TEST(OriginalJson, NoAnswer) {
  plan::OriginalInstance instance = tests::original_chain({{1, 1, 10}});
  instance.memory = plan::RealBytes(15);
  instance.fixed = plan::FixedStrategy{};
  EXPECT_EQ(written(instance), Json::parse(R"({
    "schema": 1, "status": "infeasible", "finalTimePerBatch": null, "lowerBound": null,
    "dataParallelDegree": null, "tensorParallelDegree": null, "stages": [], "stageLoads": [],
    "stageMemory": [], "timePerBatchByWidth": {"1": null}, "fixedStrategyTimePerBatch": null,
    "fixedStrategyFailure": "stage 1 of 1 needs 20 B of 15 B of memory", "work": 0})"));
}

TEST(OriginalJson, NoFixedStrategyNoKeys) {
  EXPECT_FALSE(written(tests::original_chain({{1, 1}})).contains("fixedStrategyTimePerBatch"));
}

}  // namespace
}  // namespace phaze::io
