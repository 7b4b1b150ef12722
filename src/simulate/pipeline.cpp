// Two kinds of event: a pass ends, a transfer ends. A stage runs its passes in the schedule's
// order, each as soon as the one before it has ended and its input is there; sending takes none of
// its time. A transfer that starts moves the end of those on the same link, so a link's event says
// which of its plans it belongs to, and old ones are skipped.
#include "simulate/pipeline.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/check.h"
#include "simulate/link.h"
#include "simulate/pass_order.h"

namespace phaze::simulate {
namespace {

using plan::PassKind;
using plan::SimulatedPass;
using plan::SimulatedStage;
using plan::TrainingPlan;

struct Event {
  Seconds time;
  std::size_t what = 0;      // a stage whose pass ends, or, after these, a link
  std::int64_t version = 0;  // of the link's plan

  bool operator>(const Event& other) const {
    return std::pair(time, what) > std::pair(other.time, other.what);
  }
};

struct Transfer {
  std::size_t to = 0;
  Pass pass;  // that it is the input of
  SimulatedPass sent;
};

struct Stage {
  PassOrder order;
  std::vector<plan::PlanChunk> chunks;
  std::int64_t place = 0;       // of the pass that runs, or of the next one
  std::vector<bool> has_input;  // of each pass
  bool is_running = false;
  Seconds since;  // when it began to run, or to wait
  std::int64_t in_flight = 0;
  Bytes saved;  // of those
};

class Pipeline {
 public:
  Pipeline(const TrainingPlan& plan, const SimulationOptions& options)
      : plan_(plan),
        options_(options),
        chunks_(plan::chunks_of(plan)),
        stages_(plan.stages.size()),
        links_(2 * plan.stages.size(), Link(plan.transfer, options.shares_links)),
        versions_(links_.size(), 0) {
    result_.stages.resize(stages_.size());
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].order = order_of(plan.strategy.schedule, static_cast<std::int64_t>(stages_.size()),
                                  chunks_, plan.microbatches, static_cast<std::int64_t>(i));
      stages_[i].chunks = plan::shares_of_chunks(plan.stages[i], chunks_);
      const std::int64_t passes = 2 * stages_[i].order.passes();
      stages_[i].has_input.resize(static_cast<std::size_t>(passes), false);
      if (options.keeps_runs) {
        result_.stages[i].runs.reserve(static_cast<std::size_t>(passes));
      }
    }
  }

  PipelineRun run() {
    for (std::int64_t i = 0; i < plan_.microbatches; ++i) {
      give_input(0, {PassKind::kForward, 0, i}, Seconds());
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.what < stages_.size()) {
        ++result_.events;
        end_pass(event.what, event.time);
      } else if (event.version == versions_[event.what - stages_.size()]) {
        ++result_.events;
        end_transfer(event.what - stages_.size(), event.time);
      }
    }
    for (const Stage& stage : stages_) {
      CHECK(stage.place == 2 * stage.order.passes(), "passes wait for one another");
      result_.ends.push_back(stage.since);
    }
    return std::move(result_);
  }

 private:
  std::size_t index_of(const Pass& pass) const {
    const std::int64_t kind = pass.kind == PassKind::kForward ? 0 : 1;
    return static_cast<std::size_t>((kind * chunks_ + pass.chunk) * plan_.microbatches +
                                    pass.microbatch);
  }

  const plan::PlanChunk& chunk_of(std::size_t stage, const Pass& pass) const {
    return stages_[stage].chunks[static_cast<std::size_t>(pass.chunk)];
  }
  Seconds length_of(std::size_t stage, const Pass& pass) const {
    const plan::PlanChunk& chunk = chunk_of(stage, pass);
    return pass.kind == PassKind::kForward ? chunk.forward : chunk.backward;
  }

  // An input that has been on its way since `sent`.
  void give_input(std::size_t i, const Pass& pass, Seconds now, Seconds sent) {
    Stage& stage = stages_[i];
    stage.has_input[index_of(pass)] = true;
    const Seconds waiting_since = std::max(stage.since, sent);
    if (!stage.is_running && start_pass(i, now)) {
      result_.stages[i].transfers += now - waiting_since;
    }
  }
  void give_input(std::size_t i, const Pass& pass, Seconds now) { give_input(i, pass, now, now); }

  // Starts the next pass of the stage if it can.
  bool start_pass(std::size_t i, Seconds now) {
    Stage& stage = stages_[i];
    if (stage.place == 2 * stage.order.passes()) {
      return false;
    }
    const Pass pass = pass_at(stage.order, stage.place);
    if (!stage.has_input[index_of(pass)]) {
      return false;
    }
    stage.is_running = true;
    stage.since = now;
    SimulatedStage& result = result_.stages[i];
    if (pass.kind == PassKind::kForward) {
      ++stage.in_flight;
      stage.saved += chunk_of(i, pass).saved;
    }
    result.in_flight = std::max(result.in_flight, stage.in_flight);
    result.peak_memory =
        std::max(result.peak_memory, plan::memory_in_use(plan_.stages[i], stage.saved, true));
    events_.push({now + length_of(i, pass), i, 0});
    return true;
  }

  void end_pass(std::size_t i, Seconds now) {
    Stage& stage = stages_[i];
    const Pass pass = pass_at(stage.order, stage.place);
    SimulatedStage& result = result_.stages[i];
    result.passes += length_of(i, pass);
    const SimulatedPass run = {pass.kind, static_cast<std::int32_t>(pass.chunk),
                               static_cast<std::int32_t>(pass.microbatch), stage.since, now};
    if (options_.keeps_runs) {
      result.runs.push_back(run);
    }
    if (pass.kind == PassKind::kBackward) {
      --stage.in_flight;
      stage.saved = stage.saved - chunk_of(i, pass).saved;
    }
    stage.is_running = false;
    stage.since = now;
    ++stage.place;
    hand_on(i, pass, run, now);
    if (!stage.is_running) {
      start_pass(i, now);
    }
  }

  // Gives what a pass made to the one that waits for it.
  void hand_on(std::size_t i, Pass pass, const SimulatedPass& run, Seconds now) {
    const bool is_forward = pass.kind == PassKind::kForward;
    const bool is_end_of_chunk = is_forward ? i + 1 == stages_.size() : i == 0;
    const bool is_last_chunk = pass.chunk == (is_forward ? chunks_ - 1 : 0);
    if (is_end_of_chunk && is_last_chunk) {
      if (is_forward) {
        give_input(i, {PassKind::kBackward, pass.chunk, pass.microbatch}, now);
      }
      return;
    }
    if (is_end_of_chunk) {
      pass.chunk += is_forward ? 1 : -1;
    }
    const std::size_t to = plan::receiver_of(i, pass.kind, stages_.size());
    if (to == i) {
      give_input(i, pass, now);
      return;
    }
    // Where the next stage is also the previous one, both flows are on one link.
    const std::size_t flow = is_forward ? 0 : 1;
    const std::size_t link = 2 * i + (stages_.size() == 2 ? 0 : flow);
    links_[link].start(static_cast<std::int64_t>(add({to, pass, run}, now)), flow, now);
    plan_link(link);
  }

  // A place in the store of transfers under way.
  std::size_t add(Transfer transfer, Seconds now) {
    transfer.sent.start = now;
    if (free_.empty()) {
      transfers_.push_back(transfer);
      return transfers_.size() - 1;
    }
    const std::size_t at = free_.back();
    free_.pop_back();
    transfers_[at] = transfer;
    return at;
  }

  void plan_link(std::size_t link) {
    ++versions_[link];
    if (const auto end = links_[link].next_end()) {
      events_.push({*end, stages_.size() + link, versions_[link]});
    }
  }

  void end_transfer(std::size_t link, Seconds now) {
    const auto at = static_cast<std::size_t>(links_[link].end_first());
    plan_link(link);
    Transfer transfer = transfers_[at];
    free_.push_back(at);
    transfer.sent.end = now;
    if (options_.keeps_runs) {
      result_.stages[link / 2].sent.push_back(transfer.sent);
    }
    give_input(transfer.to, transfer.pass, now, transfer.sent.start);
  }

  const TrainingPlan& plan_;
  SimulationOptions options_;
  std::int64_t chunks_;
  std::vector<Stage> stages_;
  std::vector<Link> links_;  // of each stage: to the next one, to the previous one
  std::vector<std::int64_t> versions_;
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> free_;  // places in transfers_
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  PipelineRun result_;
};

}  // namespace

PipelineRun run_pipeline(const TrainingPlan& plan, const SimulationOptions& options) {
  return Pipeline(plan, options).run();
}

}  // namespace phaze::simulate
