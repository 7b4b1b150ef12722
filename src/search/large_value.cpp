#include "search/large_value.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "hw/cost.h"
#include "hw/figures.h"
#include "space/chips.h"

namespace phaze::search {

LargeValues::LargeValues(const SearchQuestion& question, const SearchOptions& options)
    : question_(question),
      options_(options),
      tops_(question.models.size()),
      values_(question.models.size()) {
  for (const SearchModel& model : question.models) {
    models_.emplace_back(model.setting);
  }
  for (const Known& known : options.known) {
    CHECK(known.model < models_.size(), "what is known is of here");
    const auto index = static_cast<std::int64_t>(known.chip);
    if (known.is_top) {
      tops_[known.model][index] = known.value;
    } else {
      values_[known.model][index] = {known.value, memories_of(question, {index, std::nullopt})};
    }
  }
}

double LargeValues::bound(const Subject& subject, std::int64_t index) const {
  const hw::Chip chip = space::make_chip(question_.space, index);
  std::vector<double> throughput;
  for (const std::size_t model : subject.models) {
    throughput.push_back(models_[model].bound(chip));
  }
  return combined(subject, throughput);
}

double LargeValues::most_of(std::size_t model, std::int64_t index, double enough) {
  const auto known = tops_[model].find(index);
  // What is remembered may be far above what was enough then.
  if (known != tops_[model].end() && (known->second.is_exact || known->second.throughput < enough ||
                                      known->second.throughput > kFarAbove * enough)) {
    return known->second.throughput;
  }
  const hw::Chip chip = space::make_chip(question_.space, index);
  const std::vector<Bytes> memories = space::hbm_capacities(question_.space, chip);
  CHECK(!memories.empty(), "a chip with the most of everything has some memory");
  ChipValue found;
  found.throughput = found.most = models_[model].most(chip, memories.back(), enough);
  // Close to what is enough it was looked into, and is as close as it gets.
  found.is_exact = found.throughput >= enough && found.throughput <= kFarAbove * enough;
  const std::lock_guard lock(mutex_);
  found_.push_back({{model, static_cast<std::size_t>(index), found, true}, {}});
  return found.throughput;
}

double LargeValues::most(const Subject& subject, std::int64_t index, double enough) {
  const hw::Chip chip = space::make_chip(question_.space, index);
  std::vector<double> throughput;
  for (const std::size_t model : subject.models) {
    throughput.push_back(models_[model].bound(chip));
  }
  for (std::size_t i = 0; i < subject.models.size(); ++i) {
    const double needed =
        subject.models.size() == 1 ? enough : subject.judge.needed(i, enough, throughput);
    throughput[i] = std::min(throughput[i], most_of(subject.models[i], index, needed));
    if (combined(subject, throughput) < enough) {
      break;
    }
  }
  return combined(subject, throughput);
}

ChipValue LargeValues::value(std::size_t model, std::int64_t index,
                             const std::vector<Bytes>& memories, double enough) {
  const auto known = values_[model].find(index);
  if (known != values_[model].end() && known->second.memories == memories &&
      (known->second.value.is_exact || known->second.value.throughput < enough)) {
    return known->second.value;
  }
  const Look look{model, index, memories};
  Effort& before = effort(look);
  // With the same nodes: a plan that is made anew must find the same passes.
  const ChipValue value = models_[model].evaluate(
      space::make_chip(question_.space, index), memories, {enough, before.nodes, {}, &before.memo});
  found(look, value);
  return value;
}

LargeValues::Effort& LargeValues::effort(const Look& look) {
  const std::lock_guard lock(mutex_);
  return efforts_[look];
}

void LargeValues::found(const Look& look, const ChipValue& value) {
  const std::lock_guard lock(mutex_);
  const auto& [model, index, memories] = look;
  found_.push_back({{model, static_cast<std::size_t>(index), value, false}, memories});
  if (value.is_exact && value.most <= value.throughput) {
    efforts_.erase(look);
  }
}

Worth LargeValues::evaluate_with(const Subject& subject, std::int64_t index,
                                 const std::vector<Bytes>& memories, double enough) {
  const hw::Chip chip = space::make_chip(question_.space, index);
  const double per = question_.objective == Objective::kThroughput
                         ? 1
                         : price_of(question_, with_memory(chip, memories.back()));
  std::vector<double> throughput;
  for (const std::size_t model : subject.models) {
    throughput.push_back(models_[model].bound(chip));
  }
  std::vector<double> most = throughput;
  Worth worth;
  Bytes memory;
  for (std::size_t i = 0; i < subject.models.size(); ++i) {
    const double needed = subject.models.size() == 1
                              ? enough * per
                              : subject.judge.needed(i, enough * per, throughput);
    const ChipValue found = value(subject.models[i], index, memories, needed);
    throughput[i] = found.throughput;
    most[i] = found.most;
    memory = std::max(memory, found.memory);
    if (!found.is_exact) {
      worth.is_exact = false;
      break;
    }
  }
  worth.value = combined(subject, throughput) / per;
  worth.most = combined(subject, most) / per;
  if (worth.is_exact && worth.value > 0) {
    const hw::ChipFigures figures =
        hw::compute_figures(with_memory(chip, memory), question_.space.technology).value();
    worth.rank = {static_cast<double>(memory.value()), figures.area.value(),
                  hw::total(figures.cost).value()};
  }
  return worth;
}

Worth LargeValues::evaluate(const Subject& subject, std::int64_t index, double enough) {
  const std::vector<Bytes> memories = memories_of(question_, {index, std::nullopt});
  if (question_.objective == Objective::kThroughput) {
    return evaluate_with(subject, index, memories, enough);
  }
  // Each size of memory is a chip of its own.
  Worth best;
  best.is_exact = false;
  double open = 0;  // the most that sizes which are not exact could be
  double most = 0;  // and those that are
  for (const Bytes memory : memories) {
    Worth worth = evaluate_with(subject, index, {memory}, std::max(enough, best.value));
    if (!worth.is_exact) {
      open = std::max(open, worth.value);
      continue;
    }
    most = std::max(most, worth.most);
    if (!best.is_exact || worth.value > best.value ||
        (worth.value == best.value && worth.rank < best.rank)) {
      best = std::move(worth);
    }
  }
  best.most = std::max(best.most, most);
  if (!best.is_exact || open > best.value) {
    best.is_exact = false;
    best.value = best.most = std::max({open, best.value, best.most});
  }
  return best;
}

void LargeValues::deepen(const Subject& subject, std::int64_t index, double best,
                         std::int64_t nodes) {
  const std::vector<Bytes> memories = memories_of(question_, {index, std::nullopt});
  const hw::Chip chip = space::make_chip(question_.space, index);
  std::vector<ChipValue> known;
  std::vector<double> most;
  for (const std::size_t model : subject.models) {
    known.push_back(value(model, index, memories, best));
    most.push_back(known.back().most);
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].is_exact && known[i].most <= known[i].throughput) {
      continue;
    }
    const double enough = known.size() == 1 ? best : subject.judge.needed(i, best, most);
    const Look look{subject.models[i], index, memories};
    Effort& before = effort(look);
    before.nodes = std::max(before.nodes, nodes);
    found(look, merge(known[i], models_[subject.models[i]].evaluate(
                                    chip, memories, {enough, before.nodes, {}, &before.memo})));
  }
}

double LargeValues::least_price(const hw::Chip& chip) const {
  const std::vector<Bytes> memories = space::hbm_capacities(question_.space, chip);
  return price_of(question_, with_memory(chip, memories.front()));
}

void LargeValues::keep() {
  std::ranges::sort(found_, [](const Found& a, const Found& b) {
    const auto key = [](const Found& found) {
      return std::tuple(found.known.is_top, found.known.chip, found.known.model, found.memories,
                        found.known.value.is_exact, found.known.value.nodes,
                        found.known.value.throughput);
    };
    return key(a) < key(b);
  });
  std::vector<Known> told;
  for (const Found& found : found_) {
    const Known& known = found.known;
    const auto index = static_cast<std::int64_t>(known.chip);
    if (known.is_top) {
      tops_[known.model][index] = known.value;
    } else {
      values_[known.model][index] = {known.value, found.memories};
    }
    if (known.is_top || found.memories == memories_of(question_, {index, std::nullopt})) {
      told.push_back(known);
    }
  }
  found_.clear();
  if (options_.keep && !told.empty()) {
    options_.keep(told);
  }
}

}  // namespace phaze::search
