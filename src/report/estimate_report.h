#pragma once
// What a training step or a product costs, for people.

#include <string>

#include "plan/estimate.h"

namespace phaze::report {

// `all_operators`: every one, in its order, in place of those that take longest.
std::string estimate_text(const plan::Estimate& estimate, bool all_operators);
std::string product_text(const plan::ProductEstimate& estimate);

// What binds an operator, in words.
std::string bound_text(plan::Bound bound);

}  // namespace phaze::report
