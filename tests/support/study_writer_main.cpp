// A search in small, for tests that kill it: study_writer FILE CHIPS BATCH [wait]
// Settles the chips 0 .. CHIPS - 1 that the study does not hold yet, BATCH at a time: of ten one is
// evaluated, one dominated, the others are excluded as a range. After each batch that is stored it
// says "stored N", N chips in all; at its end "evaluated N" of this run and "best CHIP VALUE". With
// "wait" it goes on after its first batch when a line comes by standard input.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "study/study.h"
#include "study/summary.h"
#include "support/studies.h"

namespace phaze {
namespace {

int fail(const Diagnostics& diagnostics) {
  std::fputs(to_string(diagnostics).c_str(), stderr);
  return 2;
}

// The row or the range that settles the chips from `chip`; the number of chips.
std::int64_t settle(std::int64_t chip, std::int64_t end, plan::StudyBatch& batch) {
  if (chip % 10 == 0) {
    batch.chips.push_back(support::evaluated(chip));
    return 1;
  }
  if (chip % 10 == 1) {
    plan::ChipRow row;
    row.chip = chip;
    row.id = "dominated";
    row.state = plan::ChipState::kDominated;
    row.witness = chip - 1;
    batch.chips.push_back(row);
    return 1;
  }
  const std::int64_t last = std::min(end, chip - chip % 10 + 10) - 1;
  batch.excluded.push_back({chip, last, 1});
  return last - chip + 1;
}

int run(const std::string& path, std::int64_t chips, std::int64_t size, bool waits) {
  Diagnostics diagnostics;
  auto store = study::Study::open(path, support::question(chips), diagnostics);
  const auto before = store ? store->read(study::Plans::kLeftOut, diagnostics) : std::nullopt;
  if (!before) {
    return fail(diagnostics);
  }
  // This search goes by number, so that what is settled is a beginning.
  std::int64_t next = study::summarize(*before, 1, std::nullopt).counts.settled;
  std::int64_t evaluated = 0;
  while (next < chips) {
    plan::StudyBatch batch;
    const std::int64_t end = std::min(chips, next + size);
    while (next < end) {
      next += settle(next, end, batch);
    }
    batch.open_bound = 1000 - static_cast<double>(next) / 1e6;
    if (!store->add(batch, diagnostics)) {
      return fail(diagnostics);
    }
    evaluated +=
        std::ranges::count(batch.chips, plan::ChipState::kEvaluated, &plan::ChipRow::state);
    std::printf("stored %s\n", std::to_string(next).c_str());
    std::fflush(stdout);
    if (waits) {
      std::getchar();
      waits = false;
    }
  }
  const auto after = store->read(study::Plans::kLeftOut, diagnostics);
  if (!after) {
    return fail(diagnostics);
  }
  const plan::ChipRow& best =
      after->chips.at(study::summarize(*after, 1, std::nullopt).best.value());
  if (!store->finish({"optimal", best.chip, best.value, best.value, ""}, diagnostics)) {
    return fail(diagnostics);
  }
  std::printf("evaluated %s\nbest %s %s\n", std::to_string(evaluated).c_str(),
              std::to_string(best.chip).c_str(), shortest(*best.value).c_str());
  return 0;
}

}  // namespace
}  // namespace phaze

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);
  if (argc != 4 && argc != 5) {
    std::fputs("usage: study_writer FILE CHIPS BATCH [wait]\n", stderr);
    return 2;
  }
  return phaze::run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), argc == 5);
}
