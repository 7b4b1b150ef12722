"""The place command on models: its keys, its exit codes, what it refuses, and the simulation of what it writes."""
import json
import os
import pty
import select
import signal
import subprocess
import time

import phaze

SETTING = ("--chip", "h100", "--cluster", "dgx-h100")
SMALL = ("bert-large", *SETTING, "--devices", "8", "--global-batch", "32")


class Plans(phaze.Case):
    def place(self, *args):
        return self.json("place", *args)

    def no_answer(self, *args):
        """A run that finds nothing: why."""
        result = self.start(["place", *args])
        self.assertEqual((result.returncode, result.stdout), (1, b""), args)
        return result.stderr.decode()


class Contract(Plans):
    def test_keys(self):
        answer = self.place(*SMALL)
        self.assertEqual(answer["schema"], 1)
        self.assertEqual(answer["status"], "optimal")
        self.assertEqual(answer["bound_s"], answer["iteration_s"])
        for key in ("iteration_s", "throughput_sequences_per_s", "tokens_per_s", "mfu", "hfu"):
            self.assertGreater(answer[key], 0)
        for key in ("tensor", "vector", "hbm", "link"):
            self.assertGreaterEqual(answer["utilisation"][key], 0)
            self.assertLessEqual(answer["utilisation"][key], 1)
        self.assertIn(answer["recompute"], ("none", "selective", "full", "mixed"))
        self.assertIn(answer["zero"], (0, 1, 2, 3))
        self.assertEqual(len(answer["stages"]), answer["pipeline"])
        self.assertLessEqual(answer["hfu"], 1)
        self.assertLessEqual(answer["mfu"], answer["hfu"])

    def test_numbers_go_together(self):
        answer = self.place(*SMALL, "--pipeline", "2", "--zero", "0")
        seconds = answer["iteration_s"]
        self.assertAlmostEqual(answer["throughput_sequences_per_s"] * seconds, 32, places=6)
        self.assertAlmostEqual(answer["tokens_per_s"] * seconds, 32 * answer["sequence"], places=3)
        self.assertAlmostEqual(sum(answer["breakdown"].values()) / seconds, 1, places=9)
        self.assertEqual(answer["microbatches"] * answer["microbatch"] * answer["data"], 32)
        self.assertLessEqual(answer["tensor"] * answer["pipeline"] * answer["data"], 8)
        layers = {}
        for stage in answer["stages"]:
            parts = [value for key, value in stage["memory"].items() if key != "total_bytes"]
            self.assertEqual(sum(parts), stage["memory"]["total_bytes"])
            for run in stage["layers"]:
                layers[run["name"]] = layers.get(run["name"], 0) + run["count"]
        self.assertEqual(layers, {"embedding": 1, "encoder": 24, "head": 1})
        self.assertEqual(answer["peak_memory_bytes"], max(s["memory"]["total_bytes"] for s in answer["stages"]))
        self.assertLessEqual(answer["peak_memory_bytes"], answer["capacity_bytes"])

    def test_ends_of_a_pipeline_at_any_distance(self):
        # First and last stage share the embedding; stages of 24 devices do not divide a rack of 72 by two.
        answer = self.place("opt-350m", "--chip", "h100", "--cluster", "gb200-nvl72", "--devices", "72",
                            "--global-batch", "96", "--pipeline", "3", "--data", "24")
        self.assertEqual(answer["pipeline"], 3)

    def test_changes_are_part_of_the_names(self):
        answer = self.place(*SMALL, "--set", "chip.clock=+50%", "--set", "cluster.nvlink.bandwidth=-50%")
        self.assertEqual((answer["chip"], answer["cluster"]),
                         ("h100 (clock=+50%)", "dgx-h100 (nvlink.bandwidth=-50%)"))

    def test_vocabularies_are_padded(self):
        # Of 30,522 words: 4 does not divide them.
        result = self.start(["place", *SMALL, "--tensor", "4", "--json"])
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"padded to 30,720", result.stderr)
        split = json.loads(result.stdout)
        whole = self.place(*SMALL, "--tensor", "1")

        def flops(answer):
            devices = answer["tensor"] * answer["pipeline"] * answer["data"]
            return answer["mfu"] * answer["iteration_s"] * devices

        # The model's own work, however it is split.
        self.assertAlmostEqual(flops(split) / flops(whole), 1, places=9)

    def test_every_execution_can_be_read_again(self):
        for execution in ("fused", "megatron", "eager"):
            plan = os.path.join(self.folder(), execution + ".json")
            self.place(*SMALL, "--execution", execution, "--output", plan)
            self.json("simulate", plan)

    def test_a_full_set_prices_one_strategy(self):
        fixed = {"tensor": 2, "pipeline": 2, "data": 2, "microbatch": 4, "interleave": 1, "zero": 1,
                 "recompute": "full", "schedule": "1f1b", "order": "tdp"}
        args = [word for key, value in fixed.items() for word in (f"--{key}", str(value))]
        answer = self.place(*SMALL, *args, "--sequence-parallel", "on")
        self.assertEqual({key: answer[key] for key in fixed}, fixed)
        self.assertTrue(answer["sequence_parallel"])
        self.assertIn("best of 1 strategy in", self.answer("place", *SMALL, *args, "--sequence-parallel", "on"))
        self.assertGreater(answer["iteration_s"], self.place(*SMALL)["iteration_s"])

    def test_fewer_choices_are_no_better(self):
        best = self.place(*SMALL)["iteration_s"]
        for choice in (("--tensor", "2"), ("--pipeline", "2"), ("--data", "4"), ("--microbatch", "1"), ("--zero", "0"),
                       ("--recompute", "full"), ("--schedule", "gpipe"), ("--no-overlap",)):
            self.assertGreaterEqual(self.place(*SMALL, *choice)["iteration_s"], best * (1 - 1e-12), choice)
        fewer = self.place("bert-large", *SETTING, "--devices", "7", "--global-batch", "32")
        self.assertGreaterEqual(fewer["iteration_s"], best)

    def test_what_is_proved(self):
        answer = self.place(*SMALL)
        self.assertEqual(answer["layer_schedules"], {"proved": True, "largest_gap": 0, "plan_gap": 0})
        self.assertAlmostEqual(answer["simulated_s"] / answer["iteration_s"], 1, delta=0.02)
        # A chip that runs operators side by side, and schedules that end at the limit of work.
        args = ("opt-350m", "--chip", "phaze-reference", "--execution", "eager", "--attention", "eager", "--devices", "4",
                "--global-batch", "16", "--tensor", "1", "--microbatch", "1,2")
        answer = self.place(*args)
        proof = answer["layer_schedules"]
        self.assertFalse(proof["proved"], "choose layers whose schedules are not proved")
        self.assertTrue(0 == proof["plan_gap"] < proof["largest_gap"] < 1)
        self.assertEqual((answer["bound_s"], answer["status"]), (answer["iteration_s"], "optimal"))
        self.assertIn("no other plan is faster", self.answer("place", *args))
        # The plan has such layers too.
        args = ("bert-large", "--chip", "tpuv4", "--cluster", "flat", "--devices", "8", "--global-batch", "32")
        answer = self.place(*args)
        proof = answer["layer_schedules"]
        text = self.answer("place", *args)
        self.assertTrue(0 < proof["plan_gap"] <= proof["largest_gap"] < 1, "choose another plan")
        self.assertLess(answer["bound_s"], answer["iteration_s"])
        self.assertGreaterEqual(answer["bound_s"], answer["iteration_s"] * (1 - proof["largest_gap"]) * (1 - 1e-9))
        self.assertIn("for these layer times proved best of ", text)
        self.assertIn("not all schedules of operators are proved, the largest gap is ", text)
        self.assertNotIn("layer times", self.answer("place", *SMALL))

    def test_alternatives_in_json(self):
        answer = self.place(*SMALL, "--alternatives", "3")
        self.assertNotIn("alternatives", self.place(*SMALL))
        others = answer["alternatives"]
        self.assertEqual(len(others), 3)
        times = [answer["iteration_s"]] + [other["iteration_s"] for other in others]
        self.assertEqual(times, sorted(times))
        for other in others:
            self.assertAlmostEqual(other["loss"], other["iteration_s"] / times[0] - 1)
            self.assertLessEqual(other["tensor"] * other["pipeline"] * other["data"], 8)
            self.assertLessEqual(other["peak_memory_bytes"], answer["capacity_bytes"])
            self.assertAlmostEqual(sum(other["breakdown"].values()) / other["iteration_s"], 1, places=9)
            # Asked for by itself it takes the same.
            keys = ("tensor", "pipeline", "data", "microbatch", "interleave", "zero", "schedule", "order")
            args = [word for key in keys for word in (f"--{key}", str(other[key]))]
            alone = self.place(*SMALL, *args, "--sequence-parallel", "on" if other["sequence_parallel"] else "off")
            self.assertAlmostEqual(alone["iteration_s"] / other["iteration_s"], 1, places=9)

    def test_rates_say_what_they_count(self):
        text = self.answer("place", *SMALL)
        self.assertRegex(text, r"MFU [\d.]+ % \(the model's FLOPs, attention in full\), HFU [\d.]+ % \(FLOPs that run\)")
        self.assertRegex(text, r"\n  fullest, stage 0: weights [\d.]+ GiB, gradients ")

    def test_alternatives(self):
        text = self.answer("place", *SMALL, "--alternatives", "3")
        self.assertGreater(len(text.splitlines()), len(self.answer("place", *SMALL).splitlines()) + 2)

    def test_twice_the_same(self):
        args = ("place", *SMALL, "--pipeline", "2,4", "--json")
        self.assertEqual(self.answer(*args), self.answer(*args))


class NoPlan(Plans):
    def test_nothing_fits(self):
        message = self.no_answer("gpt3-175b", *SETTING, "--devices", "8", "--global-batch", "32")
        self.assertRegex(message, r"no plan fits 8 devices .*; it would with .* a device, or on \d+ devices")

    def test_what_would_fit_does(self):
        args = ("gpt3-175b", *SETTING, "--global-batch", "32")
        message = self.no_answer(*args, "--devices", "8")
        devices = int(message.split(" or on ")[1].split()[0].replace(",", ""))
        self.assertTrue(self.place(*args, "--devices", str(devices))["fits"])
        self.no_answer(*args, "--devices", str(devices - 1))

    def test_choices_that_do_not_go_together(self):
        self.assertIn("no strategy is left", self.no_answer(*SMALL, "--pipeline", "3"))

    def test_needs_in_json(self):
        result = self.start(["place", "gpt3-175b", *SETTING, "--devices", "8", "--global-batch", "32", "--json"])
        self.assertEqual(result.returncode, 1)
        answer = json.loads(result.stdout)
        self.assertEqual((answer["status"], answer["stages"]), ("infeasible", []))
        self.assertGreater(answer["needed_devices"], 8)
        self.assertGreater(answer["needed_memory_bytes"], 80 << 30)
        self.assertIn("no plan fits", answer["reason"])


class Refusals(Plans):
    def test_numbers(self):
        def refusal(*args):
            return self.refusal("place", *SMALL, *args)

        self.assertIn("--tensor: a width of 3 does not divide", refusal("--tensor", "3"))
        self.assertIn("--data: 3 does not divide the global batch of 32", refusal("--data", "3"))
        self.assertIn("--microbatch: 5 does not divide the global batch of 32", refusal("--microbatch", "5"))
        self.assertIn("--zero: expected stages from 0 to 3", refusal("--zero", "4"))
        self.assertIn("--tensor: expected whole numbers", refusal("--tensor", "0"))
        self.assertIn("--tensor: none of 3, 5 divides", refusal("--tensor", "3,5"))
        self.assertIn("--microbatch: none of 3, 5 divides the global batch of 32", refusal("--microbatch", "3,5"))
        self.assertIn("--pipeline: expected at most 26 stages, as many as the model has layers, found 27, 30",
                      refusal("--pipeline", "27,30"))
        self.assertIn("--devices: tensor x pipeline x data is at least 16, and there are 8 devices",
                      refusal("--data", "16"))
        self.assertIn("--microbatch: no micro-batch of 8 times a data width of 8 divides the global batch of 32",
                      refusal("--microbatch", "8", "--data", "8"))
        self.assertIn("--schedule: interleaved stages need a --pipeline of more than 1",
                      refusal("--schedule", "interleaved", "--pipeline", "1"))
        self.assertIn("--interleave: expected 1", refusal("--schedule", "1f1b", "--interleave", "2"))
        self.assertIn("--devices", refusal("--devices", "0"))
        self.assertIn("--devices is there twice", refusal("--devices", "8"))
        for option, value in (("--usd-per-kwh", "1e308"), ("--life-years", "1e-310"), ("--pue", "1e13")):
            self.assertIn(f"{option}: expected a number from 1e-12 to 1e12",
                          refusal("--tokens", "1T", option, value))
        self.assertIn("--usd-per-device: means nothing beside --usd-per-device-hour",
                      refusal("--tokens", "1T", "--usd-per-device", "3", "--usd-per-device-hour", "3"))
        self.assertIn("--global-batch", refusal("--global-batch", "-1"))

    def test_names(self):
        def refusal(*args):
            return self.refusal("place", *SMALL, *args)

        self.assertIn("expected none, selective or full, found \"some\"", refusal("--recompute", "some"))
        self.assertIn("expected 1f1b, gpipe or interleaved, found \"zb\"", refusal("--schedule", "zb"))
        self.assertIn("--order: expected the letters", refusal("--order", "tpp"))
        self.assertIn("expected on or off, found \"maybe\"", refusal("--sequence-parallel", "maybe"))
        self.assertIn("expected expert", refusal("--strategy", "best"))
        self.assertIn("expected modern, phaze2024 or phaze2024-released", refusal("--assumptions", "old"))
        self.assertIn("\"nochip\"", self.refusal("place", "bert-large", "--chip", "nochip"))
        self.assertIn("\"nocluster\"", self.refusal("place", "bert-large", "--chip", "h100", "--cluster", "nocluster"))
        self.assertIn("\"nomodel\"", self.refusal("place", "nomodel", "--chip", "h100"))
        self.assertIn("--chip: a plan needs a chip", self.refusal("place", "bert-large"))

    def test_values_that_are_not_there(self):
        for option in ("--tensor", "--pipeline", "--data", "--zero", "--recompute", "--order", "--strategy"):
            self.assertIn(f"{option}: expected a value, found nothing", self.refusal("place", *SMALL, option, ""))
        self.assertIn("found both", self.refusal("place", "bert-large", "--phaze-instance", "x.json"))

    def test_sizes_that_cannot_be_counted(self):
        setting = ("bert-large", *SETTING, "--devices", "8")
        self.assertIn("--global-batch: expected at most 1.00 Ttokens in all sequences",
                      self.refusal("place", *setting, "--global-batch", "1000000000000"))
        # A prime: one micro-batch of a sequence, or all of them in one.
        answer = self.place(*setting, "--global-batch", "1000000007")
        self.assertEqual((answer["microbatch"], answer["data"]), (1, 1))
        self.assertIn("micro-batches are priced up to 268435456 tokens",
                      self.no_answer(*setting, "--global-batch", "1048576", "--microbatch", "1048576"))
        self.assertIn("more than can be meant", self.refusal("place", "llama3-8b", *SETTING, "--sequence", "1000000000", "--global-batch", "1"))

    def test_an_output_that_is_no_file(self):
        for name in ("", "-"):
            self.assertIn("--output: expected the name of a file", self.refusal("place", *SMALL, "--output", name))
        path = self.file("chip.yaml", "base: h100\n")
        self.assertIn("--output: is the chip's own file", self.refusal(
            "place", "bert-large", "--chip", path, "--devices", "8", "--output", path))

    def test_an_output_that_cannot_be_written(self):
        path = os.path.join(self.folder(), "nowhere", "plan.json")
        self.assertIn("plan.json", self.refusal("place", *SMALL, "--output", path))


class Impossible(Plans):
    def test_a_layer_that_no_device_holds(self):
        given = ("llama3-405b", *SETTING, "--devices", "64", "--global-batch", "64", "--microbatch", "64", "--sequence", "8192",
                 "--tensor", "1", "--data", "1", "--pipeline", "64")
        result = self.start(["place", *given, "--json"])
        answer = json.loads(result.stdout)
        self.assertEqual((result.returncode, answer["fits"]), (1, False))
        missing = answer["peak_memory_bytes"] - answer["capacity_bytes"]
        self.assertIn(f"({missing:,} bytes) more than it has", result.stderr.decode())
        self.assertIn("it would with ", self.no_answer("llama3-405b", *SETTING, "--devices", "64", "--global-batch", "64",
                                                       "--microbatch", "64", "--sequence", "131072"))

    def test_chunks_that_do_not_divide(self):
        for choice in (("--interleave", "5"), ("--interleave", "2", "--microbatch", "1", "--data", "16", "--devices", "64")):
            choice = ("--devices", "32", *choice) if "--devices" not in choice else choice
            self.assertIn("interleaved stages need a number of micro-batches that is a multiple of the stages",
                          self.no_answer("gpt2-xl", *SETTING, "--global-batch", "48", "--pipeline", "4", *choice))


class Interrupted(Plans):
    LONG = ("gpt3-175b", "--chip", "tpuv4", "--cluster", "tpuv4-pod", "--devices", "1024", "--json")

    def begin(self, *args):
        """The program, and the terminal that it writes its messages to."""
        try:
            main, terminal = pty.openpty()
        except OSError as why:
            self.skipTest(f"no pseudo-terminal: {why}")
        self.addCleanup(os.close, main)
        program = subprocess.Popen([phaze.PROGRAM, "place", *args], stdout=subprocess.PIPE, stderr=terminal,
                                   start_new_session=True)
        self.addCleanup(program.kill)
        os.close(terminal)
        return program, main

    def read_until(self, program, terminal, text):
        """What the terminal shows; False when the program ends first."""
        shown = ""
        end = time.monotonic() + 6 * phaze.SECONDS
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(terminal, 4096).decode()
                except OSError:  # closed at the other end
                    return text in shown
            if text in shown:
                return True
            if program.poll() is not None:
                return False
        self.fail(f"{text!r} is not shown: {shown!r}")

    def test_why_keeps_the_plan(self):
        program, terminal = self.begin(*self.LONG, "--why")
        if not self.read_until(program, terminal, "for --why"):
            program.communicate()
            self.skipTest("advised within two seconds")
        program.send_signal(signal.SIGINT)
        is_stopped = self.read_until(
            program, terminal, "interrupted: the search for the plan was done, the advice of --why was stopped"
        )
        out, _ = program.communicate(timeout=phaze.SECONDS)
        if not is_stopped and program.returncode == 0:
            self.skipTest("advised before the signal came")
        self.assertTrue(is_stopped)
        self.assertEqual(program.returncode, 130)
        answer = json.loads(out)
        self.assertEqual(answer["status"], "optimal")
        self.assertEqual(len(answer["stages"]), answer["pipeline"])
        self.assertFalse(answer["why"]["complete"])


class Simulated(Plans):
    def compare(self, *args):
        path = os.path.join(self.folder(), "plan.json")
        answer = self.place(*args, "--output", path)
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        self.assertTrue(stored.pop("details")["layers"])  # a file has what lies behind the plan too
        self.assertEqual(stored, answer)
        simulated = self.json("simulate", path)
        self.assertEqual(simulated["closed_form_s"], answer["iteration_s"])
        self.assertLess(abs(simulated["iteration_s"] / answer["iteration_s"] - 1), 0.02, args)

    def test_the_best(self):
        self.compare(*SMALL, "--schedule", "1f1b")

    def test_pipelines(self):
        for stages in ("2", "4", "8"):
            for batch in ("8", "64"):
                self.compare("bert-large", *SETTING, "--devices", "8", "--global-batch", batch, "--pipeline", stages,
                             "--schedule", "1f1b")

    def test_tied_embeddings_and_shards(self):
        for zero in ("0", "1", "2", "3"):
            self.compare("gpt2-xl", *SETTING, "--devices", "8", "--global-batch", "32", "--pipeline", "4", "--data", "2",
                         "--zero", zero, "--schedule", "1f1b")

    def test_gpipe(self):
        self.compare(*SMALL, "--pipeline", "4", "--schedule", "gpipe")


if __name__ == "__main__":
    phaze.main()
