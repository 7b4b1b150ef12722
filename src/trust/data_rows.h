#pragma once
// The project's own tables of measurements: cells by column, without quotes. Inside trust/ and for
// tests.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phaze::trust {

using DataRow = std::map<std::string, std::string>;

std::vector<DataRow> read_rows(std::string_view text);

std::int64_t number(const DataRow& row, const std::string& column);
// Of a column in milliseconds.
double seconds(const DataRow& row, const std::string& column);

}  // namespace phaze::trust
