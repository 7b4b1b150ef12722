#pragma once
// Answers to placement problems of the original Phaze, in its format (docs/formats.md).

#include <string>

#include "plan/original_placement.h"

namespace phaze::io {

std::string write_original_answer(const plan::OriginalInstance& instance,
                                  const plan::OriginalAnswer& answer);

}  // namespace phaze::io
