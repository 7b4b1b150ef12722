#pragma once
// A study for people, and tables of any columns.

#include <string>

#include "plan/data_table.h"
#include "plan/study.h"

namespace phaze::report {

// How far it is, the question, the best chip with its bound, the best few chips and the front.
std::string study_text(const std::string& path, const plan::StudyRecord& record,
                       const plan::StudySummary& summary);

std::string data_table_text(const plan::DataTable& table);

}  // namespace phaze::report
