#pragma once
// 1F1B with several chunks of layers on each device, pass by pass, in the order of Megatron-LM
// (Narayanan et al. 2021, section 2.2). docs/models.md, 18.2.

#include <cstdint>
#include <vector>

#include "place/stage_table.h"

namespace phaze::place {

struct InterleavedShape {
  std::int64_t microbatches = 1;  // a multiple of the stages
  double transfer_s = 0;
  std::vector<std::vector<StageTimes>> chunks;  // by stage, by chunk in forward order
};

// From the first forward to the end of each stage's last backward. A link carries one transfer
// after another. O(stages x micro-batches x chunks).
std::vector<double> interleaved_ends(const InterleavedShape& shape);

// No more than those ends, at once: each device is busy with its own passes from when the first
// micro-batch reaches it to when the last one has left it. O(stages x chunks).
std::vector<double> least_interleaved_ends(const InterleavedShape& shape);

// Chunks whose activations are kept at a stage that is `to_end` stages from the last (the last is
// 1): the most bytes at any time, and the most micro-batches of one chunk.
struct KeptChunks {
  Bytes saved;
  std::int64_t in_flight = 0;
};
KeptChunks kept_chunks(std::int64_t stages, std::int64_t to_end, std::int64_t microbatches,
                       const std::vector<Bytes>& saved);

}  // namespace phaze::place
