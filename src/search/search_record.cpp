#include "search/search_record.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/check.h"
#include "search/plan_search.h"
#include "space/chips.h"
#include "space/limits.h"

namespace phaze::search {

using plan::SearchResult;

namespace {

constexpr std::size_t kRivals = 5;

// `value`: what the search found, with more work on schedules where it says so; then only for the
// width and micro-batch of its plan, and with what the search has proved of the others.
plan::PlanRecord plan_on(const SearchModel& model, const hw::Chip& chip,
                         const ChipValue& value = {}) {
  PlanSetting setting = model.setting;
  setting.chip = chip;
  if (value.nodes > 0) {
    setting.scheduling.work_limit = value.nodes;
    setting.limits.tensor = {value.tensor};
    setting.limits.microbatch = {value.microbatch};
  }
  const PlanAnswer found = find_plan(setting);
  CHECK(found.has_fitting(), "a chip that was found has a plan");
  plan::PlanRecord record = make_record(setting, found);
  record.model = model.name;
  if (value.nodes > 0 && record.figures) {
    record.figures->bound = std::min(
        record.plan.iteration, Seconds(static_cast<double>(setting.global_batch) / value.most));
    record.figures->status =
        value.most <= value.throughput ? plan::SolveStatus::kOptimal : plan::SolveStatus::kFeasible;
  }
  return record;
}

// The part of an iteration that grew most.
std::string why_slower(const plan::TrainingPlan& rival, const plan::TrainingPlan& best) {
  const plan::IterationParts &a = rival.parts, &b = best.parts;
  const std::vector<std::pair<std::string, Seconds>> more = {
      {"compute", a.compute - b.compute},
      {"recomputation", a.recompute - b.recompute},
      {"the pipeline's bubble", a.bubble - b.bubble},
      {"tensor-parallel communication", a.tensor - b.tensor},
      {"transfers between stages", a.pipeline - b.pipeline},
      {"gradient synchronisation", a.data - b.data},
      {"the optimiser", a.optimizer - b.optimizer}};
  const auto most = std::ranges::max_element(
      more, [](const auto& x, const auto& y) { return x.second < y.second; });
  return most->second > Seconds() ? "longer iterations, most of it " + most->first
                                  : "longer iterations";
}

// "+1.2 %"
std::string change_text(double from, double to) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * (to / from - 1));
  return text.data();
}

std::string price_name(Objective objective) {
  return objective == Objective::kPerWatt     ? "power"
         : objective == Objective::kPerDollar ? "cost over its life"
                                              : "carbon over its life";
}

// The value of a chip for all models, as the search has it. A chip that could be as good as the
// best one with better schedules gets as much work on them as that one did.
class Values {
 public:
  // `on_chips`: all models of the question.
  Values(const SearchQuestion& question, const SearchAnswer& answer, const FoundChip& best,
         const std::vector<std::size_t>& models, const std::vector<ModelOnChips>& on_chips)
      : question_(question),
        best_(best),
        models_(models),
        on_chips_(on_chips),
        scale_(models.size() > 1 ? scale_of(question, answer) : std::vector<double>{}) {}

  FoundChip evaluate(const SearchChip& chip) const {
    FoundChip found;
    const hw::Chip made = make_chip(question_, chip);
    const std::vector<Bytes> memories = memories_of(question_, chip);
    std::vector<ChipMemo> memos(models_.size());
    found.values.resize(models_.size());
    tbb::parallel_for(std::size_t{0}, models_.size(), [&](std::size_t i) {
      found.values[i] = on_chips_[models_[i]].evaluate(made, memories, {0, 0, {}, &memos[i]});
    });
    std::vector<double> most;
    for (const ChipValue& value : found.values) {
      most.push_back(value.most);
    }
    const double price = price_of(question_, made);
    if (combined(most) >= best_.value * price) {
      deepen(made, memories, best_.value * price, most, memos, found.values);
    }
    for (const ChipValue& value : found.values) {
      found.throughput.push_back(value.throughput);
      found.memory = std::max(found.memory, value.memory);
    }
    found.value = combined(found.throughput) / price_of(question_, with_memory(made, found.memory));
    return found;
  }

 private:
  double combined(const std::vector<double>& throughput) const {
    return models_.size() == 1 ? throughput.front()
                               : combine_throughputs(question_, scale_, throughput);
  }

  void deepen(const hw::Chip& made, const std::vector<Bytes>& memories, double enough,
              const std::vector<double>& most, std::vector<ChipMemo>& memos,
              std::vector<ChipValue>& values) const {
    const Judge judge(question_, scale_);
    tbb::parallel_for(std::size_t{0}, values.size(), [&](std::size_t i) {
      if (best_.values[i].nodes > 0 && values[i].most > values[i].throughput) {
        const double needed = models_.size() == 1 ? enough : judge.needed(i, enough, most);
        const ChipValue deeper = on_chips_[models_[i]].evaluate(
            made, memories, {needed, best_.values[i].nodes, {}, &memos[i]});
        values[i] =
            deeper.is_exact && deeper.throughput > values[i].throughput ? deeper : values[i];
      }
    });
  }

  const SearchQuestion& question_;
  const FoundChip& best_;
  const std::vector<std::size_t>& models_;
  const std::vector<ModelOnChips>& on_chips_;
  const std::vector<double> scale_;
};

// What the search found of chips by their index and memory, with as much work on their schedules as
// they got there.
using FoundValues = std::map<std::pair<std::int64_t, std::optional<Bytes>>, double>;

FoundValues values_of(const SearchAnswer& answer, const CoSearchAnswer& found) {
  FoundValues values;
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    if (found.outcomes[i].state == ChipState::kEvaluated) {
      values[{answer.chips[i].index, answer.chips[i].memory}] = found.outcomes[i].value;
    }
  }
  return values;
}

// A chip beside the best one; where sizes of memory are chips of their own, with each of its own.
std::vector<SearchChip> with_memories(const SearchQuestion& question, const SearchChip& best,
                                      std::int64_t index) {
  if (!best.memory) {
    return {{index, std::nullopt}};
  }
  std::vector<SearchChip> chips;
  for (const Bytes memory : memories_of(question, {index, std::nullopt})) {
    chips.push_back({index, memory});
  }
  return chips;
}

std::vector<plan::SearchStep> steps_from(const SearchQuestion& question, const SearchChip& best,
                                         const FoundValues& found, const Values& values) {
  std::vector<plan::SearchStep> steps;
  struct Within {
    std::size_t step;
    SearchChip chip;
    double value;
  };
  std::vector<Within> within;
  const space::Space& space = question.space;
  std::int64_t stride = 1;
  for (std::size_t k = space.axes.size(); k-- > 0;) {
    const space::Axis& axis = space.axes[k];
    const auto size = static_cast<std::int64_t>(axis.values.size());
    const std::int64_t digit = best.index / stride % size;
    for (const std::int64_t change : {-1, 1}) {
      const std::int64_t to = digit + change;
      if (to < 0 || to >= size) {
        continue;
      }
      const std::int64_t other = best.index + change * stride;
      plan::SearchStep step;
      step.field = std::string(space::traits(axis.field).path);
      step.from = space::value_text(axis.field, axis.values[static_cast<std::size_t>(digit)]);
      step.to = space::value_text(axis.field, axis.values[static_cast<std::size_t>(to)]);
      const space::Verdict verdict = space::judge(space, space::make_chip(space, other));
      if (verdict.limit) {
        step.outside = space::described(*verdict.limit);
      }
      for (const SearchChip& chip : with_memories(question, best, other)) {
        const auto known = found.find({chip.index, chip.memory});
        if (known != found.end()) {
          step.value = std::max(step.value.value_or(0), known->second);
        } else if (!verdict.limit) {
          within.push_back({steps.size(), chip, 0});
        }
      }
      steps.push_back(std::move(step));
    }
    stride *= size;
  }
  tbb::parallel_for(std::size_t{0}, within.size(), [&](std::size_t i) {
    within[i].value = values.evaluate(within[i].chip).value;
  });
  for (const Within& each : within) {
    std::optional<double>& value = steps[each.step].value;
    value = std::max(value.value_or(0), each.value);
  }
  std::ranges::reverse(steps);
  return steps;
}

std::string unit_of(space::FieldUnit unit) {
  switch (unit) {
    case space::FieldUnit::kBytes:
      return "B";
    case space::FieldUnit::kHertz:
      return "Hz";
    case space::FieldUnit::kBytesPerSecond:
      return "B/s";
    case space::FieldUnit::kCount:
    case space::FieldUnit::kNumber:
    case space::FieldUnit::kGeneration:
      break;
  }
  return "";
}

SearchResult make_result(const SearchQuestion& question, const SearchAnswer& answer,
                         const CoSearchAnswer& found, const FoundChip& best,
                         const std::vector<std::size_t>& models,
                         const std::vector<ModelOnChips>& on_chips, const std::string& name) {
  SearchResult result;
  result.name = name;
  const SearchChip& chip = answer.chips[best.chip];
  result.chip = space::chip_id(question.space, chip.index);
  result.described = with_memory(make_chip(question, chip), best.memory);
  result.figures = hw::compute_figures(result.described, question.space.technology).value();
  result.value = best.value;
  result.bound = found.bound;
  result.is_complete = found.is_complete;
  result.counts = {answer.total, static_cast<std::int64_t>(found.evaluated),
                   static_cast<std::int64_t>(found.excluded),
                   static_cast<std::int64_t>(found.dominated)};
  result.plans.resize(models.size());
  tbb::parallel_for(std::size_t{0}, models.size(), [&](std::size_t i) {
    result.plans[i] = plan_on(question.models[models[i]], result.described, best.values[i]);
  });
  for (std::size_t i = 0; i < models.size(); ++i) {
    const double throughput = plan::throughput(result.plans[i].plan);
    CHECK(std::abs(throughput - best.throughput[i]) <= 1e-9 * throughput,
          "a plan is as fast as the search found");
    const double reference = answer.reference[models[i]];
    result.speedup.push_back(reference > 0 ? std::optional(throughput / reference) : std::nullopt);
  }
  std::vector<std::size_t> rivals;
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    if (found.outcomes[i].state == ChipState::kEvaluated && i != best.chip &&
        found.outcomes[i].value > 0) {
      rivals.push_back(i);
    }
  }
  std::ranges::stable_sort(rivals, [&](std::size_t a, std::size_t b) {
    return found.outcomes[a].value > found.outcomes[b].value;
  });
  rivals.resize(std::min(rivals.size(), kRivals));
  const Values values(question, answer, best, models, on_chips);
  result.rivals.resize(rivals.size());
  tbb::parallel_for(std::size_t{0}, rivals.size(), [&](std::size_t k) {
    const SearchChip& chip_of_rival = answer.chips[rivals[k]];
    plan::SearchRival& row = result.rivals[k];
    row = {search_chip_id(question, chip_of_rival), found.outcomes[rivals[k]].value, {}};
    if (row.value == best.value) {
      row.reason = "as good, with more memory, area or cost";
      return;
    }
    const FoundChip other = values.evaluate(chip_of_rival);
    const hw::Chip made = with_memory(make_chip(question, chip_of_rival), other.memory);
    if (models.size() == 1 && question.objective == Objective::kThroughput) {
      ChipValue value = other.values.front();  // its width and micro-batch are known
      value.nodes = value.nodes > 0 ? value.nodes : quick_scheduling().work_limit;
      row.reason = why_slower(plan_on(question.models[models.front()], made, value).plan,
                              result.plans.front().plan);
    } else {
      std::size_t worst = 0;  // the model that loses most
      for (std::size_t i = 1; i < models.size(); ++i) {
        worst = other.throughput[i] / best.throughput[i] <
                        other.throughput[worst] / best.throughput[worst]
                    ? i
                    : worst;
      }
      row.reason = change_text(best.throughput[worst], other.throughput[worst]) + " sequences/s" +
                   (models.size() > 1 ? " of " + question.models[models[worst]].name : "");
      if (question.objective != Objective::kThroughput) {
        row.reason += ", " +
                      change_text(price_of(question, result.described), price_of(question, made)) +
                      " " + price_name(question.objective);
      }
    }
  });
  if (found.is_complete) {
    result.steps = steps_from(question, chip, values_of(answer, found), values);
  }
  return result;
}

plan::SearchAxis make_axis(const space::Axis& axis) {
  const space::FieldTraits& field = space::traits(axis.field);
  plan::SearchAxis made{
      std::string(field.path), std::string(field.code), unit_of(field.unit), {}, {}};
  for (const double value : axis.values) {
    made.codes.push_back(space::value_code(axis.field, value));
    made.values.push_back(value);
  }
  return made;
}

}  // namespace

plan::SearchRecord make_search_record(const SearchQuestion& question, const SearchAnswer& answer) {
  plan::SearchRecord record;
  record.space = question.space.name;
  const PlanSetting& setting = question.models.front().setting;
  record.assumptions = to_string(setting.assumptions);
  record.objective = to_string(question.objective);
  record.combination = to_string(question.combination);
  record.reference = question.reference.name;
  record.reference_described = question.reference;
  record.reference_figures = hw::compute_figures(question.reference, question.space.technology);
  for (const space::Axis& axis : question.space.axes) {
    const space::FieldTraits& field = space::traits(axis.field);
    if (axis.values.size() > 1) {
      record.axes.push_back(make_axis(axis));
      record.letters += (record.letters.empty() ? "" : ", ") + std::string(field.code) + " " +
                        std::string(field.path);
    }
  }
  record.schedules = question.schedules;
  record.devices = setting.devices;
  record.global_batch = setting.global_batch;
  record.cluster = setting.cluster.name;
  record.is_complete = answer.is_complete;
  std::vector<std::size_t> all;
  std::vector<ModelOnChips> on_chips;
  for (const SearchModel& model : question.models) {
    on_chips.emplace_back(model.setting);
  }
  for (std::size_t i = 0; i < question.models.size(); ++i) {
    record.models.push_back(question.models[i].name);
    record.weights.push_back(question.models[i].weight);
    all.push_back(i);
    const double reference = answer.reference[i];
    record.reference_throughput.push_back(reference > 0 ? std::optional(reference) : std::nullopt);
  }
  // The common chip, which takes longest, first.
  std::vector<std::optional<SearchResult>> own(answer.own.size());
  tbb::parallel_for(std::size_t{0}, own.size() + 1, [&](std::size_t k) {
    if (k > 0 && answer.own_best[k - 1]) {
      own[k - 1] = make_result(question, answer, answer.own[k - 1], *answer.own_best[k - 1],
                               {k - 1}, on_chips, question.models[k - 1].name);
    } else if (k == 0 && answer.common && answer.common_best) {
      record.common = make_result(question, answer, *answer.common, *answer.common_best, all,
                                  on_chips, "common");
    }
  });
  for (std::optional<SearchResult>& result : own) {
    if (result) {
      record.own.push_back(*std::move(result));
    }
  }
  return record;
}

void add_front(const SearchQuestion& question, const SearchFront& front,
               plan::SearchRecord& record) {
  for (const Objective objective : front.objectives) {
    record.front_objectives.emplace_back(to_string(objective));
  }
  for (const FrontPoint& point : front.answer.points) {
    const SearchChip& chip = front.chips[point.candidate];
    plan::SearchFrontRow row;
    row.chip = space::chip_id(question.space, chip.index);
    row.memory = chip.memory.value();
    row.throughput = point.value;
    row.objectives = point.objectives;
    row.figures = hw::compute_figures(make_chip(question, chip), question.space.technology).value();
    record.front.push_back(std::move(row));
  }
  if (front.answer.open > 0) {
    record.notes.push_back(
        "the front is that of the schedules that were found: " + std::to_string(front.answer.open) +
        " chips whose schedules are not proved could be on it or further out");
  }
  record.is_complete = record.is_complete && front.answer.is_complete;
}

}  // namespace phaze::search
