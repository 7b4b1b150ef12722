#pragma once
// Work that may take the whole process down, done in a process of its own.

#include <functional>
#include <optional>
#include <vector>

#include "base/units.h"

namespace phaze::schedule::ilp {

// What `work` returns, run in a copy of this process that cannot print; nothing when the copy could
// not be made, died, was not done in time, or when `is_cancelled` said so (asked several times a
// second, where there is one).
std::optional<std::vector<double>> run_apart(const std::function<std::vector<double>()>& work,
                                             Seconds time_limit,
                                             const std::function<bool()>& is_cancelled = {});

}  // namespace phaze::schedule::ilp
