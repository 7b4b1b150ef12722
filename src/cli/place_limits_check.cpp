// Choices that are asked for, held to the model, the batch, the devices and one another.
#include <algorithm>

#include "base/plural.h"
#include "base/text.h"
#include "cli/place_limits.h"

namespace phaze::cli {
namespace {

using place::PlanLimits;

std::string list_text(const std::vector<std::int64_t>& values) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  }
  return text + (values.size() > kMost ? ", ..." : "");
}

class Checker {
 public:
  Checker(const PlanOptions& options, const search::PlanSetting& setting, Diagnostics& diagnostics)
      : options_(options), setting_(setting), limits_(setting.limits), diagnostics_(diagnostics) {}

  void check() {
    check_widths();
    check_stages();
    check_batch();
    check_devices();
    check_schedule();
    if (search::is_original(setting_.assumptions)) {
      check_original();
    }
  }

 private:
  void fault(const std::string& option, const std::string& message) {
    // Of an expert's strategy the option is the one that was given.
    const bool is_expert = !options_.strategy.empty() &&
                           (option == "--tensor" || option == "--pipeline" || option == "--data");
    diagnostics_.error({"command line", 0, 0, is_expert ? "--strategy" : option},
                       is_expert ? "the expert's " + option.substr(2) + ": " + message : message);
  }

  template <class Predicate>
  static bool none(const std::vector<std::int64_t>& values, Predicate is_possible) {
    return !values.empty() && std::ranges::none_of(values, is_possible);
  }

  void check_widths() {
    const std::vector<std::int64_t> widths = search::possible_widths(setting_);
    const auto is_possible = [&widths](std::int64_t width) {
      return std::ranges::find(widths, width) != widths.end();
    };
    if (none(limits_.tensor, is_possible)) {
      const bool is_one = limits_.tensor.size() == 1;
      fault("--tensor",
            (is_one ? "a width of " + std::to_string(limits_.tensor.front()) + " does not divide"
                    : "none of " + list_text(limits_.tensor) + " divides") +
                " the model's heads, key-value heads or feed-forward width" +
                (setting_.build.pads_vocabulary ? "" : " or vocabulary") + "; expected " +
                list_text(widths));
    }
  }

  void check_stages() {
    const auto length = search::chain_length(setting_, diagnostics_);
    if (length && none(limits_.pipeline, [&](std::int64_t stages) { return stages <= *length; })) {
      fault("--pipeline", "expected at most " + counted(*length, "stage") +
                              ", as many as the model has layers, found " +
                              list_text(limits_.pipeline));
    }
  }

  void check_batch() {
    const std::int64_t batch = setting_.global_batch;
    constexpr double kMostTokens = 1e12;
    const auto sequence = static_cast<double>(search::sequence_of(setting_));
    if (static_cast<double>(batch) * sequence > kMostTokens) {
      fault("--global-batch", "expected at most " + with_prefix(kMostTokens, "tokens") +
                                  " in all sequences, found " + counted(batch, "sequence") +
                                  " of " + shortest(sequence));
      return;
    }
    const auto divides = [batch](std::int64_t value) { return batch % value == 0; };
    const auto say = [&](const char* option, const std::vector<std::int64_t>& values) {
      fault(option, (values.size() == 1 ? list_text(values) + " does not divide"
                                        : "none of " + list_text(values) + " divides") +
                        " the global batch of " + std::to_string(batch));
    };
    // The original's pipelines need not have equal numbers of micro-batches.
    const bool is_original = search::is_original(setting_.assumptions);
    const bool is_data_bad = !is_original && none(limits_.data, divides);
    const bool is_microbatch_bad = none(limits_.microbatch, divides);
    if (is_data_bad) {
      say("--data", limits_.data);
    }
    if (is_microbatch_bad) {
      say("--microbatch", limits_.microbatch);
    }
    if (is_data_bad || is_microbatch_bad || is_original) {
      return;
    }
    const auto has_data_width = [&](std::int64_t size) {
      return !none(limits_.data,
                   [&](std::int64_t data) { return divides(data) && batch / data % size == 0; });
    };
    if (!limits_.data.empty() && none(limits_.microbatch, has_data_width)) {
      fault("--microbatch", "no micro-batch of " + list_text(limits_.microbatch) +
                                " times a data width of " + list_text(limits_.data) +
                                " divides the global batch of " + std::to_string(batch));
    }
  }

  static double least(const std::vector<std::int64_t>& values) {
    return values.empty() ? 1 : static_cast<double>(values.front());
  }

  void check_devices() {
    if (const auto most = hw::device_count(setting_.cluster); most && *most < setting_.devices) {
      fault("--devices", "cluster " + setting_.cluster.name + " has " + counted(*most, "device"));
    }
    const double needed = least(limits_.tensor) * least(limits_.pipeline) * least(limits_.data);
    if (needed > static_cast<double>(setting_.devices)) {
      fault("--devices", "tensor x pipeline x data is at least " + shortest(needed) +
                             ", and there are " + counted(setting_.devices, "device"));
    }
  }

  void check_schedule() {
    using plan::PipelineSchedule;
    const std::vector<PipelineSchedule>& schedules = limits_.schedule;
    const bool is_interleaved_only =
        !schedules.empty() && std::ranges::all_of(schedules, [](PipelineSchedule schedule) {
          return schedule == PipelineSchedule::kInterleaved;
        });
    const bool has_interleaved =
        schedules.empty() ||
        std::ranges::find(schedules, PipelineSchedule::kInterleaved) != schedules.end();
    if (is_interleaved_only && limits_.pipeline == std::vector<std::int64_t>{1}) {
      fault("--schedule", "interleaved stages need a --pipeline of more than 1");
    }
    if (is_interleaved_only && limits_.interleave == std::vector<std::int64_t>{1}) {
      fault("--interleave", "expected more than 1 chunk with --schedule interleaved");
    }
    if (!has_interleaved && !limits_.interleave.empty() && limits_.interleave.front() > 1) {
      fault("--interleave", "expected 1, or --schedule interleaved");
    }
  }

  void check_original() {
    const std::string name(search::to_string(setting_.assumptions));
    const auto refuse = [&](const char* option, bool is_refused, const std::string& expected) {
      if (is_refused) {
        fault(option, "with " + name + " expected " + expected);
      }
    };
    using Numbers = std::vector<std::int64_t>;
    const auto is_other = [](const Numbers& values, std::int64_t only) {
      return !values.empty() && values != Numbers{only};
    };
    refuse("--zero", is_other(limits_.zero, 0), "0: it shards no states");
    refuse("--interleave", is_other(limits_.interleave, 1), "1: it interleaves no stages");
    refuse("--sequence-parallel",
           !limits_.sequence_parallel.empty() && limits_.sequence_parallel.front(),
           "off: it splits no sequences");
    refuse("--schedule",
           !limits_.schedule.empty() && limits_.schedule.front() != plan::PipelineSchedule::k1F1B,
           "1f1b");
    refuse("--order", !limits_.order.empty(), "none: its network has one link for everything");
    refuse("--no-overlap", is_given(options_, "--no-overlap"), "none: nothing overlaps");
    refuse("--alternatives", options_.alternatives > 0, "none: it has one answer");
    refuse("--recompute",
           std::ranges::find(limits_.recompute, plan::Recompute::kSelective) !=
               limits_.recompute.end(),
           "none or full, for all stages");
    refuse("--cluster", setting_.cluster.levels.size() != 1,
           "a cluster of one level, such as flat; " + setting_.cluster.name + " has " +
               std::to_string(setting_.cluster.levels.size()));
    std::string missing;
    for (const auto& [option, values] :
         {std::pair("--tensor", &limits_.tensor), std::pair("--pipeline", &limits_.pipeline),
          std::pair("--data", &limits_.data)}) {
      missing += values->size() == 1 ? "" : (missing.empty() ? "" : ", ") + std::string(option);
    }
    const bool has_stages = !limits_.pipeline.empty() || !limits_.data.empty();
    refuse(
        limits_.pipeline.empty() ? "--data" : "--pipeline", has_stages && !missing.empty(),
        "one value each of --tensor, --pipeline and --data, which price a strategy by hand (to be "
        "given: " +
            missing + "); or neither --pipeline nor --data, and it finds both");
  }

  const PlanOptions& options_;
  const search::PlanSetting& setting_;
  const PlanLimits& limits_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_limits(const PlanOptions& options, const search::PlanSetting& setting,
                  Diagnostics& diagnostics) {
  Checker(options, setting, diagnostics).check();
}

}  // namespace phaze::cli
