#include "verify/mapped_product.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace phaze::verify {

using plan::Bound;
using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

namespace {

constexpr double kMostWalkedPasses = 1000;  // of the array on one item

// At most what 64 bits hold.
Bytes bytes(double count) {
  return Bytes(count < 0x1p63 ? static_cast<std::int64_t>(count)
                              : std::numeric_limits<std::int64_t>::max());
}

}  // namespace

MappedProduct::MappedProduct(const ProductProblem& problem, const TensorMachine& machine,
                             const ProductMapping& mapping)
    : problem_(problem), machine_(machine), mapping_(mapping) {
  switch (mapping.dataflow) {
    case Dataflow::kOutput:
      return;
    case Dataflow::kOutputTransposed:
      rows_ = Axis::kN;
      columns_ = Axis::kM;
      return;
    case Dataflow::kWeight:
      rows_ = Axis::kK;
      columns_ = Axis::kN;
      streams_ = Axis::kM;
      return;
    case Dataflow::kInput:
      rows_ = Axis::kK;
      columns_ = Axis::kM;
      streams_ = Axis::kN;
      return;
  }
  CHECK(false, "unknown dataflow");
}

std::int64_t MappedProduct::side(Axis axis) const {
  return axis == rows_ ? machine_.rows : axis == columns_ ? machine_.columns : 1;
}

std::int64_t MappedProduct::deepest() const {
  constexpr std::int64_t kFew = 4;
  return has_outputs() ? std::max(kFew, machine_.tile_step) : step(Axis::kK);
}

// What an item takes. A pass holds one block of C, or of an operand, in the array.
MappedProduct::Load MappedProduct::load_of(std::int64_t m, std::int64_t n, std::int64_t k) const {
  if (m == 0 || n == 0 || k == 0) {
    return {};
  }
  const double a = real(m) * real(k) * bytes_a();
  const double b = real(k) * real(n) * bytes_b();
  const double c = real(m) * real(n) * kSumBytes;
  const double passes_m = real(parts_of(padded(m, step(Axis::kM)), side(Axis::kM)));
  const double passes_n = real(parts_of(padded(n, step(Axis::kN)), side(Axis::kN)));
  const double deep = real(padded(k, machine_.tile_step));
  Load load;
  if (has_outputs()) {
    load = passes_m * passes_n <= kMostWalkedPasses
               ? walk_outputs(m, n, k)
               : Load{passes_m * passes_n * cycles_of(k), a * passes_n + b * passes_m + c, 0};
  } else {
    const double passes_k = std::ceil(deep / depth());
    const bool holds_b = streams_ == Axis::kM;
    const double across = holds_b ? passes_n : passes_m;
    const double streamed = real(holds_b ? padded(m, step(Axis::kM)) : padded(n, step(Axis::kN)));
    load = passes_k * across <= kMostWalkedPasses
               ? walk_operands(m, n, k)
               : Load{passes_k * across * streamed,
                      (holds_b ? b + a * across : a + b * across) + c * (2 * passes_k - 1), 0};
  }
  load.local += a + b + c;  // operands arrive in the buffer, sums leave it
  load.port = a + b + (splits() > 1 ? c : real(m) * real(n) * bytes_c());
  return load;
}

double MappedProduct::cycles_of(std::int64_t k) const {
  return std::ceil(real(padded(k, machine_.tile_step)) / machine_.rate);
}

// Blocks of C stay in the array: rows of A and columns of B pass, sums come out.
MappedProduct::Load MappedProduct::walk_outputs(std::int64_t m, std::int64_t n,
                                                std::int64_t k) const {
  Load load;
  for (std::int64_t row = 0; row < padded(m, step(Axis::kM)); row += side(Axis::kM)) {
    const double rows = real(std::clamp<std::int64_t>(m - row, 0, side(Axis::kM)));
    for (std::int64_t column = 0; column < padded(n, step(Axis::kN)); column += side(Axis::kN)) {
      const double columns = real(std::clamp<std::int64_t>(n - column, 0, side(Axis::kN)));
      load.cycles += cycles_of(k);
      load.local +=
          rows * real(k) * bytes_a() + real(k) * columns * bytes_b() + rows * columns * kSumBytes;
    }
  }
  return load;
}

// Blocks of B (or of A, all names exchanged) stay: rows of A pass, with sums read, but for the
// first block of k, and written.
MappedProduct::Load MappedProduct::walk_operands(std::int64_t m, std::int64_t n,
                                                 std::int64_t k) const {
  const bool holds_b = streams_ == Axis::kM;
  const std::int64_t across = holds_b ? n : m;
  const std::int64_t streamed = holds_b ? m : n;
  const Axis across_axis = holds_b ? Axis::kN : Axis::kM;
  const Axis streamed_axis = holds_b ? Axis::kM : Axis::kN;
  const double held_element = holds_b ? bytes_b() : bytes_a();
  const double passing_element = holds_b ? bytes_a() : bytes_b();
  const double deep = real(padded(k, machine_.tile_step));
  Load load;
  for (double pass = 0; pass < std::ceil(deep / depth()); ++pass) {
    const double taken = std::clamp(real(k) - pass * depth(), 0.0, depth());
    for (std::int64_t at = 0; at < padded(across, step(across_axis)); at += side(across_axis)) {
      const double block = real(std::clamp<std::int64_t>(across - at, 0, side(across_axis)));
      load.cycles += real(padded(streamed, step(streamed_axis)));
      load.local += taken * block * held_element + taken * real(streamed) * passing_element;
      load.local += real(streamed) * block * kSumBytes * (pass == 0 ? 1 : 2);
    }
  }
  return load;
}

double MappedProduct::seconds_of(const Load& load) const {
  return std::max({load.cycles / machine_.clock.value(),
                   load.local / machine_.local_bandwidth.value(),
                   load.port / machine_.port_bandwidth.value()}) +
         machine_.tile_start.value();
}

double MappedProduct::fill() const {
  const std::int64_t m = side(Axis::kM);
  const std::int64_t n = side(Axis::kN);
  const double k = real(std::min(deepest(), problem_.k));
  const double moved =
      real(m) * k * bytes_a() + k * real(n) * bytes_b() + real(m) * real(n) * bytes_c();
  return real(machine_.rows + machine_.columns) / machine_.clock.value() +
         moved / machine_.hbm_bandwidth.value();
}

// Bytes of A and B that pass HBM.
double MappedProduct::hbm_operands() const {
  double times_a = 1;
  double times_b = 1;
  switch (mapping_.global) {
    case Stationary::kA:
      times_b = real(parts_of(problem_.m, mapping_.panel));
      break;
    case Stationary::kB:
      times_a = real(parts_of(problem_.n, mapping_.panel));
      break;
    case Stationary::kC:
      times_a = real(parts_of(tiles_n(), mapping_.group_n));
      times_b = real(parts_of(tiles_m(), mapping_.group_m));
      break;
  }
  return times_a * elements_a() * bytes_a() + times_b * elements_b() * bytes_b();
}

// The same by what is fetched, block by block: rows x k of A and k x columns of B for every group
// of tiles; a panel once, and all of the other operand beside it. Then C or its sums.
double MappedProduct::walk_hbm() const {
  std::int64_t block_m = problem_.m;
  std::int64_t block_n = problem_.n;
  switch (mapping_.global) {
    case Stationary::kA:
      block_m = mapping_.panel;
      break;
    case Stationary::kB:
      block_n = mapping_.panel;
      break;
    case Stationary::kC:
      block_m = mapping_.group_m * mapping_.tile_m;
      block_n = mapping_.group_n * mapping_.tile_n;
      break;
  }
  double fetched = 0;
  for (std::int64_t row = 0; row < problem_.m; row += block_m) {
    const std::int64_t rows = std::min(block_m, problem_.m - row);
    for (std::int64_t column = 0; column < problem_.n; column += block_n) {
      const std::int64_t columns = std::min(block_n, problem_.n - column);
      fetched +=
          real(rows) * real(problem_.k) * bytes_a() + real(problem_.k) * real(columns) * bytes_b();
    }
  }
  const double written = elements_c() * bytes_c();
  const double spilled = spills() ? 2 * sums() : 0;  // out, and in again
  return real(problem_.batch) * fetched + written + spilled;
}

ProductCost MappedProduct::price() const {
  const Load item = load_of(mapping_.tile_m, mapping_.tile_n, share());
  ProductCost cost;
  const double waves = std::ceil(items() / real(machine_.cores));
  cost.waves = static_cast<std::int64_t>(waves);
  cost.launch = machine_.launch;
  cost.fill = Seconds(fill());
  cost.core = Seconds(waves * seconds_of(item));
  cost.power = Seconds(2 * macs() / machine_.sustained.value());
  const double operands = hbm_operands();
  const double extra = real(problem_.extra.value());
  const double hbm = operands +
                     (splits() == 1 ? elements_c() * bytes_c()
                      : spills()    ? sums()
                                    : 0) +
                     extra;
  const double global = real(tiles_n()) * elements_a() * bytes_a() +
                        real(tiles_m()) * elements_b() * bytes_b() +
                        (splits() == 1 ? elements_c() * bytes_c() : sums()) + extra + hbm;
  cost.hbm = Seconds(hbm / machine_.hbm_bandwidth.value());
  cost.global = Seconds(global / machine_.global_bandwidth.value());
  double late_hbm = 0;
  double late_global = 0;
  if (splits() > 1) {
    late_hbm = elements_c() * bytes_c() + (spills() ? sums() : 0);
    late_global = sums() + elements_c() * bytes_c() + late_hbm;
    cost.reduction =
        machine_.launch + Seconds(std::max(late_hbm / machine_.hbm_bandwidth.value(),
                                           late_global / machine_.global_bandwidth.value()));
  }
  cost.time = cost.launch + cost.fill + std::max({cost.core, cost.power, cost.global, cost.hbm}) +
              cost.reduction;
  cost.bound = largest(cost, item);
  cost.utilisation = 2 * macs() / (cost.time.value() * machine_.peak.value());
  cost.local_bytes = bytes(items() * item.local);
  cost.global_bytes = bytes(global + late_global);
  cost.hbm_bytes = bytes(hbm + late_hbm);
  return cost;
}

Bound MappedProduct::largest(const ProductCost& cost, const Load& item) const {
  const Seconds busiest = std::max({cost.core, cost.power, cost.global, cost.hbm});
  if (cost.launch + cost.fill + cost.reduction > busiest) {
    return Bound::kLaunch;
  }
  if (busiest == cost.core) {
    const double compute = item.cycles / machine_.clock.value();
    const double local = item.local / machine_.local_bandwidth.value();
    const double port = item.port / machine_.port_bandwidth.value();
    return compute >= std::max(local, port) ? Bound::kCompute
           : local >= port                  ? Bound::kLocal
                                            : Bound::kPort;
  }
  return busiest == cost.power ? Bound::kPower : busiest == cost.hbm ? Bound::kHbm : Bound::kGlobal;
}

double MappedProduct::part_of(Bound bound, const ProductCost& cost) const {
  const Load item = load_of(mapping_.tile_m, mapping_.tile_n, share());
  const double waves = real(cost.waves);
  switch (bound) {
    case Bound::kCompute:
      return waves * (item.cycles / machine_.clock.value() + machine_.tile_start.value());
    case Bound::kLocal:
      return waves * (item.local / machine_.local_bandwidth.value() + machine_.tile_start.value());
    case Bound::kPort:
      return waves * (item.port / machine_.port_bandwidth.value() + machine_.tile_start.value());
    case Bound::kPower:
      return cost.power.value();
    case Bound::kGlobal:
      return cost.global.value();
    case Bound::kHbm:
      return cost.hbm.value();
    case Bound::kLaunch:
      return (cost.launch + cost.fill + cost.reduction).value();
    case Bound::kVector:
    case Bound::kNetwork:
    case Bound::kNothing:
      return 0;  // of other operators
  }
  CHECK(false, "unknown bound");
}

}  // namespace phaze::verify
