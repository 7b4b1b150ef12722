#include "space/monotone.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/check.h"

namespace phaze::space {
namespace {

struct FieldGrowth {
  Field field;
  bool never_slower;
  std::string_view reason;
};

constexpr std::string_view kShape = "a longer array pads tiles more and fills for longer";
constexpr std::array kGrowth = {
    FieldGrowth{Field::kNode, false,
                "a node sets area and energy, not time, and fewer nm cost less area"},
    FieldGrowth{Field::kDies, false, "dies set area and yield, not time"},
    FieldGrowth{Field::kClock, true, "all rates but memory's and links' grow with it"},
    FieldGrowth{Field::kTensorCount, true, "cores may stay idle"},
    FieldGrowth{Field::kTensorRows, false, kShape},
    FieldGrowth{Field::kTensorColumns, false, kShape},
    FieldGrowth{Field::kTensorLocalBuffer, true, "every tile that fitted still fits"},
    FieldGrowth{Field::kTensorLocalBytesPerCycle, true, "a rate that only divides bytes"},
    FieldGrowth{Field::kTensorPortBytesPerCycle, true, "a rate that only divides bytes"},
    FieldGrowth{Field::kVectorCount, true, "cores may stay idle"},
    FieldGrowth{Field::kVectorLanes, true, "a rate that only divides operations"},
    FieldGrowth{Field::kVectorOperationsPerLane, true, "a rate that only divides operations"},
    FieldGrowth{Field::kVectorLocalBuffer, true, "every tile that fitted still fits"},
    FieldGrowth{Field::kGlobalSize, true, "all that was held is still held"},
    FieldGrowth{Field::kGlobalBytesPerCycle, true, "a rate that only divides bytes"},
    FieldGrowth{Field::kHbmGeneration, true, "time sees it by its bandwidth alone"},
    FieldGrowth{Field::kHbmStacks, true, "time sees them by their bandwidth and capacity"},
    FieldGrowth{Field::kHbmStackBandwidth, true, "a rate that only divides bytes"},
    FieldGrowth{Field::kHbmBandwidth, true, "a rate that only divides bytes"},
    FieldGrowth{Field::kLinkCount, true, "time sees them by their bandwidth"},
    FieldGrowth{Field::kLinkBandwidth, true, "a rate that only divides bytes"},
};
static_assert(kGrowth.size() == kFields);
static_assert([] {
  for (std::size_t i = 0; i < kFields; ++i) {
    if (kGrowth[i].field != static_cast<Field>(i)) {
      return false;
    }
  }
  return true;
}());

bool is_power_of_two(double value) {
  return value >= 1 && value == std::floor(value) &&
         std::has_single_bit(static_cast<std::uint64_t>(value));
}

// Schedules try 1, 2, 4, ... and all cores of a kind at work: more cores are tried with all that
// fewer were only where every count is a power of two.
bool has_powers_of_two(const Space& space) {
  for (const auto& [field, own] : {std::pair(Field::kTensorCount, space.base.tensor.count),
                                   std::pair(Field::kVectorCount, space.base.vector.count)}) {
    const Axis* axis = find_axis(space, field);
    const Tie* tie = find_tie(space, field);
    const bool is_multiple = tie != nullptr && tie->kind == TieKind::kMultiple;
    const Axis* of = is_multiple ? find_axis(space, tie->of) : axis;
    const double factor = is_multiple ? tie->factor : 1;
    if (of == nullptr ? !is_power_of_two(static_cast<double>(own))
                      : !std::ranges::all_of(of->values, [&](double value) {
                          return is_power_of_two(factor * value);
                        })) {
      return false;
    }
  }
  return true;
}

}  // namespace

Growth growth_of(const Space& space, const Axis& axis) {
  const auto of = [](Field field) -> const FieldGrowth& {
    return kGrowth[static_cast<std::size_t>(field)];
  };
  const FieldGrowth& own = of(axis.field);
  if (!own.never_slower) {
    return {false, std::string(own.reason)};
  }
  // Rules grow with what they follow.
  for (const Tie& tie : space.ties) {
    if (tie.kind == TieKind::kMultiple && tie.of == axis.field && !of(tie.field).never_slower) {
      return {false, std::string(traits(tie.field).path) +
                         " follows it: " + std::string(of(tie.field).reason)};
    }
  }
  const bool is_count = axis.field == Field::kTensorCount || axis.field == Field::kVectorCount;
  if (is_count && space.base.control == hw::ControlStyle::kSimt) {
    return {false, "kernels of SIMT chips take all cores, though their data may no longer fit"};
  }
  if (is_count && space.base.concurrent_operators && !has_powers_of_two(space)) {
    return {false, "schedules try 1, 2, 4, ... cores at work: other counts try others"};
  }
  if (axis.field == Field::kClock && space.base.sustained.matrix < 1) {
    return {false, "a limit of power lets a faster clock do less (sustained.matrix below 1)"};
  }
  if (axis.field == Field::kClock && axis.values.back() > space.base.nominal_clock.value()) {
    return {false, "above the nominal clock power holds the matrix units back"};
  }
  return {true, std::string(own.reason)};
}

std::vector<bool> never_slower_axes(const Space& space) {
  std::vector<bool> flags;
  for (const Axis& axis : space.axes) {
    flags.push_back(growth_of(space, axis).never_slower);
  }
  return flags;
}

Standing standing_of(const Space& space, std::int64_t index) {
  return standing_of(space, index, never_slower_axes(space));
}

Standing standing_of(const Space& space, std::int64_t index,
                     const std::vector<bool>& never_slower) {
  CHECK(index >= 0 && index < combinations(space), "an index of the space");
  Standing standing;
  std::int64_t scale = 1;  // of the group's next position
  for (std::size_t i = space.axes.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(space.axes[i].values.size());
    const std::int64_t position = index % size;
    index /= size;
    if (never_slower[i]) {
      standing.amounts.push_back(position);
    } else {
      standing.group += scale * position;
      scale *= size;
    }
  }
  std::ranges::reverse(standing.amounts);
  return standing;
}

}  // namespace phaze::space
