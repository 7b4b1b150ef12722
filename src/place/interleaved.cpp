// All stages run the passes of one kind in the same order: micro-batches in groups of as many as
// there are stages, a group through the first chunk, then through the second; backwards from the
// last chunk to the first. So the x-th forward of a stage waits for the x-th of the stage before
// it, and that of the first stage, but for the first chunk, for the last stage's of a group's size
// before; backwards the other way round. A stage goes on until it waits; whoever is asked next,
// time is the longest path, so the order in which stages are asked does not matter.
#include "place/interleaved.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::place {
namespace {

constexpr double kNotYet = -1;

// What comes as the x-th of its kind.
struct Order {
  std::int64_t stages, chunks;

  std::int64_t within(std::int64_t x) const { return x % (stages * chunks); }
  std::int64_t forward_chunk(std::int64_t x) const { return within(x) / stages; }
  std::int64_t backward_chunk(std::int64_t x) const { return chunks - 1 - forward_chunk(x); }
  // The forward of the last chunk whose micro-batch the backward of the last chunk takes.
  std::int64_t forward_of(std::int64_t x) const { return x + (chunks - 1) * stages; }
  // Forwards of a stage before its first backward, but for the one just before it.
  std::int64_t ahead(std::int64_t stage, std::int64_t passes) const {
    return std::min(2 * (stages - 1 - stage) + (chunks - 1) * stages, passes);
  }
};

class Recurrence {
 public:
  explicit Recurrence(const InterleavedShape& shape)
      : shape_(shape),
        order_{static_cast<std::int64_t>(shape.chunks.size()),
               static_cast<std::int64_t>(shape.chunks.front().size())},
        passes_(shape.microbatches * order_.chunks),
        stages_(shape.chunks.size()) {
    for (Stage& stage : stages_) {
      stage.forward_s.assign(static_cast<std::size_t>(passes_), kNotYet);
      stage.backward_s.assign(static_cast<std::size_t>(passes_), kNotYet);
    }
  }

  std::vector<double> run() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::int64_t i = 0; i < order_.stages; ++i) {
        while (step(i)) {
          moves = true;
        }
      }
    }
    std::vector<double> ends;
    for (const Stage& stage : stages_) {
      CHECK(stage.backwards == passes_, "passes wait for one another");
      ends.push_back(stage.now_s);
    }
    return ends;
  }

 private:
  struct Stage {
    std::int64_t forwards = 0, backwards = 0;  // done
    double now_s = 0;
    double next_free_s = 0, previous_free_s = 0;  // links to the neighbours
    std::vector<double> forward_s, backward_s;    // when what a pass made has arrived
  };

  Stage& at(std::int64_t stage) { return stages_[static_cast<std::size_t>(stage)]; }

  // One pass of a stage; false: it waits, or is done.
  bool step(std::int64_t i) {
    Stage& stage = at(i);
    const std::int64_t ahead = order_.ahead(i, passes_);
    const bool is_forward = stage.forwards < passes_ && stage.forwards <= ahead + stage.backwards;
    return is_forward ? forward(i, stage) : stage.backwards < passes_ && backward(i, stage);
  }

  bool forward(std::int64_t i, Stage& stage) {
    const std::int64_t x = stage.forwards;
    double ready_s = 0;
    if (i > 0) {
      ready_s = at(i - 1).forward_s[static_cast<std::size_t>(x)];
    } else if (order_.forward_chunk(x) > 0) {
      ready_s = at(order_.stages - 1).forward_s[static_cast<std::size_t>(x - order_.stages)];
    }
    if (ready_s == kNotYet) {
      return false;
    }
    const auto chunk = static_cast<std::size_t>(order_.forward_chunk(x));
    stage.now_s = std::max(stage.now_s, ready_s) +
                  shape_.chunks[static_cast<std::size_t>(i)][chunk].forward_s;
    // The last chunk's results stay where they are.
    const bool is_end = i + 1 == order_.stages && order_.forward_chunk(x) + 1 == order_.chunks;
    if (!is_end) {
      stage.next_free_s = std::max(stage.next_free_s, stage.now_s) + shape_.transfer_s;
    }
    stage.forward_s[static_cast<std::size_t>(x)] = is_end ? stage.now_s : stage.next_free_s;
    ++stage.forwards;
    return true;
  }

  bool backward(std::int64_t i, Stage& stage) {
    const std::int64_t x = stage.backwards;
    const bool is_turn = i + 1 == order_.stages && order_.within(x) < order_.stages;
    const double ready_s = is_turn ? stage.forward_s[static_cast<std::size_t>(order_.forward_of(x))]
                           : i + 1 == order_.stages
                               ? at(0).backward_s[static_cast<std::size_t>(x - order_.stages)]
                               : at(i + 1).backward_s[static_cast<std::size_t>(x)];
    if (ready_s == kNotYet) {
      return false;
    }
    const auto chunk = static_cast<std::size_t>(order_.backward_chunk(x));
    stage.now_s = std::max(stage.now_s, ready_s) +
                  shape_.chunks[static_cast<std::size_t>(i)][chunk].backward_s;
    const bool is_end = i == 0 && order_.backward_chunk(x) == 0;
    if (!is_end) {
      stage.previous_free_s = std::max(stage.previous_free_s, stage.now_s) + shape_.transfer_s;
    }
    stage.backward_s[static_cast<std::size_t>(x)] = is_end ? stage.now_s : stage.previous_free_s;
    ++stage.backwards;
    return true;
  }

  const InterleavedShape& shape_;
  const Order order_;
  const std::int64_t passes_;
  std::vector<Stage> stages_;
};

}  // namespace

std::vector<double> interleaved_ends(const InterleavedShape& shape) {
  return Recurrence(shape).run();
}

std::vector<double> least_interleaved_ends(const InterleavedShape& shape) {
  // Without waiting: the first micro-batch through all chunks and back ends at each stage.
  double through_s = 0;
  for (const std::vector<StageTimes>& stage : shape.chunks) {
    for (const StageTimes& chunk : stage) {
      through_s += chunk.total_s() + 2 * shape.transfer_s;
    }
  }
  through_s -= 2 * shape.transfer_s;  // the last chunk turns without transfers
  const auto count = static_cast<double>(shape.microbatches);
  std::vector<double> ends;
  double reached_s = 0;  // when the first micro-batch comes
  double behind_s = 0;   // from this stage's last backward to the end of the first one's
  double latest_s = 0;   // end of the first stage's, from those before
  for (const std::vector<StageTimes>& stage : shape.chunks) {
    double load_s = 0;
    for (const StageTimes& chunk : stage) {
      load_s += chunk.total_s();
    }
    const double end_s = std::max(reached_s + count * load_s, through_s - behind_s);
    ends.push_back(end_s);
    latest_s = std::max(latest_s, end_s + behind_s);
    reached_s += stage.front().forward_s + shape.transfer_s;
    behind_s += stage.front().backward_s + shape.transfer_s;
  }
  ends.front() = latest_s;
  return ends;
}

KeptChunks kept_chunks(std::int64_t stages, std::int64_t to_end, std::int64_t microbatches,
                       const std::vector<Bytes>& saved) {
  const Order order{stages, static_cast<std::int64_t>(saved.size())};
  const std::int64_t passes = microbatches * order.chunks;
  const std::int64_t ahead = order.ahead(stages - to_end, passes);
  // From one group to the next it is all the same.
  const std::int64_t last = std::min(passes, ahead + 1 + 2 * stages * order.chunks);
  std::vector<std::int64_t> in_flight(saved.size(), 0);
  KeptChunks most;
  Bytes now;
  for (std::int64_t x = 0; x < last; ++x) {
    if (x > ahead) {
      const auto done = static_cast<std::size_t>(order.backward_chunk(x - ahead - 1));
      now = now - saved[done];
      --in_flight[done];
    }
    const auto chunk = static_cast<std::size_t>(order.forward_chunk(x));
    now += saved[chunk];
    most.saved = std::max(most.saved, now);
    most.in_flight = std::max(most.in_flight, ++in_flight[chunk]);
  }
  return most;
}

}  // namespace phaze::place
