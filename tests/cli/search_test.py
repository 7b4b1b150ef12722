"""phaze search MODEL...: the contract of its answer, its options, faults, interrupts, and studies that go on."""
import collections
import json
import os
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time

import phaze
from few_chips import SMALL, SPACE


class Searches(phaze.Case):
    def space(self, text=SPACE):
        return self.file("few.yaml", text)

    def search(self, *args, space=None):
        return self.json("search", "bert-large", "--space", space or self.space(), *SMALL, *args)

    def same_answer(self, one, other):
        self.assertEqual(one["status"], other["status"])
        for each in (one, other):  # how much of a bound is left open differs with what was evaluated
            self.assertGreaterEqual(each["bound"], one["best"]["value"])
        for key in ("chip", "value", "hbm_bytes", "area_mm2", "plans"):
            self.assertEqual(one["best"][key], other["best"][key], key)


class Answers(Searches):
    def test_keys_of_the_contract(self):
        found = self.search()
        self.assertEqual((found["schema"], found["is_complete"], found["objective"]), (1, True, "throughput"))
        proved = found["bound"] == found["best"]["value"]
        self.assertEqual(found["status"], "optimal" if proved else "feasible")
        best = found["best"]
        plan = best["plans"]["bert-large"]
        for key in ("iteration_s", "throughput_sequences_per_s", "tokens_per_s", "mfu", "hfu", "tensor", "pipeline",
                    "data", "microbatch", "recompute", "zero", "stages", "peak_memory_bytes", "breakdown", "status",
                    "bound_s"):
            self.assertIn(key, plan)
        self.assertAlmostEqual(best["value"], plan["throughput_sequences_per_s"])
        self.assertAlmostEqual(best["value"], 32 / plan["iteration_s"])
        self.assertGreaterEqual(found["bound"], best["value"])
        self.assertLessEqual(plan["peak_memory_bytes"], best["hbm_bytes"])
        self.assertEqual(found["pareto"], [])  # of one objective
        replayed = self.json("simulate", self.file("plan.json", json.dumps(plan)))
        self.assertAlmostEqual(replayed["closed_form_s"], plan["iteration_s"])
        chips = found["chips"]
        self.assertEqual(chips["total"], chips["evaluated"] + chips["excluded"])
        self.assertEqual(chips["excluded"], chips["excluded_by_bound"] + chips["excluded_by_dominance"])
        count = self.json("search", "--count", "--space", self.space())
        self.assertEqual(chips["total"], count["chips"])
        self.assertLessEqual(best["area_mm2"], 278.8)
        self.assertEqual(best["over_reference"]["bert-large"],
                         best["value"] / found["reference"]["throughput_sequences_per_s"]["bert-large"])
        for step in best["steps"]:
            self.assertTrue(("value" in step) != ("outside" in step), step)
            self.assertLessEqual(step.get("value", 0), best["value"])
        for rival in best["rivals"]:
            self.assertLessEqual(rival["value"], best["value"])
            self.assertTrue(rival["reason"])

    def test_every_way_gives_the_same(self):
        space = self.space()
        found = self.search(space=space)
        for options in (["--exhaustive"], ["--no-bounds"], ["--no-dominance"], ["--threads", "1"], ["--threads", "2"]):
            other = self.search(*options, space=space)
            self.same_answer(found, other)
            if options == ["--exhaustive"]:
                self.assertEqual(other["chips"]["evaluated"], other["chips"]["total"])
                self.assertLess(found["chips"]["evaluated"], other["chips"]["evaluated"])
        verified = self.search("--verify", space=space)
        self.same_answer(found, verified)
        self.assertRegex(verified["notes"][-1], r"^verified bert-large: \d+ chips? excluded by bounds planned from scratch, "
                                                r"none is better; \d+ have no more of anything")

    def test_objectives_by_hand(self):
        """Throughput over what `best` says of power, dollars and carbon."""
        hours = 4 * 365.25 * 24
        for objective in ("per-watt", "per-dollar", "per-carbon"):
            best = self.search("--objective", objective)["best"]
            throughput = best["plans"]["bert-large"]["throughput_sequences_per_s"]
            kwh = best["tdp_w"] * 1.1 * hours / 1000
            price = {"per-watt": best["tdp_w"],
                     "per-dollar": (best["build_cost_usd"] + 0.08 * kwh) / (hours * 3600),
                     "per-carbon": (best["embodied_carbon_kg"] + 0.369 * kwh) / (hours * 3600)}[objective]
            self.assertAlmostEqual(best["value"] / (throughput / (8 * price)), 1, 9)

    def test_the_plan_is_what_place_finds(self):
        """The chip of the answer, described by hand, and `phaze place`."""
        best = self.search()["best"]
        chip = self.file("chip.yaml", json.dumps({
            "node_nm": 22, "clock": f"{best['clock_hz']} Hz", "formats": {"bf16": 1},
            "tensor_cores": described(best["tensor_cores"]), "vector_cores": described(best["vector_cores"]),
            "global_buffer": {"size": f"{best['global_buffer_bytes']} B"},
            "hbm": {"generation": "hbm2", "stacks": 4, "capacity": f"{best['hbm_bytes']} B",
                    "bandwidth": f"{best['hbm_bytes_per_s']} B/s"}}))
        result = self.start(["place", "bert-large", "--chip", chip, "--assumptions", "phaze2024", "--json", *SMALL,
                             "--microbatch", "1,2", "--tensor", "1,2"])
        self.assertEqual(result.returncode, 0, result.stderr)
        placed = json.loads(result.stdout)
        plan = best["plans"]["bert-large"]
        # The search may have put more work into schedules, never less.
        self.assertLessEqual(plan["iteration_s"], placed["iteration_s"] * (1 + 1e-9))
        self.assertGreaterEqual(plan["iteration_s"], placed["bound_s"] * (1 - 1e-9))

    def test_the_chip_as_a_file(self):
        path = os.path.join(self.folder(), "best.yaml")
        best = self.search("--chip-output", path)["best"]
        placed = self.json("place", "bert-large", "--chip", path, "--assumptions", "phaze2024", *SMALL,
                           "--microbatch", "1,2", "--tensor", "1,2")
        # The search may have put more work into schedules, never less.
        self.assertLessEqual(best["plans"]["bert-large"]["iteration_s"], placed["iteration_s"] * (1 + 1e-12))
        self.assertGreaterEqual(best["plans"]["bert-large"]["iteration_s"], placed["bound_s"] * (1 - 1e-12))
        self.assertIn(best["chip"] + " of ", self.answer("chip", path))

    def test_several_models(self):
        space = self.space()
        found = self.json("search", "bert-large", "opt-350m", "--space", space, *SMALL)
        self.assertEqual(sorted(found["best"]["plans"]), ["bert-large", "opt-350m"])
        ratios = [found["best"]["plans"][model]["throughput_sequences_per_s"]
                  / found["reference"]["throughput_sequences_per_s"][model] for model in found["models"]]
        self.assertAlmostEqual(found["best"]["value"], sum(ratios) / 2)
        self.same_answer({**found, "best": found["own"]["bert-large"], "bound": found["own"]["bert-large"]["bound"]},
                         self.search(space=space))
        text = self.answer("search", "bert-large", "opt-350m", "--space", space, *SMALL)
        self.assertIn("The chip for all of them: ", text)
        self.assertIn(" times the throughput of phaze-reference, mean\n", text)

    def test_text(self):
        text = self.answer("search", "bert-large", "--space", self.space(), *SMALL)
        self.assertIn("names of chips: t tensor_cores.count, v vector_cores.count, c tensor_cores.columns, "
                      "r tensor_cores.rows, g global_buffer.size\n", text)
        self.assertRegex(text, r"best of \d+ chips: \d+ evaluated, \d+ excluded by bounds,\n\d+ because another ")


MODERN = """title: A few chips of today
base:
  derive: tpuv5p
  node_nm: 3
  clock: 1.75 GHz
  hbm: {generation: hbm3e, stacks: 4, stack_capacity: 24 GiB, stack_bandwidth: 1.2 TB/s}
technology: modern
axes:
  hbm.stacks: [2, 4]
  tensor_cores.rows: [64, 128]
  tensor_cores.count: [8, 64]
  vector_cores.count: [4, 32]
  global_buffer.size: [32 MiB, 128 MiB]
budgets: {area: 700 mm2, power: 600 W}
training: {microbatches: [1, 2], recompute: [none, full], tensor_widths: [1, 2], hbm_stack_capacity: [1 GiB, 2 GiB]}
"""


STARVED = """base:
  derive: tpuv5e
  tensor_cores: {rows: 16, columns: 128}
  global_buffer: {size: 64 MiB, bytes_per_cycle: 256}
  hbm: {stack_bandwidth: 100 GB/s}
axes:
  tensor_cores.count: [4, 8]
  tensor_cores.rows: [32]
  tensor_cores.columns: [48, 64]
ties:
  tensor_cores.local_buffer: base
  tensor_cores.local_bytes_per_cycle: base
  tensor_cores.port_bytes_per_cycle: base
  global_buffer.bytes_per_cycle: base
training: {microbatches: [2], recompute: [none], tensor_widths: [2], hbm_capacity: [400 GiB]}
"""


class Modern(Searches):
    """The same under modern assumptions, chip by chip and by sets of chips."""

    def modern(self, *args, space=None):
        return self.search("--assumptions", "modern", *args, space=space or self.space(MODERN))

    def test_chips_that_say_nothing_of_kernels_get_the_h100s_shares(self):
        # The space's and the reference alike; a chip that says something keeps it.
        silent = "{derive: tpuv4, sustained: {core: 1, hbm: 1}}"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(silent)
            file.flush()
            space = MODERN.replace("derive: tpuv5p", "derive: tpuv5p\n  sustained: {core: 1, hbm: 1}")
            found = self.modern("--reference", file.name, space=self.space(space))
        self.assertRegex(found["notes"][0], "^sustained: .*, HBM 88.0 %, .* the H100's")
        same = self.modern("--reference", "tpuv4")
        self.assertEqual(found["reference"]["throughput_sequences_per_s"], same["reference"]["throughput_sequences_per_s"])
        self.same_answer(found, same)

    def test_a_step_has_its_own_sizes_of_memory(self):
        # Three stacks of 8 GiB have 24 GiB, never the 16 GiB of the best chip's two.
        space = self.space("""base: tpuv4
axes: {hbm.stacks: [2, 3, 4]}
training: {microbatches: [1], recompute: [none], tensor_widths: [1], hbm_stack_capacity: [8 GiB]}
""")
        args = ("search", "gpt2-xl", "--space", space, "--assumptions", "modern", "--devices", "4", "--global-batch", "32",
                "--objective", "per-dollar")  # fmt: skip
        found = self.json(*args)
        self.assertEqual(found["status"], "optimal")
        self.assertEqual(len(found["best"]["steps"]), 1)
        for step in found["best"]["steps"]:
            self.assertLessEqual(step["value"], found["best"]["value"])

    def test_more_cores_are_never_slower_where_bytes_bind(self):
        # Mappings to more cores move more bytes: the floor of a pass counts those that none avoids.
        space = self.space(STARVED)
        args = ("search", "vit-l", "--space", space, "--assumptions", "modern", "--devices", "8", "--global-batch", "32")
        found = self.json(*args)
        self.assertEqual(found["status"], "optimal")
        for options in (["--exhaustive"], ["--no-dominance"], ["--by-sets", "--verify"], ["--verify"]):
            self.same_answer(found, self.json(*args, *options))

    def test_every_way_gives_the_same(self):
        space = self.space(MODERN)
        found = self.modern(space=space)
        self.assertEqual((found["assumptions"], found["cluster"], found["reference"]["chip"]),
                         ("modern", "dgx-h100", "h100"))
        self.assertRegex(found["notes"][0], "^sustained: .*, HBM 88.0 %, .*; the base chip's own")
        self.assertEqual(found["status"], "optimal")
        for options in (["--exhaustive"], ["--no-dominance"], ["--by-sets"], ["--by-sets", "--threads", "1"],
                        ["--by-sets", "--no-bounds"], ["--by-sets", "--no-dominance"], ["--by-sets", "--exhaustive"],
                        ["--by-sets", "--verify"]):
            other = self.modern(*options, space=space)
            self.same_answer(found, other)
            chips = other["chips"]
            self.assertEqual(chips["total"], found["chips"]["total"])
            self.assertEqual(chips["total"], chips["evaluated"] + chips["excluded"], options)
        self.assertRegex(other["notes"][-1], r"^verified bert-large: all \d+ chips are in one of \d+ sets, ")

    def test_prices(self):
        space = self.space(MODERN)
        for objective in ("per-watt", "per-carbon"):
            found = self.modern("--objective", objective, space=space)
            self.same_answer(found, self.modern("--objective", objective, "--by-sets", space=space))

    def test_budgets_and_choices_of_the_space_hold(self):
        wide = self.modern("--by-sets")["best"]
        narrow = self.modern("--by-sets", space=self.space(MODERN.replace("700 mm2", "500 mm2")))["best"]
        self.assertLessEqual(narrow["area_mm2"], 500)
        self.assertLess(narrow["value"], wide["value"])
        alone = self.modern("--by-sets", space=self.space(MODERN.replace("tensor_widths: [1, 2]", "tensor_widths: [2]")
                                                          .replace("microbatches: [1, 2]", "microbatches: [2]")))
        plan = alone["best"]["plans"]["bert-large"]
        self.assertEqual((plan["tensor"], plan["microbatch"]), (2, 2))

    def test_a_study_goes_on(self):
        space = self.space(MODERN)
        path = os.path.join(self.folder(), "sets.db")
        found = self.modern("--by-sets", "--study", path, space=space)
        again = self.modern("--by-sets", "--study", path, space=space)
        self.same_answer(found, again)
        record = self.json("study", path)
        self.assertEqual(record["answer"]["status"], found["status"])
        self.assertIn("space_definition: the study is of another question", self.refusal(
            "search", "bert-large", *SMALL, "--assumptions", "modern", "--by-sets", "--study", path, "--space",
            self.space(MODERN.replace("600 W", "599 W"))))


def described(cores):
    """As a chip file has it."""
    return {key.removesuffix("_bytes"): f"{value} B" if key.endswith("_bytes") else value
            for key, value in cores.items()}


class Faults(Searches):
    def test_bad_input(self):
        space = self.space()
        for args, message in (
                (["bert-larg"], "bert-larg"),
                (["bert-large", "--objective", "speed"], "--objective: expected throughput, per-watt"),
                (["bert-large", "--objective", "throughput,throughput"], "--objective: \"throughput\" is there twice"),
                (["bert-large", "--combine", "sum"], "--combine: expected mean, geometric, raw or worst"),
                (["bert-large", "--assumptions", "moderne"], "--assumptions: expected modern, phaze2024 or "),
                (["bert-large", "--by-sets", "--objective", "throughput,per-watt"], "--objective: a front is of spaces"),
                (["bert-large", "--cluster", "dgx-h100"], "--cluster: the original knows one link for everything"),
                (["bert-large", "--reference", "tpu"], "tpu"),
                (["bert-large", "--space", "phaze2042"], "phaze2042"),
                (["bert-large", "--sequence", "513"], "--sequence: expected at most 512"),
                (["bert-large", "--csv", space], "--csv: is the space's own file"),
                (["bert-large", "--report", space], "--report: is the space's own file"),
                (["bert-large", "--chip-output", space], "--chip-output: is the space's own file"),
                (["bert-large", "--chip-output", ""], "--chip-output: expected the name of a file"),
                (["bert-large", "bert-large"], 'MODEL: "bert-large" is there twice'),
                ([], "MODEL: expected a model")):
            extra = [] if "--space" in args else ["--space", space]
            self.assertIn(message, self.refusal("search", *args, *extra))

    def test_no_answer(self):
        space = self.space()
        for args, message in (
                (["bert-large", "--area", "1"], "no chip of few is within its filters and budgets"),
                (["gpt3-175b", "--devices", "2"], "no chip of few has a plan that fits"),
                (["bert-large", "gpt3-175b", "--devices", "2"], "no chip of few has a plan that fits gpt3-175b")):
            for extra in ([], ["--json"]):
                result = self.start(["search", *args, "--space", space, "--global-batch", "4", *extra])
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(message, result.stderr.decode())
                if extra:
                    answer = json.loads(result.stdout)
                    self.assertEqual((answer["status"], answer["best"]), ("infeasible", None))
                else:
                    self.assertEqual(result.stdout, b"")


class Stopped(Searches):
    LONG = ["search", "gpt3-175b", "--exhaustive", "--json"]  # minutes

    def begin(self, *args):
        run = subprocess.Popen([phaze.PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def wait_for_chips(self, path, chips):
        """Until a study has that many."""
        for _ in range(600):
            time.sleep(0.05)
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                    settled = database.execute("SELECT count(*) FROM chips").fetchone()[0]
            except sqlite3.OperationalError:  # not there yet
                continue
            if settled >= chips:
                return settled
        self.fail("nothing is stored")

    def test_interrupted(self):
        path = os.path.join(self.folder(), "study.db")
        run = self.begin(*self.LONG, "--study", path)
        self.wait_for_chips(path, 1)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=phaze.SECONDS)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("interrupted: this is the best so far\n", err)
        found = json.loads(out)
        self.assertEqual(found["status"], "feasible")
        self.assertGreater(found["bound"], found["best"]["value"])
        self.assertGreater(found["best"]["value"], 0)
        self.assertLess(found["chips"]["evaluated"] + found["chips"]["excluded"], found["chips"]["total"])

    def test_a_study_that_goes_on_counts_what_it_knows(self):
        path = os.path.join(self.folder(), "twice.db")
        question = ["search", "bert-large", "opt-350m", "--space", self.space(), *SMALL, "--study", path]
        first, second = self.json(*question), self.json(*question)
        self.same_answer(first, second)
        self.assertGreater(first["chips"]["evaluated"], 0)
        for count in ("total", "evaluated", "excluded"):  # by which of two reasons depends on what is known
            self.assertEqual(first["chips"][count], second["chips"][count])
        for model, own in first["own"].items():
            self.assertGreaterEqual(second["own"][model]["chips"]["evaluated"], own["chips"]["evaluated"])
        columns = self.answer("study", path, "--csv").splitlines()[0].split(",")
        self.assertEqual(columns[:6], ["chip", "id", "state", "value_times_reference", "bound_times_reference", "witness"])

    def test_killed_and_begun_again(self):
        space = self.space()
        question = ["search", "bert-large", "--space", space, "--exhaustive", "--threads", "1", *SMALL]
        whole = os.path.join(self.folder(), "whole.db")
        expected = self.json(*question, "--study", whole)
        self.same_answer(expected, self.json(*question))
        path = os.path.join(self.folder(), "killed.db")
        run = self.begin(*question, "--study", path)
        stored = self.wait_for_chips(path, 1)
        run.kill()
        run.wait()
        # What was stored stays as it is: another run does not find it again.
        database = sqlite3.connect(path)
        database.execute("UPDATE chips SET area_mm2 = -1")
        kept = {chip for chip, in database.execute("SELECT chip FROM chips")}
        database.execute("CREATE TABLE seen (chip, area)")
        database.execute("CREATE TRIGGER look AFTER INSERT ON chips BEGIN INSERT INTO seen VALUES "
                         "(NEW.chip, NEW.throughput_bert-large_sequences_per_s); END".replace(
                             "NEW.throughput_bert-large_sequences_per_s",
                             'NEW."throughput_bert-large_sequences_per_s"'))
        database.commit()
        database.close()
        self.assertGreaterEqual(len(kept), stored)
        self.same_answer(self.json(*question, "--study", path), expected)
        with sqlite3.connect(path) as database:
            seen = [chip for chip, _ in database.execute("SELECT * FROM seen")]
            every = database.execute("SELECT count(*) FROM chips").fetchone()[0]
        database.close()
        self.assertEqual(every, expected["chips"]["total"])
        # All are stored once more at the end, with how they were settled; the others once before. The few that
        # could be the best are stored again where their schedules got more work.
        count = collections.Counter(seen)
        count.subtract([*range(every), *(set(range(every)) - kept)])
        self.assertGreaterEqual(min(count.values()), 0)
        self.assertLess(sum(count.values()), every // 2)
        self.assertLess(sum(1 for chip in kept if count[chip] > 0), len(kept) / 2 + 1)

    def test_another_question(self):
        space = self.space()
        path = os.path.join(self.folder(), "study.db")
        question = ["search", "bert-large", "--space", space, "--study", path]
        self.answer(*question, *SMALL)
        with open(os.path.join(os.path.dirname(__file__), "../../data/clusters/flat.yaml"), encoding="utf-8") as file:
            cluster = self.file("flat.yaml", file.read().replace("bandwidth: 4 GiB/s", "bandwidth: 5 GiB/s"))
        for changed, message in (
                ([*SMALL[2:], "--sequence", "256"], 'sequence: the study is of another question: it has "128", this '
                                                    'run has "256"'),
                ([*SMALL, "--objective", "per-watt"], 'objective: the study is of another question: it has '
                                                      '"throughput", this run has "per-watt"'),
                ([*SMALL, "--cluster", cluster], "cluster_definition: the study is of another question"),
                ([*SMALL, "--area", "200"], "chips_total: the study is of another question"),
                ([*SMALL[:2], "--devices", "16"], 'devices: the study is of another question: it has "8"')):
            self.assertIn(message, self.refusal(*question, *changed))
        with open(space, "w", encoding="utf-8") as out:  # as many chips, but others
            out.write(SPACE.replace("[8 MiB, 32 MiB]", "[8 MiB, 31 MiB]"))
        self.assertIn("space_definition: the study is of another question", self.refusal(*question, *SMALL))

    def test_no_room(self):
        """A study that may not grow: one clear line, and with room again the search goes on."""
        space = self.space()
        path = os.path.join(self.folder(), "study.db")
        question = ["search", "bert-large", "--space", space, "--exhaustive", *SMALL, "--study", path]
        expected = self.json(*question)
        room = os.path.getsize(path) - 5000
        os.remove(path)
        result = subprocess.run(
            [phaze.PROGRAM, *question], capture_output=True, text=True, timeout=phaze.SECONDS,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY)))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, f"{path}: error: cannot be read or written: File too large; what was stored "
                         "before is kept\n")
        self.same_answer(self.json(*question), expected)


if __name__ == "__main__":
    phaze.main()
