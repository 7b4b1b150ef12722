#include "base/diagnostics.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace phaze {

void Diagnostics::error(Location where, std::string message) {
  items_.push_back({Severity::kError, std::move(where), std::move(message)});
  ++error_count_;
}

void Diagnostics::warning(Location where, std::string message) {
  items_.push_back({Severity::kWarning, std::move(where), std::move(message)});
}

std::string to_string(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  std::string text = where.source;
  if (where.line > 0) {
    text += ":" + std::to_string(where.line);
    if (where.column > 0) {
      text += ":" + std::to_string(where.column);
    }
  }
  if (!text.empty()) {
    text += ": ";
  }
  text += diagnostic.severity == Severity::kError ? "error: " : "warning: ";
  if (!where.key.empty()) {
    text += where.key + ": ";
  }
  return printable(text + diagnostic.message);
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string text;
  constexpr std::size_t kMost = 100;
  const std::vector<Diagnostic>& all = diagnostics.all();
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    text += to_string(all[i]) + "\n";
  }
  if (all.size() > kMost) {
    text += "... and " + std::to_string(all.size() - kMost) + " more\n";
  }
  const std::size_t errors = diagnostics.error_count();
  if (errors > 1) {
    text += std::to_string(errors) + " errors\n";
  }
  return text;
}

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment: row[j] is the distance of the first i letters of a to the first j of b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> two_above = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, replaced});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view given, const std::vector<std::string>& names,
                         std::size_t most_edits) {
  constexpr std::size_t kLongestName = 100;  // nobody misspells more; keeps the work bounded
  if (given.size() > kLongestName) {
    return "";
  }
  std::string best;
  std::size_t best_distance = std::min(std::max<std::size_t>(1, given.size() / 3), most_edits) + 1;
  for (const std::string& name : names) {
    if (name == given) {
      return name;
    }
    // Each letter of the difference in length is an edit.
    const std::size_t longer = std::max(given.size(), name.size());
    if (longer - std::min(given.size(), name.size()) >= best_distance) {
      continue;
    }
    const std::size_t distance = edit_distance(given, name);
    if (distance < best_distance && distance < longer) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
  const std::string near = nearest_name(given, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

}  // namespace phaze
