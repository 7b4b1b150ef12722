#pragma once
// The store of a search over chips: one SQLite file that holds the question and all that is
// settled. What was added is there after any end of the process. Its tables: docs/formats.md.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostics.h"
#include "plan/study.h"
#include "study/database.h"
#include "study/writer_lock.h"

namespace phaze::study {

// Metrics are columns of a table: names that differ in case alone are one.
bool is_same_metric(std::string_view a, std::string_view b);

// Plans are most of a large study.
enum class Plans { kRead, kLeftOut };

// For one thread at a time. Every fault is a message about the file; a chip or a metric that cannot
// be (a number that is not finite, a name twice) is a bug of the caller.
class Study {
 public:
  // Makes the study, or goes on with one of the same question; other processes may read it
  // meanwhile, none may write. Each part of the question that differs gets a message.
  static std::optional<Study> open(const std::string& path, const plan::StudyQuestion& question,
                                   Diagnostics& diagnostics);
  // To look at, also while another process writes.
  static std::optional<Study> open_to_read(const std::string& path, Diagnostics& diagnostics);

  // Stores all of the batch or, with a message, nothing of it; it may then be added once more. A
  // chip that is there already is replaced. Costs a few milliseconds however small the batch is:
  // callers collect about a second's work.
  bool add(const plan::StudyBatch& batch, Diagnostics& diagnostics);
  bool finish(const plan::StudyAnswer& answer, Diagnostics& diagnostics);

  // Everything, as of one moment.
  std::optional<plan::StudyRecord> read(Plans plans, Diagnostics& diagnostics) const;
  // Of one chip; empty when there are none.
  std::optional<std::string> read_plans(std::int64_t chip, Diagnostics& diagnostics) const;

 private:
  Study(std::string path, std::optional<WriterLock> lock, Database database, bool is_being_written)
      : path_(std::move(path)),
        is_being_written_(is_being_written),
        lock_(std::move(lock)),
        database_(std::move(database)) {}

  std::string path_;
  bool is_being_written_;
  std::optional<WriterLock> lock_;  // of a writer; must outlive the database, see has_writer
  Database database_;
};

// What differs, a message for each part.
bool check_same(const plan::StudyQuestion& stored, const plan::StudyQuestion& asked,
                const std::string& path, Diagnostics& diagnostics);

}  // namespace phaze::study
