#pragma once
// The evaluation of the original's paper as JSON (docs/formats.md).

#include <string>

#include "plan/reproduction.h"

namespace phaze::io {

std::string write_reproduction(const plan::Reproduction& reproduction);

}  // namespace phaze::io
