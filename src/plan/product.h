#pragma once
// One matrix product on the tensor cores of a chip: the problem, the machine that it sees, a
// mapping and what that mapping costs. docs/models.md, section 10, has the formulas; cost/product.h
// searches, verify/product.h checks.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace phaze::plan {

// C[m x n] = A[m x k] B[k x n], `batch` times with operands of its own.
struct ProductProblem {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  Bytes a_element{2}, b_element{2}, c_element{2};
  Bytes extra{};  // moved besides A, B and C: operands and results of an epilogue

  bool operator==(const ProductProblem&) const = default;
};

// What the processing elements hold still while the third dimension streams past them.
enum class Dataflow {
  kOutput,            // rows: m, columns: n, k streams
  kOutputTransposed,  // rows: n, columns: m, k streams
  kWeight,            // rows: k, columns: n, m streams
  kInput,             // rows: k, columns: m, n streams
};
inline constexpr std::size_t kDataflows = 4;
std::string_view to_string(Dataflow dataflow);

// Which operand stays in a buffer while the others pass.
enum class Stationary { kC, kA, kB };
std::string_view to_string(Stationary stationary);

// The part of a chip that a product gets: all tensor cores, or one at a share of what is shared.
struct TensorMachine {
  std::int64_t cores = 1;
  std::int64_t rows = 1, columns = 1;  // processing elements of a core
  double rate = 1;                     // multiply-accumulates of an element in a cycle
  Hertz clock;                         // that the inner loop of a core sustains
  std::int64_t tile_step = 1;          // tiles are multiples of it, and of the array
  std::array<bool, kDataflows> dataflows{true, true, true, true};
  std::int64_t accumulators = std::int64_t{1} << 40;  // elements of C that a core can sum up
  Bytes local_buffer;                                 // of a core
  BytesPerSecond local_bandwidth;                     // of a core: its buffer
  BytesPerSecond port_bandwidth;                      // of a core: its way to the global buffer
  Bytes global_buffer;                                // shared
  BytesPerSecond global_bandwidth;                    // shared
  BytesPerSecond hbm_bandwidth;                       // shared
  FlopsPerSecond peak;                                // of all cores together, by the data sheet
  FlopsPerSecond sustained;                           // of all cores together, by power
  Seconds launch;                                     // before an operator starts
  Seconds tile_start;  // before a core's inner loop runs, for each of its tiles

  bool operator==(const TensorMachine&) const = default;
};

// An item of work is a tile of C over a share of k; cores take items from one queue.
struct ProductMapping {
  Dataflow dataflow = Dataflow::kOutput;
  Stationary local = Stationary::kC;   // in the local buffers
  Stationary global = Stationary::kC;  // in the global buffer
  std::int64_t tile_m = 1, tile_n = 1;
  std::int64_t k_splits = 1;  // over cores; above one, partial sums are added at the end
  std::int64_t panel = 0;     // rows of A or columns of B that stay, kA and kB
  std::int64_t group_m = 1, group_n = 1;  // tiles that run side by side on the same data, kC

  bool operator==(const ProductMapping&) const = default;
};

// What an operator waits for. Products know the first seven.
enum class Bound {
  kCompute,
  kPower,
  kLocal,
  kPort,
  kGlobal,
  kHbm,
  kLaunch,
  kVector,   // lanes of the vector cores
  kNetwork,  // a collective
  kNothing,  // takes no time
};
std::string_view to_string(Bound bound);

struct ProductCost {
  Seconds time;  // all of it
  // Its parts: time = launch + fill + max(core, power, global, hbm) + reduction.
  Seconds launch, fill, core, power, global, hbm, reduction;
  Bound bound = Bound::kCompute;               // the largest part
  double utilisation = 0;                      // of the machine's peak, in the whole time
  std::int64_t waves = 0;                      // items of the busiest core
  Bytes local_bytes, global_bytes, hbm_bytes;  // moved at each level, all cores

  bool operator==(const ProductCost&) const = default;
};

}  // namespace phaze::plan
