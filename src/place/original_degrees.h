#pragma once
// How often a pipeline can be copied for data parallelism. Inside place/ only.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::place::original {

// A degree, and what it means for one pipeline.
struct DataDegree {
  std::int64_t degree = 1;
  std::int64_t microbatches = 1;
  double gradient_seconds = 0;  // for each byte of the first stage's parameters
};

std::int64_t microbatches_of(const plan::OriginalInstance& instance, std::int64_t degree);
Seconds gradient_time(const plan::OriginalInstance& instance, std::int64_t degree,
                      plan::RealBytes parameters);

// The degrees that can be best, ascending: of those that give a pipeline the same number of
// micro-batches the smallest, which sends the fewest gradients. At most 2 sqrt(micro-batches).
class DataDegrees {
 public:
  explicit DataDegrees(const plan::OriginalInstance& instance);

  // Those that leave a pipeline this many devices; none when there are fewer in all.
  std::span<const DataDegree> with(std::int64_t devices_of_pipeline) const;

 private:
  std::int64_t devices_;
  std::vector<DataDegree> degrees_;
};

}  // namespace phaze::place::original
