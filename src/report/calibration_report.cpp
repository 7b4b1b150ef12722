#include "report/calibration_report.h"

#include <cmath>

#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

std::string percent(double share) { return shortest(std::round(share * 1e3) / 10) + " %"; }

std::string value_text(const plan::FittedConstant& one, double value) {
  return one.is_time ? with_prefix(value, "s") : shortest(std::round(value * 1e4) / 1e4);
}

}  // namespace

std::string calibration_text(const plan::Calibration& calibration) {
  Table constants({{"constant"}, {"before", Align::kRight}, {"fitted", Align::kRight}, {""}});
  for (const plan::FittedConstant& one : calibration.constants) {
    constants.add_row({(one.is_of_cluster ? "cluster " : "") + one.field,
                       value_text(one, one.before), value_text(one, one.after),
                       one.is_known ? "" : "left alone: nothing measured depends on it"});
  }
  Table errors({{"errors"},
                {"", Align::kLeft},
                {"count", Align::kRight},
                {"mean", Align::kRight},
                {"median", Align::kRight},
                {"90th percentile", Align::kRight},
                {"bias", Align::kRight}});
  for (const plan::CalibrationErrors& one : calibration.errors) {
    const auto add = [&](const std::string& when, const plan::ErrorSummary& e) {
      errors.add_row({one.what, when, std::to_string(e.count), percent(e.mean), percent(e.median),
                      percent(e.p90), percent(e.bias)});
    };
    add("before", one.before);
    add("fitted", one.after);
    add("cross-validated", one.crossed);
  }
  return constants.to_string(2) + "\n" + errors.to_string(2) + "  cross-validated: each of " +
         std::to_string(calibration.folds) +
         " parts predicted with constants fitted to the others\n";
}

}  // namespace phaze::report
