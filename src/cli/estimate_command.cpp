#include <algorithm>
#include <memory>

#include "base/plural.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cost/estimate.h"
#include "cost/product.h"
#include "io/document.h"
#include "io/estimate_json.h"
#include "io/measured_reader.h"
#include "presets/chips.h"
#include "report/estimate_report.h"
#include "verify/product.h"

namespace phaze::cli {
namespace {

struct EstimateOptions : CommonOptions {
  ModelOptions model;
  std::string chip;
  std::string cluster = "dgx-h100";
  std::string gemm;
  std::string format = "bf16";
  std::string measured;
  bool all_operators = false;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // of --cluster, --measured, --format, --operators
};

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

// M,N,K[,BATCH]
std::optional<plan::ProductProblem> parse_gemm(const std::string& text, Diagnostics& diagnostics) {
  const Location where{"command line", 0, 0, "--gemm"};
  std::vector<std::int64_t> sizes;
  std::string cell;
  for (const char c : text + ",") {
    if (c != ',') {
      cell += c;
      continue;
    }
    constexpr std::size_t kMostDigits = 13;
    const bool is_number = !cell.empty() && cell.size() <= kMostDigits &&
                           std::ranges::all_of(cell, [](char d) { return d >= '0' && d <= '9'; });
    const std::int64_t size = is_number ? std::stoll(cell) : 0;
    if (size < 1 || size > kMostElements) {
      diagnostics.error(where, "expected whole numbers from 1 to 2^40 as M,N,K[,BATCH], found \"" +
                                   shortened(printable(text)) + "\"");
      return std::nullopt;
    }
    sizes.push_back(size);
    cell.clear();
  }
  if (sizes.size() < 3 || sizes.size() > 4) {
    diagnostics.error(where, "expected three or four sizes as M,N,K[,BATCH], found " +
                                 std::to_string(sizes.size()));
    return std::nullopt;
  }
  plan::ProductProblem problem;
  problem.m = sizes[0];
  problem.n = sizes[1];
  problem.k = sizes[2];
  problem.batch = sizes.size() == 4 ? sizes[3] : 1;
  const auto as_double = [](std::int64_t value) { return static_cast<double>(value); };
  const double batch = as_double(problem.batch);
  const double m = as_double(problem.m);
  const double n = as_double(problem.n);
  const double k = as_double(problem.k);
  if (batch * std::max({m * k, k * n, m * n}) > as_double(kMostElements)) {
    diagnostics.error(where, "an operand or the result has more than 2^40 elements");
    return std::nullopt;
  }
  if (batch * m * n * k > cost::kMostMacs) {
    diagnostics.error(where, "more than 2^56 multiply-accumulates");
    return std::nullopt;
  }
  return problem;
}

int run_gemm(const EstimateOptions& options, const hw::Chip& chip, Diagnostics& diagnostics) {
  std::optional<plan::ProductProblem> problem = parse_gemm(options.gemm, diagnostics);
  const std::optional<hw::NumberFormat> format = hw::parse_number_format(options.format);
  const Location where{"command line", 0, 0, "--format"};
  if (!format) {
    std::string names;
    for (const std::string& name : hw::number_format_names()) {
      names += (names.empty() ? "" : ", ") + name;
    }
    diagnostics.error(where, "expected one of " + names + ", found \"" +
                                 shortened(printable(options.format)) + "\"" +
                                 did_you_mean(options.format, hw::number_format_names()));
  } else if (hw::format_rate(chip, *format) <= 0) {
    diagnostics.error(where, chip.name + " has no matrix units for " + options.format);
  }
  if (!options.model.model.empty()) {
    diagnostics.error({"command line", 0, 0, "MODEL"}, "give a model or --gemm, not both");
  }
  std::vector<std::string> given = options.model.given;
  given.insert(given.end(), options.given.begin(), options.given.end());
  for (const std::string& name : given) {
    if (name != "--format") {
      diagnostics.error({"command line", 0, 0, name}, "means nothing with --gemm");
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const Bytes element(hw::element_bytes(*format));
  problem->a_element = problem->b_element = element;
  // Narrow formats write their results in bf16.
  problem->c_element = std::max(element, Bytes(2));
  const cost::CostContext context = cost::make_context(chip);
  const std::optional<plan::ProductEstimate> answer =
      cost::explain_product(context, *problem, *format);
  if (!answer) {
    return report_no_answer("no tile of the product fits a core's local buffer of " +
                            with_binary_prefix(chip.tensor.local_buffer.value()));
  }
  const std::vector<std::string> faults =
      verify::verify_product(answer->problem, answer->machine, answer->mapping, answer->cost);
  CHECK(faults.empty(), faults.empty() ? "" : faults.front());
  return print(options.json ? io::write_product_estimate(*answer)
                            : for_people(report::product_text(*answer)));
}

int run_estimate(const EstimateOptions& options) {
  Diagnostics diagnostics;
  const std::optional<hw::Chip> chip =
      presets::load_chip(options.chip, options.settings, diagnostics);
  if (!chip) {
    return report_bad_input(diagnostics);
  }
  if (!options.gemm.empty()) {
    return run_gemm(options, *chip, diagnostics);
  }
  if (options.model.model.empty()) {
    diagnostics.error({"command line", 0, 0, "MODEL"}, "expected a model or --gemm M,N,K");
    return report_bad_input(diagnostics);
  }
  for (const std::string& name : options.given) {
    if (name == "--format") {
      diagnostics.error({"command line", 0, 0, name}, "is for --gemm; models have --precision");
    }
    if (name == "--cluster" && options.model.tensor == 1) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing without --tensor");
    }
  }
  const std::optional<graph::Model> model = make_graph(options.model, false, diagnostics);
  if (!model || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const auto [device, exit_code] = make_device(*chip, options.cluster, *model);
  if (!device) {
    return exit_code;
  }
  cost::CostContext context = device->context;
  cost::MeasuredTable table;
  if (!options.measured.empty()) {
    const auto text = io::read_text_file(options.measured, diagnostics);
    const auto rows = text ? io::read_measured(*text, options.measured, diagnostics) : std::nullopt;
    if (!rows) {
      return report_bad_input(diagnostics);
    }
    table = cost::make_table(*rows, context);
    context.table = &table;
    if (table.unpriced > 0) {
      report_note(options.measured + ": " +
                  counted(table.unpriced, "operator was left out", "operators were left out") +
                  ": this chip cannot run what it measures");
    }
  }
  if (const auto why = cost::find_obstacle(context, *model)) {
    return report_no_answer(chip->name + " cannot train this: " + *why);
  }
  plan::Estimate estimate = cost::estimate_step(context, *model);
  estimate.chip_settings = options.settings;
  estimate.cluster = device->cluster ? device->cluster->name : "";
  return print(options.json ? io::write_estimate(estimate)
                            : for_people(report::estimate_text(estimate, options.all_operators)));
}

}  // namespace

void add_estimate_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "estimate", "What operators, layers and a whole training step cost on one device, and why");
  const auto options = std::make_shared<EstimateOptions>();
  const std::vector<CLI::Option*> added = add_model_options(*command, options->model, false);
  command->add_option("--chip", options->chip, "Built-in name or YAML file")->required();
  command
      ->add_option("--set", options->settings,
                   "FIELD=VALUE of the chip, absolute or relative, such as "
                   "chip.hbm.bandwidth=+20%; may be given several times")
      ->allow_extra_args(false);
  std::vector<CLI::Option*> own;
  own.push_back(
      command->add_option("--cluster", options->cluster,
                          "Network of the tensor-parallel devices: built-in name or YAML file "
                          "(default: dgx-h100)"));
  own.push_back(
      command->add_option("--measured", options->measured,
                          "CSV of operators measured on this chip, to go before the model, "
                          "see docs/formats.md (default: none)"));
  command->add_option("--gemm", options->gemm,
                      "M,N,K[,BATCH]: one matrix product in place of a model, explained (default: "
                      "none)");
  own.push_back(command->add_option(
      "--format", options->format,
      "Number format of --gemm: bf16, fp16, fp8, tf32, fp32, int8 (default: bf16)"));
  own.push_back(
      command->add_flag("--operators", options->all_operators,
                        "Every operator in its order, in place of those that take longest"));
  add_common_options(*command, *options);
  command->callback([options, added, own, &action] {
    note_given(added, options->model);
    for (const CLI::Option* option : own) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
      }
    }
    action = [options] { return run_estimate(*options); };
  });
}

}  // namespace phaze::cli
