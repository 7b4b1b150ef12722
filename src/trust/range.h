#pragma once
// From errors of predictions to ranges: what limits a plan, how far predictions of such plans on
// such machines were off, and what that says of a new one. docs/models.md, section 27.

#include <string>
#include <vector>

#include "hw/chip.h"
#include "plan/plan_record.h"
#include "plan/prediction_range.h"
#include "plan/validation.h"

namespace phaze::trust {

// Share of runs that a range is meant to contain.
inline constexpr double kCovered = 0.8;

// What a plan's time goes into most. The record needs figures.
plan::Regime regime_of(const plan::PlanRecord& record);

// "a100" of a100-40g and a100-80g: what is before the first dash.
std::string machine_of(const std::string& chip);

// Of the iterations of runs, and of steps on one device of the project's own.
std::vector<plan::ErrorSample> make_samples(const plan::Validation& validation);

// A row for each machine and regime, each machine, each regime and all together that enough runs
// were measured of; machines in the order of the alphabet.
std::vector<plan::ErrorQuantiles> make_quantiles(const std::vector<plan::ErrorSample>& samples);

// The nearest row: of machine and regime, else of the machine, else of all. No machine: a chip that
// nothing was measured on.
plan::PredictionRange find_range(const std::vector<plan::ErrorQuantiles>& table,
                                 const std::string& machine, plan::Regime regime,
                                 Seconds predicted);
// The same for a plan on a chip, which may be a machine (hw::Chip::machine): its range, or why it
// has none.
plan::PredictionRange find_range(const std::vector<plan::ErrorQuantiles>& table,
                                 const plan::PlanRecord& record, const std::string& machine);

// Share of samples that lie in the range that all others give them.
double cross_validated_coverage(const std::vector<plan::ErrorSample>& samples);

}  // namespace phaze::trust
