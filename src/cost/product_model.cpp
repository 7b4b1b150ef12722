#include "cost/product_model.h"

#include "base/check.h"

namespace phaze::cost {

using plan::Dataflow;
using plan::Stationary;
using plan::TensorMachine;

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Passes of the array over a tile's side, the tile padded to its step.
double passes(std::int64_t tile, std::int64_t step, std::int64_t side) {
  return as_double(divide_up(round_up(tile, step), side));
}

// Where rows hold k: a pass takes rows x rate of it.
double k_passes(const Item& item, const TensorMachine& machine) {
  const double k = as_double(round_up(item.k_share, machine.tile_step));
  return std::ceil(k / (as_double(machine.rows) * machine.rate));
}

}  // namespace

ArrayShape shape_of(Dataflow dataflow, const TensorMachine& machine) {
  const std::int64_t rows = round_up(machine.rows, machine.tile_step);
  const std::int64_t columns = round_up(machine.columns, machine.tile_step);
  const std::int64_t step = machine.tile_step;
  const std::int64_t thin = std::max(kOutputSlice, step);
  switch (dataflow) {
    case Dataflow::kOutput:
      return {dataflow, rows, columns, machine.rows, machine.columns, thin};
    case Dataflow::kOutputTransposed:
      return {dataflow, columns, rows, machine.columns, machine.rows, thin};
    case Dataflow::kWeight:
      return {dataflow, step, columns, 1, machine.columns, rows};
    case Dataflow::kInput:
      return {dataflow, columns, step, machine.columns, 1, rows};
  }
  CHECK(false, "unknown dataflow");
}

Sizes sizes_of(const plan::ProductProblem& problem) {
  Sizes s{};
  s.batch = as_double(problem.batch);
  s.m = as_double(problem.m);
  s.n = as_double(problem.n);
  s.k = as_double(problem.k);
  s.a = as_double(problem.a_element.value());
  s.b = as_double(problem.b_element.value());
  s.c = as_double(problem.c_element.value());
  s.a_bytes = s.batch * s.m * s.k * s.a;
  s.b_bytes = s.batch * s.k * s.n * s.b;
  s.c_elements = s.batch * s.m * s.n;
  s.c_bytes = s.c_elements * s.c;
  s.extra = as_double(problem.extra.value());
  s.macs = s.c_elements * s.k;
  s.k_size = problem.k;
  return s;
}

double item_cycles(const Item& item, const ArrayShape& array, const TensorMachine& machine) {
  switch (array.dataflow) {
    case Dataflow::kOutput:
    case Dataflow::kOutputTransposed: {
      const double k = as_double(round_up(item.k_share, machine.tile_step));
      return passes(item.tile_m, array.step_m, array.side_m) *
             passes(item.tile_n, array.step_n, array.side_n) * std::ceil(k / machine.rate);
    }
    case Dataflow::kWeight:
      return k_passes(item, machine) * passes(item.tile_n, array.step_n, array.side_n) *
             as_double(round_up(item.tile_m, array.step_m));
    case Dataflow::kInput:
      return k_passes(item, machine) * passes(item.tile_m, array.step_m, array.side_m) *
             as_double(round_up(item.tile_n, array.step_n));
  }
  CHECK(false, "unknown dataflow");
}

ItemCost item_cost(const Item& item, const ArrayShape& array, const Sizes& sizes,
                   const TensorMachine& machine) {
  const double m = as_double(item.tile_m);
  const double n = as_double(item.tile_n);
  const double k = as_double(item.k_share);
  const double a = k * m * sizes.a;
  const double b = k * n * sizes.b;
  const double c = m * n * kAccumulator;
  // Every operand once in from the global buffer, sums once out.
  double local = a + b + c;
  switch (array.dataflow) {
    case Dataflow::kOutput:
    case Dataflow::kOutputTransposed:
      local += a * passes(item.tile_n, array.step_n, array.side_n) +
               b * passes(item.tile_m, array.step_m, array.side_m) + c;
      break;
    case Dataflow::kWeight:
      local += b + a * passes(item.tile_n, array.step_n, array.side_n) +
               c * (2 * k_passes(item, machine) - 1);
      break;
    case Dataflow::kInput:
      local += a + b * passes(item.tile_m, array.step_m, array.side_m) +
               c * (2 * k_passes(item, machine) - 1);
      break;
  }
  const double out = item.splits > 1 ? c : m * n * sizes.c;
  return {item_cycles(item, array, machine), local, a + b + out};
}

double item_count(const Item& item, const Sizes& sizes) {
  return sizes.batch * as_double(item.count_m) * as_double(item.count_n) * as_double(item.splits);
}

double wave_count(double items, const TensorMachine& machine) {
  return std::ceil(items / as_double(machine.cores));
}

CoreSeconds core_seconds(double waves, const ItemCost& cost, const TensorMachine& machine) {
  return {waves * cost.cycles / machine.clock.value(),
          waves * cost.local / machine.local_bandwidth.value(),
          waves * cost.port / machine.port_bandwidth.value(), waves * machine.tile_start.value()};
}

bool fits(Stationary stationary, const Item& item, const ArrayShape& array, const Sizes& sizes,
          const TensorMachine& machine) {
  const double local_buffer = as_double(machine.local_buffer.value());
  const double m = as_double(item.tile_m);
  const double n = as_double(item.tile_n);
  const double k = as_double(item.k_share);
  if (m * n > as_double(machine.accumulators)) {
    return false;
  }
  // What passes is held twice: one part in use, the next on its way.
  switch (stationary) {
    case Stationary::kC: {
      const double slice = std::min(as_double(array.slice), k);
      return m * n * kAccumulator + 2 * slice * (m * sizes.a + n * sizes.b) <= local_buffer;
    }
    case Stationary::kA: {
      const double strip = std::min(n, as_double(array.step_n));
      return m * k * sizes.a + 2 * strip * (k * sizes.b + m * kAccumulator) <= local_buffer;
    }
    case Stationary::kB: {
      const double strip = std::min(m, as_double(array.step_m));
      return n * k * sizes.b + 2 * strip * (k * sizes.a + n * kAccumulator) <= local_buffer;
    }
  }
  CHECK(false, "unknown operand");
}

std::optional<Stationary> fitting(const Item& item, const ArrayShape& array, const Sizes& sizes,
                                  const TensorMachine& machine) {
  for (const Stationary stationary : {Stationary::kC, Stationary::kA, Stationary::kB}) {
    if (fits(stationary, item, array, sizes, machine)) {
      return stationary;
    }
  }
  return std::nullopt;
}

std::int64_t most_splits(const plan::ProductProblem& problem, const TensorMachine& machine) {
  return std::min(machine.cores, divide_up(problem.k, machine.tile_step));
}

bool sums_spill(const Sizes& sizes, std::int64_t splits, const TensorMachine& machine) {
  return 2 * sizes.c_elements * kAccumulator * as_double(splits) >
         as_double(machine.global_buffer.value());
}

double reduction_seconds(const Sizes& sizes, std::int64_t splits, const TensorMachine& machine) {
  if (splits == 1) {
    return 0;
  }
  const double through_hbm = reduction_to_hbm(sizes, splits, machine);
  const double through_global = reduction_to_cores(sizes, splits) + through_hbm;
  return machine.launch.value() + std::max(through_hbm / machine.hbm_bandwidth.value(),
                                           through_global / machine.global_bandwidth.value());
}

double reduction_to_cores(const Sizes& sizes, std::int64_t splits) {
  return splits == 1 ? 0 : c_to_global(sizes, splits) + sizes.c_bytes;
}

double reduction_to_hbm(const Sizes& sizes, std::int64_t splits, const TensorMachine& machine) {
  if (splits == 1) {
    return 0;
  }
  return sums_spill(sizes, splits, machine) ? reduction_to_cores(sizes, splits) : sizes.c_bytes;
}

double c_to_global(const Sizes& sizes, std::int64_t splits) {
  return splits == 1 ? sizes.c_bytes : sizes.c_elements * kAccumulator * as_double(splits);
}

double c_to_hbm(const Sizes& sizes, std::int64_t splits, const TensorMachine& machine) {
  if (splits == 1) {
    return sizes.c_bytes;
  }
  return sums_spill(sizes, splits, machine) ? c_to_global(sizes, splits) : 0;
}

double fill_seconds(const ArrayShape& array, const Sizes& sizes, const TensorMachine& machine) {
  const double m = as_double(array.side_m);
  const double n = as_double(array.side_n);
  const double first = std::min(as_double(array.slice), sizes.k) * (m * sizes.a + n * sizes.b);
  const double last = m * n * sizes.c;
  return as_double(machine.rows + machine.columns) / machine.clock.value() +
         (first + last) / machine.hbm_bandwidth.value();
}

double held_rows(double k, double element, const TensorMachine& machine) {
  return std::floor(as_double(machine.global_buffer.value()) / 2 / (k * element));
}

std::int64_t panel_of(std::int64_t most, std::int64_t tile, double held) {
  if (held >= as_double(most)) {
    return most;
  }
  return static_cast<std::int64_t>(held) / tile * tile;
}

bool group_fits(std::int64_t m, std::int64_t n, const Item& item, const ArrayShape& array,
                const Sizes& sizes, const TensorMachine& machine) {
  const double slice = as_double(std::min(array.slice, item.k_share));
  const double rows = as_double(m * item.tile_m);
  const double columns = as_double(n * item.tile_n);
  return 2 * slice * (rows * sizes.a + columns * sizes.b) <=
         as_double(machine.global_buffer.value()) / 2;
}

double group_bytes(std::int64_t m, std::int64_t n, const Item& item, const Sizes& sizes) {
  return sizes.a_bytes * as_double(divide_up(item.count_n, n)) +
         sizes.b_bytes * as_double(divide_up(item.count_m, m));
}

TileGroup best_group(const Item& item, const ArrayShape& array, const Sizes& sizes,
                     const TensorMachine& machine) {
  const std::int64_t cores = std::max<std::int64_t>(1, machine.cores / item.splits);
  const double slice = as_double(std::min(array.slice, item.k_share));
  const double held = as_double(machine.global_buffer.value()) / 2 / (2 * slice);  // bytes of k = 1
  TileGroup best{1, 1, group_bytes(1, 1, item, sizes)};
  for (std::int64_t m = std::min(item.count_m, cores);;) {
    // The fewest rows of tiles that need no more rounds, and the columns that are left for it.
    m = divide_up(item.count_m, divide_up(item.count_m, m));
    const double room =
        (held - as_double(m * item.tile_m) * sizes.a) / (as_double(item.tile_n) * sizes.b);
    std::int64_t n = std::min(item.count_n, cores / m);
    n = room < as_double(n) ? static_cast<std::int64_t>(std::max(room, 0.0)) : n;
    n += n < std::min(item.count_n, cores / m) && group_fits(m, n + 1, item, array, sizes, machine);
    if (n > 0) {
      n = divide_up(item.count_n, divide_up(item.count_n, n));
      const double bytes = group_bytes(m, n, item, sizes);
      if (bytes < best.bytes && group_fits(m, n, item, array, sizes, machine)) {
        best = {m, n, bytes};
      }
    }
    if (m == 1) {
      return best;
    }
    --m;
  }
}

}  // namespace phaze::cost
