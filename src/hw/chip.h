#pragma once
// A chip as plain data: what it is made of, not what it costs (technology.h, area.h, power.h,
// cost.h) nor how fast an operator runs on it. Counts are of one package; `fabricated` counts are
// what the dies hold, spare ones included.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace phaze::hw {

enum class NumberFormat { kBf16, kFp16, kFp8, kTf32, kFp32, kInt8 };
inline constexpr std::size_t kNumberFormats = 6;

std::string_view to_string(NumberFormat format);
std::optional<NumberFormat> parse_number_format(std::string_view name);
std::vector<std::string> number_format_names();

// Systolic arrays with a systolic PE grid: rows x columns multiply-accumulate units each.
struct TensorCores {
  std::int64_t count = 1;
  std::int64_t fabricated = 1;
  std::int64_t rows = 128;
  std::int64_t columns = 128;
  Bytes local_buffer;                // of each core
  double local_bytes_per_cycle = 0;  // of each core, reads and writes together
  double port_bytes_per_cycle = 0;   // of each core, to and from the global buffer
  // How kernels use the array: which operand its elements may hold still, the step of tile sizes,
  // and the time before a tile's inner loop runs.
  bool holds_outputs = true, holds_weights = true, holds_inputs = true;
  std::int64_t tile_step = 1;
  std::int64_t accumulators = std::int64_t{1} << 40;  // results that a core can sum up at once
  Seconds tile_start{};
  Bytes alignment{};     // of rows in memory; others load in smaller pieces
  double multicast = 1;  // cores that a read of the global buffer serves, on average
};

struct VectorCores {
  std::int64_t count = 1;
  std::int64_t fabricated = 1;
  std::int64_t lanes = 128;
  std::int64_t operations_per_lane = 1;  // that a lane can start in a cycle
  double fp64_share = 0;                 // of lanes that also do fp64
  Bytes local_buffer;
  // Lane cycles beyond the plain operations of an element: of a special function (exponential,
  // division, root), of moving an operand in or out, and of an operand of a reduction along rows.
  double special_cycles = 1;
  double operand_cycles = 0;
  double row_cycles = 0;        // for each reduction
  double address_cycles = 0;    // of an element that a library kernel looks up one by one
  Seconds reduction_latency{};  // of a sum over rows
};

struct GlobalBuffer {
  Bytes size;
  Bytes fabricated;
  double bytes_per_cycle = 0;
};

enum class HbmGeneration { kHbm2, kHbm2e, kHbm3, kHbm3e };
std::string_view to_string(HbmGeneration generation);
std::optional<HbmGeneration> parse_hbm_generation(std::string_view name);

struct Hbm {
  HbmGeneration generation = HbmGeneration::kHbm2e;
  std::int64_t stacks = 1;
  std::int64_t sites = 1;  // interfaces on the die, used or not
  Bytes stack_capacity;
  BytesPerSecond stack_bandwidth;
};

struct Links {
  std::int64_t count = 0;
  BytesPerSecond bandwidth;  // of each, in one direction
};

// How instructions reach the cores: many small cores with schedulers of their own (GPUs), or few
// large ones fed by one long instruction word.
enum class ControlStyle { kSimt, kSystolic };
std::string_view to_string(ControlStyle style);
std::optional<ControlStyle> parse_control_style(std::string_view name);

// Fractions of peak that real kernels sustain, where they are known.
struct Sustained {
  double matrix = 1;  // of all tensor cores together, within the power that the chip may draw
  double core = 1;    // of one tensor core, by its inner loop
  double vector = 1;
  double hbm = 1;
  double step = 1;  // of `matrix` and `core`, amid the other operators of a training step
};

struct Chip {
  std::string name;
  std::string title;
  std::string source;
  std::string machine;  // of the built-in ones, where it is that one unchanged; empty: of one's own
  int node_nm = 7;
  std::int64_t dies = 1;  // equal ones in the package
  Hertz clock;
  Hertz nominal_clock;  // at which its voltage is the node's; another clock needs another voltage
  TensorCores tensor;
  VectorCores vector;
  GlobalBuffer global;
  Hbm hbm;
  Links links;
  // Multiply-accumulates per PE and cycle; 0: the chip lacks the format.
  std::array<double, kNumberFormats> format_rates{};
  ControlStyle control = ControlStyle::kSystolic;
  bool concurrent_operators = true;
  Seconds launch_overhead;  // of an operator that follows another
  Seconds idle_overhead;    // more, of one on its own
  Bytes reserved;           // of its memory that programs do not get: driver and context
  Bytes workspace;          // that kernel libraries keep in its memory
  Seconds host_launch;      // that the host takes to launch one, operator by operator from Python
  Seconds host_recompute;   // more for a layer that is recomputed
  Seconds host_microbatch;  // that the device waits for the host with each micro-batch
  Sustained sustained;
  std::optional<Watts> published_tdp;
  std::optional<SquareMillimetres> published_area;
};

// Bytes of an element; tf32 is kept as fp32.
std::int64_t element_bytes(NumberFormat format);

double format_rate(const Chip& chip, NumberFormat format);

// Dense peak of the matrix units; zero for a format that the chip lacks.
FlopsPerSecond peak_flops(const Chip& chip, NumberFormat format);
// Lanes times operations, a multiply-add counted as two.
FlopsPerSecond peak_vector_flops(const Chip& chip);
BytesPerSecond global_bandwidth(const Chip& chip);
BytesPerSecond local_bandwidth(const Chip& chip);  // of all tensor cores together
Bytes hbm_capacity(const Chip& chip);
Bytes usable_memory(const Chip& chip);  // without what is reserved
BytesPerSecond hbm_bandwidth(const Chip& chip);
BytesPerSecond link_bandwidth(const Chip& chip);  // one direction, all links

// Rules for what a file leaves out; they scale with the core (docs/models.md, 8.1).
Bytes default_local_buffer(std::int64_t processing_elements);
double default_local_bytes_per_cycle(std::int64_t rows, std::int64_t columns);
double default_port_bytes_per_cycle(std::int64_t rows, std::int64_t columns);
double default_global_bytes_per_cycle(const TensorCores& tensor);

}  // namespace phaze::hw
