#include "graph/element_type.h"

#include <gtest/gtest.h>

namespace phaze::graph {
namespace {

constexpr ElementType kAll[] = {ElementType::kF32, ElementType::kF16, ElementType::kBf16,
                                ElementType::kF8,  ElementType::kI64, ElementType::kI32,
                                ElementType::kI8,  ElementType::kBool};

TEST(ElementType, NamesReadBack) {
  for (const ElementType type : kAll) {
    EXPECT_EQ(parse_element_type(to_string(type)), type) << to_string(type);
  }
  EXPECT_EQ(to_string(ElementType::kBf16), "bf16");
}

TEST(ElementType, OtherNamesAreNone) {
  for (const char* name : {"", "f64", "F32", "f32 ", "float32"}) {
    EXPECT_FALSE(parse_element_type(name)) << name;
  }
}

TEST(ElementType, SizesAreThoseOfMemory) {
  EXPECT_EQ(bytes_per_element(ElementType::kI64), 8);
  EXPECT_EQ(bytes_per_element(ElementType::kF32), 4);
  EXPECT_EQ(bytes_per_element(ElementType::kI32), 4);
  EXPECT_EQ(bytes_per_element(ElementType::kF16), 2);
  EXPECT_EQ(bytes_per_element(ElementType::kBf16), 2);
  EXPECT_EQ(bytes_per_element(ElementType::kF8), 1);
  EXPECT_EQ(bytes_per_element(ElementType::kI8), 1);
  EXPECT_EQ(bytes_per_element(ElementType::kBool), 1);  // a mask takes a byte an element
}

TEST(ElementType, OnlyFloatingTypesHaveGradients) {
  for (const ElementType type : kAll) {
    EXPECT_EQ(is_floating(type), to_string(type).find('f') != std::string_view::npos)
        << to_string(type);
  }
}

}  // namespace
}  // namespace phaze::graph
