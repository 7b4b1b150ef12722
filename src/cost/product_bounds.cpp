// Why each bound holds is in docs/models.md, section 10.4. Two facts carry them: numbers of tiles
// are at least sizes over tile sizes, which relaxes tiles to real numbers, and rounding up is
// subadditive, which makes a whole product as one tile no dearer than its parts.
#include "cost/product_bounds.h"

namespace phaze::cost {

using plan::Dataflow;
using plan::ProductProblem;
using plan::TensorMachine;

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

Setting setting_of(Dataflow dataflow, std::int64_t fewest_splits, std::int64_t most_splits,
                   const Sizes& sizes, const TensorMachine& machine) {
  Setting setting{shape_of(dataflow, machine), divide_up(sizes.k_size, most_splits), fewest_splits,
                  fewest_splits != most_splits};
  setting.parts.launch = machine.launch.value();
  setting.parts.fill = fill_seconds(setting.array, sizes, machine);
  setting.parts.power = 2 * sizes.macs / machine.sustained.value();
  setting.parts.reduction = reduction_seconds(sizes, fewest_splits, machine);
  setting.c_global = c_to_global(sizes, fewest_splits) + sizes.extra;
  setting.c_hbm = c_to_hbm(sizes, fewest_splits, machine) + sizes.extra;
  setting.side_by_side = std::max<std::int64_t>(1, machine.cores / fewest_splits);
  return setting;
}

Panels::Panels(const ProductProblem& problem, const Sizes& sizes, const TensorMachine& machine,
               std::int64_t tile_m, std::int64_t tile_n) {
  const std::int64_t rows = panel_of(problem.m, tile_m, held_rows(sizes.k, sizes.a, machine));
  const std::int64_t columns = panel_of(problem.n, tile_n, held_rows(sizes.k, sizes.b, machine));
  if (rows > 0) {
    const double rounds = as_double(divide_up(problem.m, rows));
    a = {rows, rounds, sizes.a_bytes + sizes.b_bytes * rounds};
  }
  if (columns > 0) {
    const double rounds = as_double(divide_up(problem.n, columns));
    b = {columns, rounds, sizes.b_bytes + sizes.a_bytes * rounds};
  }
}

ProductBounds::ProductBounds(const ProductProblem& problem, const TensorMachine& machine,
                             const Sizes& sizes, const Setting& setting)
    : problem_(problem),
      machine_(machine),
      sizes_(sizes),
      setting_(setting),
      panels_(problem, sizes, machine, std::min(problem.m, setting.array.step_m),
              std::min(problem.n, setting.array.step_n)),
      least_m_(as_double(std::min(problem.m, setting.array.step_m))),
      least_n_(as_double(std::min(problem.n, setting.array.step_n))),
      slice_(as_double(std::min(setting.array.slice, setting.k_share))),
      slices_(2 * slice_),
      fixed_(setting.parts.fixed()) {
  const double buffer = as_double(machine.local_buffer.value());
  const double sums = as_double(machine.accumulators);
  const double k = as_double(setting.k_share);
  const bool has_sums = least_m_ * least_n_ <= sums;
  fits_c_ = has_sums && least_m_ * least_n_ * kAccumulator +
                                slices_ * (least_m_ * sizes.a + least_n_ * sizes.b) <=
                            buffer;
  const double rows =
      (buffer - 2 * least_n_ * k * sizes.b) / (k * sizes.a + 2 * least_n_ * kAccumulator);
  const double columns =
      (buffer - 2 * least_m_ * k * sizes.a) / (k * sizes.b + 2 * least_m_ * kAccumulator);
  rows_beside_a_ = has_sums && rows >= least_m_ ? rows : 0;
  columns_beside_b_ = has_sums && columns >= least_n_ ? columns : 0;
  fits_ = fits_c_ || rows_beside_a_ > 0 || columns_beside_b_ > 0;
  // The slices of A and B beside C take least in a square: a quadratic equation for its side,
  // solved so that nothing cancels.
  const double slice = slices_ * std::sqrt(sizes.a * sizes.b);
  const double side = buffer / (std::sqrt(slice * slice + kAccumulator * buffer) + slice);
  area_ = std::min(side * side, sums);
  if (!fits_) {
    return;
  }
  // Shares of a range of splits together take at least what k takes in one piece.
  const std::int64_t depth = setting.is_range ? problem.k : setting.k_share;
  const double shares = sizes.batch * (setting.is_range ? 1 : as_double(setting.splits));
  const Item whole{problem.m, problem.n, 1, 1, depth, 1};
  const ItemCost cost = item_cost(whole, setting.array, sizes, machine);
  // Of the array when every core has its even share of whole cycles and nothing but the edges of
  // the whole product is padded.
  const double cycles = std::ceil(cost.cycles * shares / as_double(machine.cores));
  const bool is_exact = cost.cycles * shares < 0x1p53;
  core_ = (is_exact ? cycles : kRoundingSlack * cycles) / machine.clock.value();
  // Bytes between local buffers and arrays: an operand passes once for every pass of the array
  // along the other's side, however it is tiled.
  const double moved = as_double(depth) * (sizes.m * sizes.a + sizes.n * sizes.b);
  feed_ = (cost.local - moved) * shares;
  least_reads_ = kRoundingSlack * least_reads({sizes.m, sizes.n}, &rows_);
  least_hbm_ = or_panel(least_grouped_reads()) + setting.c_hbm;
}

double ProductBounds::least(double cutoff) const {
  const double rough = seconds(least_hbm_);
  // Single tiles read most: where even they are fast enough, closer bounds of groups are no use.
  if (rough >= cutoff || seconds(or_panel(least_reads_) + setting_.c_hbm) < cutoff) {
    return rough;
  }
  return seconds(or_panel(least_of_all_groups()) + setting_.c_hbm);
}

double ProductBounds::seconds(double hbm) const {
  return fixed_ +
         std::max({setting_.parts.power, core_, hbm / machine_.hbm_bandwidth.value(),
                   (least_reads_ + setting_.c_global + hbm) / machine_.global_bandwidth.value(),
                   least_moving(least_reads_)});
}

// With so many tiles and so many bytes of A and B from HBM.
double ProductBounds::with_tiles(double count_m, double count_n, double hbm_reads) const {
  const double operands = sizes_.a_bytes * count_n + sizes_.b_bytes * count_m;
  const double hbm = hbm_reads + setting_.c_hbm;
  return fixed_ +
         std::max({(operands + setting_.c_global + hbm) / machine_.global_bandwidth.value(),
                   hbm / machine_.hbm_bandwidth.value(), least_moving(operands)});
}

// Local buffers and ports, evenly used, with these reads of A and B.
double ProductBounds::least_moving(double reads) const {
  const double cores = as_double(machine_.cores);
  return kRoundingSlack * std::max((feed_ + reads) / cores / machine_.local_bandwidth.value(),
                                   (setting_.c_global - sizes_.extra + reads) / cores /
                                       machine_.port_bandwidth.value());
}

double ProductBounds::or_panel(double grouped) const {
  return panels_.is_none() ? grouped : std::min(panels_.best().bytes, grouped);
}

// A passes once for every `columns` of caps.n, B once for every `rows` of caps.m, each once at
// least.
double ProductBounds::reads(const Caps& caps, double rows, double columns) const {
  return sizes_.a_bytes * std::max(1.0, caps.n / columns) +
         sizes_.b_bytes * std::max(1.0, caps.m / rows);
}

// The least of that over tiles with rows in a range and an area that the accumulators hold. Both
// terms are convex in the rows x: a n x / area + b m / x is least where they are equal. Below
// x = area / n the first stays at a, above x = m the second at b.
double ProductBounds::least_by_area(const Caps& caps, double least_m, double most_m) const {
  const double area = as_double(machine_.accumulators);
  const double low = std::max(least_m, area / caps.n);
  const double high = std::min(most_m, caps.m);
  const double best = std::sqrt(sizes_.b_bytes * caps.m * area / (sizes_.a_bytes * caps.n));
  const double rows = low > high ? std::min(low, most_m) : std::clamp(best, low, high);
  return reads(caps, rows, area / rows);
}

// The same over all tiles that fit, by the operand that stays in the local buffer.
double ProductBounds::least_reads(const Caps& caps, double* best_rows) const {
  const double sums = as_double(machine_.accumulators);
  double least = 0;
  bool has_least = false;
  const auto take = [&](double bytes, double rows) {
    if (!has_least || bytes < least) {
      has_least = true;
      least = bytes;
      if (best_rows != nullptr) {
        *best_rows = rows;
      }
    }
  };
  if (fits_c_) {
    // Along the curve 1 / columns = (4 x + s b) / (buffer - s a x), convex in the rows x as well.
    const double buffer = as_double(machine_.local_buffer.value());
    const double a = slices_ * sizes_.a;
    const double b = slices_ * sizes_.b;
    const auto columns_at = [&](double rows) {
      return (buffer - a * rows) / (kAccumulator * rows + b);
    };
    const auto rows_at = [&](double columns) {
      return (buffer - b * columns) / (kAccumulator * columns + a);
    };
    const double most = rows_at(least_n_);
    const double low = std::max(least_m_, rows_at(caps.n));
    const double high = std::min(most, caps.m);
    const double weight_a = std::sqrt(sizes_.a_bytes * caps.n * (kAccumulator * buffer + a * b));
    const double weight_b = std::sqrt(sizes_.b_bytes * caps.m);
    const double best = weight_b * buffer / (weight_a + weight_b * a);
    const double rows = low > high ? std::min(low, most) : std::clamp(best, low, high);
    double bytes = reads(caps, rows, columns_at(rows));
    if (sums < sizes_.m * sizes_.n) {
      bytes = std::max(bytes, least_by_area(caps, least_m_, sums / least_n_));
    }
    take(bytes, rows);
  }
  if (rows_beside_a_ > 0) {
    const double most = std::min(rows_beside_a_, sums / least_n_);
    take(least_by_area(caps, least_m_, most), most);
  }
  if (columns_beside_b_ > 0) {
    const double most = std::min(columns_beside_b_, sums / least_m_);
    take(least_by_area(caps, sums / most, sums / least_n_), sums / most);
  }
  return least;
}

// Any rectangles of an area read at least so much, by the inequality of means.
double ProductBounds::by_area(double area) const {
  const double square = sizes_.a_bytes * sizes_.b_bytes * sizes_.m * sizes_.n / area;
  return std::max(sizes_.a_bytes + sizes_.b_bytes, kRoundingSlack * 2 * std::sqrt(square));
}

// Area of a group whose slices take half of the global buffer.
double ProductBounds::largest_group() const {
  const double side = as_double(machine_.global_buffer.value()) / (8 * slice_);
  return side * side / (sizes_.a * sizes_.b);
}

double ProductBounds::least_grouped(double area) const {
  const double times = as_double(setting_.side_by_side);
  return by_area(std::max(area, std::min(times * area, largest_group())));
}

// Groups of real sizes.
double ProductBounds::least_grouped_reads() const {
  const double times = as_double(setting_.side_by_side);
  double least = fits_c_ ? by_area(std::max(area_, std::min(times * area_, largest_group())))
                         : sizes_.a_bytes * sizes_.n + sizes_.b_bytes * sizes_.m;
  if (rows_beside_a_ > 0) {
    const double rounds = std::max(1.0, sizes_.m / (rows_beside_a_ * times));
    least = std::min(least, kRoundingSlack * (sizes_.a_bytes + sizes_.b_bytes * rounds));
  }
  if (columns_beside_b_ > 0) {
    const double rounds = std::max(1.0, sizes_.n / (columns_beside_b_ * times));
    least = std::min(least, kRoundingSlack * (sizes_.b_bytes + sizes_.a_bytes * rounds));
  }
  return least;
}

// Groups of whole tiles.
double ProductBounds::least_of_all_groups() const {
  const std::int64_t times = setting_.side_by_side;
  double least = least_reads_;
  const double grouped = by_area(largest_group());
  for (std::int64_t n = 1; n <= times;) {
    const std::int64_t m = times / n;  // as many as that leaves
    n = times / m;                     // and no fewer columns for it
    const double bytes =
        kRoundingSlack * least_reads({sizes_.m / as_double(m), sizes_.n / as_double(n)});
    least = std::min(least, std::max(bytes, grouped));
    ++n;
  }
  return least;
}

// Groups of these tiles, whole ones along m.
double ProductBounds::least_grouped(const Tiles& tiles) const {
  const std::int64_t times = setting_.side_by_side;
  const double columns = as_double(tiles.most_columns);
  const double half = as_double(machine_.global_buffer.value()) / 2;
  const auto rounds_of = [this](double side) {
    return std::ceil(kRoundingSlack * sizes_.n / side);
  };
  double least = sizes_.a_bytes * rounds_of(columns) + sizes_.b_bytes * as_double(tiles.count_m);
  for (std::int64_t m = std::min(tiles.count_m, times);; --m) {
    // The fewest rows of tiles that need no more rounds.
    const std::int64_t rounds = divide_up(tiles.count_m, m);
    m = divide_up(tiles.count_m, rounds);
    const double held = (half / slices_ - as_double(m * tiles.least_rows) * sizes_.a) / sizes_.b;
    if (held > 0) {
      const double side = std::min(as_double(times / m) * columns, held);
      least =
          std::min(least, sizes_.a_bytes * rounds_of(side) + sizes_.b_bytes * as_double(rounds));
    }
    if (m == 1) {
      return least;
    }
  }
}

// A panel is at least a tile: there are no fewer tiles than panels.
bool ProductBounds::is_beaten(const Tiles& tiles, const Panels& panels, double cutoff) const {
  const auto count_m = as_double(tiles.count_m);
  const auto count_n = as_double(tiles.count_n);
  if (panels.a.size > 0 &&
      with_tiles(std::max(count_m, panels.a.rounds), count_n, panels.a.bytes) < cutoff) {
    return false;
  }
  if (panels.b.size > 0 && !is_beaten_with_b(tiles, panels.b, cutoff)) {
    return false;
  }
  const double area = as_double(tiles.most_rows) * as_double(tiles.most_columns);
  return with_tiles(count_m, count_n, least_grouped(area)) >= cutoff ||
         with_tiles(count_m, count_n, least_grouped(tiles)) >= cutoff;
}

// Few sizes of tiles make the most of a panel of few columns: they are tried one by one, until
// there are too many tiles.
bool ProductBounds::is_beaten_with_b(const Tiles& tiles, const Panel& panel, double cutoff) const {
  constexpr std::int64_t kFewSteps = 64;
  const auto count_m = as_double(tiles.count_m);
  const std::int64_t step = setting_.array.step_n;
  if (with_tiles(count_m, std::max(as_double(tiles.count_n), panel.rounds), panel.bytes) >=
      cutoff) {
    return true;
  }
  if (panel.rounds == 1 || panel.size > kFewSteps * step) {
    return false;
  }
  for (std::int64_t tile = std::min(tiles.most_columns, panel.size) / step * step; tile > 0;
       tile -= step) {
    const double count_n = as_double(divide_up(problem_.n, tile));
    if (with_tiles(count_m, count_n, panel.bytes) >= cutoff) {
      return true;
    }
    const double rounds = as_double(divide_up(problem_.n, panel.size / tile * tile));
    if (with_tiles(count_m, count_n, sizes_.b_bytes + sizes_.a_bytes * rounds) < cutoff) {
      return false;
    }
  }
  return true;
}

}  // namespace phaze::cost
