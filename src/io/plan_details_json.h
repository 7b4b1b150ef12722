#pragma once
// What lies behind a plan, as JSON: the key `details` of a plan (docs/formats.md).

#include <string>

#include "plan/plan_details.h"

namespace phaze::io {

std::string write_plan_details(const plan::PlanDetails& details);

}  // namespace phaze::io
