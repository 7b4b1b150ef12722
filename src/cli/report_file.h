#pragma once
// Reports: the document of a page, and the page as a file. For `phaze report` and for --report.

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "cli/output_file.h"
#include "io/report_json.h"

namespace phaze::cli {

// Before the work is done: that this program has the page, and that the file can be written. Faults
// are of the option.
void check_report_file(const std::string& option, const std::string& path, const Inputs& inputs,
                       Diagnostics& diagnostics);

// The iterations of the answer's plans, event by event.
void add_simulations(io::Report& report);

// Writes the page with this document.
bool write_report_file(const std::string& path, const std::string& json, Diagnostics& diagnostics);

// "phaze 0.1.0"
std::string program_name();

}  // namespace phaze::cli
