#pragma once
// Constants of a chip and a cluster as they were fitted to measurements. trust/ makes it, io/ and
// report/ show it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/validation.h"

namespace phaze::plan {

struct FittedConstant {
  std::string field;  // of the chip's file, or "LEVEL.field" of the cluster's
  bool is_of_cluster = false;
  bool is_time = false;  // seconds, otherwise a share
  double before = 0, after = 0;
  bool is_known = true;  // does any measurement depend on it? otherwise it was left alone
};

// Errors of one kind of measurement with the constants given, with those fitted to all, and of each
// fold with those fitted to the others.
struct CalibrationErrors {
  std::string what;  // "operators", "runs"
  ErrorSummary before, after, crossed;
};

struct Calibration {
  std::vector<FittedConstant> constants;
  std::vector<CalibrationErrors> errors;
  std::size_t folds = 0;
  std::size_t evaluations = 0;  // of all measurements, in the fit to all
};

}  // namespace phaze::plan
