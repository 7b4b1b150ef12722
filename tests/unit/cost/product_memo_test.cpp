#include "cost/product_memo.h"

#include <gtest/gtest.h>

#include "cost/machine.h"
#include "support/chips.h"

namespace phaze::cost {
namespace {

TEST(ProductMemo, AnswersAsTheSearchDoesAndSolvesOnce) {
  const hw::Chip chip = tests::round_chip();
  const plan::TensorMachine machine = tensor_machine(chip, hw::NumberFormat::kBf16);
  plan::ProductProblem problem;
  problem.m = 512;
  problem.n = 1024;
  problem.k = 256;
  ProductMemo memo;
  const ProductAnswer expected = solve_product(problem, machine).value();
  for (int i = 0; i < 2; ++i) {
    const ProductAnswer found = memo.solve(problem, machine).value();
    EXPECT_EQ(found.mapping, expected.mapping);
    EXPECT_EQ(found.cost, expected.cost);
    EXPECT_EQ(memo.size(), 1U);
  }
}

TEST(ProductMemo, TellsProblemsAndMachinesApart) {
  hw::Chip chip = tests::round_chip();
  const plan::TensorMachine all = tensor_machine(chip, hw::NumberFormat::kBf16);
  const plan::TensorMachine one = tensor_machine(chip, hw::NumberFormat::kBf16, {false, 2});
  plan::ProductProblem problem;
  problem.m = problem.n = problem.k = 64;
  plan::ProductProblem wider = problem;
  wider.extra = Bytes(1 << 20);
  ProductMemo memo;
  EXPECT_EQ(memo.solve(problem, all)->cost, solve_product(problem, all)->cost);
  EXPECT_EQ(memo.solve(problem, one)->cost, solve_product(problem, one)->cost);
  EXPECT_EQ(memo.solve(wider, all)->cost, solve_product(wider, all)->cost);
  EXPECT_EQ(memo.size(), 3U);
  // That nothing fits is remembered too.
  chip.tensor.local_buffer = Bytes(8);
  const plan::TensorMachine tiny = tensor_machine(chip, hw::NumberFormat::kBf16);
  EXPECT_FALSE(memo.solve(problem, tiny));
  EXPECT_FALSE(memo.solve(problem, tiny));
  EXPECT_EQ(memo.size(), 4U);
}

}  // namespace
}  // namespace phaze::cost
