#include "space/enumerate.h"

#include <algorithm>
#include <thread>

#include "space/chips.h"

namespace phaze::space {
namespace {

// Walks a range of indices; `visit` sees every chip with its verdict.
template <class Visit>
void walk(const Space& space, std::int64_t first, std::int64_t last, const Visit& visit) {
  ChipMaker maker(space);
  for (std::int64_t index = first; index < last; ++index) {
    const hw::Chip& chip = maker.at(index);
    visit(index, chip, judge(space, chip), maker.digits());
  }
}

// Calls `work(part, first, last)` on equal parts of the indices, a thread each.
template <class Work>
void in_parts(std::int64_t all, int threads, const Work& work) {
  const auto parts = static_cast<std::int64_t>(std::max(1, threads));
  std::vector<std::jthread> running;
  for (std::int64_t part = 1; part < parts; ++part) {
    running.emplace_back([&work, part, parts, all] {
      work(static_cast<std::size_t>(part), all / parts * part,
           part + 1 == parts ? all : all / parts * (part + 1));
    });
  }
  work(0, 0, parts == 1 ? all : all / parts);
}

SpaceCount count_range(const Space& space, std::int64_t first, std::int64_t last) {
  SpaceCount count;
  for (const Axis& axis : space.axes) {
    count.by_value.emplace_back(axis.values.size(), 0);
  }
  walk(space, first, last,
       [&count](std::int64_t, const hw::Chip&, const Verdict& verdict,
                const std::vector<std::size_t>& digits) {
         if (verdict.limit) {
           ++count.removed[static_cast<std::size_t>(*verdict.limit)];
           return;
         }
         ++count.chips;
         for (std::size_t i = 0; i < digits.size(); ++i) {
           ++count.by_value[i][digits[i]];
         }
       });
  return count;
}

}  // namespace

void visit_chips(const Space& space, std::int64_t first, std::int64_t last,
                 const ChipVisitor& visit) {
  walk(space, first, last,
       [&visit](std::int64_t index, const hw::Chip& chip, const Verdict& verdict,
                const std::vector<std::size_t>&) {
         if (!verdict.limit) {
           visit(index, chip, verdict.area);
         }
       });
}

std::vector<std::int64_t> list_chips(const Space& space, int threads) {
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>(std::max(1, threads)));
  in_parts(combinations(space), threads,
           [&](std::size_t part, std::int64_t first, std::int64_t last) {
             walk(space, first, last,
                  [&list = parts[part]](std::int64_t index, const hw::Chip&, const Verdict& verdict,
                                        const std::vector<std::size_t>&) {
                    if (!verdict.limit) {
                      list.push_back(index);
                    }
                  });
           });
  std::vector<std::int64_t> all = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    all.insert(all.end(), parts[i].begin(), parts[i].end());
  }
  return all;
}

SpaceCount count_chips(const Space& space, int threads) {
  std::vector<SpaceCount> parts(static_cast<std::size_t>(std::max(1, threads)));
  in_parts(combinations(space), threads,
           [&](std::size_t part, std::int64_t first, std::int64_t last) {
             parts[part] = count_range(space, first, last);
           });
  SpaceCount all = std::move(parts[0]);
  all.combinations = combinations(space);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const SpaceCount& more = parts[part];
    all.chips += more.chips;
    for (std::size_t i = 0; i < kLimits; ++i) {
      all.removed[i] += more.removed[i];
    }
    for (std::size_t axis = 0; axis < all.by_value.size(); ++axis) {
      for (std::size_t i = 0; i < all.by_value[axis].size(); ++i) {
        all.by_value[axis][i] += more.by_value[axis][i];
      }
    }
  }
  return all;
}

}  // namespace phaze::space
