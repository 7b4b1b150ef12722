#pragma once
// What is known of models on the chips of a list, whichever search found it.

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "search/chip_search.h"

namespace phaze::search {

// Several threads may ask at once, of different chips.
class ChipKnowledge {
 public:
  // All of these must stay.
  ChipKnowledge(const SearchQuestion& question, const std::vector<SearchChip>& chips,
                const SearchOptions& options);

  const ModelOnChips& model(std::size_t i) const { return models_[i]; }

  // No plan is better, however layers are scheduled: the closest that is known.
  double bound(std::size_t model, std::size_t chip);
  // The same, closer, without schedules.
  double close_bound(std::size_t model, std::size_t chip);
  bool has_exact(std::size_t model, std::size_t chip) const {
    return known_[model][chip] && known_[model][chip]->is_exact;
  }
  // Exact where it is at least `enough`.
  ChipValue evaluate(std::size_t model, std::size_t chip, double enough);
  // Puts more work into schedules; not where as much was tried before.
  void deepen(std::size_t model, std::size_t chip, double enough, std::int64_t nodes);
  // Hands on what was found since the last time, in one order.
  void keep();

 private:
  struct Effort {
    ChipMemo memo;
    std::int64_t nodes = 0;  // that were tried, for plans of at least `enough`
    double enough = 0;
  };
  Effort& effort(std::size_t model, std::size_t chip);
  void found(std::size_t model, std::size_t chip, const ChipValue& value);

  const SearchQuestion& question_;
  const std::vector<SearchChip>& chips_;
  const SearchOptions& options_;
  std::vector<ModelOnChips> models_;
  // By model and chip.
  std::vector<std::vector<std::optional<ChipValue>>> known_;
  std::vector<std::vector<std::optional<double>>> bounds_;
  std::mutex mutex_;  // of what follows
  std::vector<Known> found_;
  std::map<std::pair<std::size_t, std::size_t>, Effort> efforts_;  // of what is not proved
};

}  // namespace phaze::search
