#include "study/database.h"

#include <sqlite3.h>

#include <cstring>
#include <new>

namespace phaze::study {
namespace {

constexpr int kWaitMilliseconds = 10'000;

DatabaseTrouble trouble_of(int code) {
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY) {
    return DatabaseTrouble::kUnfinished;
  }
  switch (code & 0xff) {  // without the details
    case SQLITE_FULL:
      return DatabaseTrouble::kFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return DatabaseTrouble::kBusy;
    case SQLITE_NOTADB:
      return DatabaseTrouble::kNoDatabase;
    case SQLITE_CORRUPT:
      return DatabaseTrouble::kDamaged;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return DatabaseTrouble::kNotWritable;
    default:
      return DatabaseTrouble::kOther;
  }
}

[[noreturn]] void fail(sqlite3* database, int code) {
  if (code == SQLITE_NOMEM) {
    throw std::bad_alloc();
  }
  std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  const int kind = code & 0xff;
  if (database != nullptr && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN)) {
    int system_error = sqlite3_system_errno(database);
    if (system_error == 0) {  // of the file itself, where the connection has forgotten it
      sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &system_error);
    }
    message = system_error == 0 ? message : std::strerror(system_error);
  }
  throw DatabaseFault(trouble_of(code), message);
}

}  // namespace

void report(const DatabaseFault& fault, const std::string& path, Diagnostics& diagnostics) {
  const std::string what = fault.what();
  const auto say = [&](const std::string& message) { diagnostics.error({path}, message); };
  switch (fault.trouble()) {
    case DatabaseTrouble::kFull:
      return say("cannot be written: the disk is full; what was stored before is kept");
    case DatabaseTrouble::kBusy:
      return say("another program has held the study for ten seconds; expected it to let go");
    case DatabaseTrouble::kNoDatabase:
      return say("expected a study (an SQLite file), found another kind of file");
    case DatabaseTrouble::kDamaged:
      return say("the study is damaged: " + what);
    case DatabaseTrouble::kUnfinished:
      return say(
          "a writer was stopped in the middle of a step, and undoing it needs a folder and a "
          "file that can be written");
    case DatabaseTrouble::kNotWritable:
      return say("cannot be opened or written, or its folder cannot: " + what);
    case DatabaseTrouble::kOther:
      return say("cannot be read or written: " + what + "; what was stored before is kept");
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) {
    fail(database_, code);
  }
}

void Statement::bind(int at, std::int64_t value) { check(sqlite3_bind_int64(handle(), at, value)); }

void Statement::bind(int at, double value) { check(sqlite3_bind_double(handle(), at, value)); }

void Statement::bind(int at, std::string_view text) {
  // A view of nothing has no address, which SQLite would take for NULL.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(handle(), at, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_nothing(int at) { check(sqlite3_bind_null(handle(), at)); }

bool Statement::step() {
  const int code = sqlite3_step(handle());
  if (code == SQLITE_ROW) {
    return true;
  }
  const int again = sqlite3_reset(handle());  // says once more what went wrong
  check(code == SQLITE_DONE ? again : code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() { check(sqlite3_reset(handle())); }

int Statement::columns() const { return sqlite3_column_count(handle()); }

std::string Statement::column_name(int at) const {
  const char* name = sqlite3_column_name(handle(), at);
  return name == nullptr ? "" : name;
}

std::string Statement::text(int at) const {
  const unsigned char* text = sqlite3_column_text(handle(), at);
  const int size = sqlite3_column_bytes(handle(), at);
  return text == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
}

std::int64_t Statement::integer(int at) const { return sqlite3_column_int64(handle(), at); }

std::optional<std::int64_t> Statement::maybe_integer(int at) const {
  return sqlite3_column_type(handle(), at) == SQLITE_NULL ? std::nullopt
                                                          : std::optional(integer(at));
}

std::optional<double> Statement::maybe_real(int at) const {
  return sqlite3_column_type(handle(), at) == SQLITE_NULL
             ? std::nullopt
             : std::optional(sqlite3_column_double(handle(), at));
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database::Database(const std::string& path, Access access) {
  sqlite3* opened = nullptr;
  const int flags = access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // With a folder, so that ":memory:" is the name of a file too.
  const std::string name = path.starts_with("/") ? path : "./" + path;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) {
    fail(opened, code);
  }
  sqlite3_busy_timeout(opened, kWaitMilliseconds);
}

std::int64_t Database::number(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(const Database& database, Access access) : database_(database) {
  database_.run(access == Access::kRead ? "BEGIN" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (sqlite3_get_autocommit(database_.handle()) == 0) {
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() { database_.run("COMMIT"); }

}  // namespace phaze::study
