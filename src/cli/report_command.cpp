#include <filesystem>
#include <fstream>
#include <memory>

#include "base/plural.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "io/document.h"
#include "study/study.h"
#include "study/summary.h"

namespace phaze::cli {
namespace {

struct ReportOptions : CommonOptions {
  std::string file;
  std::string output;
};

// SQLite's files say so at their beginning.
bool is_study(const std::string& path) {
  constexpr std::string_view kBeginning = "SQLite format 3";
  std::string beginning(kBeginning.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return file && beginning == kBeginning;
}

std::optional<io::Report> read_study(const std::string& path, Diagnostics& diagnostics) {
  const auto study = study::Study::open_to_read(path, diagnostics);
  auto record =
      study ? study->read(study::Plans::kLeftOut, diagnostics) : std::optional<plan::StudyRecord>();
  if (!record) {
    return std::nullopt;
  }
  io::Report report;
  report.summary = study::summarize(*record, 0, std::nullopt);
  if (record->answer && !record->answer->json.empty()) {
    report.answer =
        io::read_report_answer(record->answer->json, path + " (its answer)", diagnostics);
    if (!report.answer) {
      return std::nullopt;
    }
  }
  report.study = *std::move(record);
  return report;
}

std::optional<io::Report> read_answer(const std::string& path, Diagnostics& diagnostics) {
  const auto text = io::read_text_file(path, diagnostics);
  auto answer = text ? io::read_report_answer(*text, path, diagnostics) : std::nullopt;
  if (!answer) {
    return std::nullopt;
  }
  io::Report report;
  report.answer = *std::move(answer);
  return report;
}

// What was written, for people.
std::string written_text(const io::Report& report, const std::string& path, std::size_t bytes) {
  std::string what = report.answer && !report.answer->is_search ? "a plan" : "a search";
  if (report.study) {
    what += " with " + counted(static_cast<std::int64_t>(report.study->chips.size()), "chip");
  }
  return path + ": " + what + ", " + with_prefix(static_cast<double>(bytes), "B") +
         "; any browser opens it, without a network\n";
}

int run_report(const ReportOptions& options) {
  Diagnostics diagnostics;
  const bool has_output = !options.output.empty() || !options.json;
  const std::string path = options.output.empty() ? "report.html" : options.output;
  if (has_output) {
    check_report_file("--output", path, {{"report", options.file}}, diagnostics);
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  auto report = is_study(options.file) ? read_study(options.file, diagnostics)
                                       : read_answer(options.file, diagnostics);
  if (!report) {
    return report_bad_input(diagnostics);
  }
  report->program = program_name();
  report->source = std::filesystem::path(options.file).filename().string();
  add_simulations(*report);
  const std::string json = io::write_report(*report);
  if (has_output && !write_report_file(path, json, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  std::error_code ignored;
  return print(options.json
                   ? json + "\n"
                   : written_text(*report, path, std::filesystem::file_size(path, ignored)));
}

}  // namespace

void add_report_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "report", "A study or a plan as one page for any browser, with charts to look into");
  const auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("FILE", options->file,
                   "A study of phaze search --study, the JSON of phaze search --json, or a plan of "
                   "phaze place --output")
      ->required();
  command->add_option("-o,--output", options->output,
                      "The page to write (default: report.html; with --json none)");
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace phaze::cli
