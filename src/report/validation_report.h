#pragma once
// Predictions beside measurements, for people.

#include <string>

#include "plan/validation.h"
#include "report/scatter_svg.h"

namespace phaze::report {

// Rows (of many the worst, unless all are asked for), errors by group, regret and noise.
std::string validation_text(const plan::Validation& validation, bool shows_all);

// Predicted against measured iteration times, a series for each group; nothing without any.
std::vector<ScatterSeries> validation_series(const plan::Validation& validation);

// "peak memory"
std::string measure_text(plan::Measure measure);

// Every row and measure, as a table of Markdown.
std::string run_rows_markdown(const plan::Validation& validation);

}  // namespace phaze::report
