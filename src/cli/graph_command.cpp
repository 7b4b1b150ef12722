#include <memory>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "io/graph_json.h"
#include "report/graph_report.h"

namespace phaze::cli {
namespace {

struct GraphOptions : CommonOptions {
  ModelOptions model;
  bool forward_only = false;
  bool dot = false;
};

int run_graph(const GraphOptions& options) {
  Diagnostics diagnostics;
  const std::optional<graph::Model> model =
      make_graph(options.model, options.forward_only, diagnostics);
  if (!model) {
    return report_bad_input(diagnostics);
  }
  if (options.dot) {
    return print(report::graph_dot(*model));
  }
  return print(options.json ? io::write_graph(*model) : for_people(report::graph_tables(*model)));
}

}  // namespace

void add_graph_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "graph", "The operator graph of a training step: layers, operators, FLOPs, bytes");
  const auto options = std::make_shared<GraphOptions>();
  const std::vector<CLI::Option*> added = add_model_options(*command, options->model);
  command->add_flag("--forward", options->forward_only, "The forward pass alone");
  CLI::Option* dot =
      command->add_flag("--dot", options->dot, "Graphviz DOT in place of tables or JSON");
  add_common_options(*command, *options);
  dot->excludes(command->get_option("--json"));
  command->callback([options, added, &action] {
    note_given(added, options->model);
    action = [options] { return run_graph(*options); };
  });
}

}  // namespace phaze::cli
