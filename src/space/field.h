#pragma once
// The fields of a chip that a space may vary: their paths (those of chip files and `--set`), units,
// bounds, and how they are set on a chip without a file. Fields that cost neither area, power nor
// money are not among them: their best value would always win.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/chip.h"

namespace phaze::space {

// In the order in which they are set: what others are measured by comes first.
enum class Field {
  kNode,
  kDies,
  kClock,
  kTensorCount,
  kTensorRows,
  kTensorColumns,
  kTensorLocalBuffer,
  kTensorLocalBytesPerCycle,
  kTensorPortBytesPerCycle,
  kVectorCount,
  kVectorLanes,
  kVectorOperationsPerLane,
  kVectorLocalBuffer,
  kGlobalSize,
  kGlobalBytesPerCycle,
  kHbmGeneration,
  kHbmStacks,
  kHbmStackBandwidth,
  kHbmBandwidth,  // of all stacks
  kLinkCount,
  kLinkBandwidth,
};
inline constexpr std::size_t kFields = 21;

// What a value is. All are doubles here: whole numbers stay exact far beyond any chip.
enum class FieldUnit { kCount, kBytes, kNumber, kHertz, kBytesPerSecond, kGeneration };

struct FieldTraits {
  Field field;
  std::string_view path;  // "tensor_cores.count"
  std::string_view code;  // in ids of chips: "t"
  FieldUnit unit;
  double least;
  double most;
};

const FieldTraits& traits(Field field);
std::optional<Field> parse_field(std::string_view path);
std::vector<std::string> field_paths();

// Why a field of chips cannot be varied; nothing for one that can, or that is no field of chips.
std::optional<std::string_view> why_fixed(std::string_view path);

// Sets a field of a chip that was made from `base`. Cores, buffers and memory interfaces keep the
// base's share of spare ones. A clock keeps the base's nominal clock.
void set_field(hw::Chip& chip, Field field, double value, const hw::Chip& base);
double get_field(const hw::Chip& chip, Field field);

// "64", "32 MiB", "1.05 GHz", "hbm3e": as a file may have it. In ids, short: "32M".
std::string value_text(Field field, double value);
std::string value_code(Field field, double value);
// Bytes as ids have them: "32M".
std::string bytes_code(Bytes bytes);

}  // namespace phaze::space
