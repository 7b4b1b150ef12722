#include "study/query.h"

#include <sqlite3.h>

#include "base/text.h"
#include "study/database.h"
#include "study/study.h"

namespace phaze::study {
namespace {

// SQLite asks for each thing that a statement would do.
int allow_reading(void* /*unused*/, int action, const char* /*first*/, const char* second,
                  const char* /*database*/, const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY
                                                                               : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

bool fail(const Location& option, const std::string& message, Diagnostics& diagnostics) {
  diagnostics.error(option, message);
  return false;
}

// One statement that only reads, and nothing after it.
bool check_statement(sqlite3* database, const std::string& sql, const Location& option,
                     Diagnostics& diagnostics) {
  const char* at = sql.c_str();
  int statements = 0;
  while (*at != '\0') {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(database, at, -1, &made, &at);
    const bool is_statement = made != nullptr;  // comments and blanks are none
    const bool has_rows = sqlite3_column_count(made) > 0;
    const int parameters = sqlite3_bind_parameter_count(made);
    sqlite3_finalize(made);
    if (code == SQLITE_AUTH || (is_statement && !has_rows)) {
      return fail(option, "expected a SELECT: the study is only read", diagnostics);
    }
    if (code != SQLITE_OK) {
      return fail(option, std::string("SQL: ") + sqlite3_errmsg(database), diagnostics);
    }
    if (parameters > 0) {
      return fail(option, "expected a SELECT without parameters", diagnostics);
    }
    statements += is_statement ? 1 : 0;
  }
  return statements == 1 || fail(option,
                                 "expected one SELECT, found " + std::to_string(statements) +
                                     (statements == 0 ? "" : " statements"),
                                 diagnostics);
}

plan::DataCell read_cell(const Statement& rows, int at) {
  switch (sqlite3_column_type(rows.handle(), at)) {
    case SQLITE_INTEGER:
      return rows.integer(at);
    case SQLITE_FLOAT:
      return sqlite3_column_double(rows.handle(), at);
    case SQLITE_TEXT:
      return rows.text(at);
    case SQLITE_BLOB: {
      const std::string bytes = rows.text(at);
      std::string text = "x'";
      for (const char c : bytes) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        text += {kDigits[byte >> 4U], kDigits[byte & 0xfU]};
      }
      return text + "'";
    }
    default:
      return {};
  }
}

std::size_t size_of(const plan::DataCell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return sizeof(cell) + (text == nullptr ? 0 : text->size());
}

}  // namespace

std::optional<plan::DataTable> run_query(const std::string& path, const std::string& sql,
                                         const Location& option, Diagnostics& diagnostics) {
  if (!Study::open_to_read(path, diagnostics)) {
    return std::nullopt;
  }
  try {
    const Database database(path, Access::kRead);
    database.number("SELECT count(*) FROM sqlite_master");  // the schema, before only SELECT may
    sqlite3_set_authorizer(database.handle(), allow_reading, nullptr);
    if (!check_statement(database.handle(), sql, option, diagnostics)) {
      return std::nullopt;
    }
    Statement rows = database.prepare(sql);
    plan::DataTable table;
    for (int i = 0; i < rows.columns(); ++i) {
      table.columns.push_back(rows.column_name(i));
    }
    std::size_t bytes = 0;
    while (rows.step()) {
      std::vector<plan::DataCell>& cells = table.rows.emplace_back();
      for (int i = 0; i < rows.columns(); ++i) {
        cells.push_back(read_cell(rows, i));
        bytes += size_of(cells.back());
      }
      if (bytes > kMostQueryBytes) {
        fail(option,
             "the answer has more than " +
                 with_binary_prefix(static_cast<std::int64_t>(kMostQueryBytes)) +
                 "; expected less: ask for fewer rows",
             diagnostics);
        return std::nullopt;
      }
    }
    return table;
  } catch (const DatabaseFault& fault) {
    if (fault.trouble() == DatabaseTrouble::kOther) {  // such as json() of what is no JSON
      fail(option, std::string("SQL: ") + fault.what(), diagnostics);
    } else {
      report(fault, path, diagnostics);
    }
    return std::nullopt;
  }
}

}  // namespace phaze::study
