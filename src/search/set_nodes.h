#pragma once
// Sets of points of a grid that are still open, the highest bound first. For set_search alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace phaze::search {

using SetPosition = std::uint16_t;
using SetPositions = std::vector<SetPosition>;

// Points of the order from `begin` to `end`.
struct SetNode {
  std::size_t begin = 0, end = 0;
  SetPositions top;
  double price = 1;  // the least of its points
  double bound = 0;  // of values
  bool is_close = false;
  std::size_t group = 0;

  std::size_t size() const { return end - begin; }
};

// Of equal bounds the points that come first.
class SetQueue {
 public:
  bool empty() const { return heap_.empty(); }
  const SetNode& front() const { return heap_.front(); }
  const std::vector<SetNode>& nodes() const { return heap_; }

  void push(SetNode node) {
    heap_.push_back(std::move(node));
    std::push_heap(heap_.begin(), heap_.end(), IsLater());
  }
  SetNode pop() {
    std::pop_heap(heap_.begin(), heap_.end(), IsLater());
    SetNode node = std::move(heap_.back());
    heap_.pop_back();
    return node;
  }

 private:
  struct IsLater {
    bool operator()(const SetNode& a, const SetNode& b) const {
      return a.bound != b.bound ? a.bound < b.bound : a.begin > b.begin;
    }
  };
  std::vector<SetNode> heap_;
};

}  // namespace phaze::search
