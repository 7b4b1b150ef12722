#pragma once
// The tables of a study and what goes into and out of them. Inside study/ only.

#include <string_view>

#include "plan/study.h"
#include "study/database.h"

namespace phaze::study {

inline constexpr std::int64_t kApplication = 0x50687a65;  // "Phze", in the file's header
inline constexpr std::int64_t kSchema = 1;

void make_tables(const Database& database, const plan::StudyQuestion& question);
plan::StudyQuestion read_question(const Database& database);

// Within a transaction.
void write_chips(const Database& database, const std::vector<plan::ChipRow>& rows);
void write_excluded(const Database& database, const std::vector<plan::ExcludedChips>& ranges);
void write_open_bound(const Database& database, double bound);
void write_answer(const Database& database, const plan::StudyAnswer& answer);

std::vector<plan::ChipRow> read_chips(const Database& database, bool with_plans);
std::vector<plan::ExcludedChips> read_excluded(const Database& database);
std::optional<double> read_open_bound(const Database& database);
std::optional<plan::StudyAnswer> read_answer(const Database& database);

}  // namespace phaze::study
