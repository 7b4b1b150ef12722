#include "io/measured_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/plural.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/document_text.h"
#include "io/measured_lines.h"

namespace phaze::io {
namespace {

using plan::Measure;
using plan::MeasuredRun;

constexpr std::size_t kMostFaults = 20;
constexpr std::size_t kMostRows = 100'000;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 28;
constexpr std::int64_t kMostBatch = std::int64_t{1} << 24;
// As of configurations of models.
constexpr std::int64_t kMostHidden = std::int64_t{1} << 20;
constexpr std::int64_t kMostHeads = std::int64_t{1} << 16;
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostFfn = std::int64_t{1} << 24;

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> names = {"model",
                                                 "family",
                                                 "hidden",
                                                 "heads",
                                                 "kv_heads",
                                                 "ffn",
                                                 "layers",
                                                 "sequence",
                                                 "vocabulary",
                                                 "tied",
                                                 "dropout",
                                                 "chip",
                                                 "cluster",
                                                 "devices",
                                                 "global_batch",
                                                 "microbatch",
                                                 "tensor",
                                                 "pipeline",
                                                 "data",
                                                 "interleave",
                                                 "attention",
                                                 "execution",
                                                 "recompute",
                                                 "zero",
                                                 "precision",
                                                 "overlap",
                                                 "group",
                                                 "source",
                                                 "sequence_parallel",
                                                 "iteration_s",
                                                 "layer_forward_s",
                                                 "layer_backward_s",
                                                 "peak_memory_bytes",
                                                 "state_memory_bytes",
                                                 "activation_memory_bytes"};
  return names;
}

class RunReader {
 public:
  RunReader(std::string_view text, const std::string& source, const std::string& group,
            Diagnostics& diagnostics)
      : lines_(text), source_(source), group_(group), diagnostics_(diagnostics) {}

  std::optional<std::vector<MeasuredRun>> read() && {
    if (!read_header()) {
      return finish({});
    }
    std::vector<MeasuredRun> runs;
    std::size_t rows = 0;
    while (lines_.next()) {
      if (++rows > kMostRows) {
        fault(1, "", "expected at most " + with_thousands(kMostRows) + " rows, found more");
        break;
      }
      if (lines_.fault()) {
        fault(lines_.fault()->column, "", lines_.fault()->message);
      } else if (lines_.cells().size() != columns_) {
        fault(lines_.end_column(), "",
              "expected " + counted(columns_, "cell") + " as in the header, found " +
                  std::to_string(lines_.cells().size()));
      } else {
        runs.push_back(read_row());
      }
    }
    if (rows == 0) {
      fault(1, "", "expected rows of measured runs after the header, found none");
    }
    return finish(std::move(runs));
  }

 private:
  void fault(int column, const std::string& key, const std::string& message) {
    if (++faults_ <= kMostFaults) {
      diagnostics_.error({source_, std::max(1, lines_.line()), column, key}, message);
    }
  }
  void fault(const std::string& name, const std::string& message) {
    fault(column_of(name), name, message);
  }
  int column_of(const std::string& name) const {
    const auto found = position_.find(name);
    return found != position_.end() && found->second < lines_.cells().size()
               ? lines_.cells()[found->second].column
               : 1;
  }

  std::optional<std::vector<MeasuredRun>> finish(std::vector<MeasuredRun> runs) {
    if (faults_ > kMostFaults) {
      diagnostics_.error(
          {source_, 0, 0, ""},
          counted(faults_ - kMostFaults, "more fault is not shown", "more faults are not shown"));
    }
    return faults_ == 0 ? std::optional(std::move(runs)) : std::nullopt;
  }

  bool read_header() {
    if (!lines_.next()) {
      fault(1, "",
            "expected a header such as model,chip,cluster,devices,iteration_s, found nothing");
      return false;
    }
    if (lines_.fault()) {
      fault(lines_.fault()->column, "", lines_.fault()->message);
      return false;
    }
    columns_ = lines_.cells().size();
    const std::vector<std::string>& names = column_names();
    for (std::size_t i = 0; i < columns_; ++i) {
      const CsvCell& given = lines_.cells()[i];
      if (std::ranges::find(names, given.text) == names.end()) {
        std::string hint = did_you_mean(given.text, names);
        if (hint.empty()) {
          for (const std::string& name : names) {
            hint += (hint.empty() ? "; known are " : ", ") + name;
          }
        }
        fault(given.column, "", "unknown column " + quoted(given.text) + hint);
      } else if (!position_.emplace(given.text, i).second) {
        fault(given.column, given.text, "this column is there twice");
      }
    }
    const auto require = [this](const char* name, const std::string& why) {
      if (!position_.contains(name)) {
        fault(1, name, "this column is required" + why);
      }
    };
    if (!position_.contains("model")) {
      for (const char* name : {"hidden", "heads", "layers"}) {
        require(name, ", or model");
      }
    }
    require("chip", "");
    bool has_measure = false;
    for (std::size_t i = 0; i < plan::kMeasures; ++i) {
      has_measure |= position_.contains(std::string(to_string(static_cast<Measure>(i))));
    }
    if (!has_measure) {
      fault(1, "iteration_s", "a column of measured values is required");
    }
    return faults_ == 0;
  }

  // Of the row; nothing when it is empty or there is no such column.
  const CsvCell* cell(const std::string& name) const {
    const auto found = position_.find(name);
    if (found == position_.end() || found->second >= lines_.cells().size()) {
      return nullptr;
    }
    const CsvCell& given = lines_.cells()[found->second];
    return given.text.empty() ? nullptr : &given;
  }

  std::string text(const std::string& name, const std::string& fallback) const {
    const CsvCell* given = cell(name);
    return given != nullptr ? given->text : fallback;
  }

  std::int64_t number(const std::string& name, std::int64_t fallback, std::int64_t least = 1,
                      std::int64_t most = kMostNumber) {
    const CsvCell* given = cell(name);
    if (given == nullptr) {
      return fallback;
    }
    std::int64_t value = 0;
    const char* end = given->text.data() + given->text.size();
    const auto [last, error] = std::from_chars(given->text.data(), end, value);
    if (error != std::errc() || last != end || value < least || value > most) {
      fault(name, "expected a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", found " + quoted(given->text));
      return fallback;
    }
    return value;
  }

  std::optional<double> decimal(const std::string& name, double least, bool is_above) {
    const CsvCell* given = cell(name);
    if (given == nullptr) {
      return std::nullopt;
    }
    double value = 0;
    const char* end = given->text.data() + given->text.size();
    const auto [last, error] = std::from_chars(given->text.data(), end, value);
    const bool is_number = error == std::errc() && last == end && std::isfinite(value);
    if (!is_number || value < least || (is_above && value == least)) {
      fault(name, "expected a number " + std::string(is_above ? "above " : "from ") +
                      shortest(least) + (is_above ? "" : " on") + ", found " + quoted(given->text));
      return std::nullopt;
    }
    // Neither a time in seconds nor a size in bytes of any machine.
    constexpr double kLeast = 1e-12, kMost = 1e18;
    if (value != 0 && (value < kLeast || value > kMost)) {
      fault(name, "expected a number from 1e-12 to 1e18, found " + quoted(given->text));
      return std::nullopt;
    }
    return value;
  }

  template <class T>
  T name_of(const std::string& name, T fallback,
            const std::vector<std::pair<std::string, T>>& known) {
    const CsvCell* given = cell(name);
    if (given == nullptr) {
      return fallback;
    }
    std::string expected;
    for (const auto& [word, value] : known) {
      if (given->text == word) {
        return value;
      }
      expected += (expected.empty() ? "" : ", ") + word;
    }
    fault(name, "expected one of " + expected + ", found " + quoted(given->text));
    return fallback;
  }

  bool flag(const std::string& name, bool fallback) {
    return name_of<bool>(name, fallback, {{"0", false}, {"1", true}, {"off", false}, {"on", true}});
  }

  bool is_any(const std::string& name) const {
    const CsvCell* given = cell(name);
    return given != nullptr && given->text == "any";
  }

  std::optional<std::int64_t> number_or_any(const std::string& name) {
    return is_any(name) ? std::nullopt : std::optional(number(name, 1));
  }

  void read_model(plan::RunModel& model) {
    model.name = text("model", "");
    model.family = name_of<std::string>("family", "gpt", {{"gpt", "gpt"}, {"llama", "llama"}});
    model.sequence = number("sequence", 0);
    if (!model.name.empty()) {
      for (const char* name : {"family", "hidden", "heads", "kv_heads", "ffn", "layers",
                               "vocabulary", "tied", "dropout"}) {
        if (cell(name) != nullptr) {
          fault(name, "expected nothing: the row names a model");
        }
      }
      return;
    }
    const std::size_t before = faults_;
    const auto required = [this](const char* name, std::int64_t most) {
      if (cell(name) == nullptr) {
        fault(name, "expected a whole number, found nothing; or name a model");
      }
      return number(name, 1, 1, most);
    };
    model.hidden = required("hidden", kMostHidden);
    model.heads = required("heads", kMostHeads);
    model.layers = required("layers", kMostLayers);
    model.kv_heads = number("kv_heads", model.heads, 1, model.heads);
    model.ffn = number("ffn", 4 * model.hidden, 1, kMostFfn);
    constexpr std::int64_t kSequence = 2048, kVocabulary = 51200;
    model.sequence = model.sequence > 0 ? model.sequence : kSequence;
    model.vocabulary = number("vocabulary", kVocabulary);
    if (cell("tied") != nullptr) {
      model.is_tied = flag("tied", true);
    }
    model.dropout = decimal("dropout", 0, false);
    if (model.dropout && *model.dropout >= 1) {
      fault("dropout", "expected less than 1");
    }
    if (faults_ > before) {
      return;  // of what stands in for values nothing can be said
    }
    if (model.hidden % model.heads != 0) {
      fault("heads", std::to_string(model.heads) + " does not divide the hidden width of " +
                         std::to_string(model.hidden));
    }
    if (model.heads % model.kv_heads != 0) {
      fault("kv_heads", std::to_string(model.kv_heads) + " does not divide the " +
                            counted(model.heads, "head"));
    }
  }

  void read_strategy(MeasuredRun& run) {
    run.tensor = number("tensor", 1);
    run.pipeline = number("pipeline", 1);
    run.zero = static_cast<int>(number("zero", 0, 0, 3));
    run.microbatch = number_or_any("microbatch");
    run.interleave = number_or_any("interleave");
    run.sequence_parallel = flag("sequence_parallel", false);
    using plan::Recompute;
    run.recompute = is_any("recompute")
                        ? std::nullopt
                        : std::optional(name_of<Recompute>("recompute", Recompute::kNone,
                                                           {{"none", Recompute::kNone},
                                                            {"selective", Recompute::kSelective},
                                                            {"full", Recompute::kFull}}));
    const double model_devices =
        static_cast<double>(run.tensor) * static_cast<double>(run.pipeline);
    const bool has_devices = cell("devices") != nullptr;
    run.devices = number("devices", 1);
    if (cell("data") != nullptr || !has_devices) {
      run.data = number("data", 1);
    } else if (model_devices <= static_cast<double>(run.devices)) {
      run.data = run.devices / (run.tensor * run.pipeline);
    }
    const double used = model_devices * static_cast<double>(run.data);
    if (!has_devices && used <= static_cast<double>(kMostNumber)) {
      run.devices = run.tensor * run.pipeline * run.data;
    }
    if (used > static_cast<double>(run.devices)) {
      fault("devices", "tensor x pipeline x data is " + shortest(used) + ", and there are " +
                           counted(run.devices, "device"));
      return;
    }
    run.global_batch = number("global_batch", run.data * run.microbatch.value_or(1), 1, kMostBatch);
    if (run.global_batch % (run.data * run.microbatch.value_or(1)) != 0) {
      fault("global_batch", "data x microbatch is " +
                                std::to_string(run.data * run.microbatch.value_or(1)) +
                                ", which does not divide " + std::to_string(run.global_batch));
    }
    if (run.interleave.value_or(1) > 1 && run.pipeline == 1) {
      fault("interleave", "expected 1 with a pipeline of one stage");
    }
  }

  MeasuredRun read_row() {
    MeasuredRun run;
    run.where = {source_, lines_.line(), 1, ""};
    run.columns = {column_of("model"), column_of("chip"), column_of("cluster"),
                   column_of("precision")};
    run.group = text("group", group_);
    run.source = text("source", "");
    read_model(run.model);
    run.chip = text("chip", "");
    if (run.chip.empty()) {
      fault("chip", "expected a name or a file, found nothing");
    }
    run.cluster = text("cluster", "");
    read_strategy(run);
    run.has_flash_attention = name_of<bool>("attention", true, {{"flash", true}, {"eager", false}});
    // Runs with separate attention are those of stacks before fused kernels for it.
    using plan::RunStack;
    run.stack = name_of<RunStack>("execution",
                                  run.has_flash_attention ? RunStack::kFused : RunStack::kMegatron,
                                  {{"fused", RunStack::kFused},
                                   {"megatron", RunStack::kMegatron},
                                   {"eager", RunStack::kEager}});
    using graph::Precision;
    run.precision = name_of<Precision>(
        "precision", Precision::kMixed,
        {{"mixed", Precision::kMixed}, {"bf16", Precision::kBf16}, {"fp32", Precision::kF32}});
    run.overlap = flag("overlap", run.stack != RunStack::kMegatron);
    bool has_measure = false;
    for (std::size_t i = 0; i < plan::kMeasures; ++i) {
      const std::string name(to_string(static_cast<Measure>(i)));
      run.measured[i] = decimal(name, 0, true);
      has_measure |= cell(name) != nullptr;
    }
    if (!has_measure) {
      fault("iteration_s", "expected a measured value in the row, found none");
    }
    return run;
  }

  CsvLines lines_;
  std::string source_, group_;
  Diagnostics& diagnostics_;
  std::size_t faults_ = 0;
  std::size_t columns_ = 0;
  std::map<std::string, std::size_t> position_;
};

}  // namespace

std::optional<std::vector<MeasuredRun>> read_measured_runs(std::string_view text,
                                                           const std::string& source,
                                                           const std::string& group,
                                                           Diagnostics& diagnostics) {
  if (!check_utf8(text, source, diagnostics)) {
    return std::nullopt;
  }
  return RunReader(text, source, group, diagnostics).read();
}

}  // namespace phaze::io
