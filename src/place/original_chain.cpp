// A dynamic program over the end of the chain, after Wang, Tarnawski, Phanishayee and Mahajan,
// "Integrated Hardware Architecture and Device Placement Search" (ICML 2024), with fewer states.
//
// The original keeps best(layers left, devices, stages), the smallest possible load of the slowest
// stage. A stage takes one device, or as many as the width when it holds a tensor-parallel layer:
// the devices of a pipeline follow from how many of its stages are of each kind. So it is enough to
// keep best(first layer, stages, stages of one kind), and where all layers are of one kind the last
// is not needed either. Rows of ever more stages are made from the row before:
//
//   best(b, r, k) = min over ends e of max(load(b, e), best(e, r - 1, k or k - 1))
//
// After each row the first stage is put in front of it, where the time of a batch is known for
// every data-parallel degree. A load is not monotone in the layers of its stage, because of the
// transfers, so that every end counts; but its compute is: no longer stage is looked at once the
// compute alone is above what is found already (or, of any state, above what a batch time no worse
// than the best one allows). What is skipped cannot be better, so the answer stays the optimum.
#include "place/original_chain.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "place/original_bounds.h"
#include "place/original_kinds.h"

namespace phaze::place::original {
namespace {

// The neutral element of min; no load.
constexpr double kNone = std::numeric_limits<double>::infinity();
// More than all roundings of a time together.
constexpr double kSlack = 1e-9;

class Search {
 public:
  // `ceiling`: a time that some pipeline reaches.
  Search(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
         const StageTable& table, const DataDegrees& degrees, const StageKinds& kinds,
         const OriginalOptions& options, double ceiling)
      : table_(table),
        degrees_(degrees),
        kinds_(kinds),
        options_(options),
        ceiling_(ceiling),
        bounds_(instance, graph, degrees, fewest_devices(instance, graph, kinds)),
        layers_(table.layers()),
        columns_(std::min(kinds.most_counted, bounds_.most_stages()) + 1) {}

  ChainOutcome run() {
    row_.assign((layers_ + 1) * columns_, kNone);
    row_[layers_ * columns_] = 0;  // best(end, 0, 0)
    keep_cheaper(layers_);
    try_first_stages(1);
    for (std::size_t stages = 2; stages <= bounds_.most_stages(); ++stages) {
      if (options_.skip_deep_pipelines && bounds_.least_time(stages) * (1 - kSlack) > ceiling_) {
        break;
      }
      if (stages == 2) {
        fill_last_stages();
      } else {
        fill_row(stages - 1);
      }
      try_first_stages(stages);
    }
    return outcome_;
  }

 private:
  bool is_counted(std::size_t begin, std::size_t end) const {
    return kinds_.most_counted > 0 && (table_.next_wide(begin) < end) == kinds_.counts_wide;
  }

  // best(begin, 1, k).
  void fill_last_stages() {
    row_.assign((layers_ + 1) * columns_, kNone);
    for (std::size_t begin = 0; begin < layers_; ++begin) {
      if (table_.reach(begin) == layers_) {
        row_[begin * columns_ + (is_counted(begin, layers_) ? 1 : 0)] = table_.last_load(begin);
      }
      keep_cheaper(begin);
    }
  }

  // best(begin, stages, k) from best(., stages - 1, .).
  void fill_row(std::size_t stages) {
    row_.swap(row_before_);
    row_.assign((layers_ + 1) * columns_, kNone);
    // More than this is too much for every pipeline that these stages end.
    const double most_load = options_.skip_long_stages
                                 ? ceiling_ * (1 + kSlack) / bounds_.least_slots(stages + 1)
                                 : kNone;
    for (std::size_t begin = 0; begin + stages <= layers_; ++begin) {
      const std::size_t last = std::min(table_.reach(begin), layers_ - stages + 1);
      if (columns_ == 1) {
        row_[begin] = best_of_one_kind(begin, last, stages, most_load);
      } else {
        fill_mixed(begin, last, stages, most_load);
        keep_cheaper(begin);
      }
    }
  }

  double best_of_one_kind(std::size_t begin, std::size_t last, std::size_t stages,
                          double most_load) {
    const StageTable::Stage* stage = table_.row(begin);
    const double from = table_.compute_before(begin) + table_.rounding();
    double best = kNone;
    double most_compute = from + most_load;
    std::size_t end = begin + 1;
    for (; end <= last; ++end, ++stage) {
      if (table_.compute_before(end) > most_compute ||
          stage->most_stages < static_cast<std::int32_t>(stages)) {
        break;
      }
      const double load = std::max(stage->load, row_before_[end]);
      if (load < best) {
        best = load;
        if (options_.skip_long_stages) {
          most_compute = std::min(most_compute, from + best);
        }
      }
    }
    outcome_.work += static_cast<std::int64_t>(end - begin - 1);
    return best;
  }

  void fill_mixed(std::size_t begin, std::size_t last, std::size_t stages, double most_load) {
    const StageTable::Stage* stage = table_.row(begin);
    const double most_compute = table_.compute_before(begin) + table_.rounding() + most_load;
    std::size_t end = begin + 1;
    for (; end <= last; ++end, ++stage) {
      if (table_.compute_before(end) > most_compute ||
          stage->most_stages < static_cast<std::int32_t>(stages)) {
        break;
      }
      const std::size_t more = is_counted(begin, end) ? 1 : 0;
      const std::size_t used = std::min(columns_ - more, stages);  // columns of the row before
      const double* before = &row_before_[end * columns_];
      double* here = &row_[begin * columns_ + more];
      const double load = stage->load;
      for (std::size_t k = 0; k < used; ++k) {
        const double slowest = before[k] > load ? before[k] : load;
        here[k] = slowest < here[k] ? slowest : here[k];
      }
    }
    outcome_.work += static_cast<std::int64_t>(end - begin - 1);
  }

  // A state may use fewer devices than it has: with the kinds of another column.
  void keep_cheaper(std::size_t begin) {
    double* here = &row_[begin * columns_];
    if (kinds_.counted_devices < kinds_.other_devices) {
      for (std::size_t k = columns_ - 1; k-- > 0;) {
        here[k] = std::min(here[k], here[k + 1]);
      }
    } else {
      for (std::size_t k = 1; k < columns_; ++k) {
        here[k] = std::min(here[k], here[k - 1]);
      }
    }
  }

  // Puts each first stage in front of the row, and asks every degree.
  void try_first_stages(std::size_t stages) {
    for (std::size_t counted = 0; counted < columns_ && counted <= stages; ++counted) {
      const std::span<const DataDegree> degrees = degrees_.with(kinds_.devices(stages, counted));
      if (degrees.empty()) {
        continue;
      }
      const double fewest_slots = slots(degrees.back(), stages);
      double best = kNone;
      const StageTable::Stage* stage = table_.row(0);
      const std::size_t first = stages == 1 ? layers_ : 1;
      const std::size_t last = std::min(table_.reach(0), layers_ - stages + 1);
      for (std::size_t end = first; end <= last; ++end) {
        if (stage[end - 1].most_stages < static_cast<std::int32_t>(stages)) {
          break;
        }
        const std::size_t more = is_counted(0, end) ? 1 : 0;
        if (counted < more) {
          continue;
        }
        const double first_load = stages == 1 ? table_.last_load(0) : stage[end - 1].load;
        const double load = std::max(first_load, row_[end * columns_ + counted - more]);
        // A longer first stage has more gradients to send, and has to be faster.
        if (load < best) {
          best = load;
          if (load * fewest_slots <= ceiling_) {
            try_degrees(stages, end, load, degrees);
          }
        }
      }
    }
  }

  static double slots(const DataDegree& degree, std::size_t stages) {
    return static_cast<double>(degree.microbatches) + static_cast<double>(stages) - 1;
  }

  void try_degrees(std::size_t stages, std::size_t first_end, double load,
                   std::span<const DataDegree> degrees) {
    const double parameters = table_.parameters_before(first_end);
    for (const DataDegree& degree : degrees) {
      const double time = load * slots(degree, stages) + degree.gradient_seconds * parameters;
      if (!outcome_.best || time < outcome_.best->time) {
        outcome_.best = ChainBest{time, degree.degree, stages, first_end, load};
        ceiling_ = std::min(ceiling_, time);
      }
    }
  }

  const StageTable& table_;
  const DataDegrees& degrees_;
  StageKinds kinds_;
  OriginalOptions options_;
  double ceiling_;
  PipelineBounds bounds_;
  std::size_t layers_, columns_;
  std::vector<double> row_, row_before_;  // best(begin, stages, column), by begin, then column
  ChainOutcome outcome_;
};

}  // namespace

ChainOutcome search_chain(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
                          const StageTable& table, const DataDegrees& degrees,
                          const OriginalOptions& options) {
  const auto search = [&](const StageKinds& kinds, double ceiling) {
    return Search(instance, graph, table, degrees, kinds, options, ceiling).run();
  };
  ChainOutcome outcome = search(equal_kinds(graph), kNone);
  if (!is_mixed(graph)) {
    return outcome;
  }
  // What all stages reach on as many devices as the widest is a ceiling, and cheap to find.
  const double ceiling = outcome.best ? outcome.best->time * (1 + kSlack) : kNone;
  ChainOutcome mixed = search(mixed_kinds(graph), ceiling);
  mixed.work += outcome.work;
  return mixed;
}

}  // namespace phaze::place::original
