#pragma once
// The answer of a search over chips for people.

#include <string>

#include "plan/search_record.h"

namespace phaze::report {

std::string search_text(const plan::SearchRecord& record);

}  // namespace phaze::report
