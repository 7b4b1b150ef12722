#pragma once
// Questions for the least of something with which a plan does: devices, money, memory. Exact over
// the values that they say. docs/models.md, section 25.

#include <optional>

#include "plan/plan_record.h"
#include "plan/training_run.h"
#include "search/plan_search.h"

namespace phaze::search {

// A whole training that must end in time.
struct Deadline {
  double tokens = 0, days = 0;
};

// What came of a question, and the setting that answers it.
struct QuestionAnswer {
  std::optional<plan::PlanQuestion> question;  // nothing: no value does
  PlanSetting setting;
  std::optional<Seconds> nearest;  // without an answer: the best iteration of all, where one fits
};

// Of 1 up to the setting's devices. More devices never take longer, because some may idle: found by
// halving.
QuestionAnswer find_fewest_devices(const PlanSetting& setting, const Deadline& deadline);

// The count whose fastest plan costs least: of the multiples of a node (of a cluster's innermost
// level) up to the setting's devices. Counts between two solved ones are left out where even the
// least of them in the time of the most would cost more than the best.
QuestionAnswer find_least_money(const PlanSetting& setting, const Deadline& deadline,
                                const plan::RunPrices& prices);

// The least memory of a device in whole GiB with which an iteration takes at most `share` longer
// than with what the chip has. More memory never takes longer: found by halving.
QuestionAnswer find_smallest_memory(const PlanSetting& setting, double share);

}  // namespace phaze::search
