#include "io/listing_json.h"

#include <gtest/gtest.h>

#include "support/documents.h"

namespace phaze::io {
namespace {

TEST(ListingJson, ReadsBack) {
  ModelListing model;
  model.name = "a \"b\"";
  model.title = "Title";
  model.parameters = 9'007'199'254'740'993;  // beyond what a double holds exactly
  model.tensor_widths = {1, 2, 4};
  const Value list = tests::parse(write_models({model, {}}));
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0].find("name")->text, "a \"b\"");
  EXPECT_EQ(list.items[0].find("parameters")->integer, 9'007'199'254'740'993);
  EXPECT_EQ(list.items[0].find("tensor_widths")->items[2].integer, 4);
  EXPECT_EQ(write_models({}), "[]\n");
}

}  // namespace
}  // namespace phaze::io
