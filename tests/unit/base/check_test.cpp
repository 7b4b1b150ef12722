#include "base/check.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace phaze {
namespace {

std::string message_of_failed_check() {
  try {
    const int cores = 0;
    CHECK(cores > 0, "a chip has " + std::to_string(cores) + " cores");
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Check, NamesPlaceReasonAndCondition) {
  const std::string message = message_of_failed_check();
  // The path is the project's, not the machine's that built it.
  EXPECT_EQ(message.rfind("tests/unit/base/check_test.cpp:", 0), 0u) << message;
  EXPECT_NE(message.find(": a chip has 0 cores (cores > 0)"), std::string::npos) << message;
}

TEST(Check, EvaluatesTheConditionOnceAndTheReasonOnlyOnFailure) {
  int conditions = 0;
  int reasons = 0;
  const auto reason = [&] {
    ++reasons;
    return std::string("why");
  };
  CHECK(++conditions == 1, reason());
  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(reasons, 0);
  EXPECT_THROW(CHECK(++conditions == 1, reason()), std::logic_error);
  EXPECT_EQ(conditions, 2);
  EXPECT_EQ(reasons, 1);
}

TEST(Check, IsOneStatement) {
  bool reached_else = false;
  if (!reached_else)
    CHECK(true, "an else after CHECK belongs to the if before it");
  else
    reached_else = true;
  EXPECT_FALSE(reached_else);
}

}  // namespace
}  // namespace phaze
