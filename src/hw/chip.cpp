#include "hw/chip.h"

#include <algorithm>

#include "base/check.h"
#include "base/names.h"

namespace phaze::hw {
namespace {

constexpr std::array kFormats = {
    NameOf<NumberFormat>{NumberFormat::kBf16, "bf16"},
    NameOf<NumberFormat>{NumberFormat::kFp16, "fp16"},
    NameOf<NumberFormat>{NumberFormat::kFp8, "fp8"},
    NameOf<NumberFormat>{NumberFormat::kTf32, "tf32"},
    NameOf<NumberFormat>{NumberFormat::kFp32, "fp32"},
    NameOf<NumberFormat>{NumberFormat::kInt8, "int8"},
};
constexpr std::array kGenerations = {
    NameOf<HbmGeneration>{HbmGeneration::kHbm2, "hbm2"},
    NameOf<HbmGeneration>{HbmGeneration::kHbm2e, "hbm2e"},
    NameOf<HbmGeneration>{HbmGeneration::kHbm3, "hbm3"},
    NameOf<HbmGeneration>{HbmGeneration::kHbm3e, "hbm3e"},
};
constexpr std::array kStyles = {
    NameOf<ControlStyle>{ControlStyle::kSimt, "simt"},
    NameOf<ControlStyle>{ControlStyle::kSystolic, "systolic"},
};

static_assert(is_in_order(kFormats) && is_in_order(kGenerations) && is_in_order(kStyles));

}  // namespace

std::string_view to_string(NumberFormat format) { return name_in(kFormats, format); }
std::optional<NumberFormat> parse_number_format(std::string_view name) {
  return find_in(kFormats, name);
}
std::vector<std::string> number_format_names() {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const auto& row : kFormats) {
    names.emplace_back(row.name);
  }
  return names;
}
std::string_view to_string(HbmGeneration generation) { return name_in(kGenerations, generation); }
std::optional<HbmGeneration> parse_hbm_generation(std::string_view name) {
  return find_in(kGenerations, name);
}
std::string_view to_string(ControlStyle style) { return name_in(kStyles, style); }
std::optional<ControlStyle> parse_control_style(std::string_view name) {
  return find_in(kStyles, name);
}

std::int64_t element_bytes(NumberFormat format) {
  switch (format) {
    case NumberFormat::kBf16:
    case NumberFormat::kFp16:
      return 2;
    case NumberFormat::kFp8:
    case NumberFormat::kInt8:
      return 1;
    case NumberFormat::kTf32:
    case NumberFormat::kFp32:
      return 4;
  }
  CHECK(false, "unknown format");
}

double format_rate(const Chip& chip, NumberFormat format) {
  return chip.format_rates[static_cast<std::size_t>(format)];
}

FlopsPerSecond peak_flops(const Chip& chip, NumberFormat format) {
  const auto macs = static_cast<double>(chip.tensor.count * chip.tensor.rows * chip.tensor.columns);
  return FlopsPerSecond(2 * macs * chip.clock.value() * format_rate(chip, format));
}

FlopsPerSecond peak_vector_flops(const Chip& chip) {
  const auto lanes =
      static_cast<double>(chip.vector.count * chip.vector.lanes * chip.vector.operations_per_lane);
  return FlopsPerSecond(2 * lanes * chip.clock.value());
}

BytesPerSecond global_bandwidth(const Chip& chip) {
  return BytesPerSecond(chip.global.bytes_per_cycle * chip.clock.value());
}

BytesPerSecond local_bandwidth(const Chip& chip) {
  return BytesPerSecond(static_cast<double>(chip.tensor.count) * chip.tensor.local_bytes_per_cycle *
                        chip.clock.value());
}

Bytes hbm_capacity(const Chip& chip) { return chip.hbm.stack_capacity * chip.hbm.stacks; }

Bytes usable_memory(const Chip& chip) { return hbm_capacity(chip) - chip.reserved; }

BytesPerSecond hbm_bandwidth(const Chip& chip) {
  return chip.hbm.stack_bandwidth * static_cast<double>(chip.hbm.stacks);
}

BytesPerSecond link_bandwidth(const Chip& chip) {
  return chip.links.bandwidth * static_cast<double>(chip.links.count);
}

Bytes default_local_buffer(std::int64_t processing_elements) {
  constexpr Bytes kLeast(1024);
  constexpr std::int64_t kPerElement = 16;
  return std::max(kLeast, Bytes(kPerElement) * processing_elements);
}

double default_local_bytes_per_cycle(std::int64_t rows, std::int64_t columns) {
  constexpr double kBf16 = 2;
  constexpr double kF32 = 4;
  // Operands enter along both edges; results leave, and partial sums enter, along one.
  return kBf16 * static_cast<double>(rows + columns) + 2 * kF32 * static_cast<double>(columns);
}

double default_port_bytes_per_cycle(std::int64_t rows, std::int64_t columns) {
  constexpr double kBytesPerEdge = 4;
  return kBytesPerEdge * static_cast<double>(std::max(rows, columns));
}

double default_global_bytes_per_cycle(const TensorCores& tensor) {
  constexpr double kMost = 8192;
  const double port = default_port_bytes_per_cycle(tensor.rows, tensor.columns);
  return std::min(kMost, port * static_cast<double>(tensor.count));
}

}  // namespace phaze::hw
