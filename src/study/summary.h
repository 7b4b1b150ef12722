#pragma once
// What the rows of a study say: counts, the best chip with its bound, the front.

#include <optional>
#include <string>

#include "plan/data_table.h"
#include "plan/study.h"

namespace phaze::study {

// The best is the answer's chip where there is an answer, otherwise the highest value and of equals
// the smallest number. The front is that of the evaluated chips that have both figures; of equal
// ones the smallest number. O(n log n).
plan::StudySummary summarize(const plan::StudyRecord& record, std::size_t top,
                             const std::optional<plan::FrontAxes>& axes);

// A row for each chip that has one, a column for each metric of any of them, by name. `unit`: of
// value and bound, in the names of their columns; none: unknown.
plan::DataTable table_of(const std::vector<plan::ChipRow>& rows, const std::string& unit);

}  // namespace phaze::study
