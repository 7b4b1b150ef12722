#include "cli/ranges.h"

#include "base/check.h"
#include "io/error_table.h"
#include "presets/measured.h"
#include "trust/range.h"

namespace phaze::cli {

std::vector<plan::ErrorQuantiles> load_errors() {
  Diagnostics diagnostics;
  auto table = io::read_error_table(presets::error_table(), "errors.csv", diagnostics);
  CHECK(table.has_value(), to_string(diagnostics));
  return *std::move(table);
}

void add_range(plan::PlanRecord& record, const hw::Chip& chip) {
  record.range = trust::find_range(load_errors(), record, chip.machine);
}

void add_ranges(plan::SearchRecord& record) {
  const std::vector<plan::ErrorQuantiles> table = load_errors();
  const auto add = [&table](plan::SearchResult& result) {
    for (plan::PlanRecord& plan : result.plans) {
      plan.range = trust::find_range(table, plan, "");  // nobody has built it
    }
  };
  for (plan::SearchResult& own : record.own) {
    add(own);
  }
  if (record.common) {
    add(*record.common);
  }
}

}  // namespace phaze::cli
