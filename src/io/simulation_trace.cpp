#include "io/simulation_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"

namespace phaze::io {
namespace {

using plan::PassKind;
using plan::SimulatedIteration;
using plan::SimulatedPass;
using plan::TrainingPlan;
using Json = nlohmann::ordered_json;

constexpr int kCompute = 1;
constexpr int kReduction = 2;
constexpr int kOut = 100;
constexpr int kIn = 200;

std::string quoted(const std::string& text) { return Json(text).dump(); }
std::string microseconds(Seconds time) { return shortest(time.value() * 1e6); }

std::string stage_name(const plan::PlanRecord& record, std::size_t stage) {
  std::string text = "stage " + std::to_string(stage);
  const char* before = ": ";
  for (const plan::StageLayers& run : record.plan.stages[stage].layers) {
    text += std::exchange(before, ", ") + record.layers[run.layer] +
            (run.count > 1 ? " x " + std::to_string(run.count) : "");
  }
  return text;
}

class Trace {
 public:
  Trace(const plan::PlanRecord& record, const SimulatedIteration& simulated)
      : record_(record), simulated_(simulated), chunks_(plan::chunks_of(record.plan)) {
    const std::size_t stages = simulated.stages.size();
    received_.resize(stages);
    for (std::size_t i = 0; i < stages; ++i) {
      for (const SimulatedPass& sent : simulated.stages[i].sent) {
        received_[plan::receiver_of(i, sent.kind, stages)].push_back(sent);
      }
    }
  }

  void add_stage(std::size_t stage) {
    process_ = stage + 1;
    const plan::SimulatedStage& simulated = simulated_.stages[stage];
    add_name("process_name", 0, stage_name(record_, stage));
    add_index("process_sort_index", 0);
    add_thread("passes", kCompute);
    add_passes(stage);
    add_span("optimizer", kCompute, simulated_.optimizer_start,
             simulated_.optimizer_start + simulated.optimizer);
    add_thread("reduction", kReduction);
    add_span("gradients", kReduction, simulated.reduction_start, simulated.reduction_end);
    if (stage == 0 || stage + 1 == simulated_.stages.size()) {
      add_span("tied embeddings", kReduction, simulated_.tied_start, simulated_.tied_end);
    }
    add_transfers("transfers out", kOut, simulated.sent);
    add_transfers("transfers in", kIn, received_[stage]);
  }

  std::string to_string() const {
    const Json about = {{"model", record_.model}, {"chip", record_.chip}};
    return "{\"displayTimeUnit\": \"ms\", \"otherData\": " + about.dump() +
           ", \"traceEvents\": [\n" + events_ + "\n]}\n";
  }

 private:
  void add_passes(std::size_t stage) {
    const plan::PlanStage& planned = record_.plan.stages[stage];
    const std::vector<plan::PlanChunk> chunks = plan::shares_of_chunks(planned, chunks_);
    Bytes saved;
    add_memory(Seconds(), plan::memory_in_use(planned, saved, false));
    for (const SimulatedPass& run : simulated_.stages[stage].runs) {
      add_pass(run.kind == PassKind::kForward ? "F" : "B", run, kCompute);
      const Bytes own = chunks[static_cast<std::size_t>(run.chunk)].saved;
      if (run.kind == PassKind::kForward) {
        saved += own;
      }
      add_memory(run.start, plan::memory_in_use(planned, saved, true));
      if (run.kind == PassKind::kBackward) {
        saved = saved - own;
      }
      add_memory(run.end, plan::memory_in_use(planned, saved, false));
    }
  }

  // Transfers that overlap get threads of their own.
  void add_transfers(const std::string& name, int first, std::vector<SimulatedPass> transfers) {
    std::ranges::stable_sort(transfers, {}, &SimulatedPass::start);
    std::vector<Seconds> free;  // when each thread is
    for (const SimulatedPass& transfer : transfers) {
      const auto found =
          std::ranges::find_if(free, [&transfer](Seconds at) { return at <= transfer.start; });
      const int lane = static_cast<int>(found - free.begin());
      if (found == free.end()) {
        free.push_back(transfer.end);
        add_thread(name + (lane > 0 ? " " + std::to_string(lane) : ""), first + lane);
      } else {
        *found = transfer.end;
      }
      add_pass(transfer.kind == PassKind::kForward ? "activations" : "gradients", transfer,
               first + lane);
    }
  }

  void add(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

  // {"ph": ..., "pid": ..., "tid": ..., and then the rest.
  std::string begin(const char* phase, int thread) const {
    return std::string("{\"ph\": \"") + phase + "\", \"pid\": " + std::to_string(process_) +
           ", \"tid\": " + std::to_string(thread);
  }
  void add_name(const char* what, int thread, const std::string& name) {
    add(begin("M", thread) + ", \"name\": \"" + what + "\", \"args\": {\"name\": " + quoted(name) +
        "}}");
  }
  void add_index(const char* what, int thread) {
    const std::string index = std::to_string(thread == 0 ? static_cast<int>(process_) : thread);
    add(begin("M", thread) + ", \"name\": \"" + what + "\", \"args\": {\"sort_index\": " + index +
        "}}");
  }
  void add_thread(const std::string& name, int thread) {
    add_name("thread_name", thread, name);
    add_index("thread_sort_index", thread);
  }

  std::string times(Seconds start, Seconds end) const {
    return ", \"ts\": " + microseconds(start) + ", \"dur\": " + microseconds(end - start);
  }
  void add_span(const char* name, int thread, Seconds start, Seconds end) {
    if (end > start) {
      add(begin("X", thread) + ", \"name\": \"" + name + "\"" + times(start, end) + "}");
    }
  }
  void add_pass(const char* name, const SimulatedPass& run, int thread) {
    const std::string chunk = std::to_string(run.chunk);
    const std::string microbatch = std::to_string(run.microbatch);
    add(begin("X", thread) + ", \"name\": \"" + name + " " + microbatch +
        (chunks_ > 1 ? " chunk " + chunk : "") + "\", \"cat\": \"" +
        std::string(plan::to_string(run.kind)) + "\"" + times(run.start, run.end) +
        ", \"args\": {\"microbatch\": " + microbatch + ", \"chunk\": " + chunk + "}}");
  }
  void add_memory(Seconds time, Bytes bytes) {
    add(begin("C", 0) + ", \"name\": \"memory\", \"ts\": " + microseconds(time) +
        ", \"args\": {\"bytes\": " + std::to_string(bytes.value()) + "}}");
  }

  const plan::PlanRecord& record_;
  const SimulatedIteration& simulated_;
  std::int64_t chunks_;
  std::vector<std::vector<SimulatedPass>> received_;  // by each stage
  std::string events_;
  std::size_t process_ = 0;
};

}  // namespace

std::int64_t trace_events(const SimulatedIteration& simulated) {
  std::size_t events = 0;
  for (const plan::SimulatedStage& stage : simulated.stages) {
    events += 3 * stage.runs.size() + 2 * stage.sent.size();
  }
  return static_cast<std::int64_t>(events);
}

std::string write_trace(const plan::PlanRecord& record, const SimulatedIteration& simulated) {
  Trace trace(record, simulated);
  for (std::size_t i = 0; i < simulated.stages.size(); ++i) {
    trace.add_stage(i);
  }
  return trace.to_string();
}

}  // namespace phaze::io
