#pragma once
// The stages of a plan file. Inside io/ only.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/map_reader.h"
#include "io/plan_json.h"
#include "plan/training_plan.h"

namespace phaze::io {

inline constexpr std::int64_t kMostPlanChunks = 10'000;
inline constexpr std::int64_t kMostPlanBytes = 1'000'000'000'000'000;

// Up to 1e9 s; without a fallback the key is required.
Seconds read_time(MapReader& map, const char* key, std::optional<double> fallback = {});
// Zero where the key is missing.
Bytes read_bytes(MapReader& map, const char* key);

class PlanStageReader {
 public:
  // `chunks` of each stage, where that is known.
  PlanStageReader(std::int64_t microbatches, std::optional<std::int64_t> chunks,
                  Diagnostics& diagnostics)
      : microbatches_(microbatches), chunks_(chunks), diagnostics_(diagnostics) {}

  plan::PlanStage read(const Value& value);

  // Names of the layers that the stages had so far, by their number.
  const std::vector<std::string>& layers() const { return layers_; }
  // The first number without a name, unless a fault was reported already.
  std::optional<std::size_t> find_missing_layer() const;

 private:
  plan::StageLayers read_layers(const Value& value);
  void read_chunks(MapReader& map, plan::PlanStage& stage);
  plan::StageMemory read_memory(const Value& value);

  std::int64_t microbatches_;
  std::optional<std::int64_t> chunks_;  // not known any more when a stage has others
  Diagnostics& diagnostics_;
  std::vector<std::string> layers_;
  bool has_names_ = true;  // no fault in them so far
};

}  // namespace phaze::io
