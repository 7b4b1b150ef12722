#include "base/ids.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace phaze {
namespace {

using OpId = Id<struct OpTag>;
using TensorId = Id<struct TensorTag>;

template <class Table, class Index>
concept Indexable = requires(Table table, Index index) {
  table[index];
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a == b;
};

static_assert(Indexable<IdVector<OpId, int>, OpId>);
static_assert(!Indexable<IdVector<OpId, int>, TensorId> && !Indexable<IdVector<OpId, int>, int>);
static_assert(Comparable<OpId, OpId> && !Comparable<OpId, TensorId> && !Comparable<OpId, int>);
static_assert(!std::is_convertible_v<std::size_t, OpId>);
static_assert(sizeof(OpId) == 4);

TEST(Ids, OrderIsThatOfTheIndex) {
  EXPECT_EQ(OpId(), OpId(0));
  EXPECT_LT(OpId(1), OpId(2));
  EXPECT_EQ(OpId(7).index(), 7u);
}

TEST(Ids, AnIndexThatDoesNotFitIsThrownNotWrapped) {
  constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(OpId(kLargest).index(), kLargest);
  EXPECT_THROW(OpId(kLargest + 1), std::logic_error);
  EXPECT_THROW(OpId(std::size_t{1} << 32), std::logic_error);  // would be index 0
}

TEST(IdVector, PushBackReturnsTheIdOfTheItem) {
  IdVector<OpId, std::string> names;
  EXPECT_TRUE(names.empty());
  const OpId first = names.push_back("first");
  const OpId second = names.push_back("second");
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[first], "first");
  EXPECT_EQ(names[second], "second");
  names[first] = "changed";
  EXPECT_EQ(*names.begin(), "changed");
  EXPECT_TRUE(names.contains(second));
  EXPECT_FALSE(names.contains(OpId(2)));
}

TEST(IdVector, AnIndexBeyondTheEndIsThrown) {
  const IdVector<OpId, int> two(2, 5);
  EXPECT_EQ(two[OpId(1)], 5);
  EXPECT_THROW(two[OpId(2)], std::logic_error);
}

TEST(IdVector, ResizeKeepsWhatIsThere) {
  IdVector<OpId, int> items(1, 5);
  items.resize(3, 6);
  EXPECT_EQ(items[OpId(0)], 5);
  EXPECT_EQ(items[OpId(2)], 6);
  EXPECT_NE(items, (IdVector<OpId, int>(3, 5)));
}

TEST(IdVector, HoldsFlags) {
  IdVector<OpId, bool> flags(2, false);
  flags[OpId(1)] = true;
  EXPECT_FALSE(flags[OpId(0)]);
  EXPECT_TRUE(flags[OpId(1)]);
}

TEST(IdRange, GoesOverAllIdsInOrder) {
  const IdVector<TensorId, char> items(3, 'x');
  std::vector<std::size_t> seen;
  for (const TensorId id : ids_of(items)) {
    seen.push_back(id.index());
  }
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2}));
  for (const TensorId id : ids_of(IdVector<TensorId, char>())) {
    FAIL() << "an empty table has the id " << id.index();
  }
}

}  // namespace
}  // namespace phaze
