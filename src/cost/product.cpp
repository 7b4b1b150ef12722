// Exact search of a product's mapping (docs/models.md, section 10.4): branch and bound.
//
// Why few mappings suffice. Time depends on tiles through their numbers along m and n and through
// their sizes, and grows with the sizes at equal numbers: of all tiles that give one number the
// smallest is best. Numbers of tiles are walked, not sizes: O(sqrt(m / step)) of them. The same
// holds for shares of k. Which operand stays in the local buffer decides only what fits. What stays
// in the global buffer decides only HBM traffic, which enters time by itself.
//
// Ranges of splits of k, a dataflow each, are halved, the one with the lowest bound first, down to
// single numbers; there ranges of tiles along m are halved in the same way, in order, and tiles
// along n are walked. Why the bounds are safe: product_bounds.cpp. A mapping is skipped only when a
// bound is above the best time, or equal to it and the mapping later in the order that decides
// between equals: the answer does not depend on the order of the search.
#include "cost/product.h"

#include <limits>
#include <vector>

#include "base/check.h"
#include "cost/product_bounds.h"

namespace phaze::cost {

using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// The largest number up to `most` for which a property holds that holds for all smaller ones; 0
// when it holds for none.
template <class Property>
std::int64_t largest_that(std::int64_t most, const Property& holds) {
  if (holds(most)) {
    return most;
  }
  std::int64_t low = 0;
  for (std::int64_t high = most; high - low > 1;) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

// Cuts of a whole into equal parts, as few as give parts of that size: of all numbers of parts with
// one size of them these are enough. The first from `parts` on, the last up to `parts`.
std::int64_t next_parts(std::int64_t whole, std::int64_t parts) {
  if (parts > whole) {
    return parts;
  }
  const std::int64_t size = divide_up(whole, parts);
  return divide_up(whole, size) == parts ? parts : divide_up(whole, size - 1);
}
std::int64_t last_parts(std::int64_t whole, std::int64_t parts) {
  return divide_up(whole, divide_up(whole, parts));
}

// Where a range is halved: by ratio, since times change with that.
std::int64_t middle_of(std::int64_t low, std::int64_t high) {
  return static_cast<std::int64_t>(std::sqrt(as_double(low) * as_double(high)));
}

class Search {
 public:
  Search(const ProductProblem& problem, const TensorMachine& machine, const ProductRules& rules)
      : problem_(problem), machine_(machine), rules_(rules), sizes_(sizes_of(problem)) {}

  std::optional<ProductAnswer> solve() {
    const std::int64_t most = most_splits(problem_, machine_);
    for (std::size_t i = 0; i < plan::kDataflows; ++i) {
      if (machine_.dataflows[i]) {
        push(static_cast<Dataflow>(i), 1, 1);
        push(static_cast<Dataflow>(i), 2, most);
      }
    }
    while (!nodes_.empty()) {
      std::pop_heap(nodes_.begin(), nodes_.end());
      const Node node = nodes_.back();
      nodes_.pop_back();
      if (node.fewest == node.most) {
        try_node(node);
      } else {
        const std::int64_t middle = middle_of(node.fewest, node.most);
        push(node.dataflow, node.fewest, middle);
        push(node.dataflow, middle + 1, node.most);
      }
    }
    if (!best_) {
      return std::nullopt;
    }
    const std::optional<ProductCost> cost = evaluate_product(problem_, machine_, *best_);
    CHECK(cost && cost->time.value() == best_time_, "a mapping costs what the search said");
    return ProductAnswer{*best_, *cost, candidates_};
  }

 private:
  // A dataflow at a range of splits of k.
  struct Node {
    double least;
    std::int64_t fewest, most;
    Dataflow dataflow;

    // Of equally fast mappings that with the lowest order is the answer.
    std::int64_t order() const {
      return fewest * static_cast<std::int64_t>(plan::kDataflows) +
             static_cast<std::int64_t>(dataflow);
    }
    // The lowest bound comes first out of a heap.
    bool operator<(const Node& other) const {
      return least != other.least ? least > other.least : order() > other.order();
    }
  };

  // A range of numbers of tiles along m. The fewest decide how often B is read, the most, with the
  // fewest rows and so the most columns, how often A is.
  struct Rows {
    std::int64_t fewest, most;
    std::int64_t tile_units;  // of the most tiles
    std::int64_t columns;     // units that fit beside them
  };

  // What tiles of one size cost, and with what in the global buffer.
  struct Price {
    double time = 0;
    Stationary global = Stationary::kC;
    std::int64_t panel = 0;
    TileGroup group;
  };

  // From now on mappings of this order are looked at. What takes `cutoff_` or more is no better
  // than what is known: slower, or as fast and no earlier in the order.
  void set_order(std::int64_t order) {
    order_ = order;
    const bool is_later = best_ && best_time_ == limit_ && best_order_ <= order_;
    cutoff_ = is_later ? limit_ : std::nextafter(limit_, std::numeric_limits<double>::infinity());
  }

  void set_node(const Setting& setting, const ProductBounds& bounds) {
    setting_ = &setting;
    bounds_ = &bounds;
    fixed_ = setting.parts.fixed();
    item_.k_share = setting.k_share;
    item_.splits = setting.splits;
  }

  // Adds a range of splits of k.
  void push(Dataflow dataflow, std::int64_t fewest, std::int64_t most) {
    fewest = next_parts(problem_.k, fewest);
    most = std::min(most, last_parts(problem_.k, most));
    if (fewest > most) {
      return;
    }
    const Setting setting = setting_of(dataflow, fewest, most, sizes_, machine_);
    const ProductBounds bounds(problem_, machine_, sizes_, setting);
    if (bounds.is_empty()) {
      return;
    }
    Node node{0, fewest, most, dataflow};
    set_order(node.order());
    set_node(setting, bounds);
    const double least = bounds.least(cutoff_);
    if (rules_.split_ranges && (least >= cutoff_ || (fewest > 1 && !has_hope()))) {
      return;
    }
    node.least = rules_.bounds ? least : 0;
    nodes_.push_back(node);
    std::push_heap(nodes_.begin(), nodes_.end());
    if (fewest == most && (rules_.split_ranges || rules_.bounds)) {
      seed();
    }
  }

  // Lowers the limit by a few mappings that tend to be good: tiles that read least, and smaller
  // ones until there is one for every core.
  void seed() {
    const ArrayShape& array = setting_->array;
    const std::int64_t all_m = divide_up(problem_.m, array.step_m);
    const std::int64_t all_n = divide_up(problem_.n, array.step_n);
    const double rows = std::min(bounds_->best_rows(), sizes_.m);
    std::int64_t units_m =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(rows) / array.step_m, 1, all_m);
    while (units_m > 1 && !is_fitting(units_m, 1)) {
      units_m /= 2;
    }
    std::int64_t units_n = largest_units_n(units_m);
    while (units_n > 0) {
      set_tile_m(units_m);
      set_tile_n(units_n);
      ++candidates_;
      limit_ = std::min(limit_, price().time);
      if (item_count(item_, sizes_) >= as_double(machine_.cores) || units_m + units_n == 2) {
        return;
      }
      if (units_n == 1 || (units_m > 1 && item_.tile_m > item_.tile_n)) {
        units_m = divide_up(all_m, 2 * item_.count_m);
      } else {
        units_n = divide_up(all_n, 2 * item_.count_n);
      }
    }
  }

  void try_node(const Node& node) {
    set_order(node.order());
    if (rules_.bounds && node.least >= cutoff_) {
      return;
    }
    const Setting setting = setting_of(node.dataflow, node.fewest, node.most, sizes_, machine_);
    const ProductBounds bounds(problem_, machine_, sizes_, setting);
    set_node(setting, bounds);
    const std::int64_t fewest = fewest_rows();
    if (fewest > 0) {
      try_rows(fewest, divide_up(problem_.m, setting.array.step_m));
    }
  }

  void set_tile_m(std::int64_t units) {
    const std::int64_t step = setting_->array.step_m;
    item_.count_m = divide_up(divide_up(problem_.m, step), units);
    item_.tile_m = std::min(units * step, problem_.m);
  }
  void set_tile_n(std::int64_t units) {
    const std::int64_t step = setting_->array.step_n;
    item_.count_n = divide_up(divide_up(problem_.n, step), units);
    item_.tile_n = std::min(units * step, problem_.n);
  }

  bool is_fitting(std::int64_t units_m, std::int64_t units_n) const {
    Item item = item_;
    item.tile_m = std::min(units_m * setting_->array.step_m, problem_.m);
    item.tile_n = std::min(units_n * setting_->array.step_n, problem_.n);
    return fitting(item, setting_->array, sizes_, machine_).has_value();
  }

  // Tiles along m when they have all rows that fit; 0 when none do.
  std::int64_t fewest_rows() const {
    const std::int64_t units = divide_up(problem_.m, setting_->array.step_m);
    const std::int64_t most =
        largest_that(units, [this](std::int64_t u) { return is_fitting(u, 1); });
    return most > 0 ? divide_up(units, most) : 0;
  }

  // The most units along n of a tile with these units along m: what fits is solved for n, for each
  // operand that may stay, and then made exact.
  std::int64_t largest_units_n(std::int64_t units_m) const {
    const ArrayShape& array = setting_->array;
    const double buffer = as_double(machine_.local_buffer.value());
    const std::int64_t units = divide_up(problem_.n, array.step_n);
    const double m = as_double(std::min(units_m * array.step_m, problem_.m));
    const double k = as_double(item_.k_share);
    const double slice = 2 * std::min(as_double(array.slice), k);
    const double strip_m = 2 * std::min(m, as_double(array.step_m));
    const double strip_n = 2 * as_double(std::min(problem_.n, array.step_n));
    const double beside_c = (buffer - slice * m * sizes_.a) / (m * kAccumulator + slice * sizes_.b);
    const double beside_b =
        (buffer - strip_m * k * sizes_.a) / (k * sizes_.b + strip_m * kAccumulator);
    // A stays, however long its strips of C.
    const bool is_free = m * k * sizes_.a + strip_n * (k * sizes_.b + m * kAccumulator) <= buffer;
    const double n = std::min(as_double(machine_.accumulators) / m,
                              is_free ? sizes_.n : std::max({beside_c, beside_b, 0.0}));
    std::int64_t most =
        n >= sizes_.n ? units : static_cast<std::int64_t>(n / as_double(array.step_n));
    while (most < units && is_fitting(units_m, most + 1)) {
      ++most;
    }
    while (most > 0 && !is_fitting(units_m, most)) {
      --most;
    }
    return most;
  }

  Rows rows_between(std::int64_t fewest, std::int64_t most) const {
    const std::int64_t units = divide_up(problem_.m, setting_->array.step_m);
    Rows rows{next_parts(units, fewest), last_parts(units, most), 0, 0};
    if (rows.fewest <= rows.most) {
      rows.tile_units = divide_up(units, rows.most);
      rows.columns = largest_units_n(rows.tile_units);
    }
    return rows;
  }

  bool is_beaten(const Rows& rows) const {
    const std::int64_t step_m = setting_->array.step_m;
    const std::int64_t step_n = setting_->array.step_n;
    const std::int64_t most_units = divide_up(divide_up(problem_.m, step_m), rows.fewest);
    const Tiles tiles{rows.fewest, divide_up(divide_up(problem_.n, step_n), rows.columns),
                      std::min(rows.tile_units * step_m, problem_.m),
                      std::min(most_units * step_m, problem_.m),
                      std::min(rows.columns * step_n, problem_.n)};
    return bounds_->is_beaten(tiles, bounds_->panels(), cutoff_);
  }

  // Whether any number of tiles along m passes the bounds.
  bool has_hope() const {
    const std::int64_t fewest = fewest_rows();
    return fewest > 0 && has_hope(fewest, divide_up(problem_.m, setting_->array.step_m));
  }
  bool has_hope(std::int64_t fewest, std::int64_t most) const {
    const Rows rows = rows_between(fewest, most);
    if (rows.fewest > rows.most || is_beaten(rows)) {
      return false;
    }
    const std::int64_t middle = middle_of(rows.fewest, rows.most);
    return rows.fewest == rows.most || has_hope(rows.fewest, middle) ||
           has_hope(middle + 1, rows.most);
  }

  void try_rows(std::int64_t fewest, std::int64_t most) {
    const Rows rows = rows_between(fewest, most);
    if (rows.fewest > rows.most || (rules_.bounds && is_beaten(rows))) {
      return;
    }
    if (rows.fewest == rows.most) {
      set_tile_m(rows.tile_units);
      try_columns(rows.columns);
    } else {
      const std::int64_t middle = middle_of(rows.fewest, rows.most);
      try_rows(rows.fewest, middle);  // fewest first: the order between equals
      try_rows(middle + 1, rows.most);
    }
  }

  void try_columns(std::int64_t most) {
    const std::int64_t units = divide_up(problem_.n, setting_->array.step_n);
    const Panels panels(problem_, sizes_, machine_, item_.tile_m,
                        std::min(problem_.n, setting_->array.step_n));
    for (std::int64_t tile_units = most; tile_units > 0; --tile_units) {
      set_tile_n(tile_units);
      tile_units = divide_up(units, item_.count_n);
      set_tile_n(tile_units);
      if (rules_.bounds) {
        const Tiles tiles{item_.count_m, item_.count_n, item_.tile_m, item_.tile_m, item_.tile_n};
        if (bounds_->is_beaten(tiles, panels, cutoff_)) {
          return;  // and smaller tiles only add to the traffic
        }
        const double waves = wave_count(item_count(item_, sizes_), machine_);
        const double cycles = item_cycles(item_, setting_->array, machine_);
        if (fixed_ + waves * cycles / machine_.clock.value() >= cutoff_) {
          continue;
        }
        const Panels own(problem_, sizes_, machine_, item_.tile_m, item_.tile_n);
        if (own != panels && bounds_->is_beaten(tiles, own, cutoff_)) {
          continue;
        }
      }
      try_item();
    }
  }

  void try_item() {
    ++candidates_;
    const Price found = price();
    if (found.time >= cutoff_) {
      return;
    }
    limit_ = best_time_ = found.time;
    best_order_ = order_;
    best_ = ProductMapping{setting_->array.dataflow,
                           *fitting(item_, setting_->array, sizes_, machine_),
                           found.global,
                           item_.tile_m,
                           item_.tile_n,
                           item_.splits,
                           found.panel,
                           found.group.m,
                           found.group.n};
    set_order(order_);
  }

  Price price() const {
    const double waves = wave_count(item_count(item_, sizes_), machine_);
    const double reads = sizes_.a_bytes * as_double(item_.count_n) +
                         sizes_.b_bytes * as_double(item_.count_m) + setting_->c_global;
    Parts parts = setting_->parts;
    parts.core =
        core_seconds(waves, item_cost(item_, setting_->array, sizes_, machine_), machine_).all();
    const auto time_with = [&](double operands) {
      const double bytes = operands + setting_->c_hbm;
      parts.hbm = bytes / machine_.hbm_bandwidth.value();
      parts.global = (reads + bytes) / machine_.global_bandwidth.value();
      return parts.time();
    };
    // Panels first: where they read the operands once, or do not bind, groups of tiles cannot be
    // faster.
    Price price;
    const Panels panels(problem_, sizes_, machine_, item_.tile_m, item_.tile_n);
    if (!panels.is_none()) {
      price = {time_with(panels.best().bytes),
               panels.is_a() ? Stationary::kA : Stationary::kB,
               panels.best().size,
               {}};
      const bool binds = std::max(parts.hbm, parts.global) > std::max(parts.core, parts.power);
      if (rules_.lazy_groups &&
          (!binds || panels.best().bytes <= sizes_.a_bytes + sizes_.b_bytes)) {
        return price;
      }
    }
    const TileGroup group = best_group(item_, setting_->array, sizes_, machine_);
    const double grouped = time_with(group.bytes);
    if (panels.is_none() || grouped < price.time) {
      price = {grouped, Stationary::kC, 0, group};
    }
    return price;
  }

  const ProductProblem& problem_;
  const TensorMachine& machine_;
  const ProductRules rules_;
  const Sizes sizes_;
  std::vector<Node> nodes_;                                 // a heap
  double limit_ = std::numeric_limits<double>::infinity();  // some mapping takes no more
  double cutoff_ = std::numeric_limits<double>::infinity();
  std::optional<ProductMapping> best_;
  double best_time_ = 0;
  std::int64_t best_order_ = 0;
  std::int64_t candidates_ = 0;
  // Of the node and the tile at hand.
  const Setting* setting_ = nullptr;
  const ProductBounds* bounds_ = nullptr;
  std::int64_t order_ = 0;
  double fixed_ = 0;
  Item item_{};
};

}  // namespace

std::optional<ProductAnswer> solve_product(const ProductProblem& problem,
                                           const TensorMachine& machine,
                                           const ProductRules& rules) {
  CHECK(std::min({problem.batch, problem.m, problem.n, problem.k}) > 0 &&
            sizes_of(problem).macs <= kMostMacs,
        "callers bound the work of a product");
  return Search(problem, machine, rules).solve();
}

}  // namespace phaze::cost
