#include "space/field.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace phaze::space {
namespace {

constexpr double kMostCores = 1 << 20;
constexpr double kMostSide = 1 << 14;
constexpr double kMostBytes = 1e15;
constexpr double kMostPerCycle = 1e9;
constexpr double kMostRate = 1e18;

using enum Field;
constexpr std::array kTraits = {
    FieldTraits{kNode, "node_nm", "n", FieldUnit::kCount, 3, 22},
    FieldTraits{kDies, "dies", "d", FieldUnit::kCount, 1, 64},
    FieldTraits{kClock, "clock", "f", FieldUnit::kHertz, 1e6, 1e11},
    FieldTraits{kTensorCount, "tensor_cores.count", "t", FieldUnit::kCount, 1, kMostCores},
    FieldTraits{kTensorRows, "tensor_cores.rows", "r", FieldUnit::kCount, 1, kMostSide},
    FieldTraits{kTensorColumns, "tensor_cores.columns", "c", FieldUnit::kCount, 1, kMostSide},
    FieldTraits{kTensorLocalBuffer, "tensor_cores.local_buffer", "tb", FieldUnit::kBytes, 1,
                kMostBytes},
    FieldTraits{kTensorLocalBytesPerCycle, "tensor_cores.local_bytes_per_cycle", "tl",
                FieldUnit::kNumber, 1, kMostPerCycle},
    FieldTraits{kTensorPortBytesPerCycle, "tensor_cores.port_bytes_per_cycle", "tp",
                FieldUnit::kNumber, 1, kMostPerCycle},
    FieldTraits{kVectorCount, "vector_cores.count", "v", FieldUnit::kCount, 1, kMostCores},
    FieldTraits{kVectorLanes, "vector_cores.lanes", "l", FieldUnit::kCount, 1, kMostCores},
    FieldTraits{kVectorOperationsPerLane, "vector_cores.operations_per_lane", "o",
                FieldUnit::kCount, 1, 64},
    FieldTraits{kVectorLocalBuffer, "vector_cores.local_buffer", "vb", FieldUnit::kBytes, 1,
                kMostBytes},
    FieldTraits{kGlobalSize, "global_buffer.size", "g", FieldUnit::kBytes, 1, kMostBytes},
    FieldTraits{kGlobalBytesPerCycle, "global_buffer.bytes_per_cycle", "gw", FieldUnit::kNumber, 1,
                kMostPerCycle},
    FieldTraits{kHbmGeneration, "hbm.generation", "", FieldUnit::kGeneration, 0, 3},
    FieldTraits{kHbmStacks, "hbm.stacks", "s", FieldUnit::kCount, 1, 64},
    FieldTraits{kHbmStackBandwidth, "hbm.stack_bandwidth", "sw", FieldUnit::kBytesPerSecond, 1,
                kMostRate},
    FieldTraits{kHbmBandwidth, "hbm.bandwidth", "hw", FieldUnit::kBytesPerSecond, 1, kMostRate},
    FieldTraits{kLinkCount, "links.count", "k", FieldUnit::kCount, 0, 4096},
    FieldTraits{kLinkBandwidth, "links.bandwidth", "kw", FieldUnit::kBytesPerSecond, 1, kMostRate},
};
static_assert(kTraits.size() == kFields);
static_assert([] {
  for (std::size_t i = 0; i < kFields; ++i) {
    if (kTraits[i].field != static_cast<Field>(i)) {
      return false;
    }
  }
  return true;
}());

struct FixedField {
  std::string_view path, why;
};
constexpr std::string_view kHabit =
    "describes how kernels use a chip, not what is built: it costs nothing";
constexpr std::string_view kStyle = "is a kind of chip, not a size: it is the base chip's";
constexpr std::string_view kMemory =
    "is a choice of training (training.hbm_capacity): it changes what fits, not how fast a chip is";
constexpr std::string_view kSpare = "follows the base chip's share of spare ones";
constexpr std::array kFixed = {
    FixedField{"launch_overhead", kHabit},
    FixedField{"idle_overhead", kHabit},
    FixedField{"host_launch", kHabit},
    FixedField{"host_recompute", kHabit},
    FixedField{"host_microbatch", kHabit},
    FixedField{"workspace", kHabit},
    FixedField{"reserved", kHabit},
    FixedField{"sustained", kHabit},
    FixedField{"sustained.matrix", kHabit},
    FixedField{"sustained.core", kHabit},
    FixedField{"sustained.vector", kHabit},
    FixedField{"sustained.hbm", kHabit},
    FixedField{"sustained.step", kHabit},
    FixedField{"tensor_cores.tile_step", kHabit},
    FixedField{"tensor_cores.tile_start", kHabit},
    FixedField{"tensor_cores.accumulators", kHabit},
    FixedField{"tensor_cores.multicast", kHabit},
    FixedField{"tensor_cores.alignment", kHabit},
    FixedField{"tensor_cores.dataflows", kHabit},
    FixedField{"vector_cores.special_cycles", kHabit},
    FixedField{"vector_cores.operand_cycles", kHabit},
    FixedField{"vector_cores.row_cycles", kHabit},
    FixedField{"vector_cores.address_cycles", kHabit},
    FixedField{"vector_cores.reduction_latency", kHabit},
    FixedField{"vector_cores.fp64_share", kStyle},
    FixedField{"nominal_clock", "says what a clock costs: it is the base chip's"},
    FixedField{"control", kStyle},
    FixedField{"concurrent_operators", kStyle},
    FixedField{"formats", kStyle},
    FixedField{"published_tdp", "was published of one chip"},
    FixedField{"published_area", "was published of one chip"},
    FixedField{"hbm.capacity", kMemory},
    FixedField{"hbm.stack_capacity", kMemory},
    FixedField{"hbm.sites", kSpare},
    FixedField{"tensor_cores.fabricated", kSpare},
    FixedField{"vector_cores.fabricated", kSpare},
    FixedField{"global_buffer.fabricated", kSpare},
    FixedField{"global_buffer.bandwidth", "is given as global_buffer.bytes_per_cycle"},
};

std::int64_t whole(double value) { return std::llround(value); }

// At least the base's share of what was made for each that is used.
std::int64_t with_spares(std::int64_t used, std::int64_t base_made, std::int64_t base_used) {
  return used + (used * (base_made - base_used) + base_used - 1) / base_used;
}

// The largest binary prefix that leaves a whole number.
std::string bytes_text(double value, bool is_short) {
  constexpr std::array kPrefixes = {"GiB", "MiB", "KiB"};
  const std::int64_t bytes = whole(value);
  for (std::size_t i = 0; i < kPrefixes.size(); ++i) {
    const std::int64_t unit = std::int64_t{1} << (30 - 10 * i);
    if (bytes >= unit && bytes % unit == 0) {
      return std::to_string(bytes / unit) +
             (is_short ? std::string(1, kPrefixes[i][0]) : std::string(" ") + kPrefixes[i]);
    }
  }
  return std::to_string(bytes) + (is_short ? "" : " B");
}

std::string text_of(Field field, double value, bool is_short) {
  constexpr double kGiga = 1e9;
  switch (traits(field).unit) {
    case FieldUnit::kCount:
      return std::to_string(whole(value));
    case FieldUnit::kNumber:
      return shortest(value);
    case FieldUnit::kBytes:
      return bytes_text(value, is_short);
    case FieldUnit::kHertz:
      return shortest(value / kGiga) + (is_short ? "" : " GHz");
    case FieldUnit::kBytesPerSecond:
      return shortest(value / kGiga) + (is_short ? "" : " GB/s");
    case FieldUnit::kGeneration:
      return std::string(hw::to_string(static_cast<hw::HbmGeneration>(whole(value))));
  }
  CHECK(false, "unknown unit");
}

}  // namespace

const FieldTraits& traits(Field field) { return kTraits[static_cast<std::size_t>(field)]; }

std::optional<Field> parse_field(std::string_view path) {
  const auto* found = std::ranges::find(kTraits, path, &FieldTraits::path);
  return found == kTraits.end() ? std::nullopt : std::optional(found->field);
}

std::vector<std::string> field_paths() {
  std::vector<std::string> paths;
  paths.reserve(kTraits.size());
  for (const FieldTraits& row : kTraits) {
    paths.emplace_back(row.path);
  }
  return paths;
}

std::optional<std::string_view> why_fixed(std::string_view path) {
  const auto* found = std::ranges::find(kFixed, path, &FixedField::path);
  return found == kFixed.end() ? std::nullopt : std::optional(found->why);
}

void set_field(hw::Chip& chip, Field field, double value, const hw::Chip& base) {
  hw::TensorCores& t = chip.tensor;
  hw::VectorCores& v = chip.vector;
  switch (field) {
    case kNode:
      chip.node_nm = static_cast<int>(value);
      return;
    case kDies:
      chip.dies = whole(value);
      return;
    case kClock:
      chip.clock = Hertz(value);
      return;
    case kTensorCount:
      t.count = whole(value);
      t.fabricated = with_spares(t.count, base.tensor.fabricated, base.tensor.count);
      return;
    case kTensorRows:
      t.rows = whole(value);
      return;
    case kTensorColumns:
      t.columns = whole(value);
      return;
    case kTensorLocalBuffer:
      t.local_buffer = Bytes(whole(value));
      return;
    case kTensorLocalBytesPerCycle:
      t.local_bytes_per_cycle = value;
      return;
    case kTensorPortBytesPerCycle:
      t.port_bytes_per_cycle = value;
      return;
    case kVectorCount:
      v.count = whole(value);
      v.fabricated = with_spares(v.count, base.vector.fabricated, base.vector.count);
      return;
    case kVectorLanes:
      v.lanes = whole(value);
      return;
    case kVectorOperationsPerLane:
      v.operations_per_lane = whole(value);
      return;
    case kVectorLocalBuffer:
      v.local_buffer = Bytes(whole(value));
      return;
    case kGlobalSize: {
      chip.global.size = Bytes(whole(value));
      const auto made = static_cast<double>(base.global.fabricated.value());
      const auto used = static_cast<double>(base.global.size.value());
      chip.global.fabricated = Bytes(whole(std::ceil(value * (made / used))));
      return;
    }
    case kGlobalBytesPerCycle:
      chip.global.bytes_per_cycle = value;
      return;
    case kHbmGeneration:
      chip.hbm.generation = static_cast<hw::HbmGeneration>(whole(value));
      return;
    case kHbmStacks:
      chip.hbm.stacks = whole(value);
      chip.hbm.sites = chip.hbm.stacks + base.hbm.sites - base.hbm.stacks;
      return;
    case kHbmStackBandwidth:
      chip.hbm.stack_bandwidth = BytesPerSecond(value);
      return;
    case kHbmBandwidth:
      chip.hbm.stack_bandwidth = BytesPerSecond(value / static_cast<double>(chip.hbm.stacks));
      return;
    case kLinkCount:
      chip.links.count = whole(value);
      return;
    case kLinkBandwidth:
      chip.links.bandwidth = BytesPerSecond(value);
      return;
  }
  CHECK(false, "unknown field");
}

double get_field(const hw::Chip& chip, Field field) {
  const auto as_double = [](std::int64_t value) { return static_cast<double>(value); };
  switch (field) {
    case kNode:
      return chip.node_nm;
    case kDies:
      return as_double(chip.dies);
    case kClock:
      return chip.clock.value();
    case kTensorCount:
      return as_double(chip.tensor.count);
    case kTensorRows:
      return as_double(chip.tensor.rows);
    case kTensorColumns:
      return as_double(chip.tensor.columns);
    case kTensorLocalBuffer:
      return as_double(chip.tensor.local_buffer.value());
    case kTensorLocalBytesPerCycle:
      return chip.tensor.local_bytes_per_cycle;
    case kTensorPortBytesPerCycle:
      return chip.tensor.port_bytes_per_cycle;
    case kVectorCount:
      return as_double(chip.vector.count);
    case kVectorLanes:
      return as_double(chip.vector.lanes);
    case kVectorOperationsPerLane:
      return as_double(chip.vector.operations_per_lane);
    case kVectorLocalBuffer:
      return as_double(chip.vector.local_buffer.value());
    case kGlobalSize:
      return as_double(chip.global.size.value());
    case kGlobalBytesPerCycle:
      return chip.global.bytes_per_cycle;
    case kHbmGeneration:
      return static_cast<double>(chip.hbm.generation);
    case kHbmStacks:
      return as_double(chip.hbm.stacks);
    case kHbmStackBandwidth:
      return chip.hbm.stack_bandwidth.value();
    case kHbmBandwidth:
      return hw::hbm_bandwidth(chip).value();
    case kLinkCount:
      return as_double(chip.links.count);
    case kLinkBandwidth:
      return chip.links.bandwidth.value();
  }
  CHECK(false, "unknown field");
}

std::string value_text(Field field, double value) { return text_of(field, value, false); }
std::string value_code(Field field, double value) {
  return std::string(traits(field).code) + text_of(field, value, true);
}

std::string bytes_code(Bytes bytes) { return bytes_text(static_cast<double>(bytes.value()), true); }

}  // namespace phaze::space
