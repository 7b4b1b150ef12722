#pragma once
// Values of documents compared with one another.

#include <string>

#include "io/document.h"

namespace phaze::tests {

// How two values differ, places and paths included; empty when they do not.
inline std::string difference(const io::Value& a, const io::Value& b) {
  const std::string here = "at " + a.where.key + ": ";
  if (a.where != b.where) {
    return here + "place " + std::to_string(a.where.line) + ":" + std::to_string(a.where.column) +
           " and " + b.where.key + " " + std::to_string(b.where.line) + ":" +
           std::to_string(b.where.column);
  }
  if (a.kind != b.kind || a.boolean != b.boolean || a.integer != b.integer ||
      a.number != b.number || a.text != b.text) {
    return here + io::describe(a) + " and " + io::describe(b);
  }
  if (a.items.size() != b.items.size() || a.members.size() != b.members.size()) {
    return here + "sizes";
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (std::string text = difference(a.items[i], b.items[i]); !text.empty()) {
      return text;
    }
  }
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    if (a.members[i].first != b.members[i].first) {
      return here + "keys " + a.members[i].first + " and " + b.members[i].first;
    }
    if (std::string text = difference(a.members[i].second, b.members[i].second); !text.empty()) {
      return text;
    }
  }
  return "";
}

}  // namespace phaze::tests
