#include "verify/training_plan.h"

#include <algorithm>
#include <cmath>

namespace phaze::verify {
namespace {

using plan::Chain;
using plan::ChainLayer;
using plan::LayerWork;
using plan::PipelineSchedule;
using plan::PlanStage;
using plan::StageLayers;
using plan::TrainingPlan;

// Sums of doubles in another order than the planner's.
constexpr double kRounding = 1e-9;

bool is_near(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

// Sizes of machines are whole numbers that doubles hold exactly.
double bytes(Bytes value) { return static_cast<double>(value.value()); }

const LayerWork* find_work(const ChainLayer& layer, plan::Recompute recompute) {
  const LayerWork* found = nullptr;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(recompute); ++i) {
    found = layer.work[i] ? &*layer.work[i] : found;
  }
  return found;
}

class Checker {
 public:
  Checker(const PlanTerms& terms, const Chain& chain, const TrainingPlan& plan)
      : terms_(terms), chain_(chain), plan_(plan) {}

  std::vector<std::string> check() {
    check_strategy();
    if (faults_.empty()) {
      check_cover();
    }
    if (faults_.empty()) {
      for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
        check_stage(i);
      }
      check_times();
    }
    return std::move(faults_);
  }

 private:
  void expect(bool holds, const std::string& fault) {
    if (!holds) {
      faults_.push_back(fault);
    }
  }

  void check_strategy() {
    const plan::Strategy& s = plan_.strategy;
    const auto is_count = [](std::int64_t n) { return n >= 1 && n <= (1 << 20); };
    const bool are_counts = is_count(s.tensor) && is_count(s.pipeline) && is_count(s.data) &&
                            is_count(s.interleave) && s.microbatch >= 1 && plan_.microbatches >= 1;
    expect(are_counts, "a width or a count is not a positive number");
    expect(s.zero >= 0 && s.zero <= 3, "ZeRO has no such stage");
    if (!faults_.empty()) {
      return;
    }
    expect(plan_.devices == terms_.devices && plan_.global_batch == terms_.global_batch &&
               plan_.capacity == terms_.capacity,
           "devices, batch or capacity are not those that were asked for");
    expect(static_cast<double>(s.tensor) * static_cast<double>(s.pipeline) *
                   static_cast<double>(s.data) <=
               static_cast<double>(terms_.devices),
           "there are not so many devices");
    expect(static_cast<double>(plan_.microbatches) * static_cast<double>(s.microbatch) *
                   static_cast<double>(s.data) ==
               static_cast<double>(terms_.global_batch),
           "micro-batches do not add up to the global batch");
    expect(plan_.stages.size() == static_cast<std::size_t>(s.pipeline),
           "there are not as many stages as the strategy has");
    expect((s.schedule == PipelineSchedule::kInterleaved) == (s.interleave > 1),
           "chunks and schedule do not go together");
  }

  // Every layer of the chain once and in order; interleaved: as many of each kind as there are.
  void check_cover() {
    std::vector<std::int64_t> counts(chain_.layers.size(), 0);
    std::size_t last = 0;
    for (const PlanStage& stage : plan_.stages) {
      expect(!stage.layers.empty(), "a stage has no layers");
      for (const StageLayers& run : stage.layers) {
        if (run.layer >= counts.size() || run.count < 1 ||
            run.count > chain_.layers[run.layer].repeat) {
          faults_.emplace_back("a stage has layers that the model has not");
          return;
        }
        if (plan_.strategy.interleave == 1) {
          expect(run.layer >= last, "layers are out of order");
          expect(run.layer == last || counts[last] == chain_.layers[last].repeat,
                 "layers are left out");
          last = run.layer;
        }
        counts[run.layer] += run.count;
        expect(find_work(chain_.layers[run.layer], stage.recompute) != nullptr,
               "a layer has no such way to recompute");
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      expect(counts[i] == chain_.layers[i].repeat,
             "layer " + std::to_string(i) + " of the chain runs " + std::to_string(counts[i]) +
                 " times, not " + std::to_string(chain_.layers[i].repeat));
    }
  }

  // Of a stage, from its layers.
  struct Sums {
    double forward_s = 0, backward_s = 0, network_s = 0, recompute_s = 0, optimizer_s = 0;
    double parameters = 0, saved = 0, transient = 0, largest = 0, largest_pair = 0;
    double constants = 0;
  };

  Sums sum(std::size_t index) const {
    const PlanStage& stage = plan_.stages[index];
    Sums sums;
    double before = 0;  // parameters of the layer before
    for (const StageLayers& run : stage.layers) {
      const ChainLayer& layer = chain_.layers[run.layer];
      const LayerWork& work = *find_work(layer, stage.recompute);
      const auto count = static_cast<double>(run.count);
      sums.forward_s += work.forward.value() * count;
      const double accumulation_s = plan_.microbatches > 1 ? layer.accumulation.value() : 0;
      sums.backward_s += (work.backward.value() + accumulation_s) * count;
      sums.network_s += (work.forward_network + work.backward_network).value() * count;
      sums.recompute_s += work.recompute.value() * count;
      sums.optimizer_s += layer.optimizer.value() * count;
      sums.parameters += static_cast<double>(layer.parameters) * count;
      sums.saved += bytes(work.saved) * count;
      const auto own = static_cast<double>(layer.parameters);
      sums.largest = std::max(sums.largest, own);
      sums.largest_pair = std::max({sums.largest_pair, own + before, run.count > 1 ? 2 * own : 0});
      before = own;
    }
    // Beside all that the stage saves: a layer runs while those behind it keep nothing yet. The
    // layers of one chunk cannot be told from those of the next.
    double behind = 0;
    for (auto run = stage.layers.rbegin(); run != stage.layers.rend(); ++run) {
      const LayerWork& work = *find_work(chain_.layers[run->layer], stage.recompute);
      sums.transient =
          std::max(sums.transient,
                   bytes(work.transient) - bytes(chain_.layers[run->layer].constants) - behind);
      behind +=
          plan_.strategy.interleave > 1 ? 0 : bytes(work.saved) * static_cast<double>(run->count);
    }
    for (std::size_t i = 0; i < chain_.layers.size(); ++i) {
      const bool is_there =
          std::ranges::any_of(stage.layers, [i](const StageLayers& run) { return run.layer == i; });
      sums.constants += is_there ? bytes(chain_.layers[i].constants) : 0;
    }
    if (index > 0 && index + 1 == plan_.stages.size()) {
      sums.parameters += static_cast<double>(chain_.tied_parameters);
    }
    return sums;
  }

  void check_stage(std::size_t index) {
    const PlanStage& stage = plan_.stages[index];
    const plan::Strategy& s = plan_.strategy;
    const std::string name = "stage " + std::to_string(index) + ": ";
    const Sums sums = sum(index);
    // Passes gather weights, or scatter gradients, too.
    const bool is_sharded = s.data > 1 && (s.zero == 3 || (s.zero == 2 && plan_.microbatches > 1));
    const auto follows = [is_sharded](Seconds time, double sum_s) {
      return is_near(time.value(), sum_s) || (is_sharded && time.value() > sum_s);
    };
    expect(is_near(stage.forward.value(), sums.forward_s) ||
               (is_sharded && s.zero == 3 && stage.forward.value() > sums.forward_s),
           name + "forward is not its layers'");
    expect(follows(stage.backward, sums.backward_s), name + "backward is not its layers'");
    expect(is_near(stage.network.value(), sums.network_s) &&
               is_near(stage.recomputation.value(), sums.recompute_s),
           name + "network or recomputation are not its layers'");
    const double owners = s.zero > 0 ? static_cast<double>(s.data) : 1;
    expect(is_near(stage.optimizer.value(), sums.optimizer_s / owners),
           name + "the optimiser is not its layers'");
    expect(stage.exposed.value() >= 0 &&
               stage.exposed.value() <= stage.gradients.value() * (1 + kRounding),
           name + "more of the gradients' reduction is exposed than there is");
    expect(stage.in_flight >= 1 && stage.in_flight <= plan_.microbatches,
           name + "more micro-batches are in flight than there are");
    check_memory(stage, sums, name, index);
  }

  void check_memory(const PlanStage& stage, const Sums& sums, const std::string& name,
                    std::size_t index) {
    const plan::Strategy& s = plan_.strategy;
    const plan::StageMemory& memory = stage.memory;
    // Pieces of a device are rounded up one by one.
    const auto follows = [&](Bytes part, Bytes each, int from_stage) {
      const double owners = s.zero >= from_stage ? static_cast<double>(s.data) : 1;
      const double least = sums.parameters * bytes(each) / owners;
      return bytes(part) >= least - 0.5 &&
             bytes(part) < least + static_cast<double>(s.interleave) + 0.5;
    };
    expect(follows(memory.weights, terms_.states.weight, 3), name + "weights are not its layers'");
    expect(follows(memory.gradients, terms_.states.gradient, 2),
           name + "gradients are not its layers'");
    expect(follows(memory.optimizer, terms_.states.optimizer, 1),
           name + "optimiser states are not its layers'");
    expect(bytes(stage.saved) == sums.saved, name + "saved bytes are not its layers'");
    const auto in_flight = static_cast<double>(stage.in_flight);
    if (s.interleave == 1) {
      const auto behind = static_cast<std::int64_t>(plan_.stages.size() - index);
      expect(stage.in_flight == (s.schedule == PipelineSchedule::kGpipe
                                     ? plan_.microbatches
                                     : std::min(plan_.microbatches, behind)),
             name + "micro-batches in flight are not those of the schedule");
      expect(bytes(memory.activations) == sums.saved * in_flight,
             name + "activations are not those in flight");
    } else {
      expect(bytes(memory.activations) <= sums.saved * in_flight,
             name + "more activations are kept than those in flight");
    }
    const bool is_sharded = s.data > 1;
    const double whole =
        (is_sharded && s.zero == 3 ? sums.largest_pair * bytes(terms_.states.weight) : 0) +
        (is_sharded && s.zero >= 2 ? sums.largest * bytes(terms_.states.gradient) : 0);
    expect(s.interleave > 1
               ? bytes(memory.transient) <= sums.transient + whole && bytes(memory.transient) >= 0
               : bytes(memory.transient) == sums.transient + whole,
           name + "transient bytes are not its layers'");
    expect(bytes(memory.other) == bytes(terms_.other) + sums.constants,
           name + "other bytes are not those that were asked for and constants");
    const double total = bytes(memory.weights) + bytes(memory.gradients) + bytes(memory.optimizer) +
                         bytes(memory.activations) + bytes(memory.transient) + bytes(memory.other);
    expect(!plan_.fits || total <= bytes(terms_.capacity), name + "does not fit");
    is_any_too_large_ = is_any_too_large_ || total > bytes(terms_.capacity);
  }

  void check_times() {
    expect(plan_.fits || is_any_too_large_, "says that it does not fit, and does");
    const double iteration_s = plan_.iteration.value();
    expect(std::isfinite(iteration_s) && iteration_s >= 0, "an iteration takes no time that is");
    expect(iteration_s >= terms_.bound.value() * (1 - kRounding), "takes less than the bound");
    const plan::IterationParts& p = plan_.parts;
    double sum_s = 0;
    for (const Seconds part :
         {p.compute, p.recompute, p.tensor, p.pipeline, p.data, p.optimizer, p.bubble}) {
      expect(part.value() >= -kRounding * iteration_s, "a part of the iteration is negative");
      sum_s += part.value();
    }
    expect(is_near(sum_s, iteration_s), "parts do not add up to the iteration");
    // A device runs all its micro-batches one after another; the first one passes all stages.
    double busiest_s = 0, through_s = 0, optimizer_s = 0, exposed_s = 0;
    double reached_s = 0;  // when the first micro-batch comes
    const auto count = static_cast<double>(plan_.microbatches);
    for (const PlanStage& stage : plan_.stages) {
      const double both_s = (stage.forward + stage.backward).value();
      busiest_s = std::max(busiest_s, both_s);
      through_s += both_s;
      optimizer_s = std::max(optimizer_s, stage.optimizer.value());
      exposed_s = std::max(exposed_s, stage.exposed.value());
      expect(iteration_s >=
                 (reached_s + both_s * count + stage.exposed.value() + stage.optimizer.value()) *
                     (1 - kRounding),
             "takes less than one of its stages");
      if (plan_.strategy.interleave == 1) {
        reached_s += stage.forward.value() + plan_.transfer.value();
      }
    }
    const double least_s =
        std::max(through_s, busiest_s * count) + optimizer_s + plan_.tied.value();
    expect(iteration_s >= least_s * (1 - kRounding), "takes less than its stages");
    // Nothing beside anything else.
    const double boundaries =
        static_cast<double>(plan_.stages.size()) * static_cast<double>(plan_.strategy.interleave) -
        1;
    const double most_s = count * (through_s + 2 * boundaries * plan_.transfer.value()) +
                          exposed_s + plan_.tied.value() + optimizer_s;
    expect(iteration_s <= most_s * (1 + kRounding), "takes more than all passes one after another");
  }

  const PlanTerms& terms_;
  const Chain& chain_;
  const TrainingPlan& plan_;
  std::vector<std::string> faults_;
  bool is_any_too_large_ = false;
};

}  // namespace

std::vector<std::string> find_faults(const PlanTerms& terms, const Chain& chain,
                                     const TrainingPlan& plan) {
  return Checker(terms, chain, plan).check();
}

}  // namespace phaze::verify
