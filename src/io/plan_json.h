#pragma once
// Training plans as JSON: what `phaze place` writes and `phaze simulate` reads (docs/formats.md).

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "io/document.h"
#include "plan/plan_details.h"
#include "plan/plan_record.h"

namespace phaze::io {

inline constexpr std::int64_t kMostPlanStages = 100'000;
inline constexpr std::int64_t kMostMicrobatches = 1'000'000'000;

// Every layer of the record is in some stage. Times and bytes read back the same.
std::string write_plan(const plan::PlanRecord& record, const plan::PlanDetails* details = nullptr);

// Where there is no plan, and why; the least memory of a device and number of devices that would
// do.
std::string write_no_plan(const std::string& why, std::optional<Bytes> needed_memory = {},
                          std::optional<std::int64_t> needed_devices = {});

// Everything that makes no sense is a fault, and all faults are reported. What comes back is sound:
// there are as many stages as the strategy says, chunks only in interleaved schedules, whose
// micro-batches are a multiple of the stages, and sums of bytes within 64 bits. What follows from
// other keys (throughput, peak memory) or only goes with them (notes, alternatives, training, why,
// details, question, best) is not read.
std::optional<plan::PlanRecord> read_plan(const Value& document, Diagnostics& diagnostics);

}  // namespace phaze::io
