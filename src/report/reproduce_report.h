#pragma once
// The evaluation of the original's paper for people.

#include <string>

#include "plan/reproduction.h"

namespace phaze::report {

std::string reproduction_text(const plan::Reproduction& reproduction);
// The same with what it means, as a Markdown document.
std::string reproduction_markdown(const plan::Reproduction& reproduction);

}  // namespace phaze::report
