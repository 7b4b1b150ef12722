#pragma once
// The answer of a search over chips as JSON (docs/formats.md).

#include <string>

#include "plan/search_record.h"

namespace phaze::io {

std::string write_search(const plan::SearchRecord& record);
// Where no chip has a plan that fits, and why.
std::string write_no_chip(const std::string& why);

}  // namespace phaze::io
