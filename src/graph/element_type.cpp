#include "graph/element_type.h"

#include <array>

namespace phaze::graph {
namespace {

struct Row {
  ElementType type;
  std::string_view name;
  std::int64_t bytes;
  bool floating;
};

constexpr std::array<Row, 8> kRows = {{
    {ElementType::kF32, "f32", 4, true},
    {ElementType::kF16, "f16", 2, true},
    {ElementType::kBf16, "bf16", 2, true},
    {ElementType::kF8, "f8", 1, true},
    {ElementType::kI64, "i64", 8, false},
    {ElementType::kI32, "i32", 4, false},
    {ElementType::kI8, "i8", 1, false},
    {ElementType::kBool, "bool", 1, false},
}};

const Row& row(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::int64_t bytes_per_element(ElementType type) { return row(type).bytes; }
std::string_view to_string(ElementType type) { return row(type).name; }
bool is_floating(ElementType type) { return row(type).floating; }

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name) {
      return r.type;
    }
  }
  return std::nullopt;
}

}  // namespace phaze::graph
