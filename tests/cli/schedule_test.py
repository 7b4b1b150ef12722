"""The schedule command: its keys, its proofs, its traces, what it refuses."""
import collections
import json
import os
import pty
import random
import select
import signal
import subprocess
import time

import phaze

PROBLEM = {
    "cores": {"tensor": 2, "vector": 1},
    "exclusive_wide": True,
    "operators": [
        {"id": "q", "unit": "tensor", "one_core_s": 1e-3, "all_cores_s": 6e-4},
        {"id": "k", "unit": "tensor", "one_core_s": 1e-3, "all_cores_s": 6e-4},
        {"id": "s", "unit": "vector", "one_core_s": 5e-4},
    ],
    "edges": [["q", "s"], ["k", "s"]],
}


def hard_problem(operators):
    """One that no solver is done with in seconds."""
    choose = random.Random(3)
    items = []
    for i in range(operators):
        one_core = choose.randint(1, 10**9) / 1e12
        unit = choose.choice(["tensor", "tensor", "vector", "both"])
        items.append({"id": f"o{i}", "unit": unit, "one_core_s": one_core, "all_cores_s": one_core / choose.uniform(1, 4)})
    edges = [[f"o{i}", f"o{j}"] for j in range(operators) for i in range(j) if choose.random() < 0.05]
    return {"cores": {"tensor": 4, "vector": 3}, "exclusive_wide": False, "operators": items, "edges": edges}


def processes():
    """The parent of each process that runs."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            parents[int(name)] = int(parent)
    return parents


def children_of(parent):
    return {child for child, of in processes().items() if of == parent}


class Schedules(phaze.Case):
    def problem(self, problem):
        text = problem if isinstance(problem, (str, bytes)) else json.dumps(problem)
        return self.file("problem.json", text)

    def solve(self, problem, *args):
        return self.json("schedule", "--problem", self.problem(problem), *args)

    def expect_sums(self, schedule, time_s):
        """Utilisation and idle time are what the operators leave of cores x time."""
        for unit, kind in (("tensor", "t"), ("vector", "v")):
            busy = sum(
                (op["end_s"] - op["start_s"]) * sum(core[0] == kind for core in op["cores"])
                for op in schedule["operators"]
            )
            whole = schedule["cores"][unit] * time_s
            idle = [item["core_s"] for item in schedule["idle"] if item["unit"] == unit]
            self.assertEqual(idle, sorted(idle, reverse=True))
            self.assertAlmostEqual(busy + sum(idle), whole, delta=1e-9 * whole + 1e-15)
            self.assertAlmostEqual(busy, schedule["utilisation"][unit] * whole, delta=1e-9 * whole + 1e-15)
        names = {op["id"] for op in schedule["operators"]}
        for item in schedule["idle"]:
            has_operator = item["reason"] not in ("done", "floor", "unused")
            self.assertEqual("operator" in item, has_operator)
            self.assertTrue(not has_operator or item["operator"] in names)


class Problems(Schedules):
    def test_methods_agree(self):
        for exclusive in (True, False):
            problem = {**PROBLEM, "exclusive_wide": exclusive}
            for method in ("exact", "ilp", "list"):
                answer = self.solve(problem, "--method", method)
                self.assertEqual(answer["makespan_s"], 1.5e-3)
                self.assertLessEqual(answer["lower_bound_s"], answer["makespan_s"])
                self.assertEqual([op["id"] for op in answer["operators"]], ["q", "k", "s"])
                self.assertEqual(answer["cores"], PROBLEM["cores"])
                self.assertEqual(answer["exclusive_wide"], exclusive)
                self.expect_sums(answer, answer["makespan_s"])
            self.assertEqual(self.solve(problem)["status"], "optimal")

    def test_an_option_goes_before_the_file(self):
        # A vector operator beside a wide one.
        problem = {
            "cores": {"tensor": 2, "vector": 1},
            "operators": [
                {"id": "w", "unit": "tensor", "one_core_s": 4, "all_cores_s": 2},
                {"id": "v", "unit": "vector", "one_core_s": 2},
            ],
        }
        self.assertEqual(self.solve(problem)["makespan_s"], 4)
        for args in (["--no-exclusive-wide"], ["--exclusive-wide=false"]):
            self.assertEqual(self.solve(problem, *args)["makespan_s"], 2)
        problem["exclusive_wide"] = False
        self.assertEqual(self.solve(problem)["makespan_s"], 2)
        for args in (["--exclusive-wide"], ["--exclusive-wide=true"]):
            self.assertEqual(self.solve(problem, *args)["makespan_s"], 4)

    def test_text(self):
        text = self.answer("schedule", "--problem", self.problem(PROBLEM))
        self.assertIn("3 operators in 1.50 ms, proved optimal; nothing runs beside a wide operator\n", text)
        self.assertIn("\n  2 tensor cores 66.7 % busy; idle: no operator left 33.3 %\n", text)
        self.assertIn("\n  1 vector core 33.3 % busy; idle: wait for q 66.7 %\n", text)
        self.assertIn("\n  v0    ........", text)

    def test_command_line(self):
        path = self.problem(PROBLEM)
        for args, message in [
            ([], "expected a model or --problem"),
            (["bert-large", "--problem", path], "expected a model or --problem"),
            (["bert-large"], "--chip: a model needs a chip"),
            (["bert-large", "--chip", "tpuv4", "--method", "exat"], "did you mean exact"),
            (["bert-large", "--chip", "tpuv4", "--assumptions", "phaze224"], "did you mean phaze2024"),
            (["bert-large", "--chip", "tpuv4", "--cluster", "flat"], "--cluster: means nothing without --tensor"),
            (["bert-large", "--chip", "tpuv4", "--precision", "fp32"], "tpuv4 has no matrix units for f32"),
            (["--problem", path, "--chip", "tpuv4"], "--chip: means nothing with --problem"),
            (["--problem", path, "--tensor", "2"], "--tensor: means nothing with --problem"),
            (["--problem", path, "--assumptions", "modern"], "--assumptions: means nothing with --problem"),
            (["--problem", ""], "--problem: expected the name of a file"),
            (["--problem", path, "--trace", ""], "--trace: expected the name of a file"),
            (["--problem", path, "--trace", "-"], "--trace: expected the name of a file"),
            (["--problem", path, "--trace", path], "--trace: is the problem's own file"),
            (["--problem", path, "--exclusive-wide", "--no-exclusive-wide"], "--exclusive-wide: given both"),
            (["--problem", path, "--json", "--trace", "/dev/stdout"], "--trace: is standard output"),
            (["--problem", path, "--trace", "/proc/self/fd/1"], "--trace: is standard output"),
            (["--problem", "/none/there.json"], "/none/there.json: error: no such file"),
        ]:
            with self.subTest(args):
                self.assertIn(message, self.refusal("schedule", *args))


    def test_one_destination_for_two_documents(self):
        path = self.problem(PROBLEM)
        out = os.path.join(self.folder(), "out.json")
        with open(out, "wb") as file:
            result = self.start(["schedule", "--problem", path, "--json", "--trace", out], stdout=file)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--trace: is standard output, where the answer goes", result.stderr)
        self.assertEqual(os.path.getsize(out), 0)
        # What keeps nothing mixes nothing.
        with open(os.devnull, "wb") as file:
            result = self.start(["schedule", "--problem", path, "--trace", os.devnull], stdout=file)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_a_trace_does_not_replace_what_is_read(self):
        path = self.problem(PROBLEM)
        with open(path, "rb") as file:
            result = subprocess.run([phaze.PROGRAM, "schedule", "--problem", "-", "--trace", path],
                                    stdin=file, capture_output=True, timeout=phaze.SECONDS, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"--trace: is the problem's own file", result.stderr)

    def test_ids_are_text(self):
        problem = {
            "cores": {"tensor": 1},
            "operators": [{"id": name, "unit": "tensor", "one_core_s": 1} for name in (7, True, "n", 7.0)],
            "edges": [[7, "true"], ["7", "n"], [7.0, 7]],
        }
        answer = self.solve(problem)
        self.assertEqual([op["id"] for op in answer["operators"]], ["7", "true", "n", "7.0"])
        for name in (None, [7], {"a": 7}):
            problem["operators"][0]["id"] = name
            self.assertIn("operators[0].id: expected text, found", self.refusal("schedule", "--problem", self.problem(problem)))

    def test_names_that_are_no_plain_text(self):
        names = ["norm", "注意力機構", "e\u0301", "a\u200bb", "\x1b[31mred", "tab\there", "😀", "x" * 500]
        operators = [{"id": name, "unit": "tensor", "one_core_s": 1} for name in names]
        problem = {"cores": {"tensor": 2}, "operators": operators}
        self.assertEqual([op["id"] for op in self.solve(problem)["operators"]], names)
        text = self.answer("schedule", "--problem", self.problem(problem))
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
        rows = [line for line in text.splitlines() if line.startswith("  t")]
        self.assertEqual(len({len(row) for row in rows[1:3]}), 1, rows)
        self.assertTrue(all(row.isascii() for row in rows[:3]), rows)
        self.assertLess(max(map(len, text.splitlines())), 200)

    def test_times_of_any_size(self):
        """From nothing to the most that there may be, the methods agree."""
        for times, makespan in (([0, 0, 0], 0), ([1e-12] * 3, 2e-12), ([4e-13] * 3, 0), ([1e-9, 1e3, 1e-12], 1e3),
                                ([3e5] * 3, 6e5)):
            operators = [{"id": f"o{i}", "unit": "tensor", "one_core_s": time} for i, time in enumerate(times)]
            problem = {"cores": {"tensor": 2}, "operators": operators}
            for method in ("exact", "ilp", "list"):
                with self.subTest(times, method=method):
                    answer = self.solve(problem, "--method", method)
                    self.assertEqual(answer["makespan_s"], makespan)
                    self.expect_sums(answer, makespan)
                    self.answer("schedule", "--problem", self.problem(problem), "--method", method)


class Refusals(Schedules):
    def test_each_fault_is_one_line_with_its_place(self):
        def operator(**changes):
            first = {**PROBLEM["operators"][0], **changes}
            first = {key: value for key, value in first.items() if value is not ...}
            return {**PROBLEM, "operators": [first, *PROBLEM["operators"][1:]]}

        def without(key):
            return {name: value for name, value in PROBLEM.items() if name != key}

        time_expected = "one_core_s: expected a number at least 0"
        for problem, message in [
            ({**PROBLEM, "edges": [["q", "s"], ["s", "k"], ["k", "q"]]}, "closes a cycle: q -> s -> k -> q"),
            ({**PROBLEM, "edges": [["q", "q"]]}, 'an edge from "q" to itself'),
            ({**PROBLEM, "edges": [["q", "x"]]}, 'edges[0][1]: no operator has the id "x"'),
            ({**PROBLEM, "edges": [["q", "k", "s"]]}, "expected two ids"),
            ({**PROBLEM, "edges": "q"}, "expected a list of edges"),
            (operator(unit="tensr"), "did you mean tensor?"),
            (operator(unit=7), "operators[0].unit: expected one of"),
            (operator(unit=...), "operators[0].unit: this key is required"),
            (operator(one_core_s=...), "operators[0].one_core_s: this key is required"),
            (operator(one_core_s=-1), time_expected),
            (operator(one_core_s="fast"), time_expected),
            (operator(one_core_s=None), time_expected),
            (operator(one_core_s=[1]), time_expected),
            (operator(one_core_s=True), time_expected),
            (operator(one_core_s=1e300), time_expected),
            (operator(all_cores_s=-1), "all_cores_s: expected a number at least 0"),
            (operator(unit="network"), "all_cores_s: means nothing"),
            (operator(id="k"), "operators[1].id: \"k\" is the id of operators[0] too"),
            (operator(id=""), "operators[0].id: expected text"),
            (operator(id=...), "operators[0].id: this key is required"),
            (operator(time=1), "operators[0].time: unknown key"),
            ({**PROBLEM, "cores": {"tensor": 2, "vector": 0}}, "needs a vector core, and cores.vector is 0"),
            ({**PROBLEM, "cores": {"tensor": 10**30, "vector": 1}}, "expected a whole number from 0 to 10000"),
            ({**PROBLEM, "cores": {"tensor": 1.5, "vector": 1}}, "expected a whole number from 0 to 10000"),
            ({**PROBLEM, "cores": 4}, "cores: expected a map"),
            (without("cores"), "cores: this key is required"),
            ({**PROBLEM, "operators": []}, "operators: expected a list of at least one operator"),
            ({**PROBLEM, "operators": ["q"]}, "operators[0]: expected a map"),
            (without("operators"), "operators: expected a list of at least one operator"),
            ({**PROBLEM, "exclusive_wide": 1}, "exclusive_wide: expected true or false"),
            (json.dumps(PROBLEM).replace("0.001", "NaN", 1), time_expected),
            (json.dumps(PROBLEM).replace("0.001", ".nan", 1), time_expected),
            (json.dumps(PROBLEM).replace("0.001", "Infinity", 1), time_expected),
            (json.dumps(PROBLEM).replace("0.001", "1e999", 1), time_expected),
            ("[]", "expected a map, found a list of 0"),
            ("{", "not valid JSON or YAML"),
        ]:
            with self.subTest(message, problem=problem):
                path = self.problem(problem)
                text = self.refusal("schedule", "--problem", path)
                self.assertRegex(text, rf"\A{path}:\d+:\d+: error: [^\n]*\n\Z")
                self.assertIn(message, text)


class Models(Schedules):
    def test_layers(self):
        for chip, counts in (("tpuv4", (8, 2)), ("phaze-reference", (8, 2)), ("h100", (132, 132))):
            answer = self.json("schedule", "bert-large", "--chip", chip)
            estimate = self.json("estimate", "bert-large", "--chip", chip)
            total = collections.Counter()
            for layer in answer["layers"]:
                self.assertEqual(layer["status"], "optimal", layer["name"])
                self.assertLessEqual(layer["lower_bound_s"], layer["makespan_s"])
                self.assertGreaterEqual(layer["time_s"], layer["makespan_s"])
                self.assertEqual((layer["cores"]["tensor"], layer["cores"]["vector"]), counts)
                self.expect_sums(layer, layer["time_s"])
                total[layer["pass"]] += layer["repeat"] * layer["time_s"]
                for op in layer["operators"]:
                    tensor = layer["cores"]["tensor"] if op["unit"] in ("tensor", "both") else 0
                    vector = layer["cores"]["vector"] if op["unit"] in ("vector", "both") else 0
                    if op["wide"]:
                        cores = [f"t{i}" for i in range(tensor)] + [f"v{i}" for i in range(vector)]
                        self.assertEqual(op["cores"], cores)
                    else:
                        self.assertEqual(len(op["cores"]), (tensor > 0) + (vector > 0))
            self.assertAlmostEqual(total["forward"], answer["forward_s"])
            self.assertAlmostEqual(total["backward"], answer["backward_s"])
            # Where operators follow one another the time is their sum.
            if chip == "h100":
                for layer, of in zip(answer["layers"][::2], estimate["layers"]):
                    self.assertAlmostEqual(layer["makespan_s"], of["forward_s"], delta=1e-9)

    def test_the_network_is_that_of_estimate(self):
        args = ["llama2-7b", "--chip", "h100", "--tensor", "8"]
        answer = self.json("schedule", *args)
        self.assertEqual(answer["cluster"], "dgx-h100")
        for layer, of in zip(answer["layers"][::2], self.json("estimate", *args)["layers"]):
            self.assertAlmostEqual(layer["time_s"], of["forward_s"], delta=1e-9)

    def test_text(self):
        text = self.answer("schedule", "bert-large", "--chip", "tpuv4")
        self.assertIn("bert-large on tpuv4 (8 tensor cores, 2 vector cores), sequence 512, micro-batch 1\n", text)
        self.assertIn("assumptions modern: execution fused, attention flash", text)
        self.assertIn("proved optimal", text)
        self.assertIn("\n  8 tensor cores ", text)
        self.assertIn(" x 24, forward: ", text)
        self.assertIn("\n  t0-t7  |", text)
        self.assertRegex(text, r"\n  all +backward +[\d.]+ ms\n")
        self.assertNotIn("  operator ", text)
        self.assertIn("\n  operator ", self.answer("schedule", "bert-large", "--chip", "tpuv4", "--operators"))

    def test_one_core_of_a_kind(self):
        text = self.answer("schedule", "bert-large", "--chip", "tpuv4", "--set", "tensor_cores.count=1")
        self.assertIn("(1 tensor core, 2 vector cores)", text)
        self.assertIn("\n  1 tensor core ", text)
        self.assertIn("\n  t0    ", text)

    def test_assumptions(self):
        def run(*args):
            return self.json("schedule", "bert-large", "--chip", "phaze-reference", "--method", "list", *args)

        modern, original = run(), run("--assumptions", "phaze2024")
        self.assertEqual(modern, run("--assumptions", "modern"))
        self.assertEqual((modern["assumptions"], original["assumptions"]), ("modern", "phaze2024"))
        self.assertEqual(modern["settings"]["attention"], "flash")
        for key, value in (("attention", "eager"), ("execution", "eager"), ("precision", "bf16"), ("optimizer", "sgd")):
            self.assertEqual(original["settings"][key], value)
        for answer, exclusive in (
            (modern, False),
            (original, True),
            (run("--exclusive-wide"), True),
            (run("--assumptions", "phaze2024", "--no-exclusive-wide"), False),
        ):
            self.assertEqual({layer["exclusive_wide"] for layer in answer["layers"]}, {exclusive})
        given = run("--assumptions", "phaze2024", "--attention", "flash", "--optimizer", "adam")
        self.assertEqual(given["settings"]["attention"], "flash")
        self.assertEqual(given["settings"]["optimizer"], "adam")
        self.assertEqual(given["settings"]["execution"], "eager")
        self.assertEqual(run("--assumptions", "phaze2024", "--tensor", "2")["cluster"], "flat")
        self.assertEqual(run("--assumptions", "phaze2024", "--tensor", "2", "--cluster", "dgx-a100")["cluster"], "dgx-a100")
        self.assertIn("assumptions phaze2024: ", self.answer(
            "schedule", "bert-large", "--chip", "tpuv4", "--method", "list", "--assumptions", "phaze2024"))

    def test_faults_of_the_released_code(self):
        def run(*args):
            return self.json("schedule", "bert-large", "--chip", "phaze-reference", "--method", "list", "--tensor", "2",
                             "--assumptions", *args)

        right, released = run("phaze2024"), run("phaze2024-released")
        self.assertEqual(released["assumptions"], "phaze2024-released")
        times = [{op["id"]: op["end_s"] - op["start_s"] for layer in answer["layers"] for op in layer["operators"]
                  if layer["name"] == "encoder"} for answer in (right, released)]
        dropped = set(times[0]) - set(times[1])
        self.assertEqual(set(times[1]) - set(times[0]), set())
        self.assertEqual({name.split(".")[-1] for name in dropped}, {"weight_gradient"})
        networks = [op["id"] for layer in right["layers"] for op in layer["operators"]
                    if layer["name"] == "encoder" and op["unit"] == "network"]
        self.assertGreater(len(networks), 0)
        for name in networks:
            self.assertAlmostEqual(times[0][name] / times[1][name], 1000, delta=20)


    def test_layers_that_take_too_long_to_be_counted(self):
        slow = ["--set", "clock=1MHz"]
        for field in ("count", "rows", "columns"):
            slow += ["--set", f"tensor_cores.{field}=1"]
        for chip in ("tpuv4", "h100"):
            text = self.refusal("schedule", "bert-large", "--chip", chip, "--microbatch", "1000000", *slow)
            self.assertIn("MODEL: the operators of layer encoder take ", text)
            self.assertIn("; schedules are counted up to 4.00 Ms\n", text)

    def test_options_without_effect_are_named(self):
        model = ["schedule", "bert-large", "--chip"]
        result = self.start([*model, "h100", "--method", "list", "--exclusive-wide", "--json"])
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"--method, --exclusive-wide: without effect, h100 runs one operator at a time", result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertEqual(json.loads(result.stdout)["layers"][0]["serial"], True)
        self.answer(*model, "h100")  # nothing else is said
        self.answer(*model, "tpuv4", "--method", "list", "--exclusive-wide")


class Traces(Schedules):
    def expect_trace(self, trace, schedules):
        """Events of a thread do not overlap; those of an operator are its runs, on as many cores."""
        processes, threads, events = {}, {}, collections.defaultdict(list)
        for event in trace["traceEvents"]:
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                threads[event["pid"], event["tid"]] = event["args"]["name"]
            elif event["ph"] == "X":
                events[event["pid"], event["tid"]].append(event)
        lengths = collections.Counter()
        for (process, thread), items in events.items():
            name = threads[process, thread]
            end = 0
            for event in items:  # in the order of their starts
                self.assertGreaterEqual(event["ts"], end - 1e-9, name)
                end = event["ts"] + event["dur"]
                args = event["args"]
                self.assertAlmostEqual((args["end_s"] - args["start_s"]) * 1e6, event["dur"], delta=1e-6)
                kind = name.split()[0]
                self.assertIn(kind, {"both": ("tensor", "vector")}.get(args["unit"], (args["unit"], "none")))
                lengths[processes[process], kind] += event["dur"] / 1e6
        self.assertEqual(sorted(processes.values()), sorted(schedules))
        for name, schedule in schedules.items():
            for unit, kind in (("tensor", "t"), ("vector", "v")):
                busy = sum(
                    (op["end_s"] - op["start_s"]) * sum(core[0] == kind for core in op["cores"])
                    for op in schedule["operators"]
                )
                self.assertAlmostEqual(lengths[name, unit], busy, delta=1e-9 * (1 + busy))
            network = sum(op["end_s"] - op["start_s"] for op in schedule["operators"] if op["unit"] == "network")
            self.assertAlmostEqual(lengths[name, "network"], network, delta=1e-9)

    def test_problem(self):
        path = os.path.join(self.folder(), "trace.json")
        problem = {**PROBLEM, "operators": PROBLEM["operators"] + [
            {"id": "n", "unit": "network", "one_core_s": 1e-3},
            {"id": "x", "unit": "none", "one_core_s": 1e-3},
            {"id": "y", "unit": "none", "one_core_s": 2e-3},
            {"id": "z", "unit": "tensor", "one_core_s": 0},
        ]}
        answer = self.solve(problem, "--trace", path)
        with open(path, encoding="utf-8") as file:
            self.expect_trace(json.load(file), {"schedule": answer})
        self.assertEqual(os.listdir(os.path.dirname(path)), ["trace.json"])

    def test_model(self):
        path = os.path.join(self.folder(), "trace.json")
        answer = self.json("schedule", "bert-large", "--chip", "tpuv4", "--tensor", "2", "--trace", path)
        schedules = {}
        for layer in answer["layers"]:
            repeat = f", one of {layer['repeat']}" if layer["repeat"] > 1 else ""
            schedules[f"{layer['name']} {layer['pass']}{repeat}"] = layer
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        self.expect_trace(trace, schedules)
        # One pass after another.
        first, last = {}, {}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                process = event["pid"]
                first[process] = min(first.get(process, event["ts"]), event["ts"])
                last[process] = max(last.get(process, 0), event["ts"] + event["dur"])
        for process in range(1, len(schedules)):
            self.assertGreaterEqual(first[process + 1], last[process] - 1e-6)

    def test_a_trace_that_cannot_be_written(self):
        path = self.problem(PROBLEM)
        folder = self.folder()
        for trace, why in [
            (folder, "Is a directory"),
            (os.path.join(folder, "none", "t.json"), "No such file or directory"),
            (os.path.join(path, "t.json"), "Not a directory"),
            ("/dev/full", "No space left on device"),
        ]:
            with self.subTest(trace):
                text = self.refusal("schedule", "--problem", path, "--trace", trace)
                self.assertEqual(text, f"{trace}: error: cannot be written: {why}\n")
        self.assertEqual(os.listdir(folder), [])

    def test_a_trace_that_no_viewer_opens(self):
        operators = [{"id": f"o{i}", "unit": "tensor", "one_core_s": 1, "all_cores_s": 1e-5} for i in range(101)]
        path = self.problem({"cores": {"tensor": 10000}, "operators": operators})
        trace = os.path.join(self.folder(), "trace.json")
        text = self.refusal("schedule", "--problem", path, "--method", "list", "--trace", trace)
        self.assertIn("1,010,000 events", text)
        self.assertFalse(os.path.exists(trace))


class LongRuns(Schedules):
    def test_interrupt(self):
        path = self.problem(hard_problem(120))
        trace = os.path.join(self.folder(), "trace.json")
        for method in ("exact", "ilp"):
            with self.subTest(method):
                program = subprocess.Popen(
                    [phaze.PROGRAM, "schedule", "--problem", path, "--method", method, "--trace", trace,
                     "--work-limit", "1000000000"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(program.kill)
                time.sleep(1)
                children = children_of(program.pid)
                if program.poll() is not None:
                    program.communicate()
                    self.skipTest("solved within a second")
                program.send_signal(signal.SIGINT)
                out, error = program.communicate(timeout=phaze.SECONDS)
                self.assertEqual(program.returncode, 130)
                self.assertIn(b"not proved", out)
                self.assertIn({"exact": b"interrupted: this is the best so far\n",
                               "ilp": b"interrupted: these are the schedules"}[method], error)
                self.assertEqual(os.listdir(os.path.dirname(trace)), ["trace.json"])
                os.remove(trace)
                time.sleep(0.5)
                self.assertEqual(children & processes().keys(), set(), "a solver goes on")

    def test_progress_on_a_terminal(self):
        path = self.problem(hard_problem(120))
        try:
            main, terminal = pty.openpty()
        except OSError as why:
            self.skipTest(f"no pseudo-terminal: {why}")
        program = subprocess.Popen(
            [phaze.PROGRAM, "schedule", "--problem", path, "--json", "--work-limit", "1000000000"],
            stdout=subprocess.PIPE, stderr=terminal, start_new_session=True)
        self.addCleanup(program.kill)
        os.close(terminal)
        self.addCleanup(os.close, main)
        start = time.monotonic()
        ready, _, _ = select.select([main], [], [], phaze.SECONDS)
        shown_after = time.monotonic() - start
        if program.poll() is not None:
            program.communicate()
            self.skipTest("solved within two seconds")
        self.assertTrue(ready)
        self.assertGreater(shown_after, 1.5)
        text = os.read(main, 1000).decode()
        self.assertRegex(text, r"\A\r\x1b\[Kexact schedule of 120 operators(: best .*)?  \d+ s")
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=phaze.SECONDS)
        self.assertEqual(program.returncode, 130)
        self.assertEqual(json.loads(out)["status"], "feasible")
        rest = b""
        while select.select([main], [], [], 0.2)[0]:
            try:
                rest += os.read(main, 1000)
            except OSError:  # the other end is closed
                break
        self.assertIn(b"interrupted: this is the best so far\r\n", rest)
        self.assertRegex(rest, rb"\r\x1b\[Kstopping; again ends at once\r\x1b\[K")


if __name__ == "__main__":
    phaze.main()
