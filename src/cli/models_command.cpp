#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "io/listing_json.h"
#include "models/build.h"
#include "models/zoo.h"
#include "report/table.h"

namespace phaze::cli {
namespace {

std::vector<io::ModelListing> list_models() {
  std::vector<io::ModelListing> list;
  for (const std::string& name : models::zoo_names()) {
    const models::ZooModel model = *models::find_zoo_model(name);
    const models::ModelSpec& spec = model.spec;
    std::int64_t layers = 0;
    for (const models::Stack& stack : spec.stacks) {
      for (const models::Run& run : stack.runs) {
        layers += run.count;
      }
    }
    list.push_back({name, model.title, spec.family, spec.architecture, spec.source,
                    models::count_parameters(spec), layers, spec.hidden,
                    spec.stacks[0].runs[0].block.attention.heads, spec.default_sequence,
                    models::tensor_widths(spec)});
  }
  return list;
}

int run_models(const CommonOptions& options) {
  const std::vector<io::ModelListing> list = list_models();
  if (options.json) {
    return print(io::write_models(list));
  }
  using report::Align;
  report::Table table({{"name", Align::kLeft},
                       {"model", Align::kLeft},
                       {"parameters", Align::kRight},
                       {"layers", Align::kRight},
                       {"hidden", Align::kRight},
                       {"heads", Align::kRight},
                       {"sequence", Align::kRight}});
  for (const io::ModelListing& m : list) {
    table.add_row({m.name, m.title, with_thousands(m.parameters), std::to_string(m.layers),
                   std::to_string(m.hidden), std::to_string(m.heads), std::to_string(m.sequence)});
  }
  return print(for_people(table.to_string(0) +
                          "\nA MODEL may also be a Hugging Face config.json or a graph file.\n"));
}

}  // namespace

void add_models_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("models", "List the built-in models");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_models(*options); }; });
}

}  // namespace phaze::cli
