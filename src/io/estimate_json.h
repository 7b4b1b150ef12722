#pragma once
// Estimates as JSON.

#include <string>

#include "plan/estimate.h"

namespace phaze::io {

std::string write_estimate(const plan::Estimate& estimate);
std::string write_product_estimate(const plan::ProductEstimate& estimate);

}  // namespace phaze::io
