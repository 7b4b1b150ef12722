// Why no end of the process harms a study: every batch is one transaction with a rollback journal,
// and the file and its journal are flushed before the transaction counts (synchronous = FULL). A
// journal that a killed writer left is played back by whoever opens the file next.
#include "study/study.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "study/study_rows.h"

namespace phaze::study {
namespace {

// Does the work; a fault becomes a message and nothing.
template <class Work>
auto guarded(const std::string& path, Diagnostics& diagnostics, const Work& work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const DatabaseFault& fault) {
    report(fault, path, diagnostics);
    return {};
  }
}

bool is_new(const Database& database) {
  return database.number("PRAGMA page_count") == 0 ||
         database.number("SELECT count(*) FROM sqlite_master") == 0;
}

// Whether the file is a study of a schema that is known here.
bool check_kind(const Database& database, const std::string& path, Diagnostics& diagnostics) {
  if (database.number("PRAGMA application_id") != kApplication) {
    diagnostics.error({path}, "expected a study of phaze, found another program's SQLite file");
    return false;
  }
  const std::int64_t schema = database.number("PRAGMA user_version");
  if (schema != kSchema) {
    diagnostics.error({path}, "expected a study of schema " + std::to_string(kSchema) +
                                  ", found schema " + std::to_string(schema) +
                                  (schema > kSchema ? "; a newer phaze made it" : ""));
    return false;
  }
  return true;
}

// SQLite takes what is missing of the last page for zeros.
void check_size(const Database& database, const std::string& path) {
  const std::int64_t bytes =
      database.number("PRAGMA page_count") * database.number("PRAGMA page_size");
  std::error_code error;
  const auto found = std::filesystem::file_size(path, error);
  if (!error && found < static_cast<std::uintmax_t>(bytes)) {
    throw DatabaseFault(DatabaseTrouble::kDamaged,
                        "it ends after " + with_thousands(static_cast<std::int64_t>(found)) +
                            " of " + counted(bytes, "byte"));
  }
}

void check_pages(const Database& database) {
  Statement check = database.prepare("PRAGMA quick_check(1)");
  if (check.step() && check.text(0) != "ok") {
    throw DatabaseFault(DatabaseTrouble::kDamaged, printable(check.text(0)));
  }
}

// The texts from a little before the place where they part.
std::pair<std::string, std::string> parting(const std::string& a, const std::string& b) {
  constexpr std::ptrdiff_t kBefore = 20;
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  std::ptrdiff_t from = at <= 2 * kBefore ? 0 : at - kBefore;
  const auto is_inside = [&](std::ptrdiff_t i) {  // a character of UTF-8
    return i > 0 && (static_cast<unsigned char>(a[static_cast<std::size_t>(i)]) & 0xc0U) == 0x80U;
  };
  while (is_inside(from)) {
    --from;
  }
  const auto tail = [&](const std::string& text) {
    return "\"" + std::string(from > 0 ? "..." : "") +
           shortened(std::string_view(text).substr(static_cast<std::size_t>(from))) + "\"";
  };
  return {tail(a), tail(b)};
}

}  // namespace

bool check_same(const plan::StudyQuestion& stored, const plan::StudyQuestion& asked,
                const std::string& path, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const auto* question : {&stored, &asked}) {
    for (const auto& [name, text] : question->parts) {
      names.insert(name);
    }
  }
  const std::size_t before = diagnostics.error_count();
  const auto say = [&](const std::string& name, const std::string& there, const std::string& here) {
    diagnostics.error({path, 0, 0, name}, "the study is of another question: it has " + there +
                                              ", this run has " + here);
  };
  for (const std::string& name : names) {
    const auto there = stored.parts.find(name);
    const auto here = asked.parts.find(name);
    if (there == stored.parts.end()) {
      say(name, "none", "\"" + shortened(here->second) + "\"");
    } else if (here == asked.parts.end()) {
      say(name, "\"" + shortened(there->second) + "\"", "none");
    } else if (there->second != here->second) {
      const auto [left, right] = parting(there->second, here->second);
      say(name, left, right);
    }
  }
  if (stored.chips_total != asked.chips_total) {
    say("chips_total", with_thousands(stored.chips_total), with_thousands(asked.chips_total));
  }
  return diagnostics.error_count() == before;
}

std::optional<Study> Study::open(const std::string& path, const plan::StudyQuestion& question,
                                 Diagnostics& diagnostics) {
  if (!check_file(path, true, diagnostics)) {
    return std::nullopt;
  }
  std::optional<WriterLock> lock = WriterLock::take(path, diagnostics);
  if (!lock) {
    return std::nullopt;
  }
  return guarded(path, diagnostics, [&]() -> std::optional<Study> {
    Database database(path, Access::kWrite);
    database.run("PRAGMA synchronous = FULL");
    if (is_new(database)) {
      Transaction transaction(database, Access::kWrite);
      make_tables(database, question);
      transaction.commit();
    } else {
      if (!check_kind(database, path, diagnostics)) {
        return std::nullopt;
      }
      check_size(database, path);
      check_pages(database);
      if (!check_same(read_question(database), question, path, diagnostics)) {
        return std::nullopt;
      }
    }
    return Study(path, std::move(lock), std::move(database), true);
  });
}

std::optional<Study> Study::open_to_read(const std::string& path, Diagnostics& diagnostics) {
  if (!check_file(path, false, diagnostics)) {
    return std::nullopt;
  }
  const bool is_being_written = has_writer(path);
  return guarded(path, diagnostics, [&]() -> std::optional<Study> {
    try {
      Database(path, Access::kRead).number("PRAGMA page_count");
    } catch (const DatabaseFault& fault) {
      if (fault.trouble() != DatabaseTrouble::kUnfinished) {
        throw;
      }
      Database(path, Access::kWrite).number("PRAGMA page_count");  // plays the journal back
    }
    Database database(path, Access::kRead);
    if (is_new(database)) {
      diagnostics.error({path}, "expected a study, found an empty file");
      return std::nullopt;
    }
    if (!check_kind(database, path, diagnostics)) {
      return std::nullopt;
    }
    check_size(database, path);
    return Study(path, std::nullopt, std::move(database), is_being_written);
  });
}

bool Study::add(const plan::StudyBatch& batch, Diagnostics& diagnostics) {
  CHECK(lock_, "a study that was opened to read");
  return guarded(path_, diagnostics, [&] {
    Transaction transaction(database_, Access::kWrite);
    write_chips(database_, batch.chips);
    write_excluded(database_, batch.excluded);
    if (batch.open_bound) {
      write_open_bound(database_, *batch.open_bound);
    }
    transaction.commit();
    return true;
  });
}

bool Study::finish(const plan::StudyAnswer& answer, Diagnostics& diagnostics) {
  CHECK(lock_, "a study that was opened to read");
  return guarded(path_, diagnostics, [&] {
    Transaction transaction(database_, Access::kWrite);
    write_answer(database_, answer);
    transaction.commit();
    return true;
  });
}

std::optional<plan::StudyRecord> Study::read(Plans plans, Diagnostics& diagnostics) const {
  return guarded(path_, diagnostics, [&]() -> std::optional<plan::StudyRecord> {
    const Transaction moment(database_, Access::kRead);
    plan::StudyRecord record;
    record.question = read_question(database_);
    record.chips = read_chips(database_, plans == Plans::kRead);
    record.excluded = read_excluded(database_);
    record.open_bound = read_open_bound(database_);
    record.answer = read_answer(database_);
    record.is_being_written = is_being_written_;
    return record;
  });
}

std::optional<std::string> Study::read_plans(std::int64_t chip, Diagnostics& diagnostics) const {
  return guarded(path_, diagnostics, [&]() -> std::optional<std::string> {
    Statement select = database_.prepare("SELECT json FROM plans WHERE chip = ?");
    select.bind(1, chip);
    return select.step() ? select.text(0) : std::string();
  });
}

}  // namespace phaze::study
