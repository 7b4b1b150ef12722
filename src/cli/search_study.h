#pragma once
// A search that keeps what it finds in a study, and goes on from there.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/search_rows.h"
#include "plan/search_record.h"
#include "search/chip_search.h"
#include "study/study.h"

namespace phaze::cli {

plan::StudyQuestion make_study_question(const search::SearchQuestion& question,
                                        const std::vector<search::SearchChip>& chips);

class SearchStudy {
 public:
  // Makes the study or goes on with it; nothing after a diagnostic. `chips`: none of a large space,
  // whose chips are numbered by their indices.
  static std::optional<SearchStudy> open(const std::string& path,
                                         const search::SearchQuestion& question,
                                         const std::vector<search::SearchChip>& chips,
                                         Diagnostics& diagnostics);

  const std::vector<search::Known>& known() const { return known_; }
  const KnownValues& values() const { return values_; }
  // No chip that is still open is better; stored with what is kept next.
  void note_open_bound(double bound) { open_bound_ = bound; }
  void keep(const std::vector<search::Known>& found);
  // Stores how every chip was settled, and the answer.
  bool finish(const plan::SearchRecord& record, const search::SearchAnswer& answer,
              const std::string& json);

  // Whether something could not be stored; what was stored before is kept.
  bool has_failed() const { return diagnostics_.has_errors(); }
  int report_failure() const;

 private:
  SearchStudy(study::Study study, const search::SearchQuestion& question,
              const std::vector<search::SearchChip>& chips);

  // By model.
  using Values = std::vector<std::optional<search::ChipValue>>;
  Values& values_of(KnownValues& values, std::size_t chip);
  static std::optional<search::ChipValue> value_of(const KnownValues& values, std::size_t chip,
                                                   std::size_t model);
  plan::ChipRow row_of(std::size_t chip) const;

  study::Study study_;
  const search::SearchQuestion* question_;
  std::vector<search::SearchChip> chips_;
  std::vector<search::Known> known_;
  KnownValues values_, tops_;  // by number
  std::optional<double> open_bound_;
  Diagnostics diagnostics_;
};

}  // namespace phaze::cli
