#pragma once
// What a plan lacks: the memory or the devices with which one would fit, and what binds one that
// does.

#include <cstdint>
#include <functional>
#include <optional>

#include "plan/plan_record.h"
#include "search/plan_search.h"

namespace phaze::search {

// Asked now and then whether to stop; nothing: never.
using Stop = std::function<bool()>;

// The least that would do, the other as it is; nothing where no amount that was tried does.
struct PlanNeeds {
  std::optional<Bytes> memory;          // of a device, to a hundredth
  std::optional<std::int64_t> devices;  // one less would not do
};

// For a setting without a plan that fits. Up to 4096 times the memory, 1024 times the devices.
// Nothing where it was stopped.
PlanNeeds find_needs(const PlanSetting& setting, const Stop& stop = {});

// The best time with more memory, HBM bandwidth, speed of cores, bandwidth of each level and
// devices, one at a time; those that were done where it was stopped.
plan::PlanWhy find_why(const PlanSetting& setting, Seconds best, const Stop& stop = {});

}  // namespace phaze::search
