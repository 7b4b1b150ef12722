#include "cli/place_instance.h"

#include "base/check.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "io/document.h"
#include "io/original_json.h"
#include "io/original_reader.h"
#include "place/original.h"
#include "report/placement_report.h"
#include "verify/original_placement.h"

namespace phaze::cli {

int run_phaze_instance(const std::string& path, bool json) {
  Diagnostics diagnostics;
  const auto text = io::read_text_file(path, diagnostics);
  const auto document = text ? io::parse_document(*text, path, diagnostics) : std::nullopt;
  const auto instance =
      document ? io::read_original_instance(*document, diagnostics) : std::nullopt;
  if (!instance) {
    return report_bad_input(diagnostics);
  }
  const plan::OriginalAnswer answer = place::solve_original(*instance);
  const std::vector<std::string> faults = verify::find_faults(*instance, answer);
  CHECK(faults.empty(), faults.empty() ? "" : faults.front());
  int code = kAnswer;
  if (json) {
    code = print(io::write_original_answer(*instance, answer));
  } else if (answer.best) {
    code = print(for_people(report::original_answer_text(*instance, answer)));
  }
  if (code == kAnswer && !answer.best) {
    code = report_no_answer(report::original_obstacle_text(*instance));
  }
  return code;
}

}  // namespace phaze::cli
