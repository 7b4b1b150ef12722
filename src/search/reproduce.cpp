#include "search/reproduce.h"

#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "search/reproduce_latency.h"
#include "search/reproduce_space.h"
#include "space/chips.h"

namespace phaze::search {

using plan::ReproducedChip;
using plan::ReproducedModel;
using plan::ReproducedRun;
using plan::TrainingPlan;

namespace {

plan::SearchCounts counts_of(const CoSearchAnswer& found) {
  return {static_cast<std::int64_t>(found.outcomes.size()),
          static_cast<std::int64_t>(found.evaluated), static_cast<std::int64_t>(found.excluded),
          static_cast<std::int64_t>(found.dominated)};
}

class Column {
 public:
  Column(const ReproduceQuestion& question, const ReproduceOptions& options)
      : question_(question), options_(options), search_(question.search) {}

  std::optional<plan::ReproducedColumn> run() {
    chips_ = list_search_chips(search_);
    if (chips_.empty()) {
      return std::nullopt;
    }
    SearchOptions how = options_.search;
    how.deepens = false;  // schedules as in all other figures
    const SearchAnswer found = search_chips(search_, chips_, how);
    if (!found.is_complete) {
      return std::nullopt;
    }
    plan::ReproducedColumn column;
    column.name = question_.name;
    column.words = question_.words;
    const PlanSetting& setting = search_.models.front().setting;
    column.assumptions = to_string(setting.assumptions);
    column.space = describe_space(search_, chips_);
    column.cluster = setting.cluster.name;
    column.link = setting.cluster.levels.front().bandwidth;
    column.reference = describe_chip(search_, search_.reference.name, search_.reference);
    if (found.common_best) {
      column.common = found_chip(*found.common_best);
      column.common_counts = counts_of(*found.common);
    }
    for (std::size_t i = 0; i < search_.models.size(); ++i) {
      std::optional<ReproducedModel> model = run_model(i, found, column);
      if (!model) {
        return std::nullopt;
      }
      column.models.push_back(std::move(*model));
    }
    return column;
  }

 private:
  ReproducedChip found_chip(const FoundChip& best) const {
    const SearchChip& chip = chips_[best.chip];
    return describe_chip(search_, space::chip_id(search_.space, chip.index),
                         with_memory(make_chip(search_, chip), best.memory));
  }

  // The best plan on a chip, with the expert's widths or with any; nothing: there is none.
  std::optional<TrainingPlan> plan_on(std::size_t model, const hw::Chip& chip, bool is_expert) {
    PlanSetting setting = search_.models[model].setting;
    setting.chip = chip;
    if (is_expert) {
      const plan::Strategy& expert = question_.experts[model];
      setting.limits.tensor = {expert.tensor};
      setting.limits.pipeline = {expert.pipeline};
      setting.limits.data = {expert.data};
    }
    PlanSearchOptions how;
    how.bounds_layers = false;
    const PlanAnswer found = find_plan(setting, how);
    if (found.plans.empty()) {
      return std::nullopt;
    }
    if (options_.check) {
      options_.check(setting, found);
    }
    return found.plans.front();
  }

  std::string why_no_expert(std::size_t model, const std::optional<TrainingPlan>& plan) const {
    const PlanSetting& setting = search_.models[model].setting;
    const plan::Strategy& expert = question_.experts[model];
    if (plan && plan->fits) {
      return "";
    }
    if (!is_original(setting.assumptions) && setting.global_batch % expert.data != 0) {
      return "its " + std::to_string(expert.data) + " pipelines do not share " +
             with_thousands(setting.global_batch) + " sequences evenly";
    }
    return "it does not fit the reference chip at any micro-batch, recomputed or not";
  }

  // Held to what the search found.
  TrainingPlan plan_found(std::size_t model, const hw::Chip& chip, double throughput) {
    std::optional<TrainingPlan> plan = plan_on(model, chip, false);
    CHECK(plan && std::abs(plan::throughput(*plan) - throughput) <= 1e-9 * throughput,
          "a plan is as fast as the search found");
    return *std::move(plan);
  }

  std::optional<ReproducedModel> run_model(std::size_t i, const SearchAnswer& found,
                                           const plan::ReproducedColumn& column) {
    ReproducedModel model;
    model.model = search_.models[i].name;
    model.expert = question_.experts[i];
    const auto run = [&model](ReproducedRun which) -> std::optional<TrainingPlan>& {
      return model.runs[static_cast<std::size_t>(which)];
    };
    run(ReproducedRun::kReferenceExpert) = plan_on(i, search_.reference, true);
    model.no_expert = why_no_expert(i, run(ReproducedRun::kReferenceExpert));
    if (found.reference[i] > 0) {
      run(ReproducedRun::kReferenceSolved) = plan_found(i, search_.reference, found.reference[i]);
    }
    if (!run_architecture(i, model)) {
      return std::nullopt;
    }
    if (const std::optional<FoundChip>& best = found.own_best[i]) {
      model.own = found_chip(*best);
      model.own_counts = counts_of(found.own[i]);
      run(ReproducedRun::kOwn) = plan_found(i, model.own->chip, best->throughput.front());
      split_gain(i, model);
    }
    if (column.common && found.common_best->throughput[i] > 0) {
      run(ReproducedRun::kCommon) =
          plan_found(i, column.common->chip, found.common_best->throughput[i]);
    }
    return model;
  }

  bool run_architecture(std::size_t i, ReproducedModel& model) {
    const auto& expert = model.run(ReproducedRun::kReferenceExpert);
    const LatencyQuestion asked{i, model.expert.tensor, expert ? expert->strategy.microbatch : 1,
                                expert && expert->strategy.sequence_parallel};
    const LatencyAnswer fastest = find_least_latency(search_, chips_, asked, options_.search);
    if (!fastest.search.is_complete || !fastest.search.best) {
      return false;
    }
    const SearchChip& chip = chips_[*fastest.search.best];
    const hw::Chip made = make_chip(search_, chip);
    model.architecture = {describe_chip(search_, space::chip_id(search_.space, chip.index),
                                        with_memory(made, memories_of(search_, chip).back())),
                          asked.width,
                          asked.microbatch,
                          asked.sequence_parallel,
                          fastest.latency,
                          counts_of(fastest.search)};
    for (const auto& [which, is_expert] : {std::pair(ReproducedRun::kArchitectureExpert, true),
                                           std::pair(ReproducedRun::kArchitectureSolved, false)}) {
      model.runs[static_cast<std::size_t>(which)] =
          plan_on(i, model.architecture.chip.chip, is_expert);
    }
    return true;
  }

  // One thing changed at a time, from the reference with the expert's placement.
  void split_gain(std::size_t i, ReproducedModel& model) {
    const auto base = throughput_of(model.run(ReproducedRun::kReferenceExpert));
    const auto solved = throughput_of(model.run(ReproducedRun::kReferenceSolved));
    const auto own = throughput_of(model.run(ReproducedRun::kOwn));
    const Bytes memory = hw::hbm_capacity(search_.reference);
    const auto chip = throughput_of(plan_on(i, with_memory(model.own->chip, memory), true));
    const auto less = throughput_of(
        plan_on(i, with_memory(search_.reference, hw::hbm_capacity(model.own->chip)), true));
    if (!base || !solved || !own) {
      model.no_split = "the expert's placement: " + model.no_expert;
    } else if (!chip || !less) {
      model.no_split = std::string("the expert's placement does not fit ") +
                       (chip ? "the reference chip with the HBM of the model's own"
                             : "the model's own chip with the reference's HBM");
    } else {
      plan::GainSplit split{*solved / *base, *chip / *base, *less / *base, 1};
      split.interaction = *own / *base / split.product();
      model.split = split;
    }
  }

  const ReproduceQuestion& question_;
  const ReproduceOptions& options_;
  const SearchQuestion& search_;
  std::vector<SearchChip> chips_;
};

}  // namespace

std::optional<plan::ReproducedColumn> reproduce_column(const ReproduceQuestion& question,
                                                       const ReproduceOptions& options) {
  CHECK(question.experts.size() == question.search.models.size(), "every model has an expert");
  CHECK(question.search.objective == Objective::kThroughput, "chips are compared by throughput");
  return Column(question, options).run();
}

}  // namespace phaze::search
