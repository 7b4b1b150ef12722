#pragma once
// Comparisons as JSON: what `phaze compare` writes (docs/formats.md).

#include <string>

#include "plan/comparison.h"

namespace phaze::io {

std::string write_comparison(const plan::Comparison& comparison);

}  // namespace phaze::io
