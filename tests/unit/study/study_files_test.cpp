// Files that are no study of this question, and disks without room.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>

#include "study/study.h"
#include "support/studies.h"

namespace phaze::study {
namespace {

using support::evaluated;
using support::Folder;
using support::question;
using support::read_bytes;
using support::write_bytes;

// The message without the path; nothing in the file changes.
std::string refusal(const std::string& path, const plan::StudyQuestion& asked) {
  const std::string before = read_bytes(path);
  Diagnostics diagnostics;
  EXPECT_FALSE(Study::open(path, asked, diagnostics));
  EXPECT_TRUE(read_bytes(path) == before);
  std::string text = to_string(diagnostics);
  EXPECT_TRUE(text.starts_with(path + ": error: ")) << text;
  return text.substr(std::min(text.size(), path.size() + 9));
}

std::string reading_refusal(const std::string& path) {
  Diagnostics diagnostics;
  const auto store = Study::open_to_read(path, diagnostics);
  EXPECT_FALSE(store && store->read(Plans::kRead, diagnostics));
  std::string text = to_string(diagnostics);
  EXPECT_TRUE(text.starts_with(path + ": error: ")) << text;
  return text.substr(std::min(text.size(), path.size() + 9));
}

// A study of three chips.
std::string make(const Folder& folder) {
  const std::string path = folder.file("study.db");
  Diagnostics diagnostics;
  auto store = Study::open(path, question(), diagnostics);
  EXPECT_TRUE(store &&
              store->add({{evaluated(1), evaluated(2), evaluated(3)}, {}, {}}, diagnostics));
  return path;
}

void run_sql(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

TEST(StudyFiles, OtherQuestionsAreRefusedWithTheDifference) {
  const Folder folder;
  const std::string path = make(folder);
  const std::string other = "the study is of another question: it has ";

  plan::StudyQuestion asked = question();
  asked.parts["models"] = "gpt3-175b";
  EXPECT_EQ(refusal(path, asked),
            "models: " + other + "\"llama2-7b\", this run has \"gpt3-175b\"\n");

  asked = question(999);
  asked.parts.erase("space");
  asked.parts["objective"] = "throughput";
  asked.parts["version"] = "0.2.0";
  const std::string all = refusal(path, asked);
  EXPECT_TRUE(all.starts_with("objective: " + other + "none, this run has \"throughput\"\n"))
      << all;
  for (const std::string& part : {"space: " + other + "\"count: 1..8\", this run has none\n",
                                  "version: " + other + "\"0.1.0\", this run has \"0.2.0\"\n",
                                  "chips_total: " + other + "1,000, this run has 999\n"}) {
    EXPECT_NE(all.find(part), std::string::npos) << all;
  }
}

TEST(StudyFiles, LongTextsAreShownWhereTheyPart) {
  const std::string same(5000, 'x');
  plan::StudyQuestion stored = question();
  plan::StudyQuestion asked = question();
  stored.parts["space"] = same + "lanes: 128" + same;
  asked.parts["space"] = same + "lanes: 256" + same;
  Diagnostics diagnostics;
  EXPECT_FALSE(check_same(stored, asked, "s.db", diagnostics));
  const std::string text = to_string(diagnostics);
  EXPECT_LT(text.size(), 300U);
  EXPECT_NE(text.find("lanes: 128xxx"), std::string::npos) << text;
  EXPECT_NE(text.find("lanes: 256xxx"), std::string::npos) << text;
  stored = asked;
  EXPECT_TRUE(check_same(stored, asked, "s.db", diagnostics));
}

TEST(StudyFiles, OtherFilesAreRefusedAndLeftAlone) {
  const Folder folder;
  const std::string path = folder.file("other");
  const std::string expected_kind =
      "expected a study (an SQLite file), found another kind of file\n";
  for (const std::string& bytes : {std::string("{\"schema\": 1}\n"), std::string(10000, '\0'),
                                   "SQLite format 3" + std::string(5000, 'x')}) {
    write_bytes(path, bytes);
    EXPECT_EQ(refusal(path, question()), expected_kind);
    EXPECT_EQ(reading_refusal(path), expected_kind);
  }
  const std::string database = folder.file("other.db");
  run_sql(database, "CREATE TABLE chips (a)");
  const std::string expected = "expected a study of phaze, found another program's SQLite file\n";
  EXPECT_EQ(refusal(database, question()), expected);
  EXPECT_EQ(reading_refusal(database), expected);
  EXPECT_EQ(refusal(folder.file(""), question()),
            "expected a study (an SQLite file), found a folder\n");
  EXPECT_EQ(reading_refusal(folder.file("none")), "cannot be opened: No such file or directory\n");
  EXPECT_EQ(reading_refusal("/dev/null"),
            "expected a study (an SQLite file), found no plain file\n");
}

TEST(StudyFiles, PlacesThatCannotBeWritten) {
  const Folder folder;
  EXPECT_EQ(refusal(folder.file("none/study.db"), question()),
            "cannot be written: No such file or directory\n");
  EXPECT_TRUE(refusal("/proc/study.db", question()).starts_with("cannot be written: "));
}

TEST(StudyFiles, AnEmptyFileIsAStudyToBegin) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  write_bytes(path, "");
  EXPECT_EQ(reading_refusal(path), "expected a study, found an empty file\n");
  Diagnostics diagnostics;
  EXPECT_TRUE(Study::open(path, question(), diagnostics));
}

TEST(StudyFiles, NewerSchemasAreRefused) {
  const Folder folder;
  const std::string path = make(folder);
  run_sql(path, "PRAGMA user_version = 2");
  const std::string expected =
      "expected a study of schema 1, found schema 2; a newer phaze made it\n";
  EXPECT_EQ(refusal(path, question()), expected);
  EXPECT_EQ(reading_refusal(path), expected);
}

TEST(StudyFiles, DamageIsSeen) {
  const Folder folder;
  const std::string path = make(folder);
  const std::string whole = read_bytes(path);
  for (const std::size_t size : {whole.size() / 2, whole.size() - 1, std::size_t{5000}}) {
    write_bytes(path, whole.substr(0, size));
    EXPECT_TRUE(refusal(path, question()).starts_with("the study is damaged: ")) << size;
  }
  // A page in the middle of a table.
  for (std::size_t page = 4096; page < whole.size(); page += 4096) {
    std::string bytes = whole;
    bytes.replace(page, 4096, 4096, '\xff');
    write_bytes(path, bytes);
    EXPECT_TRUE(refusal(path, question()).starts_with("the study is damaged: ")) << page;
  }
  write_bytes(path, whole);
  run_sql(path, "UPDATE chips SET state = 'lost' WHERE chip = 2");
  EXPECT_EQ(reading_refusal(path), "the study is damaged: chip 2 has an unknown state\n");
}

// The file and its journal as a kill in the middle of a batch leaves them: whoever comes next, to
// read or to write, finds what was stored before.
TEST(StudyFiles, AHalfWrittenBatchIsUndone) {
  const Folder folder;
  const std::string path = make(folder);
  plan::StudyBatch batch;
  for (std::int64_t chip = 0; chip < 2000; ++chip) {
    batch.chips.push_back(evaluated(chip));
  }
  Diagnostics diagnostics;
  ASSERT_TRUE(Study::open(path, question(), diagnostics)->add(batch, diagnostics));
  const std::string whole = read_bytes(path);
  const std::string killed = folder.file("killed.db");
  for (const bool is_reader : {true, false}) {
    {
      const Database database(path, Access::kWrite);
      database.run("PRAGMA cache_size = 2");  // pages go to the file before the end
      const Transaction transaction(database, Access::kWrite);
      database.run("UPDATE chips SET value = 0");
      write_bytes(killed, read_bytes(path));
      write_bytes(killed + "-journal", read_bytes(path + "-journal"));
    }
    ASSERT_TRUE(read_bytes(killed) != whole);
    const auto store = is_reader ? Study::open_to_read(killed, diagnostics)
                                 : Study::open(killed, question(), diagnostics);
    const auto record = store ? store->read(Plans::kRead, diagnostics) : std::nullopt;
    ASSERT_TRUE(record) << to_string(diagnostics);
    EXPECT_TRUE(record->chips == batch.chips);
    EXPECT_FALSE(std::filesystem::exists(killed + "-journal"));
  }
}

// Fills the study until it refuses; what it took before is all there and it goes on later.
void fill(const std::string& path, Study& store, const std::string& expected,
          const std::function<void()>& make_room) {
  plan::StudyBatch batch;
  std::int64_t stored = 0;
  Diagnostics diagnostics;
  for (;;) {
    batch.chips.clear();
    for (std::int64_t i = 0; i < 100; ++i) {
      batch.chips.push_back(evaluated(stored + i));
    }
    if (!store.add(batch, diagnostics)) {
      break;
    }
    stored += 100;
    ASSERT_LT(stored, 100'000);
  }
  EXPECT_GT(stored, 0);
  EXPECT_EQ(to_string(diagnostics), path + ": error: " + expected + "\n");
  const auto count = [&] {
    Diagnostics reading;
    const auto record = store.read(Plans::kRead, reading);
    EXPECT_EQ(to_string(reading), "");
    return record ? static_cast<std::int64_t>(record->chips.size()) : -1;
  };
  EXPECT_EQ(count(), stored);
  make_room();
  Diagnostics later;
  EXPECT_TRUE(store.add(batch, later)) << to_string(later);
  EXPECT_EQ(count(), stored + 100);
}

TEST(StudyFiles, AFileThatMayNotGrowKeepsWhatItHas) {
  const Folder folder;
  const std::string path = make(folder);
  Diagnostics diagnostics;
  auto store = Study::open(path, question(), diagnostics);
  ASSERT_TRUE(store);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {200'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  fill(path, *store, "cannot be read or written: File too large; what was stored before is kept",
       [&] { ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0); });
}

TEST(StudyFiles, AFullDatabaseIsAFullDisk) {
  const Folder folder;
  const std::string path = make(folder);
  const Database database(path, Access::kWrite);
  database.run("PRAGMA max_page_count = 12");
  Diagnostics diagnostics;
  try {
    Transaction transaction(database, Access::kWrite);
    Statement insert = database.prepare("INSERT OR REPLACE INTO plans VALUES (9, ?)");
    insert.bind(1, std::string(1'000'000, 'x'));
    insert.run();
    transaction.commit();
  } catch (const DatabaseFault& fault) {
    report(fault, path, diagnostics);
  }
  EXPECT_EQ(
      to_string(diagnostics),
      path + ": error: cannot be written: the disk is full; what was stored before is kept\n");
  EXPECT_EQ(database.number("SELECT count(*) FROM plans"), 3);
}

}  // namespace
}  // namespace phaze::study
