#include "trust/run_settings.h"

#include <map>
#include <tuple>

#include "base/check.h"
#include "models/shape.h"
#include "presets/chips.h"
#include "presets/clusters.h"

namespace phaze::trust {
namespace {

using plan::MeasuredRun;
using plan::PipelineSchedule;

constexpr const char* kDefaultCluster = "dgx-h100";

models::Execution execution_of(plan::RunStack stack) {
  switch (stack) {
    case plan::RunStack::kFused:
      return models::Execution::kFused;
    case plan::RunStack::kMegatron:
      return models::Execution::kMegatron;
    case plan::RunStack::kEager:
      return models::Execution::kEager;
  }
  CHECK(false, "unknown stack");
}

class Resolver {
 public:
  Resolver(const std::vector<std::string>& settings, Diagnostics& diagnostics)
      : settings_(settings), diagnostics_(diagnostics) {}

  std::optional<RunSetting> resolve(const MeasuredRun& run) {
    const std::optional<hw::Chip>& chip =
        find(chips_, run.chip, place_of(run, run.columns.chip, "chip"),
             [&](Diagnostics& d) { return presets::load_chip(run.chip, settings_, d); });
    const std::string cluster_name = run.cluster.empty() ? kDefaultCluster : run.cluster;
    const std::optional<hw::Cluster>& cluster =
        find(clusters_, cluster_name, place_of(run, run.columns.cluster, "cluster"),
             [&](Diagnostics& d) { return presets::load_cluster(cluster_name, {}, d); });
    std::optional<models::LoadedModel> model;
    if (run.model.name.empty()) {
      model = models::make_spec(shape_of(run.model), run.tensor);
    } else {
      model = find(models_, run.model.name, place_of(run, run.columns.model, "model"),
                   [&](Diagnostics& d) { return models::load_model(run.model.name, d); });
    }
    if (!chip || !cluster || !model) {
      return std::nullopt;
    }
    RunSetting made;
    made.run = &run;
    made.family = families_
                      .try_emplace({run.model, run.chip, cluster_name, run.has_flash_attention,
                                    static_cast<int>(run.stack), static_cast<int>(run.precision)},
                                   families_.size())
                      .first->second;
    search::PlanSetting& setting = made.setting;
    setting.model = *std::move(model);
    setting.chip = *chip;
    setting.cluster = *cluster;
    setting.devices = run.devices;
    setting.global_batch = run.global_batch;
    setting.overlap = run.overlap;
    setting.build.sequence = run.model.sequence;
    setting.build.attention =
        run.has_flash_attention ? models::AttentionMode::kFlash : models::AttentionMode::kEager;
    setting.build.execution = execution_of(run.stack);
    setting.training.precision = setting.build.precision = run.precision;
    setting.training.fusion = models::default_fusion(setting.build.execution);
    set_limits(run, setting.limits);
    if (!search::peak_of(setting)) {
      diagnostics_.error(place_of(run, run.columns.precision, "precision"),
                         setting.chip.name + " has no matrix units for " +
                             std::string(graph::to_string(graph::weight_type(run.precision))));
      return std::nullopt;
    }
    return made;
  }

 private:
  static Location place_of(const MeasuredRun& run, int column, const char* key) {
    return {run.where.source, run.where.line, column, key};
  }

  static models::TransformerShape shape_of(const plan::RunModel& model) {
    models::TransformerShape shape;
    shape.family = models::parse_shape_family(model.family).value_or(models::ShapeFamily::kGpt);
    shape.hidden = model.hidden;
    shape.heads = model.heads;
    shape.layers = model.layers;
    shape.kv_heads = model.kv_heads;
    shape.ffn = model.ffn;
    shape.sequence = model.sequence;
    shape.vocabulary = model.vocabulary;
    shape.is_tied = model.is_tied;
    shape.dropout = model.dropout;
    return shape;
  }

  static void set_limits(const MeasuredRun& run, place::PlanLimits& limits) {
    limits.tensor = {run.tensor};
    limits.pipeline = {run.pipeline};
    limits.data = {run.data};
    limits.zero = {run.data == 1 ? 0 : run.zero};
    limits.sequence_parallel = {run.sequence_parallel};
    limits.order = {plan::kTensorDataPipeline};
    if (run.microbatch) {
      limits.microbatch = {*run.microbatch};
    }
    if (run.recompute) {
      limits.recompute = {*run.recompute};
    }
    limits.schedule = {PipelineSchedule::k1F1B, PipelineSchedule::kInterleaved};
    if (run.interleave) {
      limits.interleave = {*run.interleave};
      limits.schedule = {*run.interleave > 1 ? PipelineSchedule::kInterleaved
                                             : PipelineSchedule::k1F1B};
    }
  }

  // What a name means, looked up once; what is wrong with it is said at the first cell that has it.
  template <class T, class Load>
  const std::optional<T>& find(std::map<std::string, std::optional<T>>& known,
                               const std::string& name, const Location& where, Load load) {
    const auto [found, is_new] = known.try_emplace(name);
    if (is_new) {
      Diagnostics faults;
      found->second = load(faults);
      for (const Diagnostic& fault : faults.all()) {
        // Of a file and of an option its own place; of a name the row's.
        const bool is_name = fault.where.line == 0 && !fault.where.key.starts_with("--set");
        diagnostics_.error(is_name ? where : fault.where, fault.message);
      }
    }
    return found->second;
  }

  const std::vector<std::string>& settings_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::optional<hw::Chip>> chips_;
  std::map<std::string, std::optional<hw::Cluster>> clusters_;
  std::map<std::string, std::optional<models::LoadedModel>> models_;
  std::map<std::tuple<plan::RunModel, std::string, std::string, bool, int, int>, std::size_t>
      families_;
};

}  // namespace

std::optional<std::vector<RunSetting>> make_run_settings(const std::vector<MeasuredRun>& runs,
                                                         const std::vector<std::string>& settings,
                                                         Diagnostics& diagnostics) {
  Resolver resolver(settings, diagnostics);
  std::vector<RunSetting> made;
  bool is_whole = true;
  for (const MeasuredRun& run : runs) {
    std::optional<RunSetting> one = resolver.resolve(run);
    is_whole = is_whole && one.has_value();
    if (one) {
      made.push_back(*std::move(one));
    }
  }
  return is_whole ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace phaze::trust
