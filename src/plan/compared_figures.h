#pragma once
// Figures of two things side by side, for people and JSON.

#include <vector>

#include "hw/chip.h"
#include "hw/cluster.h"
#include "plan/comparison.h"

namespace phaze::plan {

// Rates, memory, area, power and cost; the last three by the modern technology.
std::vector<ComparedFigure> chip_figures(const hw::Chip& a, const hw::Chip& b);
// Bandwidth and latency within groups of as many devices as a level of either joins.
std::vector<ComparedFigure> cluster_figures(const hw::Cluster& a, const hw::Cluster& b);
std::vector<ComparedFigure> plan_figures(const PlanRecord& a, const PlanRecord& b);

}  // namespace phaze::plan
