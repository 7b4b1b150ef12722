#include "report/search_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/plural.h"
#include "base/text.h"
#include "report/chip_report.h"
#include "report/plan_report.h"
#include "report/robust_report.h"
#include "report/table.h"

namespace phaze::report {

using plan::SearchRecord;
using plan::SearchResult;

namespace {

// "weights: gpt3-175b 2, bert-large 1"; nothing where all count the same.
std::string weights_text(const SearchRecord& record) {
  std::string text;
  for (std::size_t i = 0; i < record.weights.size(); ++i) {
    text += (i == 0 ? "weights: " : ", ") + printable(record.models[i]) + " " +
            with_prefix(record.weights[i], "");
  }
  const bool are_equal = std::ranges::all_of(
      record.weights, [&](double weight) { return weight == record.weights.front(); });
  return are_equal ? "" : text + "\n";
}

std::string unit_of(const SearchRecord& record, const SearchResult& result) {
  const std::string& by = record.objective;
  if (result.plans.size() > 1 && record.combination != "raw") {
    const std::string share = record.combination == "worst"
                                  ? "of its own best chip's throughput, for the model that loses "
                                    "most"
                                  : "times the throughput of " + record.reference + ", " +
                                        (record.combination == "mean" ? "" : "geometric ") + "mean";
    return share + (by == "throughput"   ? ""
                    : by == "per-watt"   ? ", per watt of all devices"
                    : by == "per-dollar" ? ", per dollar a second"
                                         : ", per kg of CO2 a second");
  }
  return std::string(by == "throughput"   ? "sequences/s"
                     : by == "per-watt"   ? "sequences/s per watt (design power of all devices)"
                     : by == "per-dollar" ? "sequences per dollar (chips and energy, 4 years)"
                                          : "sequences per kg of CO2 (chips and energy, 4 years)") +
         (result.plans.size() > 1 ? ", mean of the models" : "");
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') {
    text.pop_back();
  }
  return text;
}

// "35.5 k", "0.149": shares and ratios below 1 have no prefix.
std::string number(double value) {
  if (value < 1e-3 || value >= 1) {
    return trimmed(with_prefix(value, ""));
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

// "+1.98 %"
std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), std::abs(share) < 1e-4 ? "%+.1g %%" : "%+.2f %%",
                100 * share);
  return share == 0 ? "the same" : text.data();
}

std::string proof_text(const SearchResult& result) {
  const plan::SearchCounts& counts = result.counts;
  const std::int64_t open = counts.total - counts.evaluated - counts.excluded - counts.dominated;
  std::string text = result.is_proved()   ? "proved best of " + counted(counts.total, "chip")
                     : result.is_complete ? "best of " + counted(counts.total, "chip")
                                          : "best so far of " + counted(counts.total, "chip") +
                                                "; none is better than " + number(result.bound);
  text += ": " + with_thousands(counts.evaluated) + " evaluated, " +
          with_thousands(counts.excluded) + " excluded by bounds";
  if (counts.dominated > 0) {
    text += ",\n" + with_thousands(counts.dominated) +
            " because another of these chips has no less of anything and so is no slower";
  }
  if (open > 0) {
    text += ", " + with_thousands(open) + " open";
  }
  return text +
         (result.is_complete && !result.is_proved()
              ? "\nfor the schedules of layers that were found, not all of which are proved best: "
                "with better\nones a chip may be up to " +
                    percent(result.bound / result.value - 1).substr(1) + " above this one"
              : "");
}

std::string rivals_text(const SearchResult& result) {
  if (result.rivals.empty()) {
    return "";
  }
  Table table({{"nearest rivals", Align::kLeft}, {"", Align::kRight}, {"why", Align::kLeft}});
  // Of one model: chips that differ by less than half the range are as good.
  const double error = result.plans.size() == 1 && result.plans.front().range
                           ? result.plans.front().range->half_width()
                           : 0;
  for (const plan::SearchRival& rival : result.rivals) {
    const bool is_near = std::abs(rival.value / result.value - 1) < error;
    table.add_row({rival.chip, percent(rival.value / result.value - 1),
                   rival.reason + (is_near ? "; within the model's error" : "")});
  }
  return "\n" + table.to_string(2);
}

std::string steps_text(const SearchResult& result) {
  if (result.steps.empty()) {
    return "";
  }
  Table table({{"one step", Align::kLeft}, {"", Align::kLeft}, {"gives", Align::kLeft}});
  for (const plan::SearchStep& step : result.steps) {
    table.add_row({step.field, step.from + " -> " + step.to,
                   step.value ? percent(*step.value / result.value - 1) : step.outside});
  }
  return "\n" + table.to_string(2);
}

std::string plans_text(const SearchRecord& record, const SearchResult& result) {
  Table table({{"model", Align::kLeft},
               {"sequences/s", Align::kRight},
               {"over " + record.reference, Align::kRight},
               {"MFU", Align::kRight}});
  std::string strategies;
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    const plan::PlanRecord& plan = result.plans[i];
    const auto rate = static_cast<double>(plan.plan.global_batch);
    table.add_row({plan.model, number(throughput(plan.plan)),
                   result.speedup[i] ? number(*result.speedup[i]) + " x" : "does not fit",
                   plan.figures ? with_prefix(100 * plan.figures->mfu, "%") : ""});
    strategies += "  " + plan.model + ": " + strategy_text(plan.plan) + "\n";
    if (plan.range && plan.range->low) {
      strategies += "  " + plan.model + ": " + number(1 / plan.range->high->value() * rate) +
                    " to " + number(1 / plan.range->low->value() * rate) +
                    " sequences/s with a chance of 80 %, from " + plan.range->basis + "\n";
    } else if (plan.range) {
      strategies += "  " + plan.model + ": range " + plan.range->basis + "\n";
    }
  }
  return "\n" + table.to_string(2) + strategies;
}

std::string result_text(const SearchRecord& record, const SearchResult& result) {
  std::string text = result.name == "common" ? "The chip for all of them" : "For " + result.name;
  text += ": " + result.chip + ", " + gibibytes(hw::hbm_capacity(result.described)) + " of HBM, " +
          number(result.value) + " " + unit_of(record, result) + "\n" + proof_text(result) + "\n" +
          (record.letters.empty() ? "" : "names of chips: " + record.letters + "\n") + "\n";
  hw::Chip chip = result.described;
  chip.name = result.chip;
  text += chip_text(chip, result.figures);
  text += plans_text(record, result) + rivals_text(result) + steps_text(result);
  return text;
}

// A model's own chip in a line, and what sharing costs it.
std::string own_text(const SearchRecord& record) {
  Table table(
      {{"own chip of", Align::kLeft},
       {"chip", Align::kLeft},
       {"HBM", Align::kRight},
       {"area mm2", Align::kRight},
       {"sequences/s", Align::kRight},
       {"over " + record.reference, Align::kRight},
       {record.objective == "throughput" ? "on the common chip" : "sequences/s on the common",
        Align::kRight},
       {"evaluated", Align::kRight}});
  for (const SearchResult& own : record.own) {
    std::string lost = "-";
    if (record.common) {
      for (const plan::PlanRecord& plan : record.common->plans) {
        if (plan.model == own.name) {
          lost = percent(throughput(plan.plan) / throughput(own.plans.front().plan) - 1);
        }
      }
    }
    table.add_row({own.name, own.chip, gibibytes(hw::hbm_capacity(own.described)),
                   std::to_string(std::llround(own.figures.area.value())),
                   number(throughput(own.plans.front().plan)),
                   own.speedup.front() ? number(*own.speedup.front()) + " x" : "-", lost,
                   with_thousands(own.counts.evaluated)});
  }
  return table.to_string(2);
}

std::string front_text(const SearchRecord& record) {
  if (record.front.empty()) {
    return "";
  }
  std::vector<Table::Column> columns = {{"no chip beats these in all", Align::kLeft},
                                        {"HBM", Align::kRight},
                                        {"sequences/s", Align::kRight}};
  for (const std::string& objective : record.front_objectives) {
    columns.push_back({objective, Align::kRight});
  }
  columns.push_back({"area mm2", Align::kRight});
  columns.push_back({"W", Align::kRight});
  Table table(columns);
  for (const plan::SearchFrontRow& row : record.front) {
    std::vector<std::string> cells = {row.chip, gibibytes(row.memory), number(row.throughput)};
    for (const double value : row.objectives) {
      cells.push_back(number(value));
    }
    cells.push_back(std::to_string(std::llround(row.figures.area.value())));
    cells.push_back(std::to_string(std::llround(row.figures.tdp.value())));
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string(2);
}

}  // namespace

std::string search_text(const SearchRecord& record) {
  std::string models;
  for (const std::string& model : record.models) {
    models += (models.empty() ? "" : ", ") + printable(model);
  }
  std::string text = "The best chip of " + printable(record.space) + " for " + models + ", by " +
                     record.objective + "\n" + counted(record.devices, "device") + ", cluster " +
                     printable(record.cluster) + ", global batch " +
                     with_thousands(record.global_batch) + ", assumptions " + record.assumptions +
                     "\n" + weights_text(record) + "\n";
  if (record.common) {
    text += own_text(record) + "\n" + result_text(record, *record.common);
  } else if (record.models.size() == 1 && !record.own.empty()) {
    text += result_text(record, record.own.front());
  } else {
    text += own_text(record) +
            "\nstopped before a common chip was found; the last row is the best " + "so far\n";
  }
  text += front_text(record) + (record.robustness ? robust_text(*record.robustness) : "") + "\n" +
          with_prefix(record.seconds, "s") + "\n";
  for (const std::string& note : record.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

}  // namespace phaze::report
