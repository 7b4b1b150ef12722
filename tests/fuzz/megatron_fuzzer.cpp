// Launch arguments from anywhere: refused with a reason, or a job whose numbers go together.
#include "finding.h"
#include "launch/megatron_job.h"

namespace phaze::fuzz {
namespace {

void run(std::string_view text) {
  for (const bool needs_model : {false, true}) {
    Diagnostics diagnostics;
    launch::JobRequest request;
    request.needs_model = needs_model;
    request.devices = 64;
    const auto job = launch::read_megatron(text, "arguments", request, diagnostics);
    expect_reasons(job.has_value(), diagnostics);
    if (!job) {
      continue;
    }
    expect(job->spec.has_value() == needs_model, "a model that nobody asked for, or none");
    expect(plan::devices_of(job->strategy) == job->devices, "widths are not the devices");
    expect(job->global_batch % (job->strategy.data * job->strategy.microbatch) == 0,
           "micro-batches do not divide the batch");
    if (job->layout) {
      expect(static_cast<std::int64_t>(job->layout->size()) ==
                 job->strategy.pipeline * job->strategy.interleave,
             "a layout of other stages");
      std::string why;
      expect(launch::parse_layout(launch::write_layout(*job->layout), why) == job->layout,
             "a layout that does not read back");
    }
  }
}

}  // namespace

// What arguments may say.
std::vector<std::string> words() {
  return {"--tensor-model-parallel-size",
          "--pipeline-model-parallel-size",
          "--pipeline-model-parallel-layout",
          "--num-virtual-stages-per-pipeline-rank",
          "--decoder-first-pipeline-num-layers",
          "--account-for-loss-in-pipeline-split",
          "--micro-batch-size",
          "--global-batch-size",
          "--nnodes",
          "--nproc-per-node",
          "--num-layers",
          "--hidden-size",
          "--num-attention-heads",
          "--vocab-size",
          "--seq-length",
          "--recompute-granularity",
          "full",
          "--bf16",
          "Et*3|(t|)*2L",
          "=",
          "'",
          "\\",
          "#",
          "1",
          "8",
          "1000000000",
          "999999999999999999"};
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
