#include "report/reproduce_sections.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "report/plan_report.h"

namespace phaze::report {
namespace {

using plan::ReproducedColumn;
using plan::ReproducedModel;
using plan::ReproducedRun;
using plan::Reproduction;

constexpr std::array kRuns = {
    std::pair(ReproducedRun::kReferenceExpert, "reference, expert placement"),
    std::pair(ReproducedRun::kReferenceSolved, "reference, solved placement"),
    std::pair(ReproducedRun::kArchitectureExpert, "architecture-only chip, expert placement"),
    std::pair(ReproducedRun::kArchitectureSolved, "architecture-only chip, solved placement"),
    std::pair(ReproducedRun::kOwn, "own chip with its plan"),
    std::pair(ReproducedRun::kCommon, "common chip with its plans"),
};

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') {
    text.pop_back();
  }
  return text;
}

bool is_relative_to_solved(const ReproducedModel& model) {
  return plan::base_of(model).run == ReproducedRun::kReferenceSolved;
}

std::string name_of(const ReproducedModel& model) {
  return model.model + (is_relative_to_solved(model) ? " (*)" : "");
}

std::string relative_text(const ReproducedModel& model, ReproducedRun run) {
  if (const auto share = plan::relative(model, run)) {
    return times_text(*share);
  }
  const std::optional<plan::TrainingPlan>& plan = model.run(run);
  return plan && !plan->fits ? "does not fit" : "-";
}

std::string chip_words(const plan::ReproducedChip& chip) {
  const hw::Chip& c = chip.chip;
  return std::to_string(c.tensor.count) + " x (" + std::to_string(c.tensor.rows) + " x " +
         std::to_string(c.tensor.columns) + ")";
}

// Name, cores, lanes, buffer, HBM, area, design power.
std::vector<std::string> chip_row(const std::string& name, const plan::ReproducedChip& chip) {
  const hw::Chip& c = chip.chip;
  return {name,
          chip_words(chip),
          std::to_string(c.vector.count) + " x " + std::to_string(c.vector.lanes),
          with_binary_prefix(c.global.size.value()),
          gibibytes(hw::hbm_capacity(c)),
          std::to_string(std::llround(chip.area.value())),
          percent_text(chip.area_share),
          std::to_string(std::llround(chip.power.value()))};
}

std::string plan_words(const std::optional<plan::TrainingPlan>& plan) {
  if (!plan) {
    return "-";
  }
  const plan::Strategy& s = plan->strategy;
  return std::to_string(s.tensor) + "/" + std::to_string(s.pipeline) + "/" +
         std::to_string(s.data) + "/" + std::to_string(s.microbatch) + " " +
         plan::recompute_of(*plan);
}

std::string space_words(const plan::ReproducedSpace& space) {
  return "chips of " + printable(space.name) + " (" + with_thousands(space.chips) + ", up to " +
         std::to_string(std::llround(space.area_budget.value())) + " mm2" +
         (space.power_budget
              ? " and " + std::to_string(std::llround(space.power_budget->value())) + " W"
              : "") +
         ")";
}

ReproductionSection make_summary(const Reproduction& all) {
  ReproductionSection section;
  section.heading = "Throughput over the reference chip with expert placement, on average";
  section.before = {
      with_thousands(all.devices) + " devices, global batch " + with_thousands(all.global_batch) +
          " sequences. Arithmetic mean over the models, the geometric one in brackets. Own and "
          "common chips are proved best of their space for their layer times; the widths and "
          "stages of experts' placements are those of the original's released code, all else that "
          "the assumptions leave open (micro-batch, recomputation, sharding) is best for them.",
      "The architecture-only chip has the least time for forward and backward of all layers of the "
      "model with one micro-batch on one device, at the expert's tensor width and with the "
      "micro-batch that the expert's placement takes on the reference chip; the most HBM of the "
      "space, which does not change that time. It is what a search without placement finds; no "
      "other system was run for it."};
  section.titles = {"chip and placement"};
  for (const ReproducedColumn& column : all.columns) {
    section.titles.push_back(column.name);
  }
  section.titles.emplace_back("the paper");
  for (const auto& [run, words] : kRuns) {
    std::vector<std::string> row = {words};
    for (const ReproducedColumn& column : all.columns) {
      const auto averages = plan::average(column, run);
      row.push_back(averages ? times_text(averages->arithmetic) + " (" +
                                   times_text(averages->geometric) + ")"
                             : "-");
    }
    row.push_back(run == ReproducedRun::kOwn      ? times_text(plan::kPaperOwn)
                  : run == ReproducedRun::kCommon ? times_text(plan::kPaperCommon)
                                                  : "");
    section.rows.push_back(std::move(row));
  }
  for (const ReproducedColumn& column : all.columns) {
    section.after.push_back(column.name + ": " + column.words + "; " + space_words(column.space) +
                            "; reference " + column.reference.name + "; cluster " +
                            printable(column.cluster) + ", links of " +
                            with_prefix(column.link.value(), "B/s"));
  }
  return section;
}

ReproductionSection make_throughputs(const ReproducedColumn& column) {
  ReproductionSection section;
  section.heading = column.name + ": throughput by model";
  section.titles = {"model",
                    "base, sequences/s",
                    "reference, expert",
                    "reference, solved",
                    "arch.-only, expert",
                    "arch.-only, solved",
                    "own chip",
                    "common chip"};
  std::string without;  // the expert's placement
  for (const ReproducedModel& model : column.models) {
    const auto base = plan::base_of(model).throughput;
    std::vector<std::string> row = {name_of(model),
                                    base ? trimmed(with_prefix(*base, "")) : "does not fit"};
    for (const auto& [run, words] : kRuns) {
      row.push_back(relative_text(model, run));
    }
    if (is_relative_to_solved(model)) {
      without += "; " + model.model + ": " + model.no_expert;
    }
    section.rows.push_back(std::move(row));
  }
  for (const bool is_geometric : {false, true}) {
    std::vector<std::string> row = {is_geometric ? "geometric mean" : "arithmetic mean", ""};
    for (const auto& [run, words] : kRuns) {
      const auto averages = plan::average(column, run);
      row.push_back(averages ? times_text(is_geometric ? averages->geometric : averages->arithmetic)
                             : "-");
    }
    section.rows.push_back(std::move(row));
  }
  if (!without.empty()) {
    section.after.push_back(
        "(*) Relative to the solved placement, which makes the figures smaller, for want of the "
        "expert's" +
        without + ".");
  }
  return section;
}

ReproductionSection make_chips(const ReproducedColumn& column) {
  ReproductionSection section;
  section.heading = column.name + ": chips";
  section.titles = {"chip of",
                    "tensor cores (rows x columns)",
                    "vector cores x lanes",
                    "buffer",
                    "HBM",
                    "mm2",
                    "of the area",
                    "W",
                    "plan: t/p/d/micro-batch, recompute"};
  const auto add = [&](const std::string& name, const plan::ReproducedChip& chip,
                       const std::string& plan) {
    section.rows.push_back(chip_row(name, chip));
    section.rows.back().push_back(plan);
  };
  add("reference " + column.reference.name, column.reference, "");
  for (const ReproducedModel& model : column.models) {
    if (model.own) {
      add(model.model, *model.own, plan_words(model.run(ReproducedRun::kOwn)));
    }
  }
  if (column.common) {
    add("all models", *column.common, "");
  }
  for (const ReproducedModel& model : column.models) {
    add(model.model + ", architecture-only, micro-batch " +
            std::to_string(model.architecture.microbatch),
        model.architecture.chip, plan_words(model.run(ReproducedRun::kArchitectureSolved)));
  }
  return section;
}

ReproductionSection make_split(const ReproducedColumn& column) {
  ReproductionSection section;
  section.heading = column.name + ": where the gain of own chips comes from";
  section.before = {
      "Factors over the reference chip with expert placement: solving the placement alone, "
      "changing "
      "the chip alone (expert placement, the reference's HBM), changing the HBM alone to that of "
      "the own chip, and what the three bring together beyond their product. HBM only "
      "limits plans: alone it gains nothing where the expert's fits already."};
  section.titles = {"model", "gain", "placement", "chip", "HBM", "interaction"};
  const auto add = [&](const std::string& name, const plan::GainSplit& split) {
    section.rows.push_back({name, times_text(split.product()), times_text(split.placement),
                            times_text(split.chip), times_text(split.memory),
                            times_text(split.interaction)});
  };
  for (const ReproducedModel& model : column.models) {
    if (model.split) {
      add(model.model, *model.split);
    } else {
      section.after.push_back(model.model + " is left out: " +
                              (model.no_split.empty() ? "no chip fits" : model.no_split));
    }
  }
  if (const auto mean = plan::average_split(column)) {
    add("geometric mean", *mean);
  }
  return section;
}

}  // namespace

std::string times_text(double factor) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", factor);
  return text.data();
}

std::string percent_text(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f %%", 100 * share);
  return text.data();
}

std::vector<ReproductionSection> make_sections(const Reproduction& reproduction) {
  std::vector<ReproductionSection> sections = {make_summary(reproduction)};
  for (const ReproducedColumn& column : reproduction.columns) {
    sections.push_back(make_throughputs(column));
    sections.push_back(make_chips(column));
    sections.push_back(make_split(column));
    sections.push_back(make_meaning(column));
    sections.push_back({column.name + ": the paper's findings", {}, {}, {}, find_findings(column)});
  }
  sections.push_back(make_limits(reproduction));
  return sections;
}

}  // namespace phaze::report
