#include "search/large_outcomes.h"

#include <algorithm>
#include <map>
#include <set>

namespace phaze::search {
namespace {

double best_of(const SetSearchAnswer& sets) {
  return sets.best ? sets.outcomes[*sets.best].value : 0;
}
std::size_t count_not_in(const std::set<std::int64_t>& seen, const SetSearchAnswer& sets,
                         const ExcludedSet& set) {
  std::size_t count = set.end - set.begin;
  for (std::size_t i = set.begin; i < set.end; ++i) {
    count -= seen.contains(sets.order[i]) ? 1U : 0U;
  }
  return count;
}
// Points whose fate is not known: a bound is above the best.
std::size_t open_in(const SetSearchAnswer& sets, const std::set<std::int64_t>& seen) {
  std::size_t open = 0;
  for (const ExcludedSet& set : sets.excluded) {
    open += set.bound <= best_of(sets) ? 0 : count_not_in(seen, sets, set);
  }
  for (const PointOutcome& outcome : sets.outcomes) {
    open += outcome.is_exact ? 0 : 1;
  }
  return open;
}

}  // namespace

CoSearchAnswer count_outcomes(const SetSearchAnswer& sets, std::int64_t chips) {
  CoSearchAnswer found;
  found.bound = sets.bound;
  found.is_complete = sets.is_complete;
  std::set<std::int64_t> seen;  // sets may have points that were looked at before
  for (const PointOutcome& outcome : sets.outcomes) {
    found.evaluated += outcome.is_exact ? 1 : 0;
    seen.insert(outcome.index);
  }
  for (const ExcludedSet& set : sets.excluded) {
    found.excluded += set.bound <= best_of(sets) ? count_not_in(seen, sets, set) : 0;
  }
  found.dominated =
      static_cast<std::size_t>(chips) - found.evaluated - found.excluded - open_in(sets, seen);
  return found;
}

void spread_outcomes(const SearchQuestion& question, SearchAnswer& answer) {
  const bool has_prices = question.objective != Objective::kThroughput;
  std::map<std::pair<std::int64_t, Bytes>, std::size_t> places;
  const auto place_of = [&](const PointOutcome& outcome) {
    const Bytes memory =
        has_prices ? Bytes(static_cast<std::int64_t>(outcome.rank.front())) : Bytes();
    const auto [place, is_new] = places.try_emplace({outcome.index, memory}, answer.chips.size());
    if (is_new) {
      answer.chips.push_back({outcome.index, has_prices ? std::optional(memory) : std::nullopt});
    }
    return place->second;
  };
  for (std::size_t i = 0; i < answer.sets.size(); ++i) {
    const bool is_own = i < question.models.size();
    CoSearchAnswer& found = is_own ? answer.own[i] : *answer.common;
    std::optional<FoundChip>& best = is_own ? answer.own_best[i] : answer.common_best;
    for (std::size_t k = 0; k < answer.sets[i].outcomes.size(); ++k) {
      const PointOutcome& outcome = answer.sets[i].outcomes[k];
      if (!outcome.is_exact || outcome.value <= 0) {
        continue;
      }
      const std::size_t place = place_of(outcome);
      found.outcomes.resize(std::max(found.outcomes.size(), place + 1));
      found.outcomes[place] = {ChipState::kEvaluated, outcome.value, outcome.most, outcome.rank, 0};
      if (best && answer.sets[i].best == k) {
        found.best = best->chip = place;
      }
    }
  }
  for (CoSearchAnswer& found : answer.own) {
    found.outcomes.resize(answer.chips.size());
  }
  if (answer.common) {
    answer.common->outcomes.resize(answer.chips.size());
  }
}

}  // namespace phaze::search
