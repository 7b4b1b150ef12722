#include "base/plural.h"

#include <gtest/gtest.h>

namespace phaze {
namespace {

TEST(Plural, OneAndOthers) {
  EXPECT_EQ(counted(1, "device"), "1 device");
  EXPECT_EQ(counted(0, "device"), "0 devices");
  EXPECT_EQ(counted(1024, "device"), "1,024 devices");
  EXPECT_EQ(counted(std::size_t{2}, "row"), "2 rows");
}

TEST(Plural, OtherForms) {
  EXPECT_EQ(counted(1, "pass", "passes"), "1 pass");
  EXPECT_EQ(counted(2, "pass", "passes"), "2 passes");
  EXPECT_EQ(counted(1, "device is", "devices are"), "1 device is");
  EXPECT_EQ(counted(3, "device is", "devices are"), "3 devices are");
}

}  // namespace
}  // namespace phaze
