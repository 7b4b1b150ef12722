"""phaze simulate: the contract, plans at the limits, traces."""
import json
import os

import phaze

GIB = 1 << 30


def plan(forward, backward, microbatches=8, transfer=0.0, chunks=1, **changes):
    """A plan of these stages with memory as a planner would count it."""
    stages = []
    for i, times in enumerate(zip(forward, backward)):
        flight = min(microbatches, len(forward) - i)
        stages.append({
            "layers": [{"layer": 0, "name": "decoder", "count": 4}],
            "forward_s": times[0], "backward_s": times[1], "in_flight": flight, "saved_bytes": GIB,
            "memory": {"weights_bytes": 10 * GIB, "gradients_bytes": 0, "optimizer_bytes": 20 * GIB,
                       "activations_bytes": flight * GIB, "transient_bytes": GIB, "other_bytes": 0},
        })
    return {"schema": 1, "microbatches": microbatches, "transfer_s": transfer, "iteration_s": 1.0,
            "capacity_bytes": 80 * GIB, "interleave": chunks,
            "schedule": "interleaved" if chunks > 1 else "1f1b", "stages": stages, **changes}


class Simulations(phaze.Case):
    def plan_file(self, contents):
        return self.file("plan.json", json.dumps(contents))

    def simulate(self, contents, *args):
        return self.json("simulate", self.plan_file(contents), *args)


class Contract(Simulations):
    def test_balanced(self):
        """(m + p - 1) (F + B), and the parts of it."""
        answer = self.simulate(plan([1] * 4, [2] * 4, iteration_s=33.0))
        self.assertEqual(answer["schema"], 1)
        self.assertEqual(answer["iteration_s"], 33)
        self.assertEqual(answer["closed_form_s"], 33)
        self.assertEqual(answer["difference"], 0)
        self.assertEqual(answer["busy_s"], 24)
        self.assertEqual(answer["bubble_s"], 9)
        self.assertEqual(answer["variations"], [])
        self.assertTrue(answer["fits"])
        for i, stage in enumerate(answer["stages"]):
            self.assertEqual(stage["in_flight"], 4 - i)
            self.assertEqual(stage["peak_memory_bytes"], (31 + 4 - i) * GIB)
            self.assertEqual(stage["peak_memory_bytes"], stage["planned_memory_bytes"])
            self.assertEqual(stage["headroom_bytes"], (49 - 4 + i) * GIB)
            self.assertEqual(max(stage["memory_bytes"]), stage["peak_memory_bytes"])

    def test_interleaved(self):
        """m (F + B) + (p - 1) (F + B) / v + 2 (v p - 1) c."""
        answer = self.simulate(plan([1] * 4, [2] * 4, transfer=0.1, chunks=3, schedule="interleaved"))
        self.assertAlmostEqual(answer["iteration_s"], 24 + 3 + 2 * 11 * 0.1)

    def test_the_difference_is_explained(self):
        contents = plan([1] * 8, [2] * 8, microbatches=64, transfer=0.5, iteration_s=220.0,
                        breakdown={"compute_s": 192, "pipeline_s": 7, "bubble_s": 21})
        answer = self.simulate(contents)
        self.assertGreater(answer["difference"], 0.2)
        self.assertEqual([item["with"] for item in answer["variations"]],
                         ["transfers that take no time", "transfers that never wait for one another"])
        self.assertAlmostEqual(answer["variations"][0]["iteration_s"], 213)
        text = self.answer("simulate", self.plan_file(contents))
        self.assertIn("% too short\n", text)
        self.assertIn("Most of the difference: ", text)
        self.assertIn("transfers that take no time", text)
        self.assertIn("\nWhy: the closed form of 1F1B is the longest of the paths", text)

    def test_every_kind_of_difference_has_a_reason(self):
        for contents, reason in (
            (plan([1] * 4, [2] * 4, iteration_s=40.0), "no path through the passes is as long"),
            (plan([1] * 4, [2] * 4, iteration_s=40.0, assumptions="phaze2024"), "the original's cost function"),
            (plan([1] * 4, [2] * 4, iteration_s=20.0, chunks=2), "differs only where two stages"),
            (plan([1] * 4, [2] * 4, iteration_s=20.0, schedule="gpipe"), "the closed form of GPipe"),
            (plan([1], [2], iteration_s=20.0), "one stage has no pipeline"),
        ):
            self.assertIn(reason, self.answer("simulate", self.plan_file(contents)))
        self.assertNotIn("Why: ", self.answer("simulate", self.plan_file(plan([1] * 4, [2] * 4, iteration_s=33.0))))

    def test_memory_that_is_not_there_is_said_loudly(self):
        contents = plan([1] * 4, [2] * 4, capacity_bytes=34 * GIB)
        path = self.plan_file(contents)
        said = b"phaze: does not fit: stage 0 needs 35.0 GiB of 34.0 GiB at its peak, 1.00 GiB too much\n"
        for options in ([], ["--json"]):
            result = self.start(["simulate", path, *options])
            self.assertEqual((result.returncode, result.stderr), (1, said))
        self.assertFalse(json.loads(result.stdout)["fits"])
        self.assertIn("WARNING    does not fit: stage 0", self.start(["simulate", path]).stdout.decode())

    def test_standard_input(self):
        contents = plan([1, 1], [2, 2])
        self.assertEqual(self.json("simulate", "-", stdin=json.dumps(contents)), self.simulate(contents))
        self.assertIn("standard input:1:", self.refusal("simulate", "-", stdin='{"schema": 2}'))

    def test_a_large_plan(self):
        """64 stages and 512 micro-batches."""
        answer = self.simulate(plan([0.1] * 64, [0.2] * 64, microbatches=512, transfer=0.01, capacity_bytes=1 << 40))
        self.assertEqual(answer["events"], 2 * 64 * 512 + 2 * 63 * 512)
        self.assertAlmostEqual(answer["iteration_s"] / ((0.3 + 0.02 * 63 / 64) * (512 + 63)), 1, places=3)

    def test_threads_do_not_matter(self):
        path = self.plan_file(plan([1, 2], [2, 1], transfer=0.3))
        self.assertEqual(self.answer("simulate", path, "--threads", "1"), self.answer("simulate", path, "--threads", "2"))


class Refusals(Simulations):
    def test_files(self):
        self.assertIn("none.json: error: ", self.refusal("simulate", "none.json"))
        self.assertIn("PLAN", self.refusal("simulate"))
        text = self.refusal("simulate", self.plan_file(plan([1], [2], microbatches=0)))
        self.assertIn("plan.json:1:", text)
        self.assertIn("microbatches: expected a whole number from 1 to 1000000000, found 0", text)

    def test_too_large(self):
        path = self.plan_file(plan([1] * 100, [2] * 100, microbatches=100_000))
        text = self.refusal("simulate", path)
        self.assertIn("20,000,000 passes", text)
        self.assertIn("expected at most 4,000,000", text)


class Traces(Simulations):
    def test_a_trace_replaces_nothing(self):
        path = self.plan_file(plan([1], [2]))
        self.assertIn("--trace: is the plan's own file", self.refusal("simulate", path, "--trace", path))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], 1)
        self.assertIn("--trace: expected the name of a file", self.refusal("simulate", path, "--trace", "-"))

    def trace(self, contents):
        path = os.path.join(self.folder(), "trace.json")
        answer = self.simulate(contents, "--trace", path)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["trace.json"])
        with open(path, encoding="utf-8") as file:
            return answer, json.load(file)["traceEvents"]

    def test_events(self):
        answer, events = self.trace(plan([1, 1, 2], [2, 2, 4], transfer=0.25))
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertEqual({e["pid"] for e in events}, {1, 2, 3})
        for stage, simulated in enumerate(answer["stages"]):
            mine = [e for e in events if e["pid"] == stage + 1]
            passes = [e for e in mine if e["ph"] == "X" and threads[e["pid"], e["tid"]] == "passes"]
            self.assertAlmostEqual(sum(e["dur"] for e in passes) / 1e6, simulated["busy_s"])
            memory = [e["args"]["bytes"] for e in mine if e["ph"] == "C"]
            self.assertEqual(max(memory), simulated["peak_memory_bytes"])
        lanes = {}
        for event in events:
            if event["ph"] == "X":
                lanes.setdefault((event["pid"], event["tid"]), []).append(event)
        for lane in lanes.values():
            for one, other in zip(lane, lane[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"] + 1e-6)

    def test_a_trace_that_cannot_be_written(self):
        path = self.plan_file(plan([1], [2]))
        text = self.refusal("simulate", path, "--trace", "/dev/full")
        self.assertEqual(text, "/dev/full: error: cannot be written: No space left on device\n")
        self.assertIn("expected the name of a file", self.refusal("simulate", path, "--trace", ""))

    def test_a_trace_that_no_viewer_opens(self):
        trace = os.path.join(self.folder(), "trace.json")
        path = self.plan_file(plan([1] * 10, [2] * 10, microbatches=20_000, capacity_bytes=10**15))
        self.assertIn("events to show", self.refusal("simulate", path, "--trace", trace))
        self.assertFalse(os.path.exists(trace))


if __name__ == "__main__":
    phaze.main()
