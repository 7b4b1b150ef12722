#include "plan/simulation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/names.h"

namespace phaze::plan {
namespace {

constexpr std::array kPassKinds = {
    NameOf<PassKind>{PassKind::kForward, "forward"},
    NameOf<PassKind>{PassKind::kBackward, "backward"},
};
static_assert(is_in_order(kPassKinds));

}  // namespace

std::string_view to_string(PassKind kind) { return name_in(kPassKinds, kind); }

double SimulatedIteration::difference() const {
  return closed_form.value() > 0 ? iteration.value() / closed_form.value() - 1 : 0;
}

Bytes SimulatedIteration::peak_memory() const {
  Bytes peak;
  for (const SimulatedStage& stage : stages) {
    peak = std::max(peak, stage.peak_memory);
  }
  return peak;
}

std::int64_t chunks_of(const TrainingPlan& plan) {
  const bool is_interleaved = plan.strategy.schedule == PipelineSchedule::kInterleaved;
  return is_interleaved ? plan.strategy.interleave : 1;
}

std::size_t receiver_of(std::size_t stage, PassKind kind, std::size_t stages) {
  return (stage + (kind == PassKind::kForward ? 1 : stages - 1)) % stages;
}

std::vector<PlanChunk> shares_of_chunks(const PlanStage& stage, std::int64_t chunks) {
  if (!stage.chunks.empty()) {
    CHECK(std::cmp_equal(stage.chunks.size(), chunks), "as many chunks as the strategy says");
    return stage.chunks;
  }
  std::vector<PlanChunk> shares;
  const auto count = static_cast<double>(chunks);
  const std::int64_t whole = stage.saved.value() / chunks;
  const std::int64_t rest = stage.saved.value() % chunks;  // one byte more for the first ones
  for (std::int64_t i = 0; i < chunks; ++i) {
    shares.push_back({Seconds(stage.forward.value() / count),
                      Seconds(stage.backward.value() / count), Bytes(whole + (i < rest ? 1 : 0))});
  }
  return shares;
}

Bytes memory_in_use(const PlanStage& stage, Bytes saved, bool is_running) {
  const StageMemory& memory = stage.memory;
  return memory.weights + memory.gradients + memory.optimizer + memory.other + saved +
         (is_running ? memory.transient : Bytes());
}

std::vector<Bytes> memory_over_time(const TrainingPlan& plan, const SimulatedIteration& simulated,
                                    std::size_t stage, std::size_t pieces) {
  CHECK(pieces > 0, "no pieces");
  const PlanStage& planned = plan.stages[stage];
  const std::vector<PlanChunk> chunks = shares_of_chunks(planned, chunks_of(plan));
  Bytes saved;
  std::vector<Bytes> most(pieces, memory_in_use(planned, saved, false));
  const double length = simulated.iteration.value() / static_cast<double>(pieces);
  const auto piece_at = [&](Seconds time) {
    return length > 0 ? std::min(static_cast<std::size_t>(time.value() / length), pieces - 1)
                      : std::size_t{0};
  };
  // A pass that ends where a piece begins is not in it.
  const auto last_piece = [&](Seconds start, Seconds end) {
    const std::size_t piece = piece_at(end);
    const bool is_boundary = end.value() == static_cast<double>(piece) * length;
    return is_boundary && piece > piece_at(start) ? piece - 1 : piece;
  };
  const auto raise = [&](std::size_t from, std::size_t to, Bytes level) {
    for (std::size_t i = from; i <= to; ++i) {
      most[i] = std::max(most[i], level);
    }
  };
  Seconds end;
  std::size_t at = 0;
  for (const SimulatedPass& run : simulated.stages[stage].runs) {
    const Bytes own = chunks[static_cast<std::size_t>(run.chunk)].saved;
    raise(at, last_piece(end, run.start), memory_in_use(planned, saved, false));
    if (run.kind == PassKind::kForward) {
      saved += own;
    }
    raise(piece_at(run.start), last_piece(run.start, run.end), memory_in_use(planned, saved, true));
    if (run.kind == PassKind::kBackward) {
      saved = saved - own;
    }
    end = run.end;
    at = piece_at(end);
  }
  return most;
}

}  // namespace phaze::plan
