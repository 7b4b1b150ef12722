#include "search/reproduce.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "hw/figures.h"
#include "search/reproduce_latency.h"
#include "space/chips.h"
#include "space/monotone.h"

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

ReproducedChip describe(const SearchQuestion& question, const std::string& name,
                        const hw::Chip& chip) {
  ReproducedChip described{name, chip, {}, 0, 0};
  const hw::ChipFigures figures = hw::compute_figures(chip, question.space.technology).value();
  described.area = figures.area;
  described.vector_share = figures.area_breakdown.vector_cores.value() / figures.area.value();
  if (question.space.budgets.area) {
    described.area_share = described.area.value() / question.space.budgets.area->value();
  }
  return described;
}

class Column {
 public:
  Column(const ReproduceQuestion& question, const ReproduceOptions& options)
      : question_(question), options_(options), search_(question.search) {}

  std::optional<plan::ReproducedColumn> run() {
    chips_ = list_search_chips(search_);
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
    column.link = setting.cluster.levels.front().bandwidth;
    column.reference = describe(search_, search_.reference.name, search_.reference);
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
    return describe(search_, space::chip_id(search_.space, chip.index),
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
    const LatencyQuestion asked{i, model.expert.tensor, expert ? expert->strategy.microbatch : 1};
    const LatencyAnswer fastest = find_least_latency(search_, chips_, asked, options_.search);
    if (!fastest.search.is_complete || !fastest.search.best) {
      return false;
    }
    const SearchChip& chip = chips_[*fastest.search.best];
    const hw::Chip made = make_chip(search_, chip);
    model.architecture = {describe(search_, space::chip_id(search_.space, chip.index),
                                   with_memory(made, memories_of(search_, chip).back())),
                          asked.width, asked.microbatch, fastest.latency,
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
      model.no_split = "the expert's placement does not fit the reference chip";
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

plan::UndominatedChips count_undominated(const SearchQuestion& question) {
  struct Member {
    std::int64_t index;
    std::vector<std::int64_t> amounts;
  };
  std::map<std::int64_t, std::vector<Member>> groups;
  for (const SearchChip& chip : list_search_chips(question)) {
    space::Standing standing = space::standing_of(question.space, chip.index);
    groups[standing.group].push_back({chip.index, std::move(standing.amounts)});
  }
  plan::UndominatedChips counted;
  std::vector<std::pair<double, std::int64_t>> shares;  // of the area, with the chip's index
  const hw::Chip& reference = question.space.base;
  for (const auto& [group, members] : groups) {
    for (const Member& member : members) {
      const bool is_dominated = std::ranges::any_of(members, [&](const Member& other) {
        return other.index != member.index &&
               std::ranges::equal(other.amounts, member.amounts, std::greater_equal<>());
      });
      if (is_dominated) {
        continue;
      }
      const ReproducedChip chip =
          describe(question, "", space::make_chip(question.space, member.index));
      ++counted.chips;
      const auto elements = chip.chip.tensor.rows * chip.chip.tensor.columns;
      const bool is_large = elements >= reference.tensor.rows * reference.tensor.columns;
      counted.large_cores += is_large ? 1 : 0;
      std::int64_t& most = is_large ? counted.most_elements_large : counted.most_elements_small;
      most = std::max(most, elements * chip.chip.tensor.count);
      counted.many_vectors += chip.chip.vector.count > reference.vector.count ? 1 : 0;
      shares.emplace_back(chip.area_share, member.index);
    }
  }
  std::ranges::sort(shares);
  counted.least_area_share = shares.front().first;
  counted.least_area_chip = space::chip_id(question.space, shares.front().second);
  counted.median_area_share = shares[shares.size() / 2].first;
  return counted;
}

}  // namespace phaze::search
