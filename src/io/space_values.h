#pragma once
// Values, ties and filters of a space as a file has them. Inside io/ only.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"
#include "space/space.h"

namespace phaze::io {

// A field that a space may vary, by its path; otherwise a diagnostic that says why not.
std::optional<space::Field> read_field(const std::string& path, const Location& where,
                                       Diagnostics& diagnostics);

// A value of a field, within its bounds.
std::optional<double> read_field_value(space::Field field, const Value& value,
                                       Diagnostics& diagnostics);

// One value, a list, or {from, to, times} or {from, to, step}: ascending. Empty after a diagnostic.
std::vector<double> read_axis_values(space::Field field, const Value& value,
                                     Diagnostics& diagnostics);

// "rule", "base", or a multiple of an axis: "tensor_cores.columns", "2 x tensor_cores.columns".
std::optional<space::Tie> read_tie(space::Field field, const Value& value,
                                   const std::vector<space::Axis>& axes, Diagnostics& diagnostics);

// "tensor_cores.rows <= 2 x tensor_cores.columns", "global_buffer.size >= 32 MiB".
std::optional<space::Filter> read_filter(const Value& value, Diagnostics& diagnostics);

}  // namespace phaze::io
