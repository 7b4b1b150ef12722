#pragma once
// Names of the values of an enum: one table each, in the enum's order (checked at compile time).

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace phaze {

template <class Enum>
struct NameOf {
  Enum value;
  std::string_view name;
};

template <class Enum, std::size_t N>
constexpr bool is_in_order(const std::array<NameOf<Enum>, N>& table) {
  for (std::size_t i = 0; i < N; ++i) {
    if (table[i].value != static_cast<Enum>(i)) {
      return false;
    }
  }
  return true;
}

template <class Enum, std::size_t N>
std::string_view name_in(const std::array<NameOf<Enum>, N>& table, Enum value) {
  return table[static_cast<std::size_t>(value)].name;
}

template <class Enum, std::size_t N>
std::optional<Enum> find_in(const std::array<NameOf<Enum>, N>& table, std::string_view name) {
  for (const NameOf<Enum>& row : table) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

}  // namespace phaze
