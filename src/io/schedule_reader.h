#pragma once
// Scheduling problems from files (docs/formats.md).

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "io/document.h"
#include "plan/schedule.h"

namespace phaze::io {

inline constexpr std::size_t kMostTasks = 10'000;
inline constexpr std::size_t kMostTaskEdges = 200'000;
inline constexpr std::int64_t kMostCores = 10'000;
// Cores that operators name in the answer when all that can run wide do.
inline constexpr std::int64_t kMostNamedCores = 4'000'000;

// Everything that makes no sense is a fault, and all faults are reported. What comes back is sound:
// ids are unique, edges acyclic and each there once, every operator can run, and the sum of the
// longer times of all operators is at most 1e6 s.
std::optional<plan::ScheduleProblem> read_schedule_problem(const Value& document,
                                                           Diagnostics& diagnostics);

}  // namespace phaze::io
