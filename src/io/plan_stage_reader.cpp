#include "io/plan_stage_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace phaze::io {
namespace {

using plan::PlanStage;

constexpr Bounds kTimes{0, 1e9};
constexpr double kSumTolerance = 1e-6;  // of chunks, against their stage
constexpr std::int64_t kMostLayers = 100'000;
// Activations of all micro-batches of a stage: with the rest still within 64 bits.
constexpr std::int64_t kMostActivations = 1'000'000'000'000'000'000;

}  // namespace

Seconds read_time(MapReader& map, const char* key, std::optional<double> fallback) {
  return Seconds(map.number(key, fallback, kTimes));
}

Bytes read_bytes(MapReader& map, const char* key) {
  return Bytes(map.count(key, 0, 0, kMostPlanBytes));
}

PlanStage PlanStageReader::read(const Value& value) {
  MapReader map(value, diagnostics_);
  PlanStage stage;
  if (value.kind != ValueKind::kMap) {
    return stage;
  }
  for (const Value& run : map.list("layers", "a list of layers")) {
    stage.layers.push_back(read_layers(run));
  }
  has_names_ = has_names_ && map.is_sound("layers");
  stage.recompute = map.choice<plan::Recompute>(
      "recompute", plan::Recompute::kNone, plan::parse_recompute, {"none", "selective", "full"});
  stage.forward = read_time(map, "forward_s");
  stage.backward = read_time(map, "backward_s");
  stage.network = read_time(map, "network_s", 0);
  if (stage.network > (stage.forward + stage.backward) * (1 + kSumTolerance)) {
    map.error("network_s", "expected at most forward_s and backward_s together, found " +
                               shortest(stage.network.value()) + " s");
  }
  stage.recomputation = read_time(map, "recompute_s", 0);
  stage.in_flight = map.count("in_flight", 1, 1, kMostMicrobatches * kMostPlanChunks);
  stage.saved = read_bytes(map, "saved_bytes");
  if (stage.saved.value() > kMostActivations / microbatches_) {
    map.error("saved_bytes", "expected at most " + std::to_string(kMostActivations) +
                                 " bytes for all micro-batches together");
  }
  read_chunks(map, stage);
  if (const Value* memory = map.child("memory")) {
    stage.memory = read_memory(*memory);
  }
  stage.gradients = read_time(map, "gradients_s", 0);
  stage.exposed = read_time(map, "exposed_s", 0);
  stage.optimizer = read_time(map, "optimizer_s", 0);
  map.ignore({"devices"});
  map.finish();
  return stage;
}

void PlanStageReader::read_chunks(MapReader& map, PlanStage& stage) {
  const std::size_t before = diagnostics_.error_count();
  const std::vector<Value>& items = map.list("chunks", "a list of chunks");
  double forward_s = 0;
  double backward_s = 0;
  double saved_bytes = 0;
  for (const Value& item : items) {
    MapReader chunk_map(item, diagnostics_);
    if (item.kind != ValueKind::kMap) {
      continue;
    }
    plan::PlanChunk chunk;
    chunk.forward = read_time(chunk_map, "forward_s");
    chunk.backward = read_time(chunk_map, "backward_s");
    chunk.saved = read_bytes(chunk_map, "saved_bytes");
    chunk_map.finish();
    forward_s += chunk.forward.value();
    backward_s += chunk.backward.value();
    saved_bytes += static_cast<double>(chunk.saved.value());
    stage.chunks.push_back(chunk);
  }
  if (items.empty() || diagnostics_.error_count() > before) {
    return;
  }
  const auto expect_sum = [&map](const char* key, double whole, double parts) {
    if (std::abs(whole - parts) > kSumTolerance * std::max(whole, parts)) {
      map.error("chunks", std::string("expected as much in all as ") + key + ", " +
                              shortest(whole) + ", found " + shortest(parts));
    }
  };
  if (!chunks_) {
    return;
  }
  if (std::cmp_not_equal(items.size(), *chunks_)) {
    map.error("chunks", "expected as many as interleave says, " + std::to_string(*chunks_) +
                            ", found " + std::to_string(items.size()));
    chunks_.reset();  // said once is enough
  } else {
    expect_sum("forward_s", stage.forward.value(), forward_s);
    expect_sum("backward_s", stage.backward.value(), backward_s);
    expect_sum("saved_bytes", static_cast<double>(stage.saved.value()), saved_bytes);
  }
}

plan::StageLayers PlanStageReader::read_layers(const Value& value) {
  MapReader map(value, diagnostics_);
  plan::StageLayers run;
  if (value.kind != ValueKind::kMap) {
    return run;
  }
  const std::int64_t layer = map.count("layer", std::nullopt, 0, kMostLayers);
  run.layer = static_cast<std::size_t>(layer);
  const std::string name = map.text("name", std::nullopt);
  run.count = map.count("count", std::nullopt, 1, kMostLayers);
  map.finish();
  if (run.layer >= layers_.size()) {
    layers_.resize(run.layer + 1);
  }
  if (!map.is_sound("layer")) {
    has_names_ = false;
    return run;
  }
  std::string& known = layers_[run.layer];
  if (name.empty()) {
    map.error("name", "expected the name of a layer");
    has_names_ = false;
  } else if (known.empty()) {
    known = name;
  } else if (known != name) {
    map.error("name", "layer " + std::to_string(layer) + " is \"" + shortened(known) +
                          "\" before, found \"" + shortened(name) + "\"");
  }
  return run;
}

plan::StageMemory PlanStageReader::read_memory(const Value& value) {
  MapReader map(value, diagnostics_);
  plan::StageMemory memory;
  memory.weights = read_bytes(map, "weights_bytes");
  memory.gradients = read_bytes(map, "gradients_bytes");
  memory.optimizer = read_bytes(map, "optimizer_bytes");
  memory.activations = Bytes(map.count("activations_bytes", 0, 0, kMostActivations));
  memory.transient = read_bytes(map, "transient_bytes");
  memory.other = read_bytes(map, "other_bytes");
  map.ignore({"total_bytes"});
  map.finish();
  return memory;
}

std::optional<std::size_t> PlanStageReader::find_missing_layer() const {
  for (std::size_t i = 0; i < layers_.size() && has_names_; ++i) {
    if (layers_[i].empty()) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace phaze::io
