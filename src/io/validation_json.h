#pragma once
// Predictions beside measurements as JSON: what `phaze validate --json` writes (docs/formats.md).

#include <string>

#include "plan/validation.h"

namespace phaze::io {

std::string write_validation(const plan::Validation& validation);

}  // namespace phaze::io
