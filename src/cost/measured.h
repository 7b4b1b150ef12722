#pragma once
// Measured operators as a second source of costs: a table stands in for the model on one chip.
// docs/models.md, section 14.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/units.h"
#include "graph/layer.h"
#include "plan/measured.h"
#include "plan/operator_cost.h"

namespace phaze::cost {

struct CostContext;

// What makes two operators the same for a table, and where among others an operator stands.
struct OperatorKey {
  graph::OpKind kind = graph::OpKind::kAdd;
  bool is_backward = false;  // false where both passes run the same operator
  graph::ElementType type = graph::ElementType::kBf16;  // of the first or the largest operand
  plan::OperatorExtents extents{};

  Flops work;   // of matrices; else vector operations; else elements
  Bytes bytes;  // operands and results once

  bool operator==(const OperatorKey&) const = default;
};

OperatorKey key_of(const graph::Layer& layer, const graph::Operator& op);

// Kind, pass, type and extents; not work and bytes, which a bias or an epilogue changes.
bool is_same_operator(const OperatorKey& a, const OperatorKey& b);

struct MeasuredRow {
  OperatorKey key;
  Seconds measured;  // the median of all measurements of the operator
  Seconds modelled;  // what the model says for it on the chip
};

// Made by make_table only.
struct MeasuredTable {
  // Logarithms of a row's work, bytes and of measured over modelled.
  struct Point {
    double work = 0, bytes = 0, ratio = 0;
  };
  // Rows and points of one kind, pass and type: [begin, end) of both.
  struct Family {
    graph::OpKind kind = graph::OpKind::kAdd;
    bool is_backward = false;
    graph::ElementType type = graph::ElementType::kBf16;
    std::size_t begin = 0, end = 0;
    Point least, most;
  };

  std::vector<MeasuredRow> rows;  // one an operator, by family, then by extents
  std::vector<Point> points;      // by family, then by work
  std::vector<Family> families;   // by kind, pass, type
  std::size_t unpriced = 0;       // operators left out: the model has no time for them
};

// The modelled time of an operator, alone on the chip with its operands in HBM; nothing where it
// cannot run. Called once for each distinct operator.
using Price =
    std::function<std::optional<Seconds>(const graph::Layer& layer, const graph::Operator& op)>;

MeasuredTable make_table(const std::vector<plan::MeasuredOperator>& measured, const Price& price);

// Priced by compute_operator_cost on the whole chip, whatever share and table the context has.
MeasuredTable make_table(const std::vector<plan::MeasuredOperator>& measured,
                         const CostContext& context);

struct Lookup {
  Seconds time;
  plan::CostSource source = plan::CostSource::kModel;
};

// An operator that is in the table and that the model prices as it does the table's has the
// measured time; one that it prices otherwise (an epilogue, operands on the chip) the modelled time
// by the ratio of measured to modelled. Others of the kind, within the measured range of work and
// of bytes and near a measured one, take the ratio of their neighbours; elsewhere the model stands.
// O(log rows) and the neighbours' number.
Lookup look_up(const MeasuredTable& table, const OperatorKey& key, Seconds modelled);

}  // namespace phaze::cost
