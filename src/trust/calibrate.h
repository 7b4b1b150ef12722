#pragma once
// Constants of a chip and its cluster, fitted to measurements of operators and of whole runs by
// least squares of logarithmic errors, large ones counted linearly. docs/models.md, section 28.

#include <optional>
#include <vector>

#include "hw/chip.h"
#include "hw/cluster.h"
#include "plan/calibration.h"
#include "plan/measured.h"
#include "trust/run_settings.h"

namespace phaze::trust {

struct CalibrationRequest {
  hw::Chip chip;
  std::vector<plan::MeasuredOperator> operators;
  std::vector<RunSetting> runs;        // on the chip and, where it is given, on the cluster
  std::optional<hw::Cluster> cluster;  // whose constants are fitted too; needs runs
  std::size_t folds = 4;
};

struct CalibrationAnswer {
  plan::Calibration calibration;
  hw::Chip chip;
  std::optional<hw::Cluster> cluster;
};

// Time of an operator that follows others, operands in HBM, as docs/formats.md has it measured.
// Nothing when the chip cannot run it.
std::optional<double> predict_operator(const hw::Chip& chip,
                                       const plan::MeasuredOperator& measured);

// Operators that the chip cannot run and runs that cannot be priced are left out; something must be
// left.
CalibrationAnswer calibrate(const CalibrationRequest& request);

}  // namespace phaze::trust
