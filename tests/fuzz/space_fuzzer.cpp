// A space file from anywhere: refused with a reason, or a space whose chips can be made and judged.
#include <cmath>

#include "finding.h"
#include "io/space_json.h"
#include "io/space_reader.h"
#include "space/chips.h"
#include "space/enumerate.h"
#include "space/monotone.h"

namespace phaze::fuzz {
namespace {

// As small a base chip as there is.
hw::Chip base_chip() {
  hw::Chip chip;
  chip.name = "base";
  chip.clock = chip.nominal_clock = Hertz(1e9);
  chip.tensor.local_buffer = hw::default_local_buffer(128 * 128);
  chip.tensor.local_bytes_per_cycle = chip.tensor.port_bytes_per_cycle = 512;
  chip.vector.local_buffer = Bytes(4096);
  chip.global.size = chip.global.fabricated = Bytes(1 << 25);
  chip.global.bytes_per_cycle = 1024;
  chip.hbm.stack_capacity = Bytes(std::int64_t{16} << 30);
  chip.hbm.stack_bandwidth = BytesPerSecond(4e11);
  chip.format_rates[0] = 1;
  return chip;
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "space.yaml", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto space = io::read_space(
      *document, "space",
      [](const io::Value&, hw::Technology) { return std::optional(base_chip()); }, diagnostics);
  expect_reasons(space.has_value(), diagnostics);
  if (!space) {
    return;
  }
  Choices choices(text);
  const std::int64_t all = space::combinations(*space);
  for (int i = 0; i < 20; ++i) {
    const auto index = static_cast<std::int64_t>(choices.pick(static_cast<std::uint64_t>(all)));
    const hw::Chip chip = space::make_chip(*space, index);
    const space::Verdict verdict = space::judge(*space, chip);
    expect(std::isfinite(verdict.area.value()) && verdict.area.value() >= 0, "an area is none");
    expect(!space::chip_id(*space, index).empty(), "a chip has no id");
    expect(!space::standing_of(*space, index).amounts.empty() || !space->axes.empty(), "no axes");
  }
  constexpr std::int64_t kFew = 10'000;
  if (all <= kFew) {
    const space::SpaceCount count = space::count_chips(*space);
    expect(count.chips == static_cast<std::int64_t>(space::list_chips(*space).size()),
           "counted and listed differ");
    expect(!io::write_space_count(*space, count).empty(), "nothing was written");
  }
}

}  // namespace

// What a space may say.
std::vector<std::string> words() {
  return {"base",       "axes",      "ties",
          "filters",    "budgets",   "training",
          "technology", "phaze22",   "tensor_cores.count",
          "clock",      "from",      "to",
          "times",      "step",      "tensor_cores.columns",
          "rule",       "2 x",       "vector_cores.lanes",
          "least_area", "share",     "unless_one",
          "area",       "power",     "die_cost",
          "hbm3e",      "dies",      "hbm.generation",
          "32 MiB",     "1.5 GHz",   "hbm_stack_capacity",
          "recompute",  "selective", "microbatches"};
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
