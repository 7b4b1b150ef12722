#include "report/search_report.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "report/chip_report.h"
#include "report/plan_report.h"
#include "report/table.h"

namespace phaze::report {

using plan::SearchRecord;
using plan::SearchResult;

namespace {

std::string unit_of(const SearchRecord& record, const SearchResult& result) {
  if (result.plans.size() > 1) {
    return record.combination == "raw" ? "sequences/s on average" : "times the reference";
  }
  return record.objective == "throughput"   ? "sequences/s"
         : record.objective == "per-watt"   ? "sequences/s per watt"
         : record.objective == "per-dollar" ? "sequences per dollar"
                                            : "sequences per kg of CO2";
}

std::string number(double value) { return with_prefix(value, ""); }

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') {
    text.pop_back();
  }
  return text;
}

std::string proof_text(const SearchResult& result) {
  const plan::SearchCounts& counts = result.counts;
  std::string text = result.is_complete
                         ? "proved best of " + with_thousands(counts.total) + " chips"
                         : "best so far of " + with_thousands(counts.total) +
                               " chips, none is better than " + trimmed(number(result.bound));
  return text + ": " + with_thousands(counts.evaluated) + " evaluated, " +
         with_thousands(counts.excluded) + " excluded by bounds, " +
         with_thousands(counts.dominated) + " by a chip with no less of anything";
}

// "+1.98 %"
std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.2f %%", 100 * share);
  return share == 0 ? "the same" : text.data();
}

std::string rivals_text(const SearchResult& result) {
  if (result.rivals.empty()) {
    return "";
  }
  Table table({{"nearest rivals", Align::kLeft}, {"", Align::kRight}, {"why", Align::kLeft}});
  for (const plan::SearchRival& rival : result.rivals) {
    table.add_row({rival.chip, percent(rival.value / result.value - 1), rival.reason});
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
               {"MFU", Align::kRight},
               {"plan", Align::kLeft}});
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    const plan::PlanRecord& plan = result.plans[i];
    table.add_row({plan.model, trimmed(number(throughput(plan.plan))),
                   result.speedup[i] ? trimmed(number(*result.speedup[i])) + " x" : "does not fit",
                   plan.figures ? with_prefix(100 * plan.figures->mfu, "%") : "",
                   strategy_text(plan.plan)});
  }
  return "\n" + table.to_string(2);
}

std::string result_text(const SearchRecord& record, const SearchResult& result) {
  std::string text = result.name == "common" ? "The chip for all of them" : "For " + result.name;
  text += ": " + result.chip + ", " + gibibytes(hw::hbm_capacity(result.described)) + " of HBM, " +
          trimmed(number(result.value)) + " " + unit_of(record, result) + "\n" +
          proof_text(result) + "\n\n";
  hw::Chip chip = result.described;
  chip.name = result.chip;
  text += chip_text(chip, result.figures);
  text += plans_text(record, result) + rivals_text(result) + steps_text(result);
  return text;
}

// A model's own chip in a line, and what sharing costs it.
std::string own_text(const SearchRecord& record) {
  Table table({{"own chip of", Align::kLeft},
               {"chip", Align::kLeft},
               {"HBM", Align::kRight},
               {"area mm2", Align::kRight},
               {"sequences/s", Align::kRight},
               {"over " + record.reference, Align::kRight},
               {"the common chip", Align::kRight},
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
                   trimmed(number(throughput(own.plans.front().plan))),
                   own.speedup.front() ? trimmed(number(*own.speedup.front())) + " x" : "-", lost,
                   with_thousands(own.counts.evaluated)});
  }
  return table.to_string(2);
}

}  // namespace

std::string search_text(const SearchRecord& record) {
  std::string models;
  for (const std::string& model : record.models) {
    models += (models.empty() ? "" : ", ") + printable(model);
  }
  std::string text = "The best chip of " + printable(record.space) + " for " + models + " on " +
                     with_thousands(record.devices) + " devices, cluster " +
                     printable(record.cluster) + ", global batch " +
                     with_thousands(record.global_batch) + ", assumptions " + record.assumptions +
                     ", by " + record.objective + "\n\n";
  if (record.common) {
    text += own_text(record) + "\n" + result_text(record, *record.common);
  } else if (record.models.size() == 1 && !record.own.empty()) {
    text += result_text(record, record.own.front());
  } else {
    text += own_text(record);
  }
  text += "\n" + with_prefix(record.seconds, "s") + "\n";
  for (const std::string& note : record.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

}  // namespace phaze::report
