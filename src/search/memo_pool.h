#pragma once
// Products that were solved for one chip, for the next one with the same tensor cores, buffers and
// memory: most of the chips of a space differ from others in their vector cores alone.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cost/product_memo.h"
#include "plan/product.h"

namespace phaze::search {

// Safe for several threads: a memo belongs to one of them at a time.
class MemoPool {
 public:
  // What was solved for this machine, or nothing yet. Give it back.
  std::unique_ptr<cost::ProductMemo> take(const plan::TensorMachine& machine);
  void give_back(const plan::TensorMachine& machine, std::unique_ptr<cost::ProductMemo> memo);

 private:
  struct Entry {
    plan::TensorMachine machine;
    std::unique_ptr<cost::ProductMemo> memo;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;  // the oldest first
};

}  // namespace phaze::search
