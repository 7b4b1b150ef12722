#pragma once
// What models are worth on chips of a large space by their index, whether they are within its
// limits or not. What is found is remembered from one batch of chips to the next, so that answers
// do not depend on which thread was first.

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "search/chip_search.h"

namespace phaze::search {

// Safe for several threads.
class LargeValues {
 public:
  LargeValues(const SearchQuestion& question, const SearchOptions& options);

  const ModelOnChips& model(std::size_t i) const { return models_[i]; }

  // Some of the models, and how their throughputs become one.
  struct Subject {
    std::vector<std::size_t> models;
    Judge judge;
  };

  // Of amounts: throughputs combined, prices left out. See SetSearchProblem.
  double bound(const Subject& subject, std::int64_t index) const;
  double most(const Subject& subject, std::int64_t index, double enough);
  // With a size of memory, or the best of all that the chip can have; over the price. The first of
  // its rank is the memory.
  Worth evaluate(const Subject& subject, std::int64_t index, double enough);
  Worth evaluate_with(const Subject& subject, std::int64_t index,
                      const std::vector<Bytes>& memories, double enough);

  // Puts more work into schedules of a chip that could be worth as much as the best; for
  // throughput.
  void deepen(const Subject& subject, std::int64_t index, double best, std::int64_t nodes);

  // The least that a chip's price can be: with its smallest memory.
  double least_price(const hw::Chip& chip) const;
  ChipValue value(std::size_t model, std::int64_t index, const std::vector<Bytes>& memories,
                  double enough);
  // Remembers what was found since the last time and hands it on, in one order. Not while others
  // ask.
  void keep();

 private:
  struct Remembered {
    ChipValue value;
    std::vector<Bytes> memories;
  };
  // Of a model on a chip with sizes of memory to choose from.
  using Look = std::tuple<std::size_t, std::int64_t, std::vector<Bytes>>;
  struct Effort {
    ChipMemo memo;
    std::int64_t nodes = 0;  // that were tried
  };
  Effort& effort(const Look& look);
  void found(const Look& look, const ChipValue& value);

  struct Found {
    Known known;
    std::vector<Bytes> memories;  // not of tops
  };

  double combined(const Subject& subject, const std::vector<double>& throughput) const {
    return subject.models.size() == 1 ? throughput.front() : subject.judge.value(throughput);
  }
  double most_of(std::size_t model, std::int64_t index, double enough);

  const SearchQuestion& question_;
  const SearchOptions& options_;
  std::vector<ModelOnChips> models_;
  // By model and index.
  std::vector<std::unordered_map<std::int64_t, ChipValue>> tops_;
  std::vector<std::unordered_map<std::int64_t, Remembered>> values_;
  std::mutex mutex_;  // of what follows
  std::vector<Found> found_;
  std::map<Look, Effort> efforts_;  // of what is not proved
};

}  // namespace phaze::search
