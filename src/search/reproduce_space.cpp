#include "search/reproduce_space.h"

#include <algorithm>
#include <functional>
#include <map>

#include "hw/figures.h"
#include "space/chips.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

// What the space forces on all that is found in it.
plan::UndominatedChips count_undominated(const SearchQuestion& question,
                                         const std::vector<SearchChip>& chips) {
  struct Member {
    std::int64_t index;
    std::vector<std::int64_t> amounts;
  };
  std::map<std::int64_t, std::vector<Member>> groups;
  for (const SearchChip& chip : chips) {
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
      const plan::ReproducedChip chip =
          describe_chip(question, "", space::make_chip(question.space, member.index));
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

}  // namespace

plan::ReproducedChip describe_chip(const SearchQuestion& question, const std::string& name,
                                   const hw::Chip& chip) {
  plan::ReproducedChip described{name, chip, {}, 0, 0, {}};
  const hw::ChipFigures figures = hw::compute_figures(chip, question.space.technology).value();
  described.area = figures.area;
  described.power = figures.tdp;
  described.vector_share = figures.area_breakdown.vector_cores.value() / figures.area.value();
  if (question.space.budgets.area) {
    described.area_share = described.area.value() / question.space.budgets.area->value();
  }
  return described;
}

plan::ReproducedSpace describe_space(const SearchQuestion& question,
                                     const std::vector<SearchChip>& chips) {
  plan::ReproducedSpace made;
  made.name = question.space.name;
  made.chips = static_cast<std::int64_t>(chips.size());
  made.area_budget = question.space.budgets.area.value_or(SquareMillimetres());
  made.power_budget = question.space.budgets.power;
  made.memories = memories_of(question, chips.front());
  made.undominated = count_undominated(question, chips);
  return made;
}

}  // namespace phaze::search
