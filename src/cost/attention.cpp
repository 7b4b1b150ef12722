#include "cost/attention.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "cost/product_model.h"
#include "cost/vector.h"
#include "graph/work.h"

namespace phaze::cost {

using graph::AttentionShape;
using graph::OpKind;
using plan::Bound;
using plan::OperatorCost;
using plan::TensorMachine;

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

constexpr double kScore = 4;  // bytes of a score on chip
// Of the shorter of products and softmax, what does not run beside the longer (fitted: H200).
constexpr double kExposed = 0.28;
// Tiles of a causal mask differ in length and are not taken longest first: of the longest, what the
// last core works on alone (fitted: H200).
constexpr double kTail = 0.6;
// Share of its rate that an array reaches on half a tile alone (fitted: H200).
constexpr double kHalfAlone = 0.6;
// Sums and scores of a tile live in registers, of which a product leaves a third free.
constexpr double kRegisters = 1.5;

// What is the same for all tiles.
struct Attention {
  AttentionShape shape;
  bool is_backward = false;
  double element = 2;  // bytes
  double pairs = 0;    // visible ones, of one head
  double heads = 0;    // of all sequences
  // The side that is cut into tiles and stays, and the side that passes.
  std::int64_t staying = 0, passing = 0;
  double score_cycles = 0;  // lane cycles of a score
};

// Cycles of one array for a product, in the best way to hold it.
double array_cycles(std::int64_t m, std::int64_t n, std::int64_t k, const TensorMachine& machine) {
  std::optional<double> best;
  for (std::size_t i = 0; i < plan::kDataflows; ++i) {
    if (machine.dataflows[i]) {
      const ArrayShape array = shape_of(static_cast<plan::Dataflow>(i), machine);
      const double cycles = item_cycles({m, n, 1, 1, k, 1}, array, machine);
      best = best ? std::min(*best, cycles) : cycles;
    }
  }
  CHECK(best, "a core holds something still");
  return *best;
}

// Bytes on chip of a tile of `stay` against parts of `pass`: both operands of the tile, its
// accumulators, the passing ones twice, and the scores.
double tile_bytes(std::int64_t stay, std::int64_t pass, const Attention& a) {
  const double s = as_double(stay);
  const double p = as_double(pass);
  const double d = as_double(a.shape.head_dim);
  // Forward: queries and their results; keys and values pass. Backward: keys and values with their
  // two gradients; queries and the results' gradients pass, and there are two squares of scores.
  const double operands = a.is_backward ? 2 : 1;
  return operands * s * d * (a.element + kAccumulator) + 2 * 2 * p * d * a.element +
         operands * s * p * kScore;
}

// Seconds and bytes of one way to run it.
struct Way {
  double core = 0, global = 0, hbm = 0;
  double local_bytes = 0, global_bytes = 0, hbm_bytes = 0;
  bool spills = false;
  double body() const { return std::max({core, global, hbm}); }
};

class Pricer {
 public:
  Pricer(const Attention& attention, const TensorMachine& machine, const VectorMachine& lanes,
         const hw::Chip& chip, const Share& share, double once)
      : a_(attention), machine_(machine), lanes_(lanes), chip_(chip), once_(once) {
    // The vector cores' buffers serve the tensor cores at work; a core of several has one of each.
    vector_buffers_ = as_double(chip.vector.local_buffer.value()) *
                      as_double(share.all_cores ? chip.vector.count : 1);
    held_ = as_double(machine.global_buffer.value()) / 2;
  }

  // The fastest of all tiles that fit, and of none.
  Way best() const {
    Way best = spilled();
    const std::int64_t step =
        std::max(machine_.tile_step, std::min(machine_.rows, machine_.columns));
    constexpr std::int64_t kMostSteps = 16;
    for (std::int64_t i = 1; i <= kMostSteps; i *= 2) {
      for (std::int64_t j = 1; j <= kMostSteps; j *= 2) {
        const std::int64_t stay = std::min(i * step, a_.staying);
        const std::int64_t pass = std::min(j * step, a_.passing);
        const double sums = (a_.is_backward ? 2 : 1) * as_double(stay) *
                            (as_double(a_.shape.head_dim) + as_double(pass));
        const double cores = cores_that_fit(tile_bytes(stay, pass, a_));
        if (cores < 1 || sums > kRegisters * as_double(machine_.accumulators)) {
          continue;
        }
        const auto take = [&best](const Way& way) {
          if (way.body() < best.body() || (best.spills && way.body() == best.body())) {
            best = way;
          }
        };
        take(tiled(stay, pass, cores));
        // Fewer cores at work, whose heads fit on chip; kernels of SIMT chips take them all.
        const double heads = held_ / head_bytes();
        const double fewer = std::floor(heads * tiles_of(stay));
        if (!has_own_lanes() && heads >= 1 && fewer < cores) {
          take(tiled(stay, pass, fewer));
        }
      }
    }
    return best;
  }

 private:
  // Lanes beside the arrays: those of the core itself in SIMT chips, of the whole chip otherwise.
  bool has_own_lanes() const { return chip_.control == hw::ControlStyle::kSimt; }

  double tiles_of(std::int64_t stay) const { return as_double(divide_up(a_.staying, stay)); }

  // What passes, of one head.
  double head_bytes() const {
    return 2 * as_double(a_.passing) * as_double(a_.shape.head_dim) * a_.element;
  }

  // The most cores for each of which a tile has room; 0 for none. Others stay idle, but in SIMT
  // chips do not lend their registers.
  double cores_that_fit(double tile) const {
    const double missing = tile - as_double(chip_.tensor.local_buffer.value());
    const double all = as_double(machine_.cores);
    if (missing <= 0 || missing * all <= vector_buffers_) {
      return all;
    }
    return has_own_lanes() ? 0 : std::floor(vector_buffers_ / missing);
  }

  // On so many cores.
  Way tiled(std::int64_t stay, std::int64_t pass, double cores) const {
    const std::int64_t d = a_.shape.head_dim;
    const double tiles = tiles_of(stay);
    const double items = tiles * a_.heads;
    const double average = a_.pairs / as_double(a_.staying);  // of the other side, that a row sees
    // A tile on the edge of a causal mask is computed in full.
    const double edge = a_.shape.is_causal ? as_double(std::min(stay, a_.passing)) / 2 : 0;
    const double seen = std::min(as_double(a_.passing), average + edge);
    const double most = a_.shape.window > 0 ? std::min(as_double(a_.passing),
                                                       as_double(a_.shape.window) + as_double(stay))
                                            : as_double(a_.passing);
    const double scores = array_cycles(stay, pass, d, machine_);
    const double values = array_cycles(stay, d, pass, machine_);
    const double matrix = a_.is_backward ? 2 * scores + 3 * values : scores + values;
    // A core needs two halves of a tile in turn to keep its array busy.
    const bool has_halves = machine_.tile_step == 1 || stay >= 2 * machine_.tile_step;
    const double step = matrix / machine_.clock.value() / (has_halves ? 1 : kHalfAlone);
    const double softmax = as_double(stay) * as_double(pass) * a_.score_cycles;
    const double operands = a_.is_backward ? 3 : 2;  // backward adds to the queries' gradients too
    const double moved = as_double(pass) * operands * as_double(d) * a_.element;  // of a part
    const double port = moved / machine_.port_bandwidth.value();
    const double lanes =
        has_own_lanes() ? softmax / (lanes_.lane_operations / as_double(machine_.cores)) : 0;
    const double per_row = std::max(together(step, lanes, has_halves), port) / as_double(pass);
    const double start = machine_.tile_start.value();
    const double longest = most * per_row + start;
    const double even = items / cores * (seen * per_row + start);
    Way way;
    way.core = longest * std::ceil(items / cores);
    if (items > cores && a_.shape.is_causal) {
      way.core = std::min(way.core, std::max(longest, even + kTail * longest));
    }
    if (!has_own_lanes()) {
      const double all = items * seen * as_double(stay) * a_.score_cycles / lanes_.lane_operations;
      way.core = together(way.core, all, has_halves);
    }
    const double reads = items * seen * operands * as_double(d) * a_.element;
    way.global_bytes = once_ + reads;
    way.hbm_bytes = once_;
    way.local_bytes = reads + once_ + 2 * items * seen * as_double(stay) * kScore;
    // What passes comes from HBM again for each tile unless the heads at work fit on chip.
    const double at_work = std::min(a_.heads, std::max(1.0, cores / tiles));
    if (at_work * head_bytes() > held_) {
      way.hbm_bytes += reads;
    }
    return timed(way);
  }

  // Products and softmax one after another over all of the scores, which are written and read for
  // each product that makes or uses them.
  Way spilled() const {
    const double products = a_.is_backward ? 5 : 2;
    const double full = a_.heads * as_double(a_.shape.queries) * as_double(a_.shape.keys);
    const double cycles =
        a_.heads * products *
        array_cycles(a_.shape.queries, a_.shape.keys, a_.shape.head_dim, machine_);
    Way way;
    way.spills = true;
    way.core = cycles / as_double(machine_.cores) / machine_.clock.value() +
               full * a_.score_cycles / lanes_.lane_operations;
    way.hbm_bytes = once_ + 2 * products * full * a_.element;
    way.global_bytes = way.hbm_bytes;
    way.local_bytes = way.hbm_bytes;
    return timed(way);
  }

  // Forward, the softmax of one half of the tile runs beside the products of the other, but for a
  // part; backward, and where the tile has no halves, it stands between products that need one
  // another.
  double together(double products, double softmax, bool has_halves) const {
    return a_.is_backward || !has_halves
               ? products + softmax
               : std::max(products, softmax) + kExposed * std::min(products, softmax);
  }

  Way timed(Way way) const {
    way.global = way.global_bytes / machine_.global_bandwidth.value();
    way.hbm = way.hbm_bytes / machine_.hbm_bandwidth.value();
    return way;
  }

  const Attention& a_;
  const TensorMachine& machine_;
  const VectorMachine& lanes_;
  const hw::Chip& chip_;
  double once_;            // bytes of operands and results
  double vector_buffers_;  // bytes of all vector cores beside these tensor cores
  double held_;            // bytes of the global buffer for what passes
};

Bytes to_bytes(double bytes) {
  constexpr double kMost = 0x1p62;
  return Bytes(static_cast<std::int64_t>(std::min(bytes, kMost)));
}

}  // namespace

std::optional<OperatorCost> compute_attention_cost(const graph::Layer& layer,
                                                   const graph::Operator& op, const hw::Chip& chip,
                                                   const Share& share) {
  const graph::Tensor& q = layer.tensors[op.inputs[0]];
  const std::optional<hw::NumberFormat> format = matrix_format(chip, q.type);
  if (!format) {
    return std::nullopt;
  }
  const TensorMachine machine = tensor_machine(chip, *format, share);
  const VectorMachine lanes = vector_machine(chip, share);
  Attention a;
  a.shape = *op.attention;
  a.is_backward = op.pass == graph::Pass::kBackward;
  a.element = as_double(graph::bytes_per_element(q.type));
  a.pairs = graph::visible_pairs(a.shape);
  a.heads = as_double(a.shape.batch) * as_double(a.shape.heads);
  a.staying = a.is_backward ? a.shape.keys : a.shape.queries;
  a.passing = a.is_backward ? a.shape.queries : a.shape.keys;
  const double all_pairs = a.pairs * a.heads;
  // Backward draws the dropout's random numbers again.
  const double specials =
      special_functions(OpKind::kSoftmax, op.pass) +
      (a.shape.has_dropout ? special_functions(OpKind::kDropout, graph::Pass::kForward) : 0);
  a.score_cycles =
      op.vector_flops.value() / std::max(1.0, all_pairs) + specials * chip.vector.special_cycles +
      // Backward, scores and their gradients go through the local buffer to the next products.
      (a.is_backward ? chip.vector.operand_cycles : 0);

  OperatorCost cost;
  cost.matrix_flops = graph::matrix_flops(op);
  cost.vector_flops = op.vector_flops;
  const graph::Traffic traffic = graph::compute_traffic(layer, op);
  const double once = as_double(traffic.read.value()) + as_double(traffic.written.value());
  Way way = Pricer(a, machine, lanes, chip, share, once).best();
  const double power = cost.matrix_flops.value() / machine.sustained.value();
  const double body = std::max(way.body(), power);
  // Backward is four operators: a buffer is cleared, products of results and their gradients along
  // rows come first, and the queries' gradients, summed in fp32, are rounded last.
  const double launch = machine.launch.value();
  double beside = 0;
  if (a.is_backward) {
    const double queries = a.heads * as_double(a.shape.queries) * as_double(a.shape.head_dim);
    const double extra = queries * (3 * a.element + kAccumulator);
    beside = 3 * launch + extra / machine.hbm_bandwidth.value();
    way.hbm_bytes += extra;
    way.global_bytes += extra;
  }
  cost.spills = way.spills;
  cost.time = Seconds(launch + body + beside);
  cost.local_bytes = to_bytes(way.local_bytes);
  cost.global_bytes = to_bytes(way.global_bytes);
  cost.hbm_bytes = to_bytes(way.hbm_bytes);
  cost.utilisation = cost.matrix_flops.value() / (cost.time.value() * machine.peak.value());
  if (launch + beside > body) {
    cost.bound = Bound::kLaunch;
  } else if (body == way.core) {
    const double matrix = cost.matrix_flops.value() / machine.peak.value();
    const double vector = all_pairs * a.score_cycles / lanes.lane_operations;
    cost.bound = vector > matrix && !a.is_backward ? Bound::kVector : Bound::kCompute;
  } else if (body == power) {
    cost.bound = Bound::kPower;
  } else {
    cost.bound = body == way.hbm ? Bound::kHbm : Bound::kGlobal;
  }
  return cost;
}

}  // namespace phaze::cost
