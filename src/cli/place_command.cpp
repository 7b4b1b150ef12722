#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/place_instance.h"

namespace phaze::cli {
namespace {

struct PlaceOptions : CommonOptions {
  std::string phaze_instance;
};

int run_place(const PlaceOptions& options) {
  if (options.phaze_instance.empty()) {
    Diagnostics diagnostics;
    diagnostics.error({"command line", 0, 0, "--phaze-instance"}, "expected a file");
    return report_bad_input(diagnostics);
  }
  return run_phaze_instance(options.phaze_instance, options.json);
}

}  // namespace

void add_place_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "place", "How layers are cut into pipeline stages and spread over devices, with a proof");
  const auto options = std::make_shared<PlaceOptions>();
  command->add_option("--phaze-instance", options->phaze_instance,
                      "A placement problem of the original Phaze, in its own format, see "
                      "docs/formats.md (default: none)");
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_place(*options); }; });
}

}  // namespace phaze::cli
