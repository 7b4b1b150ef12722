#pragma once
// Which layers each stage of a pipeline has, and Megatron's words for it: "Et*3|t*4|t*3L" are three
// stages, the embedding and three layers on the first, the loss with three layers on the last.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan_record.h"

namespace phaze::launch {

// Of one stage, or of one chunk of layers where stages are interleaved.
struct StageShape {
  bool has_embedding = false;
  std::int64_t blocks = 0;  // transformer layers
  bool has_head = false;

  bool operator==(const StageShape&) const = default;
};

// Of a plan, in the order of forward: stages, or all chunks. Plans cut chunks evenly.
std::vector<StageShape> shapes_of(const plan::PlanRecord& record);

// Equal numbers of blocks, the embedding with the first, the head with the last: what every program
// does by itself. Nothing when blocks do not divide.
std::optional<std::vector<StageShape>> even_shapes(std::int64_t blocks, std::int64_t parts);

std::string write_layout(const std::vector<StageShape>& shapes);
// Nothing when the text is no layout, or repeats without end; `why` says what is wrong.
std::optional<std::vector<StageShape>> parse_layout(std::string_view text, std::string& why);

}  // namespace phaze::launch
