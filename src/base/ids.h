#pragma once
// Indices as types: an OpId is not a TensorId, and a table of operators takes no tensor's index.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace phaze {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::int32_t>(index)) {
    CHECK(std::in_range<std::int32_t>(index), "an index that does not fit its id");
  }
  constexpr std::size_t index() const { return static_cast<std::size_t>(index_); }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::int32_t index_ = 0;
};

// A vector whose index is an Id.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  IdVector(std::size_t size, const T& value) : items_(size, value) {}

  IdType push_back(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  decltype(auto) operator[](IdType id) { return items_.at(id.index()); }
  decltype(auto) operator[](IdType id) const { return items_.at(id.index()); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t size, const T& value) { items_.resize(size, value); }
  bool contains(IdType id) const { return id.index() < items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool operator==(const IdVector&) const = default;

 private:
  std::vector<T> items_;
};

// The ids of a table, for range-for: `for (OpId id : ids_of<OpId>(layer.operators))`.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(std::size_t at) : at_(at) {}
    IdType operator*() const { return IdType(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    std::size_t at_;
  };
  explicit IdRange(std::size_t size) : size_(size) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size_); }

 private:
  std::size_t size_;
};

template <class IdType, class T>
IdRange<IdType> ids_of(const IdVector<IdType, T>& items) {
  return IdRange<IdType>(items.size());
}

}  // namespace phaze
