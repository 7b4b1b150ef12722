// Points of a grid by their indices, and which of two is better.
#include "search/set_search.h"

namespace phaze::search {

std::vector<std::int64_t> Grid::positions(std::int64_t index) const {
  std::vector<std::int64_t> positions(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    positions[i] = index % sizes[i];
    index /= sizes[i];
  }
  return positions;
}

std::int64_t Grid::index_of(const std::vector<std::int64_t>& positions) const {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    index = index * sizes[i] + positions[i];
  }
  return index;
}

bool is_better(const PointOutcome& a, const PointOutcome& b) {
  return a.value != b.value ? a.value > b.value
         : a.rank != b.rank ? a.rank < b.rank
                            : a.index < b.index;
}

}  // namespace phaze::search
