#include "study/study_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "study/excluded.h"
#include "study/study.h"

namespace phaze::study {
namespace {

using plan::ChipRow;
using plan::ExcludedChips;

// The columns of chips that are no metrics, in their order.
constexpr std::array<std::string_view, 6> kFixedColumns = {"chip",  "id",    "state",
                                                           "value", "bound", "witness"};
constexpr int kFixed = static_cast<int>(kFixedColumns.size());
constexpr std::size_t kMostMetrics = 1000;
constexpr std::string_view kChipsTotal = "chips_total";

bool is_finite(const std::optional<double>& value) { return !value || std::isfinite(*value); }

// SQLite does not tell letters from their capitals in names.
std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + "\"";
}

std::vector<std::string> read_metric_names(const Database& database) {
  std::vector<std::string> names;
  Statement columns = database.prepare("SELECT name FROM pragma_table_info('chips') ORDER BY cid");
  while (columns.step()) {
    names.push_back(columns.text(0));
  }
  if (names.size() < kFixedColumns.size() ||
      !std::equal(kFixedColumns.begin(), kFixedColumns.end(), names.begin())) {
    throw DatabaseFault(DatabaseTrouble::kDamaged, "the table chips has other columns");
  }
  names.erase(names.begin(), names.begin() + kFixed);
  return names;
}

void add_metric(const Database& database, const std::string& name,
                std::vector<std::string>& names) {
  const auto is_taken = [&](std::string_view other) { return is_same_metric(name, other); };
  CHECK(!name.empty() && name.find('\0') == std::string::npos, "a metric needs a name");
  CHECK(std::ranges::none_of(kFixedColumns, is_taken) && std::ranges::none_of(names, is_taken),
        "two columns named " + name);
  CHECK(names.size() < kMostMetrics, "too many metrics");
  database.run("ALTER TABLE chips ADD COLUMN " + quoted(name) + " REAL");
  names.push_back(name);
}

void check_row(const ChipRow& row) {
  CHECK(row.chip >= 0, "chips are numbered from 0");
  CHECK(is_finite(row.value) && is_finite(row.bound), "a value that is not finite");
}

Statement prepare_insert(const Database& database, const std::vector<std::string>& names) {
  std::string columns;
  std::string marks;
  for (const std::string_view name : kFixedColumns) {
    columns += (columns.empty() ? "" : ", ") + std::string(name);
    marks += marks.empty() ? "?" : ", ?";
  }
  for (const std::string& name : names) {
    columns += ", " + quoted(name);
    marks += ", ?";
  }
  return database.prepare("INSERT OR REPLACE INTO chips (" + columns + ") VALUES (" + marks + ")");
}

}  // namespace

bool is_same_metric(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

void make_tables(const Database& database, const plan::StudyQuestion& question) {
  database.run("PRAGMA application_id = " + std::to_string(kApplication));
  database.run("PRAGMA user_version = " + std::to_string(kSchema));
  for (const char* table :
       {"question (part TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "chips (chip INTEGER PRIMARY KEY, id TEXT NOT NULL, state TEXT NOT NULL, value REAL, "
        "bound REAL, witness INTEGER) STRICT",
        "plans (chip INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT",
        "excluded (first_chip INTEGER PRIMARY KEY, last_chip INTEGER NOT NULL, bound REAL) STRICT",
        "progress (one INTEGER PRIMARY KEY CHECK (one = 1), open_bound REAL NOT NULL) STRICT",
        "answer (one INTEGER PRIMARY KEY CHECK (one = 1), status TEXT NOT NULL, chip INTEGER, "
        "value REAL, bound REAL, json TEXT NOT NULL) STRICT"}) {
    database.run(std::string("CREATE TABLE ") + table);
  }
  CHECK(!question.parts.contains(std::string(kChipsTotal)), "chips_total is no part of its own");
  Statement insert = database.prepare("INSERT INTO question VALUES (?, ?)");
  const auto put = [&](std::string_view part, std::string_view text) {
    insert.bind(1, part);
    insert.bind(2, text);
    insert.run();
  };
  for (const auto& [part, text] : question.parts) {
    put(part, text);
  }
  put(kChipsTotal, std::to_string(question.chips_total));
}

plan::StudyQuestion read_question(const Database& database) {
  plan::StudyQuestion question;
  Statement rows = database.prepare("SELECT part, text FROM question ORDER BY part");
  while (rows.step()) {
    question.parts[rows.text(0)] = rows.text(1);
  }
  const auto total = question.parts.find(std::string(kChipsTotal));
  if (total == question.parts.end()) {
    throw DatabaseFault(DatabaseTrouble::kDamaged, "the question has no chips_total");
  }
  const std::string& digits = total->second;
  std::from_chars(digits.data(), digits.data() + digits.size(), question.chips_total);
  question.parts.erase(total);
  return question;
}

void write_chips(const Database& database, const std::vector<ChipRow>& rows) {
  std::vector<std::string> names = read_metric_names(database);
  for (const ChipRow& row : rows) {
    check_row(row);
    for (const auto& [name, value] : row.metrics) {
      CHECK(std::isfinite(value), "a metric that is not finite: " + name);
      if (std::ranges::find(names, name) == names.end()) {
        add_metric(database, name, names);
      }
    }
  }
  Statement insert = prepare_insert(database, names);
  Statement forget_plans = database.prepare("DELETE FROM plans WHERE chip = ?");
  Statement insert_plans = database.prepare("INSERT OR REPLACE INTO plans VALUES (?, ?)");
  for (const ChipRow& row : rows) {
    int at = 0;
    insert.bind(++at, row.chip);
    insert.bind(++at, row.id);
    insert.bind(++at, to_string(row.state));
    insert.bind(++at, row.value);
    insert.bind(++at, row.bound);
    insert.bind(++at, row.witness);
    for (const std::string& name : names) {
      const auto metric = row.metrics.find(name);
      insert.bind(++at, metric == row.metrics.end() ? std::nullopt : std::optional(metric->second));
    }
    insert.run();
    Statement& plans = row.plans_json.empty() ? forget_plans : insert_plans;
    plans.bind(1, row.chip);
    if (!row.plans_json.empty()) {
      plans.bind(2, row.plans_json);
    }
    plans.run();
  }
}

void write_excluded(const Database& database, const std::vector<ExcludedChips>& ranges) {
  Statement find = database.prepare(
      "SELECT first_chip, last_chip, bound FROM excluded WHERE first_chip <= ? "
      "ORDER BY first_chip DESC");
  Statement forget = database.prepare("DELETE FROM excluded WHERE first_chip BETWEEN ? AND ?");
  Statement insert = database.prepare("INSERT INTO excluded VALUES (?, ?, ?)");
  for (ExcludedChips range : ranges) {
    CHECK(0 <= range.first && range.first <= range.last, "a range of chips that is none");
    CHECK(is_finite(range.bound), "a bound that is not finite");
    // Ranges of the table are apart, so that those that overlap this one are the last ones up to
    // its end.
    find.bind(1, range.last);
    while (find.step() && find.integer(1) >= range.first) {
      range.first = std::min(range.first, find.integer(0));
      range.last = std::max(range.last, find.integer(1));
      range.bound = common_bound(range.bound, find.maybe_real(2));
    }
    find.reset();
    forget.bind(1, range.first);
    forget.bind(2, range.last);
    forget.run();
    insert.bind(1, range.first);
    insert.bind(2, range.last);
    insert.bind(3, range.bound);
    insert.run();
  }
}

void write_open_bound(const Database& database, double bound) {
  CHECK(std::isfinite(bound), "a bound that is not finite");
  Statement insert = database.prepare("INSERT OR REPLACE INTO progress VALUES (1, ?)");
  insert.bind(1, bound);
  insert.run();
}

void write_answer(const Database& database, const plan::StudyAnswer& answer) {
  CHECK(is_finite(answer.value) && is_finite(answer.bound), "an answer that is not finite");
  Statement insert = database.prepare("INSERT OR REPLACE INTO answer VALUES (1, ?, ?, ?, ?, ?)");
  insert.bind(1, answer.status);
  insert.bind(2, answer.chip);
  insert.bind(3, answer.value);
  insert.bind(4, answer.bound);
  insert.bind(5, answer.json);
  insert.run();
}

std::vector<ChipRow> read_chips(const Database& database, bool with_plans) {
  const std::vector<std::string> names = read_metric_names(database);
  Statement select = database.prepare(
      with_plans ? "SELECT chips.*, plans.json FROM chips LEFT JOIN plans USING (chip) "
                   "ORDER BY chips.chip"
                 : "SELECT * FROM chips ORDER BY chip");
  std::vector<ChipRow> rows;
  while (select.step()) {
    ChipRow row;
    row.chip = select.integer(0);
    row.id = select.text(1);
    const auto state = plan::parse_chip_state(select.text(2));
    if (!state) {
      throw DatabaseFault(DatabaseTrouble::kDamaged,
                          "chip " + std::to_string(row.chip) + " has an unknown state");
    }
    row.state = *state;
    row.value = select.maybe_real(3);
    row.bound = select.maybe_real(4);
    row.witness = select.maybe_integer(5);
    int at = kFixed;
    for (const std::string& name : names) {
      if (const auto metric = select.maybe_real(at++)) {
        row.metrics.emplace(name, *metric);
      }
    }
    if (with_plans) {
      row.plans_json = select.text(at);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ExcludedChips> read_excluded(const Database& database) {
  std::vector<ExcludedChips> ranges;
  Statement select =
      database.prepare("SELECT first_chip, last_chip, bound FROM excluded ORDER BY first_chip");
  while (select.step()) {
    ranges.push_back({select.integer(0), select.integer(1), select.maybe_real(2)});
  }
  return ranges;
}

std::optional<double> read_open_bound(const Database& database) {
  Statement select = database.prepare("SELECT open_bound FROM progress");
  return select.step() ? select.maybe_real(0) : std::nullopt;
}

std::optional<plan::StudyAnswer> read_answer(const Database& database) {
  Statement select = database.prepare("SELECT status, chip, value, bound, json FROM answer");
  if (!select.step()) {
    return std::nullopt;
  }
  return plan::StudyAnswer{select.text(0), select.maybe_integer(1), select.maybe_real(2),
                           select.maybe_real(3), select.text(4)};
}

}  // namespace phaze::study
