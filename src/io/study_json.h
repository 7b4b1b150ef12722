#pragma once
// What a study holds, as JSON (docs/formats.md).

#include <string>

#include "plan/study.h"

namespace phaze::io {

// `plans_json` is the best chip's.
std::string write_study(const plan::StudyRecord& record, const plan::StudySummary& summary,
                        const std::string& plans_json);

}  // namespace phaze::io
