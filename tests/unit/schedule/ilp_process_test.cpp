#include "schedule/ilp_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace phaze::schedule::ilp {
namespace {

TEST(RunApart, BringsNumbersBack) {
  std::vector<double> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<double>(i) / 3;
  }
  EXPECT_EQ(run_apart([&] { return many; }, Seconds(60)), many);
  EXPECT_EQ(run_apart([] { return std::vector<double>(); }, Seconds(60)), std::vector<double>());
}

TEST(RunApart, LeavesThisProcessAsItWas) {
  int value = 1;
  EXPECT_EQ(run_apart(
                [&] {
                  value = 2;
                  return std::vector<double>{2};
                },
                Seconds(60)),
            std::vector<double>{2});
  EXPECT_EQ(value, 1);
}

TEST(RunApart, SurvivesWhatDies) {
  EXPECT_EQ(run_apart([]() -> std::vector<double> { std::abort(); }, Seconds(60)), std::nullopt);
  EXPECT_EQ(run_apart([]() -> std::vector<double> { throw std::runtime_error("no"); }, Seconds(60)),
            std::nullopt);
}

TEST(RunApart, StopsWhenItIsTold) {
  int asked = 0;
  const auto numbers = run_apart(
      []() -> std::vector<double> {
        while (true) {
          pause();
        }
      },
      Seconds(60), [&asked] { return ++asked == 3; });
  EXPECT_EQ(numbers, std::nullopt);
  EXPECT_EQ(asked, 3);
}

TEST(RunApart, StopsWhatTakesTooLong) {
  const auto endless = []() -> std::vector<double> {
    while (true) {
      sleep(1);
    }
  };
  EXPECT_EQ(run_apart(endless, Seconds(0.05)), std::nullopt);
}

TEST(RunApart, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_apart(
      [] {
        std::cout << "out" << std::endl;
        std::cerr << "error" << std::endl;
        return std::vector<double>{1};
      },
      Seconds(60));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace phaze::schedule::ilp
