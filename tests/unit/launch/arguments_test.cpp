#include "launch/arguments.h"

#include <gtest/gtest.h>

namespace phaze::launch {
namespace {

std::vector<std::string> texts(const std::vector<Word>& words) {
  std::vector<std::string> all;
  for (const Word& word : words) {
    all.push_back(word.text);
  }
  return all;
}

TEST(Words, AsAShellCutsThem) {
  Diagnostics diagnostics;
  const auto words =
      split_words("A=(\n  --a 1 # a comment '\n  --b='x y' \\\n --c \"d \\\" e\" f\\ g ''\n)",
                  "file", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(texts(words), (std::vector<std::string>{"A=(", "--a", "1", "--b=x y", "--c", "d \" e",
                                                    "f g", "", ")"}));
  EXPECT_EQ(words[1].where, (Location{"file", 2, 3, ""}));
  EXPECT_EQ(words[4].where, (Location{"file", 4, 2, ""}));
}

TEST(Words, AnOpenQuoteIsAFaultAtItsPlace) {
  Diagnostics diagnostics;
  split_words("--a\n 'x", "file", diagnostics);
  ASSERT_EQ(diagnostics.error_count(), 1U);
  EXPECT_EQ(diagnostics.all()[0].where, (Location{"file", 2, 2, ""}));
}

TEST(ArgumentsOf, ValuesByName) {
  Diagnostics diagnostics;
  Arguments arguments(
      split_words("torchrun x --n=3 --flag --share 0.5 --list a b --other", "file", diagnostics),
      diagnostics);
  EXPECT_EQ(arguments.count("--n", 10), 3);
  EXPECT_TRUE(arguments.flag("--flag"));
  EXPECT_FALSE(arguments.flag("--none"));
  EXPECT_EQ(arguments.fraction("--share"), 0.5);
  EXPECT_EQ(arguments.count("--missing", 10), std::nullopt);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(arguments.unused(), (std::vector<std::string>{"--list", "--other"}));
}

TEST(ArgumentsOf, FaultsHaveTheirPlace) {
  Diagnostics diagnostics;
  Arguments arguments(
      split_words("--n x --m 11 --flag y --share 2 --v $V --n 4", "file", diagnostics),
      diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 1U);  // --n twice, with different values
  EXPECT_EQ(arguments.count("--n", 10), std::nullopt);
  EXPECT_EQ(arguments.count("--m", 10), std::nullopt);
  EXPECT_TRUE(arguments.flag("--flag"));
  EXPECT_EQ(arguments.fraction("--share"), std::nullopt);
  EXPECT_EQ(arguments.text("--v"), std::nullopt);
  EXPECT_EQ(diagnostics.error_count(), 6U);
  EXPECT_EQ(diagnostics.all()[2].where, (Location{"file", 1, 7, "--m"}));
}

TEST(ArgumentsOf, TheSameTwiceIsNoFault) {
  Diagnostics diagnostics;
  const Arguments arguments(split_words("--n 4 --n 4", "file", diagnostics), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
}

}  // namespace
}  // namespace phaze::launch
