#pragma once
// Ties of a large space: a chip that is worth as much as the best one has no more than one of the
// chips that were found to have that value, be it a chip or what bounds a set. Of all these the one
// with the least memory is searched, then the least area: again by sets, 1 / area being the value
// where the best throughput is reached and 0 elsewhere. docs/models.md, section 23.

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/figures.h"
#include "search/large_value.h"
#include "search/set_search.h"
#include "space/maximal.h"

namespace phaze::search {

class LargeTies {
 public:
  // All of these must stay. `points`: how many the search was over.
  LargeTies(const SearchQuestion& question, const Grid& grid, const space::WithinChips& within,
            std::size_t points, LargeValues& values)
      : question_(question), grid_(grid), within_(within), points_(points), values_(values) {}

  // Puts the smallest of the chips that are worth as much in the place of the best.
  void settle(const LargeValues::Subject& subject, const SetSearchOptions& how,
              SetSearchAnswer& sets) const;

 private:
  using Positions = std::vector<std::int64_t>;

  bool is_tied(const LargeValues::Subject& subject, std::int64_t index,
               const std::vector<Bytes>& memories, double best) const;
  void add_below(const std::vector<Positions>& tops, std::vector<std::int64_t>& all) const;
  std::vector<std::int64_t> list_below_ties(const SetSearchAnswer& sets) const;
  void step_down(const LargeValues::Subject& subject, const SetSearchOptions& how,
                 SetSearchAnswer& sets) const;
  std::optional<std::int64_t> smallest_tied(const LargeValues::Subject& subject,
                                            const SetSearchOptions& how, Bytes memory,
                                            const std::vector<std::int64_t>& points, double best,
                                            bool& is_complete) const;
  hw::ChipFigures figures_of(std::int64_t index, Bytes memory) const;
  void take_tied(const LargeValues::Subject& subject, std::int64_t index, double best,
                 SetSearchAnswer& sets) const;

  const SearchQuestion& question_;
  const Grid& grid_;
  const space::WithinChips& within_;
  const std::size_t points_;
  LargeValues& values_;
};

}  // namespace phaze::search
