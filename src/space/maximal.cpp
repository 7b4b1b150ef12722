#include "space/maximal.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "space/enumerate.h"
#include "space/monotone.h"

namespace phaze::space {
namespace {

constexpr std::int64_t kBits = 64;

// Calls `work(part, first, last)` on parts of all words of bits, a thread each.
template <class Work>
void in_parts(std::int64_t words, int threads, const Work& work) {
  const auto parts = static_cast<std::int64_t>(std::max(1, threads));
  std::vector<std::jthread> running;
  for (std::int64_t part = 1; part < parts; ++part) {
    running.emplace_back([&work, part, parts, words] {
      work(static_cast<std::size_t>(part), words * part / parts, words * (part + 1) / parts);
    });
  }
  work(0, 0, words / parts);
}

}  // namespace

WithinChips::WithinChips(const Space& space, int threads)
    : combinations_(space::combinations(space)) {
  bits_.resize(static_cast<std::size_t>((combinations_ + kBits - 1) / kBits));
  in_parts(static_cast<std::int64_t>(bits_.size()), threads,
           [&](std::size_t, std::int64_t first, std::int64_t last) {
             visit_chips(space, first * kBits, std::min(last * kBits, combinations_),
                         [this](std::int64_t index, const hw::Chip&, SquareMillimetres) {
                           bits_[static_cast<std::size_t>(index / kBits)] |= std::uint64_t{1}
                                                                             << (index % kBits);
                         });
           });
  for (const std::uint64_t word : bits_) {
    count_ += std::popcount(word);
  }
}

StepsUp::StepsUp(const Space& space) {
  const std::vector<bool> never_slower = never_slower_axes(space);
  std::int64_t stride = 1;
  for (std::size_t i = space.axes.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(space.axes[i].values.size());
    if (never_slower[i] && size > 1) {
      steps_.push_back({stride, size});
    }
    stride *= size;
  }
}

std::optional<std::int64_t> StepsUp::above(const WithinChips& within, std::int64_t index) const {
  for (const Step& step : steps_) {
    if (index / step.stride % step.size + 1 < step.size && within.has(index + step.stride)) {
      return index + step.stride;
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> list_maximal(const Space& space, const WithinChips& within, int threads) {
  const StepsUp steps(space);
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>(std::max(1, threads)));
  in_parts(within.combinations(), threads,
           [&](std::size_t part, std::int64_t first, std::int64_t last) {
             for (std::int64_t index = first; index < last; ++index) {
               if (within.has(index) && !steps.above(within, index)) {
                 parts[part].push_back(index);
               }
             }
           });
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace phaze::space
