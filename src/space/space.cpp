#include "space/space.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/names.h"

namespace phaze::space {
namespace {

constexpr std::array kComparisons = {
    NameOf<Comparison>{Comparison::kBelow, "<"},  NameOf<Comparison>{Comparison::kAtMost, "<="},
    NameOf<Comparison>{Comparison::kEqual, "=="}, NameOf<Comparison>{Comparison::kAtLeast, ">="},
    NameOf<Comparison>{Comparison::kAbove, ">"},
};
constexpr std::array kRecomputes = {
    NameOf<Recompute>{Recompute::kNone, "none"},
    NameOf<Recompute>{Recompute::kSelective, "selective"},
    NameOf<Recompute>{Recompute::kFull, "full"},
};
static_assert(is_in_order(kComparisons) && is_in_order(kRecomputes));

bool varies(const Space& space, Field field) {
  const Tie* tie = find_tie(space, field);
  return find_axis(space, field) != nullptr || (tie != nullptr && tie->kind == TieKind::kMultiple);
}

}  // namespace

std::string_view to_string(Comparison comparison) { return name_in(kComparisons, comparison); }
std::string_view to_string(Recompute recompute) { return name_in(kRecomputes, recompute); }
std::optional<Recompute> parse_recompute(std::string_view name) {
  return find_in(kRecomputes, name);
}

std::int64_t combinations(const Space& space) {
  std::int64_t product = 1;
  for (const Axis& axis : space.axes) {
    product = checked_multiply(product, static_cast<std::int64_t>(axis.values.size()));
  }
  return product;
}

const Axis* find_axis(const Space& space, Field field) {
  const auto found = std::ranges::find(space.axes, field, &Axis::field);
  return found == space.axes.end() ? nullptr : &*found;
}

const Tie* find_tie(const Space& space, Field field) {
  const auto found = std::ranges::find(space.ties, field, &Tie::field);
  return found == space.ties.end() ? nullptr : &*found;
}

bool follows_rule(const Space& space, Field field) {
  if (const Tie* tie = find_tie(space, field)) {
    return tie->kind == TieKind::kRule;
  }
  if (find_axis(space, field) != nullptr) {
    return false;
  }
  switch (field) {
    case Field::kTensorLocalBuffer:
    case Field::kTensorLocalBytesPerCycle:
    case Field::kTensorPortBytesPerCycle:
    case Field::kGlobalBytesPerCycle:
      return varies(space, Field::kTensorRows) || varies(space, Field::kTensorColumns);
    case Field::kVectorLocalBuffer:
      return varies(space, Field::kVectorLanes);
    case Field::kHbmStackBandwidth:
      return varies(space, Field::kHbmGeneration) && !varies(space, Field::kHbmBandwidth);
    default:
      return false;
  }
}

}  // namespace phaze::space
