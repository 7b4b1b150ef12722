#pragma once
// SQLite, as much of it as studies need. Inside study/ only; the rest of the module turns its
// faults into diagnostics.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

struct sqlite3;
struct sqlite3_stmt;

namespace phaze::study {

enum class DatabaseTrouble {
  kFull,        // no room on the disk
  kBusy,        // another process holds it
  kNoDatabase,  // some other kind of file
  kDamaged,
  kUnfinished,  // a writer was killed, and this one may not write to undo its last step
  kNotWritable,
  kOther,
};

class DatabaseFault : public std::runtime_error {
 public:
  DatabaseFault(DatabaseTrouble trouble, const std::string& message)
      : std::runtime_error(message), trouble_(trouble) {}
  DatabaseTrouble trouble() const { return trouble_; }

 private:
  DatabaseTrouble trouble_;
};

// One message about the file.
void report(const DatabaseFault& fault, const std::string& path, Diagnostics& diagnostics);

class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);

  // Parameters are numbered from 1.
  void bind(int at, std::int64_t value);
  void bind(int at, double value);
  void bind(int at, std::string_view text);
  void bind_nothing(int at);
  template <class T>
  void bind(int at, const std::optional<T>& value) {
    value ? bind(at, *value) : bind_nothing(at);
  }

  // Whether there is a(nother) row. After the last one parameters can be bound anew.
  bool step();
  void run();    // to the end
  void reset();  // leaves the rows that are left

  // Of the row, columns from 0.
  int columns() const;
  std::string column_name(int at) const;
  std::string text(int at) const;
  std::int64_t integer(int at) const;
  std::optional<std::int64_t> maybe_integer(int at) const;
  std::optional<double> maybe_real(int at) const;

  sqlite3_stmt* handle() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Access { kRead, kWrite };

class Database {
 public:
  // The file must exist. Waits for others up to ten seconds wherever it has to.
  Database(const std::string& path, Access access);

  Statement prepare(std::string_view sql) const { return {database_.get(), sql}; }
  void run(std::string_view sql) const { prepare(sql).run(); }
  std::int64_t number(std::string_view sql) const;

  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// All or nothing: what is not committed is undone.
class Transaction {
 public:
  Transaction(const Database& database, Access access);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
};

}  // namespace phaze::study
