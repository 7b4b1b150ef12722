#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "base/text.h"
#include "io/map_reader.h"
#include "io/plan_json.h"
#include "io/plan_stage_reader.h"

namespace phaze::io {
namespace {

using plan::PlanRecord;
using plan::Strategy;
using plan::TrainingPlan;

constexpr Bounds kShares{0, 1e6};
constexpr std::int64_t kMostDevices = 1'000'000'000;
constexpr std::int64_t kMostSequences = 1'000'000'000'000;

std::optional<plan::SolveStatus> parse_status(std::string_view name) {
  for (const auto status : {plan::SolveStatus::kOptimal, plan::SolveStatus::kFeasible}) {
    if (name == plan::to_string(status)) {
      return status;
    }
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  PlanRecord read(const Value& document) {
    MapReader map(document, diagnostics_);
    if (document.kind != ValueKind::kMap) {
      return {};
    }
    map.count("schema", std::nullopt, 1, 1);
    record_.model = map.text("model", "");
    record_.chip = map.text("chip", "");
    record_.cluster = map.text("cluster", "");
    record_.assumptions = map.text("assumptions", "");
    record_.sequence = map.count("sequence", 1, 1, kMostSequences);
    read_workload(map);
    read_figures(map);
    const std::size_t before = diagnostics_.error_count();
    read_plan(map);
    check_recompute(map, diagnostics_.error_count() > before);
    map.ignore({"throughput_sequences_per_s", "tokens_per_s", "peak_memory_bytes", "notes",
                "layer_schedules", "simulated_s", "alternatives", "training", "why",
                "iteration_range_s", "range_share", "range_basis", "regime", "details", "question",
                "best", "gain"});
    map.finish();
    return std::move(record_);
  }

 private:
  void read_workload(MapReader& map) {
    const Value* value = map.child("workload");
    if (value == nullptr) {
      return;
    }
    plan::PlanWorkload& workload = record_.workload.emplace();
    MapReader inner(*value, diagnostics_);
    const auto choose = [&inner](const char* key, std::string& choice,
                                 const std::vector<std::string>& names) {
      choice = inner.choice<std::string>(
          key, choice,
          [&names](std::string_view text) {
            const auto found = std::find(names.begin(), names.end(), text);
            return found == names.end() ? std::nullopt : std::optional(*found);
          },
          names);
    };
    choose("precision", workload.precision, {"mixed", "bf16", "fp32"});
    choose("optimizer", workload.optimizer, {"adam", "sgd"});
    choose("attention", workload.attention, {"flash", "eager"});
    choose("execution", workload.execution, {"fused", "megatron", "eager"});
    workload.overlap = inner.flag("overlap", true);
    inner.finish();
  }

  // All of them or none.
  void read_figures(MapReader& map) {
    bool has_any = false;
    for (const char* key : {"mfu", "hfu", "utilisation", "status", "bound_s"}) {
      has_any = map.has(key) || has_any;
    }
    if (!has_any) {
      return;
    }
    plan::PlanFigures& figures = record_.figures.emplace();
    figures.mfu = map.number("mfu", std::nullopt, kShares);
    figures.hfu = map.number("hfu", std::nullopt, kShares);
    figures.status = map.choice<plan::SolveStatus>("status", std::nullopt, parse_status,
                                                   {"optimal", "feasible"});
    figures.bound = read_time(map, "bound_s");
    if (const Value* value = map.child("utilisation")) {
      MapReader busy(*value, diagnostics_);
      figures.utilisation.tensor = busy.number("tensor", std::nullopt, kShares);
      figures.utilisation.vector = busy.number("vector", std::nullopt, kShares);
      figures.utilisation.hbm = busy.number("hbm", std::nullopt, kShares);
      figures.utilisation.link = busy.number("link", std::nullopt, kShares);
      busy.finish();
    } else if (!map.has("utilisation")) {
      map.error("utilisation", "this key is required beside mfu, hfu, status and bound_s");
    }
  }

  void read_plan(MapReader& map) {
    TrainingPlan& plan = record_.plan;
    const std::vector<Value>& stages = map.full_list("stages", "a list of stages", "stage");
    read_strategy(map, static_cast<std::int64_t>(stages.size()));
    plan.devices = map.count("devices", plan::devices_of(plan.strategy), 1, kMostDevices);
    plan.microbatches = map.count("microbatches", std::nullopt, 1, kMostMicrobatches);
    plan.global_batch = map.count("global_batch", plan.microbatches, 1, kMostSequences);
    plan.transfer = read_time(map, "transfer_s");
    plan.transfer_bytes = read_bytes(map, "transfer_bytes");
    plan.tied = read_time(map, "tied_s", 0);
    plan.iteration = read_time(map, "iteration_s");
    plan.capacity = Bytes(map.count("capacity_bytes", std::nullopt, 0, kMostPlanBytes));
    plan.fits = map.flag("fits", true);
    if (const Value* parts = map.child("breakdown")) {
      const std::size_t before = diagnostics_.error_count();
      read_breakdown(*parts);
      if (diagnostics_.error_count() == before) {
        check_breakdown(map);
      }
    }
    check_strategy(map);
    check_batch(map);
    PlanStageReader reader(
        plan.microbatches,
        map.is_sound("interleave") ? std::optional(plan.strategy.interleave) : std::nullopt,
        diagnostics_);
    for (const Value& stage : stages) {
      plan.stages.push_back(reader.read(stage));
    }
    record_.layers = reader.layers();
    if (const auto missing = reader.find_missing_layer()) {
      map.error("stages", "no stage has layer " + std::to_string(*missing));
    }
  }

  void read_strategy(MapReader& map, std::int64_t stages) {
    Strategy& strategy = record_.plan.strategy;
    strategy.tensor = map.count("tensor", 1, 1, 1'000'000);
    strategy.sequence_parallel = map.flag("sequence_parallel", false);
    const std::int64_t most = kMostPlanStages;
    const bool has_stages = stages >= 1 && stages <= most;
    strategy.pipeline = map.count("pipeline", has_stages ? stages : 1, 1, most);
    if (stages > most) {
      map.error("stages",
                "expected at most " + counted(most, "stage") + ", found " + std::to_string(stages));
    } else if (has_stages && map.is_sound("pipeline") && strategy.pipeline != stages) {
      map.error("stages", "expected as many as pipeline says, " +
                              std::to_string(strategy.pipeline) + ", found " +
                              std::to_string(stages));
    }
    strategy.data = map.count("data", 1, 1, 1'000'000);
    strategy.microbatch = map.count("microbatch", 1, 1, kMostMicrobatches);
    strategy.interleave = map.count("interleave", 1, 1, kMostPlanChunks);
    strategy.zero = static_cast<int>(map.count("zero", 0, 0, 3));
    strategy.schedule = map.choice<plan::PipelineSchedule>(
        "schedule", plan::PipelineSchedule::k1F1B, plan::parse_pipeline_schedule,
        {"1f1b", "gpipe", "interleaved"});
    strategy.order =
        map.choice<plan::AxisOrder>("order", plan::kTensorDataPipeline, plan::parse_axis_order,
                                    {"tdp", "tpd", "dtp", "dpt", "ptd", "pdt"});
  }

  void check_strategy(MapReader& map) {
    const TrainingPlan& plan = record_.plan;
    const Strategy& strategy = plan.strategy;
    if (plan::devices_of(strategy) > kMostDevices) {
      map.error("devices", "expected at most " + std::to_string(kMostDevices) +
                               ", found tensor x pipeline x data, " +
                               std::to_string(plan::devices_of(strategy)));
    } else if (plan::devices_of(strategy) > plan.devices) {
      map.error("devices", "expected at least tensor x pipeline x data, " +
                               std::to_string(plan::devices_of(strategy)) + ", found " +
                               std::to_string(plan.devices));
    }
    if (strategy.interleave == 1) {
      return;
    }
    if (!map.is_sound("schedule") || !map.is_sound("pipeline")) {
      return;
    }
    if (strategy.schedule != plan::PipelineSchedule::kInterleaved) {
      map.error("interleave", "expected 1 with schedule " +
                                  std::string(plan::to_string(strategy.schedule)) + ", found " +
                                  std::to_string(strategy.interleave));
    } else if (plan.microbatches % strategy.pipeline != 0) {
      map.error("microbatches",
                "expected a multiple of pipeline, " + std::to_string(strategy.pipeline) +
                    ", because stages are interleaved, found " + std::to_string(plan.microbatches));
    }
  }

  // What a pipeline with the most of them gets.
  void check_batch(MapReader& map) {
    const TrainingPlan& plan = record_.plan;
    const std::int64_t each = plan.strategy.data * plan.strategy.microbatch;
    const std::int64_t most = (plan.global_batch + each - 1) / each;
    const bool is_sound =
        map.is_sound("global_batch") && map.is_sound("data") && map.is_sound("microbatch");
    if (map.has("global_batch") && is_sound && plan.microbatches != most) {
      map.error("microbatches", "expected " + std::to_string(most) +
                                    ", global_batch over data x microbatch rounded up, found " +
                                    std::to_string(plan.microbatches));
    }
  }

  // The plan's way to recompute sums up those of its stages.
  void check_recompute(MapReader& map, bool has_faults) {
    const Value* value = map.find("recompute");
    const std::string expected = plan::recompute_of(record_.plan);
    if (value != nullptr && !has_faults && value->text != expected) {
      map.error("recompute",
                "expected " + expected + ", as the stages have it, found " + describe(*value));
    }
  }

  void check_breakdown(MapReader& map) {
    constexpr double kNear = 1e-6;
    const double parts = record_.plan.parts.total().value();
    const double whole = record_.plan.iteration.value();
    if (parts > 0 && std::abs(parts - whole) > kNear * std::max(parts, whole)) {
      map.error("iteration_s", "expected the sum of breakdown, " + shortest(parts) + " s, found " +
                                   shortest(whole) + " s");
    }
  }

  void read_breakdown(const Value& value) {
    MapReader map(value, diagnostics_);
    plan::IterationParts& parts = record_.plan.parts;
    parts.compute = read_time(map, "compute_s", 0);
    parts.recompute = read_time(map, "recompute_s", 0);
    parts.tensor = read_time(map, "tensor_s", 0);
    parts.pipeline = read_time(map, "pipeline_s", 0);
    parts.data = read_time(map, "data_s", 0);
    parts.optimizer = read_time(map, "optimizer_s", 0);
    parts.bubble = read_time(map, "bubble_s", 0);
    map.finish();
  }

  Diagnostics& diagnostics_;
  PlanRecord record_;
};

}  // namespace

std::optional<PlanRecord> read_plan(const Value& document, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  PlanRecord record = Reader(diagnostics).read(document);
  return diagnostics.error_count() > before ? std::nullopt : std::optional(std::move(record));
}

}  // namespace phaze::io
