#pragma once
// What the original Phaze's placement program answered, where the files are at hand; they are no
// part of the project. placement_dev.jsonl.gz: a line a case with `id`, `family`, `input` and
// `reference` (`feasible`, `finalTimePerBatch`, `timePerBatchByWidth`); placement_times.csv:
// columns id, ..., O3_cpu_s.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::tests {

struct RecordedPlacement {
  std::string id, family;
  plan::OriginalInstance instance;
  std::optional<double> time;  // nothing: it found no placement
  std::map<std::int64_t, std::optional<double>> time_of_width;
  std::optional<double> cpu_s;  // of the original, built with -O3
};

// The folder that the environment variable PHAZE_PLACEMENT names; nothing without it.
std::optional<std::string> recorded_placements_folder();

// All cases; throws what is wrong with the files. Needs the program gzip.
std::vector<RecordedPlacement> read_recorded_placements(const std::string& folder);

}  // namespace phaze::tests
