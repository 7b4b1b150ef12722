#include "base/check.h"
#include "search/chip_search.h"

namespace phaze::search {

SearchFront search_front(
    const SearchQuestion& question, const std::vector<Objective>& objectives,
    const std::function<bool(std::size_t settled, std::size_t total)>& is_cancelled) {
  CHECK(question.models.size() == 1, "a front is of one model");
  SearchFront front;
  front.objectives = objectives;
  SearchQuestion priced = question;
  priced.objective = Objective::kPerWatt;  // each size of memory by itself
  front.chips = list_search_chips(priced);
  FrontProblem problem;
  for (const SearchChip& chip : front.chips) {
    const hw::Chip made = make_chip(question, chip);
    std::vector<double>& prices = problem.prices.emplace_back();
    for (const Objective objective : objectives) {
      priced.objective = objective;
      prices.push_back(price_of(priced, made));
    }
  }
  const ModelOnChips model(question.models.front().setting);
  problem.bound = [&](std::size_t i) { return model.bound(make_chip(question, front.chips[i])); };
  problem.evaluate = [&](std::size_t i, double enough) {
    const hw::Chip chip = make_chip(question, front.chips[i]);
    const std::vector<Bytes> memories = memories_of(question, front.chips[i]);
    ChipValue value = model.evaluate(chip, memories, enough);
    for (const std::int64_t nodes : kMoreNodes) {
      if (value.is_exact && value.most > value.throughput) {
        value = merge(value, model.evaluate(chip, memories, enough, nodes));
      }
    }
    return Worth{value.throughput, value.is_exact, value.most, {}};
  };
  front.answer = find_front(problem, [&](std::size_t settled) {
    return is_cancelled && is_cancelled(settled, front.chips.size());
  });
  return front;
}

}  // namespace phaze::search
