#include "launch/megatron_cuts.h"

#include <algorithm>

#include "base/plural.h"

namespace phaze::launch {
namespace {

constexpr std::int64_t kMostWidth = 1'000'000;

// Fewer or more layers at the ends: by number, or embedding and head counted as layers.
void read_ends(Arguments& arguments, std::optional<std::int64_t> layers, MegatronJob& job) {
  const std::int64_t stages = job.strategy.pipeline;
  const auto first = arguments.count("--decoder-first-pipeline-num-layers", kMostWidth);
  const auto last = arguments.count("--decoder-last-pipeline-num-layers", kMostWidth);
  const bool counts_embedding = arguments.flag("--account-for-embedding-in-pipeline-split");
  const bool counts_loss = arguments.flag("--account-for-loss-in-pipeline-split");
  if (!first && !last && !counts_embedding && !counts_loss) {
    return;
  }
  const std::string name = first              ? "--decoder-first-pipeline-num-layers"
                           : last             ? "--decoder-last-pipeline-num-layers"
                           : counts_embedding ? "--account-for-embedding-in-pipeline-split"
                                              : "--account-for-loss-in-pipeline-split";
  if (job.layout || job.strategy.interleave > 1 || !layers ||
      ((first || last) && (counts_embedding || counts_loss))) {
    arguments.error(name, !layers ? "needs --num-layers"
                                  : "beside another argument that says how layers are cut has "
                                    "no price here");
    return;
  }
  job.layout_where = arguments.where(name);
  const std::int64_t between = stages - int{first.has_value()} - int{last.has_value()};
  const std::int64_t rest =
      *layers + int{counts_embedding} + int{counts_loss} - first.value_or(0) - last.value_or(0);
  if (stages < 2 || rest < 0 || (between == 0 && rest != 0) ||
      (between > 0 && rest % between != 0)) {
    arguments.error(name, "leaves layers that do not divide over the other stages");
    return;
  }
  const std::int64_t each = between == 0 ? 0 : rest / between;
  std::vector<StageShape> shapes(static_cast<std::size_t>(stages), {false, each, false});
  shapes.front() = {true, first.value_or(each - int{counts_embedding}), false};
  shapes.back() = {false, last.value_or(each - int{counts_loss}), true};
  job.layout = std::move(shapes);
}

}  // namespace

void read_cuts(Arguments& arguments, MegatronJob& job) {
  plan::Strategy& strategy = job.strategy;
  const auto layout = arguments.text("--pipeline-model-parallel-layout");
  const auto chunks = arguments.count("--num-virtual-stages-per-pipeline-rank", kMostWidth);
  const auto each = arguments.count("--num-layers-per-virtual-pipeline-stage", kMostWidth);
  const auto layers = arguments.count("--num-layers", kMostWidth);
  if (int{layout.has_value()} + int{chunks.has_value()} + int{each.has_value()} > 1) {
    arguments.error(
        layout ? "--pipeline-model-parallel-layout" : "--num-virtual-stages-per-pipeline-rank",
        "more than one argument says how layers are cut");
    return;
  }
  job.layout_where = arguments.where(layout ? "--pipeline-model-parallel-layout"
                                            : "--pipeline-model-parallel-size");
  if (layout) {
    std::string why;
    job.layout = parse_layout(*layout, why);
    if (!job.layout) {
      arguments.error("--pipeline-model-parallel-layout", why);
      return;
    }
    const auto parts = static_cast<std::int64_t>(job.layout->size());
    if (parts % strategy.pipeline != 0) {
      arguments.error("--pipeline-model-parallel-layout", "has " + counted(parts, "part") +
                                                              "; expected a multiple of " +
                                                              counted(strategy.pipeline, "stage"));
      return;
    }
    strategy.interleave = parts / strategy.pipeline;
  } else if (chunks) {
    strategy.interleave = *chunks;
  } else if (each) {
    if (!layers || *layers % (strategy.pipeline * *each) != 0) {
      arguments.error(
          "--num-layers-per-virtual-pipeline-stage",
          layers ? "times the stages does not divide --num-layers, " + std::to_string(*layers)
                 : "needs --num-layers");
      return;
    }
    strategy.interleave = *layers / (strategy.pipeline * *each);
  }
  read_ends(arguments, layers, job);
  if (strategy.interleave > 1) {
    strategy.schedule = plan::PipelineSchedule::kInterleaved;
    if (strategy.pipeline == 1) {
      arguments.error("--pipeline-model-parallel-size",
                      "expected more than 1: stages are interleaved");
    } else if (job.global_batch / strategy.data / strategy.microbatch % strategy.pipeline != 0) {
      arguments.error("--global-batch-size",
                      "the micro-batches of a pipeline are no multiple of its stages, as "
                      "interleaving needs");
    }
  }
}

}  // namespace phaze::launch
