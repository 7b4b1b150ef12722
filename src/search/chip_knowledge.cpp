#include "search/chip_knowledge.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace phaze::search {
namespace {

bool is_proved(const ChipValue& value) { return value.is_exact && value.most <= value.throughput; }

}  // namespace

ChipKnowledge::ChipKnowledge(const SearchQuestion& question, const std::vector<SearchChip>& chips,
                             const SearchOptions& options)
    : question_(question), chips_(chips), options_(options) {
  for (const SearchModel& model : question.models) {
    models_.emplace_back(model.setting);
    known_.emplace_back(chips.size());
    bounds_.emplace_back(chips.size());
  }
  for (const Known& known : options.known) {
    CHECK(known.model < known_.size() && known.chip < chips.size(), "what is known is of here");
    known_[known.model][known.chip] = known.value;
  }
}

double ChipKnowledge::bound(std::size_t model, std::size_t chip) {
  const std::optional<ChipValue>& known = known_[model][chip];
  if (known) {
    return std::max(known->throughput, known->most);
  }
  std::optional<double>& bound = bounds_[model][chip];
  if (!bound) {
    bound = models_[model].bound(make_chip(question_, chips_[chip]));
  }
  return *bound;
}

double ChipKnowledge::close_bound(std::size_t model, std::size_t chip) {
  if (known_[model][chip]) {
    return bound(model, chip);
  }
  ChipMemo& memo = effort(model, chip).memo;
  if (memo.shapes.empty()) {
    const double closer = models_[model].close_bound(
        make_chip(question_, chips_[chip]), memories_of(question_, chips_[chip]).back(), memo);
    bounds_[model][chip] = std::min(bound(model, chip), closer);
  }
  return bound(model, chip);
}

ChipKnowledge::Effort& ChipKnowledge::effort(std::size_t model, std::size_t chip) {
  const std::lock_guard lock(mutex_);
  return efforts_[{model, chip}];
}

void ChipKnowledge::found(std::size_t model, std::size_t chip, const ChipValue& value) {
  known_[model][chip] = value;
  const std::lock_guard lock(mutex_);
  found_.push_back({model, chip, value});
  if (is_proved(value)) {
    efforts_.erase({model, chip});
  }
}

ChipValue ChipKnowledge::evaluate(std::size_t model, std::size_t chip, double enough) {
  const std::optional<ChipValue>& known = known_[model][chip];  // a chip has one thread at a time
  if (known && (known->is_exact || known->throughput < enough)) {
    return *known;
  }
  Effort& before = effort(model, chip);
  // With the same nodes: a plan that is made anew must find the same passes.
  const ValueLimits limits{enough, before.nodes, {}, &before.memo};
  const ChipValue value = models_[model].evaluate(make_chip(question_, chips_[chip]),
                                                  memories_of(question_, chips_[chip]), limits);
  found(model, chip, value);
  return value;
}

void ChipKnowledge::deepen(std::size_t model, std::size_t chip, double enough, std::int64_t nodes) {
  const std::optional<ChipValue>& known = known_[model][chip];
  if (!known || is_proved(*known)) {
    return;
  }
  Effort& before = effort(model, chip);
  if (before.nodes >= nodes && before.enough <= enough) {
    return;
  }
  before.enough = before.nodes >= nodes ? std::min(before.enough, enough) : enough;
  before.nodes = std::max(before.nodes, nodes);
  // Never with less than before, so that a plan that is made anew finds the same passes.
  const ValueLimits limits{enough, before.nodes, {}, &before.memo};
  found(model, chip,
        merge(*known, models_[model].evaluate(make_chip(question_, chips_[chip]),
                                              memories_of(question_, chips_[chip]), limits)));
}

void ChipKnowledge::keep() {
  std::vector<Known> found;
  {
    const std::lock_guard lock(mutex_);
    found = std::exchange(found_, {});
  }
  std::ranges::sort(found, [](const Known& a, const Known& b) {
    return std::pair(a.chip, a.model) < std::pair(b.chip, b.model);
  });
  if (options_.keep && !found.empty()) {
    options_.keep(found);
  }
}

}  // namespace phaze::search
