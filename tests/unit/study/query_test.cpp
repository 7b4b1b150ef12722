#include "study/query.h"

#include <gtest/gtest.h>

#include "study/study.h"
#include "support/studies.h"

namespace phaze::study {
namespace {

using support::evaluated;
using support::Folder;
using support::question;
using support::read_bytes;

const Location kOption = {"command line", 0, 0, "--sql"};

class Query : public testing::Test {
 protected:
  Query() : path_(folder_.file("study.db")) {
    Diagnostics diagnostics;
    auto store = Study::open(path_, question(), diagnostics);
    EXPECT_TRUE(store && store->add({{evaluated(1), evaluated(2)}, {{5, 9, 3}}, {}}, diagnostics));
  }
  std::string refusal(const std::string& sql) {
    Diagnostics diagnostics;
    EXPECT_FALSE(run_query(path_, sql, kOption, diagnostics)) << sql;
    return to_string(diagnostics);
  }
  plan::DataTable answer(const std::string& sql) {
    Diagnostics diagnostics;
    auto table = run_query(path_, sql, kOption, diagnostics);
    EXPECT_EQ(to_string(diagnostics), "");
    return table.value_or(plan::DataTable());
  }
  Folder folder_;
  std::string path_;
};

TEST_F(Query, Answers) {
  const plan::DataTable table = answer(
      "WITH best AS (SELECT * FROM chips ORDER BY value DESC LIMIT 1) SELECT best.chip, id, "
      "area_mm2, "
      "witness, x'0aF3' AS bytes FROM best -- a comment");
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"chip", "id", "area_mm2", "witness", "bytes"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0],
            (std::vector<plan::DataCell>{std::int64_t{2}, std::string("chip-2"), 114.0,
                                         std::monostate(), std::string("x'0af3'")}));
  EXPECT_EQ(answer("SELECT sum(last_chip - first_chip + 1) FROM excluded;").rows[0][0],
            plan::DataCell(std::int64_t{5}));
  EXPECT_TRUE(answer("SELECT * FROM answer").rows.empty());
}

TEST_F(Query, NothingIsWritten) {
  const std::string before = read_bytes(path_);
  const std::string attached = folder_.file("attached.db");
  for (const std::string& sql :
       {std::string("DELETE FROM chips"), std::string("INSERT INTO progress VALUES (1, 1)"),
        std::string("UPDATE chips SET value = 9"), std::string("DROP TABLE chips"),
        std::string("CREATE TEMP TABLE t (a)"), "ATTACH '" + attached + "' AS a",
        "VACUUM INTO '" + attached + "'", std::string("PRAGMA user_version = 3"),
        std::string("PRAGMA journal_mode = WAL"), std::string("BEGIN"),
        std::string("SELECT 1; DELETE FROM chips")}) {
    EXPECT_EQ(refusal(sql),
              "command line: error: --sql: expected a SELECT: the study is only read\n")
        << sql;
  }
  EXPECT_EQ(refusal("SELECT load_extension('x')"),
            "command line: error: --sql: SQL: not authorized to use function: load_extension\n");
  EXPECT_TRUE(read_bytes(path_) == before);
  EXPECT_TRUE(read_bytes(attached).empty());
}

TEST_F(Query, FaultsAreNamed) {
  EXPECT_EQ(refusal("SELECT area FROM chips"),
            "command line: error: --sql: SQL: no such column: area\n");
  EXPECT_EQ(refusal("SELEC 1"), "command line: error: --sql: SQL: near \"SELEC\": syntax error\n");
  EXPECT_EQ(refusal("  -- nothing"), "command line: error: --sql: expected one SELECT, found 0\n");
  EXPECT_EQ(refusal("SELECT 1; SELECT 2"),
            "command line: error: --sql: expected one SELECT, found 2 statements\n");
  EXPECT_EQ(refusal("SELECT ?"),
            "command line: error: --sql: expected a SELECT without parameters\n");
  EXPECT_EQ(refusal("SELECT json_extract('{', '$.a')"),
            "command line: error: --sql: SQL: malformed JSON\n");
  EXPECT_NE(refusal("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                    "SELECT zeroblob(1000000) FROM n")
                .find("the answer has more than 256 MiB"),
            std::string::npos);
}

}  // namespace
}  // namespace phaze::study
