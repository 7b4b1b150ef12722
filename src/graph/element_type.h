#pragma once
// Number formats of tensors.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace phaze::graph {

enum class ElementType { kF32, kF16, kBf16, kF8, kI64, kI32, kI8, kBool };

std::int64_t bytes_per_element(ElementType type);
std::string_view to_string(ElementType type);
std::optional<ElementType> parse_element_type(std::string_view name);
bool is_floating(ElementType type);

}  // namespace phaze::graph
