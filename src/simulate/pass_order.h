#pragma once
// In which order a stage runs its passes, by the schedule's rules (docs/models.md, 19.1).

#include <cstdint>

#include "plan/simulation.h"
#include "plan/strategy.h"

namespace phaze::simulate {

// The passes of one stage: first `warm_up` forwards, then one forward and one backward by turns,
// then the backwards that are left.
struct PassOrder {
  std::int64_t stages = 1, chunks = 1, microbatches = 1;
  std::int64_t warm_up = 0;

  // Passes of each kind.
  std::int64_t passes() const { return chunks * microbatches; }
};

struct Pass {
  plan::PassKind kind = plan::PassKind::kForward;
  std::int64_t chunk = 0, microbatch = 0;

  bool operator==(const Pass&) const = default;
};

PassOrder order_of(plan::PipelineSchedule schedule, std::int64_t stages, std::int64_t chunks,
                   std::int64_t microbatches, std::int64_t stage);

// The pass at a place from 0 to 2 x passes() - 1.
Pass pass_at(const PassOrder& order, std::int64_t place);

}  // namespace phaze::simulate
