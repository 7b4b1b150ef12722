#include "cli/report_file.h"

#include "base/version.h"
#include "cli/interrupt.h"
#include "io/file_writer.h"
#include "report/page.h"
#include "simulate/simulate.h"

namespace phaze::cli {
namespace {

// A tenth of a second and 64 MiB.
constexpr std::int64_t kMostSimulatedPasses = 500'000;

}  // namespace

std::string program_name() { return "phaze " + std::string(kVersion); }

void check_report_file(const std::string& option, const std::string& path, const Inputs& inputs,
                       Diagnostics& diagnostics) {
  const Location where{"command line", 0, 0, option};
  if (report::page_template().empty()) {
    diagnostics.error(
        where,
        "this program was built without the page of reports: build it again with "
        "Node and npm (Debian: nodejs, npm; `make build` installs them) and a network");
    return;
  }
  if (const auto why = find_output_fault(path, inputs)) {
    diagnostics.error(where, *why);
  } else if (!diagnostics.has_errors()) {
    io::check_writable(path, diagnostics);
  }
}

void add_simulations(io::Report& report) {
  if (!report.answer) {
    return;
  }
  for (const io::ReportPlan& each : report.answer->plans) {
    io::ReportSimulation made{each.name, std::nullopt};
    if (simulate::count_passes(each.record.plan) <= kMostSimulatedPasses) {
      made.simulated = simulate::simulate(each.record.plan);
    }
    report.simulations.push_back(std::move(made));
  }
}

bool write_report_file(const std::string& path, const std::string& json, Diagnostics& diagnostics) {
  const std::string page = report::make_page(report::page_template(), json);
  const HoldInterrupts hold;
  return io::write_text_file(path, page, diagnostics);
}

}  // namespace phaze::cli
