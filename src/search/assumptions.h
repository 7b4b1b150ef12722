#pragma once
// Sets of assumptions: what is taken for granted about models, machines and costs where nothing
// else is said.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hw/cluster.h"

namespace phaze::search {

enum class Assumptions {
  kModern,             // a tuned training stack of today on a network with levels
  kPhaze2024,          // the original's, in right units: docs/models.md, section 20
  kPhaze2024Released,  // the same with the faults of its released code
};
inline constexpr std::size_t kAssumptions = 3;
std::string_view to_string(Assumptions assumptions);
std::optional<Assumptions> parse_assumptions(std::string_view name);

// The original's cost function, or ours?
bool is_original(Assumptions assumptions);
// Released code adds milliseconds to seconds: communication counts a thousand times too little.
double communication_divisor(Assumptions assumptions);
hw::Cluster with_assumed_links(hw::Cluster cluster, Assumptions assumptions);
bool has_weight_gradients(Assumptions assumptions);
// Does nothing run beside an operator that takes all cores of a kind?
bool has_exclusive_wide(Assumptions assumptions);
std::int64_t default_devices(Assumptions assumptions);
std::int64_t default_global_batch(Assumptions assumptions);  // sequences

// Tensor widths and micro-batches that the original tries.
inline constexpr std::int64_t kOriginalWidths[] = {1, 2, 4, 8};
inline constexpr std::int64_t kOriginalMicrobatches[] = {1, 2, 4, 8, 16, 32, 64};

}  // namespace phaze::search
