#include "report/robust_report.h"

#include <array>
#include <cstdio>

#include "base/plural.h"
#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100 * share);
  return text.data();
}

std::string factor(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

}  // namespace

std::string robust_text(const plan::Robustness& robustness) {
  std::string text = "\nIf constants were other ones: " + counted(robustness.draws, "draw") +
                     (robustness.draws < robustness.asked
                          ? " of " + with_thousands(robustness.asked) + " (stopped)"
                          : "") +
                     ", seed " + std::to_string(robustness.seed) + "\n";
  for (const plan::UncertainConstant& constant : robustness.constants) {
    text += "  " + constant.name + ": " + factor(constant.low) + " to " + factor(constant.high) +
            " times as long with a chance of 80 %\n";
  }
  text += robustness.chip + " stays best in " + with_thousands(robustness.stays) +
          " of them; against the best of each it loses " + percent(robustness.mean_loss) +
          " on average, " + percent(robustness.worst_loss) + " at worst\n";
  if (robustness.undecided > 0) {
    text += "in " + with_thousands(robustness.undecided) +
            " another is better by no more than what schedules that are not proved leave open\n";
  }
  text += counted(robustness.looked_at, "chip") +
          (robustness.is_whole_space ? " of the space could be the best in some draw"
                                     : " that the search looked at one by one, which of a "
                                       "space this large are not all that could win") +
          (robustness.left_out > 0
               ? "; " + with_thousands(robustness.left_out) + " more that could were left out"
               : "") +
          "\n";
  if (robustness.rivals.empty()) {
    return text;
  }
  Table table({{"would win", Align::kLeft},
               {"draws", Align::kRight},
               {"by, on average", Align::kRight},
               {"at most", Align::kRight}});
  constexpr std::size_t kMostRows = 10;
  for (std::size_t i = 0; i < robustness.rivals.size() && i < kMostRows; ++i) {
    const plan::RobustRival& rival = robustness.rivals[i];
    table.add_row({rival.chip, with_thousands(rival.wins), percent(rival.mean_gain),
                   percent(rival.most_gain)});
  }
  return text + "\n" + table.to_string(2);
}

}  // namespace phaze::report
