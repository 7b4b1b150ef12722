#include "search/memo_pool.h"

#include <algorithm>
#include <utility>

namespace phaze::search {
namespace {

constexpr std::size_t kMost = 128;  // about half a megabyte each

}  // namespace

std::unique_ptr<cost::ProductMemo> MemoPool::take(const plan::TensorMachine& machine) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, machine, &Entry::machine);
  if (found == entries_.end()) {
    return std::make_unique<cost::ProductMemo>();
  }
  std::unique_ptr<cost::ProductMemo> memo = std::move(found->memo);
  entries_.erase(found);
  return memo;
}

void MemoPool::give_back(const plan::TensorMachine& machine,
                         std::unique_ptr<cost::ProductMemo> memo) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() == kMost) {
    entries_.erase(entries_.begin());
  }
  entries_.push_back({machine, std::move(memo)});
}

}  // namespace phaze::search
