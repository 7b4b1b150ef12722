#include "base/diagnostics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace phaze {
namespace {

TEST(Diagnostics, CountsErrorsNotWarnings) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.warning({"chip.yaml"}, "odd");
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.error({"chip.yaml"}, "wrong");
  EXPECT_EQ(diagnostics.error_count(), 1u);
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[0], (Diagnostic{Severity::kWarning, {"chip.yaml"}, "odd"}));
}

TEST(Diagnostics, PrintsAsMuchOfThePlaceAsIsKnown) {
  const auto text = [](Location where) {
    return to_string(Diagnostic{Severity::kError, std::move(where), "unknown field"});
  };
  EXPECT_EQ(text({"chip.yaml", 7, 14, "hbm.width"}),
            "chip.yaml:7:14: error: hbm.width: unknown field");
  EXPECT_EQ(text({"chip.yaml", 7, 0, "hbm.width"}), "chip.yaml:7: error: hbm.width: unknown field");
  EXPECT_EQ(text({"chip.yaml", 0, 0, "hbm.width"}), "chip.yaml: error: hbm.width: unknown field");
  EXPECT_EQ(text({"chip.yaml", 0, 14, ""}), "chip.yaml: error: unknown field");
  EXPECT_EQ(text({"", 0, 0, "hbm.width"}), "error: hbm.width: unknown field");
  EXPECT_EQ(text({}), "error: unknown field");
}

TEST(Diagnostics, PrintsSeverity) {
  EXPECT_EQ(to_string(Diagnostic{Severity::kWarning, {"command line"}, "no effect"}),
            "command line: warning: no effect");
}

TEST(Diagnostics, ListEndsWithTheNumberOfErrorsWhenThereAreSeveral) {
  Diagnostics diagnostics;
  EXPECT_EQ(to_string(diagnostics), "");
  diagnostics.error({"a"}, "first");
  EXPECT_EQ(to_string(diagnostics), "a: error: first\n");
  diagnostics.warning({"a"}, "odd");
  EXPECT_EQ(to_string(diagnostics), "a: error: first\na: warning: odd\n");
  diagnostics.error({"b"}, "second");
  EXPECT_EQ(to_string(diagnostics),
            "a: error: first\na: warning: odd\nb: error: second\n2 errors\n");
}

TEST(NearestName, FindsASlipOfTheFinger) {
  const std::vector<std::string> keys = {"bandwidth", "capacity", "latency", "size"};
  EXPECT_EQ(nearest_name("bandwith", keys), "bandwidth");   // a letter missing
  EXPECT_EQ(nearest_name("sizes", keys), "size");           // one too many
  EXPECT_EQ(nearest_name("lazency", keys), "latency");      // a wrong one
  EXPECT_EQ(nearest_name("capaciyt", keys), "capacity");    // two swapped
  EXPECT_EQ(nearest_name("capacity", keys), "capacity");    // none
  EXPECT_EQ(nearest_name("BandWIDTH", keys), "bandwidth");  // another case
}

TEST(NearestName, FindsTwoSwappedLettersInAShortName) {
  EXPECT_EQ(nearest_name("naem", {"size", "name"}), "name");
  EXPECT_EQ(nearest_name("iszes", {"sizes"}), "sizes");
}

TEST(NearestName, FindsNothingFarAway) {
  const std::vector<std::string> keys = {"bandwidth", "capacity", "size"};
  EXPECT_EQ(nearest_name("clock", keys), "");
  EXPECT_EQ(nearest_name("sixty", keys), "");
  EXPECT_EQ(nearest_name("bandwidth", {}), "");
  EXPECT_EQ(nearest_name(std::string(101, 'a'), {std::string(101, 'a')}), "");
}

TEST(NearestName, NeedsSomethingInCommon) {
  EXPECT_EQ(nearest_name("", {"d", "t"}), "");
  EXPECT_EQ(nearest_name("x", {"d", "t"}), "");
  EXPECT_EQ(nearest_name("d", {"dp", "t"}), "dp");
}

TEST(NearestName, AllowsNoMoreEditsThanItIsTold) {
  EXPECT_EQ(nearest_name("num_hidden_lairs", {"num_hidden_layers"}), "num_hidden_layers");
  EXPECT_EQ(nearest_name("num_hidden_lairs", {"num_hidden_layers"}, 1), "");
  EXPECT_EQ(nearest_name("num_hidden_layer", {"num_hidden_layers"}, 1), "num_hidden_layers");
  EXPECT_EQ(nearest_name("abcd", {"abxy"}, 2), "");  // never more than without a limit
}

TEST(NearestName, TheNearestWinsThenTheFirst) {
  EXPECT_EQ(nearest_name("llama3-80b", {"llama3-8b", "llama3-70b"}), "llama3-8b");
  EXPECT_EQ(nearest_name("llama3-8b", {"llama3-80b", "llama3-8b"}), "llama3-8b");
}

TEST(DidYouMean, IsAClauseOrNothing) {
  EXPECT_EQ(did_you_mean("bandwith", {"bandwidth"}), "; did you mean bandwidth?");
  EXPECT_EQ(did_you_mean("clock", {"bandwidth"}), "");
}

}  // namespace
}  // namespace phaze
