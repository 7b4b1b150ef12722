// With the load given, the fewest devices follow from first layer and number of stages alone:
//
//   fewest(b, r) = min over ends e with load(b, e) <= load of devices(b, e) + fewest(e, r - 1)
#include "place/original_cuts.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace phaze::place::original {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 2;

class Cutter {
 public:
  Cutter(const StageTable& table, std::int64_t width, const ChainBest& best)
      : table_(table),
        width_(width),
        load_(best.load),
        first_(best.first_end),
        columns_(table.layers() + 1 - first_) {
    for (std::size_t stages = 1; stages < best.stages; ++stages) {
      rows_.emplace_back(columns_, kNone);
      for (std::size_t begin = first_; begin + stages <= table_.layers(); ++begin) {
        visit(begin, stages, [&](std::size_t /*end*/, std::int64_t devices) {
          std::int64_t& fewest = rows_.back()[begin - first_];
          fewest = std::min(fewest, devices);
          return false;
        });
      }
    }
  }

  std::vector<std::size_t> cut() const {
    std::vector<std::size_t> ends = {first_};
    for (std::size_t stages = rows_.size(); stages > 0; --stages) {
      const std::size_t begin = ends.back();
      const std::int64_t fewest = rows_[stages - 1][begin - first_];
      visit(begin, stages, [&](std::size_t end, std::int64_t devices) {
        if (devices == fewest) {
          ends.push_back(end);
        }
        return devices == fewest;
      });
    }
    CHECK(ends.back() == table_.layers(), "a pipeline that cannot be found again");
    return ends;
  }

 private:
  // Calls `found` with the end of every stage from `begin` that is fast enough, and the fewest
  // devices from there to the end of the pipeline in this many stages, until it returns true.
  template <class Found>
  void visit(std::size_t begin, std::size_t stages, const Found& found) const {
    const StageTable::Stage* stage = table_.row(begin);
    const double most_compute = table_.compute_before(begin) + load_ + table_.rounding();
    const std::size_t last = std::min(table_.reach(begin), table_.layers() - stages + 1);
    for (std::size_t end = stages == 1 ? table_.layers() : begin + 1; end <= last; ++end) {
      const bool is_last = end == table_.layers();
      if (stage[end - begin - 1].most_stages < static_cast<std::int32_t>(stages) ||
          (!is_last && table_.compute_before(end) > most_compute)) {
        return;
      }
      const double load = is_last ? table_.last_load(begin) : stage[end - begin - 1].load;
      const std::int64_t rest = stages == 1 ? 0 : rows_[stages - 2][end - first_];
      if (load <= load_ && rest < kNone) {
        const std::int64_t devices = table_.next_wide(begin) < end ? width_ : 1;
        if (found(end, devices + rest)) {
          return;
        }
      }
    }
  }

  const StageTable& table_;
  std::int64_t width_;
  double load_;
  std::size_t first_, columns_;
  std::vector<std::vector<std::int64_t>> rows_;  // fewest(begin, stages), by stages, then begin
};

}  // namespace

std::vector<std::size_t> cut_chain(const StageTable& table, std::int64_t width,
                                   const ChainBest& best) {
  return Cutter(table, width, best).cut();
}

}  // namespace phaze::place::original
