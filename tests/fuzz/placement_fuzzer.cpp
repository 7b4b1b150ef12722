// A placement problem from anywhere: refused with a reason, or one that is sound; then a small one
// is solved, and its checker accepts the answer.
#include "finding.h"
#include "io/original_json.h"
#include "io/original_reader.h"
#include "place/original.h"
#include "verify/original_placement.h"

namespace phaze::fuzz {
namespace {

void expect_chain(const plan::OriginalGraph& graph) {
  std::size_t neighbours = 0;
  for (const plan::OriginalEdge& edge : graph.edges) {
    expect(edge.from < edge.to && edge.to < graph.layers.size(), "an edge out of order");
    neighbours += edge.from + 1 == edge.to ? 1 : 0;
  }
  expect(neighbours + 1 == graph.layers.size(), "layers that are no chain");
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "instance.json", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto instance = io::read_original_instance(*document, diagnostics);
  expect_reasons(instance.has_value(), diagnostics);
  if (!instance) {
    return;
  }
  expect(!instance->graphs.empty(), "no width");
  for (const plan::OriginalGraph& graph : instance->graphs) {
    expect_chain(graph);
  }
  const plan::OriginalAnswer answer = place::solve_original(*instance);
  for (const std::string& fault : verify::find_faults(*instance, answer)) {
    expect(false, fault);
  }
  expect(!io::write_original_answer(*instance, answer).empty(), "nothing was written");
}

}  // namespace

// What a problem may say.
std::vector<std::string> words() {
  return {"maxMemoryPerDevice",
          "maxDevices",
          "bandwidth",
          "mbsInBatch",
          "nodes",
          "edges",
          "activationRecomputation",
          "optimizerAlgorithm",
          "fixedPP",
          "fixedTMPC",
          "fixedDP",
          "numTransformerLayers",
          "id",
          "parameterSize",
          "activationSize",
          "optimalLatencyFw",
          "optimalLatencyBw",
          "isTensorParallelized",
          "sourceId",
          "destId",
          "communicationCost",
          "energy",
          "SGD",
          "Adam",
          "true",
          "false",
          "null",
          "0",
          "1",
          "2",
          "-1",
          "1e30",
          "1e-9",
          "0.1",
          "10000000",
          "1000000000",
          "9007199254740993"};
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
