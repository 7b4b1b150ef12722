#include "schedule/without_network.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/state.h"

namespace phaze::schedule {
namespace {

// A segment or a task that runs alone: tasks that overlap, from the first start to the last end.
struct Block {
  std::vector<std::size_t> tasks;  // of the whole, by their starts
  Mask in = 0;
  Mask above = 0;  // all others on cores that it waits for
  Time begin = 0, end = 0;
  Time tail = 0;  // the longest way from the start of one of its tasks to the end of all
};

class Blocks {
 public:
  Blocks(const Piece& whole, const WithoutNetwork& rest, const std::vector<Start>& starts)
      : whole_(whole), starts_(whole.tasks.size()), ends_(whole.tasks.size()) {
    for (const std::size_t i : by_starts(starts)) {
      const std::size_t task = rest.tasks[i];
      const Start start = starts[i];
      starts_[task] = start;
      if (blocks_.empty() || start.at >= blocks_.back().end) {
        blocks_.push_back({{}, 0, 0, start.at, start.at, 0});
      }
      Block& block = blocks_.back();
      block.tasks.push_back(task);
      block.in |= bit(task);
      block.end = std::max(block.end, start.at + duration(whole.tasks[task], start.wide));
    }
    find_what_is_around();
  }

  // The whole with its blocks as early as each can be; of those that can start first, the one with
  // the longest tail goes first.
  PieceAnswer run() {
    for (Time now = 0; !blocks_.empty();) {
      start_network();
      auto next = blocks_.end();
      Time at = kNever;
      for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
        const Time earliest = find_start(*block, now);
        if (earliest < at ||
            (next != blocks_.end() && earliest == at && block->tail > next->tail)) {
          next = block;
          at = earliest;
        }
      }
      CHECK(next != blocks_.end(), "blocks follow one another without the network too");
      for (const std::size_t i : next->tasks) {
        starts_[i].at += at - next->begin;
        ends_[i] = starts_[i].at + duration(whole_.tasks[i], starts_[i].wide);
      }
      done_ |= next->in;
      now = at + next->end - next->begin;
      blocks_.erase(next);
    }
    start_network();
    wait_within_blocks();
    return replay(whole_, starts_);
  }

 private:
  void find_what_is_around() {
    const std::size_t n = whole_.tasks.size();
    std::vector<Mask> above(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (Mask before = whole_.tasks[i].before; before != 0; before &= before - 1) {
        const std::size_t j = lowest(before);
        above[i] |= above[j] | (whole_.tasks[j].needs_cores() ? bit(j) : 0);
      }
    }
    std::vector<Time> tails(n);
    for (std::size_t i = n; i-- > 0;) {
      for (Mask after = whole_.tasks[i].after; after != 0; after &= after - 1) {
        tails[i] = std::max(tails[i], tails[lowest(after)]);
      }
      tails[i] += duration(whole_.tasks[i], starts_[i].wide);
    }
    for (Block& block : blocks_) {
      for (const std::size_t i : block.tasks) {
        block.above |= above[i] & ~block.in;
        block.tail = std::max(block.tail, tails[i]);
      }
    }
  }

  Time end_of(Mask tasks) const {
    Time end = 0;
    for (; tasks != 0; tasks &= tasks - 1) {
      end = std::max(end, ends_[lowest(tasks)]);
    }
    return end;
  }

  // Tasks on the network, and those on nothing, whose predecessors have an end: first come, first
  // served.
  void start_network() {
    for (;;) {
      std::size_t first = whole_.tasks.size();
      Time first_at = kNever;
      for (std::size_t i = 0; i < whole_.tasks.size(); ++i) {
        const PieceTask& task = whole_.tasks[i];
        if (task.needs_cores() || ((done_ & bit(i)) != 0) || (task.before & ~done_) != 0) {
          continue;
        }
        const Time at = end_of(task.before);
        if (at < first_at) {
          first = i;
          first_at = at;
        }
      }
      if (first == whole_.tasks.size()) {
        return;
      }
      const PieceTask& task = whole_.tasks[first];
      starts_[first] = {task.is_network ? std::max(first_at, network_end_) : first_at, false};
      ends_[first] = starts_[first].at + task.one;
      network_end_ = task.is_network ? ends_[first] : network_end_;
      done_ |= bit(first);
    }
  }

  // Never, while something outside that it waits for has no end yet.
  Time find_start(const Block& block, Time now) const {
    if ((block.above & ~done_) != 0) {
      return kNever;
    }
    for (const std::size_t i : block.tasks) {
      const Time end = end_of(whole_.tasks[i].before & done_);
      now = std::max(now, end - (starts_[i].at - block.begin));
    }
    return now;
  }

  // Moves what waits for the network, which waits for its own block, behind it.
  void wait_within_blocks() {
    for (std::size_t i = 0; i < whole_.tasks.size(); ++i) {
      const PieceTask& task = whole_.tasks[i];
      starts_[i].at = std::max(starts_[i].at, end_of(task.before));
      ends_[i] = starts_[i].at + duration(task, starts_[i].wide);
    }
  }

  const Piece& whole_;
  std::vector<Block> blocks_;  // that are left
  // Of tasks that are done: of the whole. Of the others: as they were without the network.
  std::vector<Start> starts_;
  std::vector<Time> ends_;
  Mask done_ = 0;
  Time network_end_ = 0;
};

}  // namespace

WithoutNetwork without_network(const Piece& whole) {
  WithoutNetwork rest;
  rest.piece.cores = whole.cores;
  rest.piece.exclusive_wide = whole.exclusive_wide;
  std::vector<Mask> as(whole.tasks.size());  // the task of the rest, or those that it follows
  for (std::size_t i = 0; i < whole.tasks.size(); ++i) {
    PieceTask task = whole.tasks[i];
    Mask before = 0;
    for (Mask all = task.before; all != 0; all &= all - 1) {
      before |= as[lowest(all)];
    }
    as[i] = before;
    if (!task.needs_cores()) {
      continue;
    }
    as[i] = bit(rest.tasks.size());
    task.before = before;
    task.after = 0;
    for (; before != 0; before &= before - 1) {
      rest.piece.tasks[lowest(before)].after |= as[i];
    }
    rest.tasks.push_back(i);
    rest.piece.tasks.push_back(task);
  }
  return rest;
}

PieceAnswer with_network(const Piece& whole, const WithoutNetwork& rest,
                         const std::vector<Start>& starts) {
  return Blocks(whole, rest, starts).run();
}

}  // namespace phaze::schedule
