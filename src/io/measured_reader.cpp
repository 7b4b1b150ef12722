#include "io/measured_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/plural.h"
#include "base/text.h"
#include "io/document_text.h"
#include "io/measured_lines.h"

namespace phaze::io {
namespace {

using graph::ElementType;
using graph::OpKind;
using plan::MeasuredOperator;

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kMostPairs = std::int64_t{1} << 50;  // scores of attention
constexpr double kLeastTime = 1e-12;
constexpr double kMostTime = 1e6;
constexpr double kMostSpread = 2;  // of the times of one operator

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// Programs that know no missing whole numbers write 4096 as 4096.0.
std::optional<std::int64_t> parse_whole(std::string_view text) {
  constexpr double kMostExact = 0x1p53;
  if (const auto whole = parse_number<std::int64_t>(text)) {
    return whole;
  }
  const auto number = parse_number<double>(text);
  const bool is_whole = number && std::abs(*number) < kMostExact && std::trunc(*number) == *number;
  return is_whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

// The product of extents of at least 1; nothing above `most`.
std::optional<std::int64_t> bounded_product(std::initializer_list<std::int64_t> extents,
                                            std::int64_t most) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent > most / product) {
      return std::nullopt;
    }
    product *= extent;
  }
  return product;
}

bool is_product(OpKind kind) { return kind == OpKind::kProduct || kind == OpKind::kConvolution; }

std::string_view shape_text(OpKind kind) {
  return is_product(kind)             ? "MxNxK or MxNxKxBATCH"
         : kind == OpKind::kAttention ? "BATCHxHEADSxQUERIESxHEAD_DIM"
                                      : "ROWSxCOLUMNS";
}

class MeasuredReader {
 public:
  MeasuredReader(std::string_view text, const std::string& source, Diagnostics& diagnostics)
      : lines_(text, source, diagnostics) {}

  std::optional<std::vector<MeasuredOperator>> read() {
    if (lines_.read_header()) {
      while (lines_.next_row()) {
        read_row();
      }
      check_repeated();
    }
    return lines_.finish() ? std::optional(std::move(rows_)) : std::nullopt;
  }

 private:
  void read_row() {
    const std::size_t before = lines_.faults();
    const std::optional<OpKind> kind = read_kind();
    MeasuredOperator row;
    row.type = read_type();
    row.is_backward = read_pass(row.type);
    row.time = read_time();
    if (!kind) {
      return;
    }
    row.kind = *kind;
    row.is_backward = row.is_backward && plan::has_backward_form(row.kind);
    if (is_product(row.kind)) {
      read_product(row);
    } else if (row.kind == OpKind::kAttention) {
      read_attention(row);
    } else {
      read_plain(row);
    }
    if (lines_.faults() == before) {
      rows_.push_back(row);
      places_.push_back({lines_.line(), lines_.cell(lines_.time().column)->column});
    }
  }

  std::optional<OpKind> read_kind() {
    const CsvCell* given = lines_.cell(Column::kKind);
    if (given == nullptr) {
      lines_.fault_missing(Column::kKind, "expected the name of an operator, found nothing");
      return std::nullopt;
    }
    if (given->text == "gemm") {
      return OpKind::kProduct;
    }
    const std::optional<OpKind> kind = graph::parse_op_kind(given->text);
    if (!kind) {
      lines_.fault(Column::kKind, *given,
                   "expected the name of an operator, found " + quoted(given->text) +
                       did_you_mean(given->text, kind_names()));
      return std::nullopt;
    }
    switch (graph::traits(*kind).unit) {
      case graph::Unit::kTensor:
      case graph::Unit::kVector:
        return kind;
      case graph::Unit::kNetwork:
        lines_.fault(Column::kKind, *given,
                     "expected an operator of one chip, found " + quoted(given->text) +
                         ", whose time is the cluster's");
        return std::nullopt;
      case graph::Unit::kNone:
        break;
    }
    lines_.fault(Column::kKind, *given,
                 "expected an operator that takes time, found " + quoted(given->text));
    return std::nullopt;
  }

  static std::vector<std::string> kind_names() {
    std::vector<std::string> names = {"gemm"};
    for (const OpKind kind : graph::all_op_kinds()) {
      const graph::Unit unit = graph::traits(kind).unit;
      if (unit == graph::Unit::kTensor || unit == graph::Unit::kVector) {
        names.emplace_back(to_string(kind));
      }
    }
    return names;
  }

  ElementType read_type() {
    const CsvCell* given = lines_.cell(Column::kType);
    if (given == nullptr) {
      return ElementType::kBf16;
    }
    const auto type = graph::parse_element_type(given->text);
    if (!type || !(graph::is_floating(*type) || *type == ElementType::kI8)) {
      lines_.fault(Column::kType, *given,
                   "expected one of f32, f16, bf16, f8 and i8, found " + quoted(given->text));
    }
    return type.value_or(ElementType::kBf16);
  }

  bool read_pass(ElementType type) {
    const CsvCell* given = lines_.cell(Column::kPass);
    if (given == nullptr || given->text == "forward") {
      return false;
    }
    if (given->text != "backward") {
      lines_.fault(Column::kPass, *given,
                   "expected forward or backward, found " + quoted(given->text) +
                       did_you_mean(given->text, {"forward", "backward"}));
    } else if (!graph::is_floating(type)) {
      lines_.fault(Column::kPass, *given,
                   "expected forward: there are no gradients in " + std::string(to_string(type)));
    }
    return true;
  }

  Seconds read_time() {
    const std::string expected = "expected a time above 0";
    const CsvCell* given = lines_.cell(lines_.time().column);
    if (given == nullptr) {
      lines_.fault_missing(lines_.time().column, expected + ", found nothing");
      return {};
    }
    const std::optional<double> number = parse_number<double>(given->text);
    if (!number || !(*number > 0) || !std::isfinite(*number)) {
      lines_.fault(lines_.time().column, *given, expected + ", found " + quoted(given->text));
      return {};
    }
    const double seconds = *number * lines_.time().seconds;
    if (seconds < kLeastTime || seconds > kMostTime) {
      lines_.fault(lines_.time().column, *given,
                   "expected a time from " + shortest(kLeastTime) + " s to " + shortest(kMostTime) +
                       " s, found " + quoted(given->text));
    }
    return Seconds(seconds);
  }

  // --- Shapes ---

  // Cells that a row of this kind has no use for.
  void refuse(OpKind kind, std::initializer_list<Column> columns, const std::string& why = "") {
    for (const Column column : columns) {
      if (const CsvCell* given = lines_.cell(column)) {
        lines_.fault(
            column, *given,
            "means nothing for " + std::string(to_string(kind)) + why + ": expected an empty cell");
      }
    }
  }

  std::optional<std::int64_t> read_count(Column column, std::optional<std::int64_t> fallback,
                                         std::int64_t least = 1) {
    const std::string expected = "expected a whole number from " + std::to_string(least) + " to " +
                                 with_thousands(kMostElements);
    const CsvCell* given = lines_.cell(column);
    if (given == nullptr) {
      if (!fallback) {
        lines_.fault_missing(column, expected + ", found nothing");
      }
      return fallback;
    }
    const std::optional<std::int64_t> count = parse_whole(given->text);
    if (!count || *count < least || *count > kMostElements) {
      lines_.fault(column, *given, expected + ", found " + quoted(given->text));
      return std::nullopt;
    }
    return count;
  }

  // The extents in the column shape; nothing after a fault.
  std::optional<std::vector<std::int64_t>> read_shape(OpKind kind, std::size_t least,
                                                      std::size_t most) {
    const CsvCell* given = lines_.cell(Column::kShape);
    if (given == nullptr) {
      lines_.fault_missing(Column::kShape, "expected " + std::string(shape_text(kind)) + " for " +
                                               std::string(to_string(kind)) + ", found nothing");
      return std::nullopt;
    }
    std::vector<std::int64_t> extents;
    bool is_sound = true;
    for (std::string_view rest = given->text; is_sound;) {
      const std::size_t end = std::min(rest.find_first_of("xX"), rest.size());
      const std::optional<std::int64_t> extent = parse_number<std::int64_t>(rest.substr(0, end));
      is_sound = extent.has_value() && extents.size() < most;
      extents.push_back(extent.value_or(0));
      if (end == rest.size()) {
        break;
      }
      rest.remove_prefix(end + 1);
    }
    if (!is_sound || extents.size() < least) {
      lines_.fault(Column::kShape, *given,
                   "expected " + std::string(shape_text(kind)) + " for " +
                       std::string(to_string(kind)) + ", found " + quoted(given->text));
      return std::nullopt;
    }
    if (std::ranges::any_of(extents, [](auto each) { return each < 1 || each > kMostElements; })) {
      lines_.fault(Column::kShape, *given,
                   "expected extents from 1 to " + with_thousands(kMostElements) + ", found " +
                       quoted(given->text));
      return std::nullopt;
    }
    return extents;
  }

  // `what` in the place where the shape is given.
  void fault_shape(Column first, const std::string& what) {
    const CsvCell* given = lines_.cell(Column::kShape);
    const Column column = given != nullptr ? Column::kShape : first;
    given = lines_.cell(column);
    if (given != nullptr) {
      lines_.fault(column, *given, what + ", found more");
    }
  }
  void check_tensor(Column first, std::initializer_list<std::int64_t> extents) {
    if (!bounded_product(extents, kMostElements)) {
      fault_shape(first, "expected at most " + with_thousands(kMostElements) +
                             " elements in an operand or result");
    }
  }

  // Whether the row says its shape in one cell rather than in these; if so, these are empty.
  bool has_shape_cell(OpKind kind, std::initializer_list<Column> others) {
    if (lines_.cell(Column::kShape) != nullptr) {
      refuse(kind, others, " beside shape");
      return true;
    }
    const auto is_given = [this](Column each) { return lines_.cell(each) != nullptr; };
    return !lines_.has_column(*others.begin()) ||
           (lines_.has_column(Column::kShape) && std::ranges::none_of(others, is_given));
  }

  void read_product(MeasuredOperator& row) {
    refuse(row.kind, {Column::kRows, Column::kCols, Column::kKvHeads, Column::kKeys,
                      Column::kCausal, Column::kWindow});
    graph::ProductShape& p = row.product;
    if (has_shape_cell(row.kind, {Column::kM, Column::kN, Column::kK, Column::kBatch})) {
      const auto extents = read_shape(row.kind, 3, 4);
      if (!extents) {
        return;
      }
      p = {extents->size() > 3 ? (*extents)[3] : 1, (*extents)[0], (*extents)[1], (*extents)[2]};
    } else {
      const auto m = read_count(Column::kM, std::nullopt);
      const auto n = read_count(Column::kN, std::nullopt);
      const auto k = read_count(Column::kK, std::nullopt);
      const auto batch = read_count(Column::kBatch, 1);
      if (!m || !n || !k || !batch) {
        return;
      }
      p = {*batch, *m, *n, *k};
    }
    const std::size_t before = lines_.faults();
    for (const auto& [a, b] : {std::pair(p.m, p.k), std::pair(p.k, p.n), std::pair(p.m, p.n)}) {
      if (lines_.faults() == before) {
        check_tensor(Column::kM, {p.batch, a, b});
      }
    }
  }

  void read_attention(MeasuredOperator& row) {
    refuse(row.kind,
           {Column::kM, Column::kN, Column::kK, Column::kBatch, Column::kRows, Column::kCols});
    const auto extents = read_shape(row.kind, 4, 4);
    const std::int64_t heads = extents ? (*extents)[1] : 1;
    const auto kv_heads = read_count(Column::kKvHeads, heads);
    const auto keys = read_count(Column::kKeys, extents ? (*extents)[2] : 1);
    const auto window = read_count(Column::kWindow, 0, 0);
    const bool is_causal = read_causal();
    if (!extents || !kv_heads || !keys || !window) {
      return;
    }
    graph::AttentionShape& a = row.attention;
    a = {(*extents)[0], heads, *kv_heads, (*extents)[2], *keys, (*extents)[3], is_causal, *window};
    if (a.heads % a.kv_heads != 0) {
      lines_.fault(Column::kKvHeads, *lines_.cell(Column::kKvHeads),
                   "expected a divisor of the " + counted(a.heads, "head") + ", found " +
                       std::to_string(a.kv_heads));
    }
    if (a.window > 0 && !a.is_causal) {
      lines_.fault(Column::kWindow, *lines_.cell(Column::kWindow), "a window needs causal to be 1");
    }
    const std::size_t before = lines_.faults();
    check_tensor(Column::kShape, {a.batch, a.heads, a.queries, a.head_dim});
    if (lines_.faults() == before) {
      check_tensor(Column::kShape, {a.batch, a.kv_heads, a.keys, a.head_dim});
    }
    if (lines_.faults() == before &&
        !bounded_product({a.batch, a.heads, a.queries, a.keys}, kMostPairs)) {
      fault_shape(Column::kShape,
                  "expected at most " + with_thousands(kMostPairs) + " scores of queries and keys");
    }
  }

  bool read_causal() {
    const CsvCell* given = lines_.cell(Column::kCausal);
    if (given == nullptr) {
      return false;
    }
    const std::optional<std::int64_t> number = parse_whole(given->text);
    const bool is_true = number == 1 || given->text == "true" || given->text == "True";
    const bool is_false = number == 0 || given->text == "false" || given->text == "False";
    if (!is_true && !is_false) {
      lines_.fault(Column::kCausal, *given, "expected 0 or 1, found " + quoted(given->text));
    }
    return is_true;
  }

  void read_plain(MeasuredOperator& row) {
    refuse(row.kind, {Column::kM, Column::kN, Column::kK, Column::kBatch, Column::kKvHeads,
                      Column::kKeys, Column::kCausal, Column::kWindow});
    if (has_shape_cell(row.kind, {Column::kRows, Column::kCols})) {
      const auto extents = read_shape(row.kind, 2, 2);
      if (!extents) {
        return;
      }
      row.rows = (*extents)[0];
      row.columns = (*extents)[1];
    } else {
      const auto rows = read_count(Column::kRows, std::nullopt);
      const auto columns = read_count(Column::kCols, std::nullopt);
      if (!rows || !columns) {
        return;
      }
      row.rows = *rows;
      row.columns = *columns;
    }
    check_tensor(Column::kRows, {row.rows, row.columns});
  }

  // --- The whole ---

  // The same operator measured again may differ by noise, not by a factor of two.
  void check_repeated() {
    const auto identity = [this](std::size_t i) {
      return std::tuple(rows_[i].kind, rows_[i].is_backward, rows_[i].type,
                        plan::extents_of(rows_[i]));
    };
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, identity);
    std::vector<std::pair<std::size_t, std::size_t>> apart;  // later and earlier row
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t least = order[begin];
      std::size_t most = order[begin];
      std::size_t end = begin;
      for (; end < order.size() && identity(order[end]) == identity(order[begin]); ++end) {
        least = rows_[order[end]].time < rows_[least].time ? order[end] : least;
        most = rows_[order[end]].time > rows_[most].time ? order[end] : most;
      }
      if (rows_[most].time > rows_[least].time * kMostSpread) {
        apart.emplace_back(std::max(least, most), std::min(least, most));
      }
      begin = end;
    }
    std::ranges::sort(apart);
    for (const auto& [later, earlier] : apart) {
      lines_.fault(places_[later], name_of(lines_.time().column),
                   "expected a time within a factor of 2 of the same operator's on line " +
                       std::to_string(places_[earlier].line) + " (" +
                       shortest(rows_[earlier].time.value()) + " s), found " +
                       shortest(rows_[later].time.value()) + " s");
    }
  }

  MeasuredLines lines_;
  std::vector<MeasuredOperator> rows_;
  std::vector<MeasuredLines::Place> places_;  // of their times
};

}  // namespace

std::optional<std::vector<MeasuredOperator>> read_measured(std::string_view text,
                                                           const std::string& source,
                                                           Diagnostics& diagnostics) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  if (text.size() > kMaxBytes) {
    diagnostics.error({source, 0, 0, ""}, "is larger than 64 MiB");
    return std::nullopt;
  }
  if (!check_utf8(text, source, diagnostics)) {
    return std::nullopt;
  }
  return MeasuredReader(text, source, diagnostics).read();
}

}  // namespace phaze::io
