#include "plan/simulation.h"

#include <algorithm>
#include <array>

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

Bytes memory_in_use(const PlanStage& stage, std::int64_t chunks, std::int64_t in_flight,
                    bool is_running) {
  const StageMemory& memory = stage.memory;
  const std::int64_t saved = stage.saved.value();
  // saved x in flight / chunks, rounded up.
  const Bytes activations =
      Bytes(saved / chunks) * in_flight + Bytes((saved % chunks * in_flight + chunks - 1) / chunks);
  return memory.weights + memory.gradients + memory.optimizer + memory.other + activations +
         (is_running ? memory.transient : Bytes());
}

std::vector<Bytes> memory_over_time(const TrainingPlan& plan, const SimulatedIteration& simulated,
                                    std::size_t stage, std::size_t pieces) {
  CHECK(pieces > 0, "no pieces");
  const PlanStage& planned = plan.stages[stage];
  const std::int64_t chunks = chunks_of(plan);
  std::int64_t in_flight = 0;
  std::vector<Bytes> most(pieces, memory_in_use(planned, chunks, 0, false));
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
    raise(at, last_piece(end, run.start), memory_in_use(planned, chunks, in_flight, false));
    in_flight += run.kind == PassKind::kForward ? 1 : 0;
    raise(piece_at(run.start), last_piece(run.start, run.end),
          memory_in_use(planned, chunks, in_flight, true));
    in_flight -= run.kind == PassKind::kBackward ? 1 : 0;
    end = run.end;
    at = piece_at(end);
  }
  return most;
}

}  // namespace phaze::plan
