#pragma once
// A table that a command answers with: text, JSON, and files beside it.

#include <string>

#include "base/diagnostics.h"
#include "cli/output_file.h"
#include "plan/data_table.h"

namespace phaze::cli {

// Without the columns that hold nothing.
plan::DataTable without_empty_columns(const plan::DataTable& table);

// Faults of files that could not be written or would replace what is read, before the work is done;
// empty names are none.
void check_output_files(const std::string& csv, const std::string& plot, const Inputs& inputs,
                        Diagnostics& diagnostics);

// Writes the CSV file where it is asked for, and the answer; the exit code.
int show_table(const plan::DataTable& table, bool json, const std::string& csv);

}  // namespace phaze::cli
