"""The place command under the original's assumptions, with experts' strategies, and for whole trainings."""
import json
import os

import phaze

ORIGINAL = ("--assumptions", "phaze2024")
# A chip whose operators follow one another, so that nothing needs a schedule.
QUICK = ("--chip", "h100")


class Plans(phaze.Case):
    def place(self, *args):
        return self.json("place", *args)

    def no_answer(self, *args):
        """A run that says no: its JSON and its message."""
        result = self.start(["place", *args, "--json"])
        self.assertEqual(result.returncode, 1, result.stderr)
        return json.loads(result.stdout), result.stderr.decode()


class Original(Plans):
    def test_defaults(self):
        answer = self.place("gpt3-175b", *QUICK, *ORIGINAL)
        self.assertEqual(answer["assumptions"], "phaze2024")
        self.assertEqual((answer["devices"], answer["global_batch"], answer["cluster"]), (1024, 4096, "flat"))
        self.assertIn(answer["tensor"], (1, 2, 4, 8))
        self.assertIn(answer["microbatch"], (1, 2, 4, 8, 16, 32, 64))
        self.assertEqual((answer["zero"], answer["interleave"], answer["schedule"]), (0, 1, "1f1b"))
        self.assertEqual((answer["status"], answer["bound_s"]), ("optimal", answer["iteration_s"]))
        for key in ("iteration_s", "throughput_sequences_per_s", "tokens_per_s", "mfu", "hfu"):
            self.assertGreater(answer[key], 0)
        for key in ("tensor", "vector", "hbm", "link"):
            self.assertTrue(0 <= answer["utilisation"][key] <= 1, key)
        self.assertAlmostEqual(sum(answer["breakdown"].values()) / answer["iteration_s"], 1, places=9)
        self.assertEqual(sum(run["count"] for stage in answer["stages"] for run in stage["layers"]), 98)
        for stage in answer["stages"]:
            memory = stage["memory"]
            # 2 P + A + ...: gradients as large as weights, no states of SGD, nothing reserved.
            self.assertEqual(memory["weights_bytes"], memory["gradients_bytes"])
            self.assertEqual((memory["optimizer_bytes"], memory["other_bytes"]), (0, 0))
            self.assertLessEqual(memory["total_bytes"], answer["capacity_bytes"])

    def test_the_time_is_the_originals(self):
        # L (ceil(M / d) + s - 1) + 4 (d - 1) / d P / b, from what the stages say.
        answer = self.place("gpt2-xl", *QUICK, *ORIGINAL, "--recompute", "none")
        bandwidth = 4 << 30
        stages, d = answer["stages"], answer["data"]
        loads = []
        for i, stage in enumerate(stages):
            transfers = (i > 0) + (i + 1 < len(stages))
            loads.append(stage["forward_s"] + stage["backward_s"] + transfers * answer["transfer_bytes"] / bandwidth)
        slots = -(-4096 // answer["microbatch"] // d) + len(stages) - 1
        parameters = stages[0]["memory"]["weights_bytes"]
        expected = max(loads) * slots + 4 * (d - 1) / d * parameters / bandwidth
        self.assertAlmostEqual(answer["iteration_s"] / expected, 1, places=9)

    def test_a_strategy_by_hand(self):
        args = ("bert-large", *QUICK, *ORIGINAL, "--tensor", "1", "--microbatch", "4")
        one = self.place(*args, "--pipeline", "1", "--data", "1")
        stage, = one["stages"]
        self.assertAlmostEqual(one["iteration_s"] / (1024 * (stage["forward_s"] + stage["backward_s"])), 1, places=9)
        self.assertGreater(one["iteration_s"], self.place(*args)["iteration_s"])

    def test_released(self):
        right = self.place("gpt3-175b", *QUICK, *ORIGINAL)
        released = self.place("gpt3-175b", *QUICK, "--assumptions", "phaze2024-released")
        self.assertEqual(released["assumptions"], "phaze2024-released")
        self.assertLess(released["iteration_s"], right["iteration_s"])

    def test_fewer_choices_are_no_better(self):
        best = self.place("gpt2-xl", *QUICK, *ORIGINAL)["iteration_s"]
        for choice in (("--microbatch", "4"), ("--recompute", "full"), ("--devices", "1000"),
                       ("--tensor", "1", "--pipeline", "16", "--data", "64")):
            self.assertGreaterEqual(self.place("gpt2-xl", *QUICK, *ORIGINAL, *choice)["iteration_s"], best, choice)

    def test_a_small_chip_that_schedules(self):
        answer = self.place("bert-large", "--chip", "phaze-reference", *ORIGINAL, "--microbatch", "1", "--tensor", "1")
        self.assertTrue(answer["fits"])

    def test_nothing_fits(self):
        answer, message = self.no_answer("gpt3-175b", *QUICK, *ORIGINAL, "--devices", "4")
        self.assertEqual(answer["status"], "infeasible")
        self.assertIn("no plan fits 4 devices of 80 GiB; it would with", message)
        more = self.place("gpt3-175b", *QUICK, *ORIGINAL, "--devices", str(answer["needed_devices"]))
        self.assertTrue(more["fits"])

    def test_a_plan_can_be_simulated(self):
        path = os.path.join(self.folder(), "plan.json")
        answer = self.place("bert-large", *QUICK, *ORIGINAL, "--output", path, "--tokens", "1B", "--why")
        simulated = self.json("simulate", path)
        self.assertEqual(simulated["closed_form_s"], answer["iteration_s"])
        # Fill and drain at the slowest stage's pace and transfers in the way of compute: an upper bound.
        self.assertLessEqual(simulated["iteration_s"], answer["iteration_s"] * (1 + 1e-9))
        self.assertEqual(simulated["iteration_s"], answer["simulated_s"])
        self.assertLess(simulated["difference"], -0.02)
        self.assertIn("Why: the plan's time is the original's cost function", self.answer("simulate", path))
        self.assertIn("% less: the original's cost function, not 1F1B's time", self.answer("place", "bert-large", *QUICK, *ORIGINAL))

    def test_refusals(self):
        def refusal(*args):
            return self.refusal("place", "bert-large", *QUICK, *ORIGINAL, *args)

        self.assertIn("--zero: with phaze2024 expected 0", refusal("--zero", "1"))
        self.assertIn("--interleave: with phaze2024 expected 1", refusal("--interleave", "2", "--schedule", "interleaved"))
        self.assertIn("--sequence-parallel: with phaze2024 expected off", refusal("--sequence-parallel", "on"))
        self.assertIn("--schedule: with phaze2024 expected 1f1b", refusal("--schedule", "gpipe"))
        self.assertIn("--recompute: with phaze2024 expected none or full", refusal("--recompute", "selective"))
        self.assertIn("--order: with phaze2024", refusal("--order", "tdp"))
        self.assertIn("--alternatives: with phaze2024", refusal("--alternatives", "2"))
        self.assertIn("--cluster: with phaze2024 expected a cluster of one level", refusal("--cluster", "dgx-h100"))
        self.assertIn("--pipeline: with phaze2024 expected one value each of --tensor, --pipeline and --data", refusal("--pipeline", "4"))
        self.assertIn("(to be given: --tensor, --data); or neither --pipeline nor --data", refusal("--pipeline", "4"))
        self.assertIn("--data: with phaze2024 expected one value each", refusal("--data", "4", "--tensor", "1"))
        self.assertIn("(to be given: --pipeline)", refusal("--data", "4", "--tensor", "1"))
        self.assertIn("(to be given: --pipeline)", refusal("--data", "4", "--tensor", "1", "--pipeline", "2,4"))


class Experts(Plans):
    def test_widths_are_the_experts(self):
        for model, (p, d, t) in {"bert-large": (8, 128, 1), "gpt3-175b": (32, 8, 4), "megatron-gpt2-8.3b": (8, 16, 8)}.items():
            for assumptions in ("modern", "phaze2024"):
                answer = self.place(model, *QUICK, "--strategy", "expert", "--assumptions", assumptions)
                self.assertEqual((answer["pipeline"], answer["data"], answer["tensor"]), (p, d, t), (model, assumptions))
                self.assertTrue(answer["fits"])
                free = self.place(model, *QUICK, "--assumptions", assumptions)
                self.assertGreaterEqual(answer["iteration_s"], free["iteration_s"] * (1 - 1e-12))

    def test_the_best_of_what_is_left_to_choose(self):
        expert = ("bert-large", *QUICK, *ORIGINAL, "--strategy", "expert")
        best = self.place(*expert)
        times = [self.place(*expert, "--microbatch", str(2 ** i), "--recompute", recompute)["iteration_s"]
                 for i in range(6) for recompute in ("none", "full")]
        self.assertEqual(best["iteration_s"], min(times))

    def test_what_does_not_fit_is_an_answer(self):
        for assumptions in ("modern", "phaze2024"):
            args = ("gpt3-175b", "--chip", "h100", "--set", "chip.hbm.capacity=4GiB", "--strategy", "expert", "--assumptions",
                    assumptions)
            answer, message = self.no_answer(*args)
            self.assertFalse(answer["fits"])
            self.assertEqual((answer["pipeline"], answer["data"], answer["tensor"]), (32, 8, 4))
            missing = answer["peak_memory_bytes"] - answer["capacity_bytes"]
            self.assertGreater(missing, 0)
            self.assertIn(f"({missing:,} bytes) more than it has", message)
            # No choice that was left misses less.
            for choice in (("--microbatch", "2"), ("--recompute", "full")):
                other, _ = self.no_answer(*args, *choice)
                self.assertGreaterEqual(other["peak_memory_bytes"], answer["peak_memory_bytes"])

    def test_refusals(self):
        def refusal(*args):
            return self.refusal("place", *args, *QUICK, "--strategy", "expert")

        self.assertIn("--strategy: no expert's strategy is known for llama3-8b; expected one of opt-350m", refusal("llama3-8b"))
        self.assertIn("--tensor: the expert's strategy has its own", refusal("bert-large", "--tensor", "2"))
        self.assertIn("--strategy: the expert's data: 85 does not divide the global batch of 2048", refusal("opt-350m"))
        self.assertIn("--devices: tensor x pipeline x data is at least 1024, and there are 64 devices",
                      refusal("bert-large", "--devices", "64"))
        # The original's pipelines need not have equal numbers of micro-batches.
        answer = self.place("opt-350m", *QUICK, "--strategy", "expert", *ORIGINAL)
        self.assertEqual((answer["data"], answer["microbatches"]), (85, -(-4096 // answer["microbatch"] // 85)))


class Trainings(Plans):
    SMALL = ("bert-large", *QUICK, "--devices", "8", "--global-batch", "32")

    def test_numbers_go_together(self):
        answer = self.place(*self.SMALL, "--tokens", "300B")
        run = answer["training"]
        self.assertEqual(run["tokens"], 300e9)
        self.assertAlmostEqual(run["days"] * 86400 * answer["tokens_per_s"] / 300e9, 1, places=9)
        hours = run["days"] * 24
        working = run["devices"] - run["idle_devices"]
        watts = (working * run["device_power_w"] + run["idle_devices"] * run["idle_device_power_w"]
                 + run["devices"] * run["host_power_w"])
        self.assertAlmostEqual(run["energy_kwh"] / (watts * run["pue"] * hours / 1000), 1, places=9)
        self.assertAlmostEqual(sum(run["cost_breakdown_usd"].values()) / run["cost_usd"], 1, places=9)
        self.assertAlmostEqual(sum(run["carbon_breakdown_kg"].values()) / run["carbon_kg"], 1, places=9)
        self.assertAlmostEqual(run["cost_breakdown_usd"]["electricity"], run["energy_kwh"] * run["usd_per_kwh"])
        self.assertAlmostEqual(run["carbon_breakdown_kg"]["electricity"], run["energy_kwh"] * run["kg_per_kwh"])
        for spelled in ("300e9", "3e11", "300000M", "0.3T", "300000000000"):
            self.assertEqual(self.place(*self.SMALL, "--tokens", spelled)["training"], run)

    def test_prices(self):
        base = self.place(*self.SMALL, "--tokens", "1T")["training"]
        other = self.place(*self.SMALL, "--tokens", "1T", "--pue", "2.2", "--usd-per-kwh", "0.16", "--kg-per-kwh", "0.1",
                           "--life-years", "8", "--usd-per-device", "30000")["training"]
        self.assertAlmostEqual(other["energy_kwh"] / base["energy_kwh"], 2, places=9)
        self.assertAlmostEqual(other["cost_breakdown_usd"]["electricity"] / base["cost_breakdown_usd"]["electricity"], 4, places=9)
        self.assertEqual(other["device_usd"], 30000)
        self.assertAlmostEqual(other["cost_breakdown_usd"]["devices"], 8 * 30000 * other["days"] / (8 * 365), places=6)
        rented = self.place(*self.SMALL, "--tokens", "1T", "--usd-per-device-hour", "2")["training"]
        self.assertAlmostEqual(rented["cost_usd"], 2 * 8 * 24 * rented["days"], places=6)
        self.assertEqual(rented["cost_breakdown_usd"]["electricity"], 0)

    def test_idle_devices_cost_too(self):
        args = ("bert-large", *QUICK, "--global-batch", "32", "--tensor", "1", "--pipeline", "1", "--data", "8", "--tokens", "1B")
        few = self.place(*args, "--devices", "8")["training"]
        many = self.place(*args, "--devices", "16")["training"]
        self.assertEqual((few["idle_devices"], many["idle_devices"]), (0, 8))
        self.assertEqual(few["days"], many["days"])
        self.assertGreater(many["energy_kwh"], 1.2 * few["energy_kwh"])
        self.assertAlmostEqual(many["cost_breakdown_usd"]["devices"] / few["cost_breakdown_usd"]["devices"], 2, places=9)

    def test_a_table_says_what_is_included(self):
        text = self.answer("place", *self.SMALL, "--tokens", "300B")
        for words in ("300 Gtokens take", "of host each, PUE 1.1", "electricity at 0.08 USD/kWh", "what a chip costs to build",
                      "without hosts, network, building and staff", "kg/kWh"):
            self.assertIn(words, text)

    def test_refusals(self):
        for tokens in ("0", "-3", "many", "3X", "1e30", "nan", "B", "1e999"):
            self.assertIn("--tokens: expected a number from 1 to 1e18", self.refusal("place", *self.SMALL, "--tokens", tokens))
        self.assertIn("--pue: means nothing without --tokens", self.refusal("place", *self.SMALL, "--pue", "1.2"))
        self.assertIn("--pue: expected 1 or more", self.refusal("place", *self.SMALL, "--tokens", "1B", "--pue", "0.5"))


class Why(Plans):
    def test_what_binds(self):
        answer = self.place("bert-large", *QUICK, "--devices", "8", "--global-batch", "32", "--why")
        why = answer["why"]
        self.assertEqual({row["resource"] for row in why["with"]}, {"memory", "hbm_bandwidth", "cores", "link", "devices"})
        for row in why["with"]:
            gain = (answer["iteration_s"] / row["iteration_s"] - 1) / (row["factor"] - 1)
            self.assertAlmostEqual(row["elasticity"], gain, places=9)
            if row["resource"] in why["binds"]:
                self.assertIn("binds:", why["words"])
            else:
                self.assertLess(row["elasticity"], 0.05)
        self.assertIn("cores", why["binds"])
        self.assertIn(why["words"], self.answer("place", "bert-large", *QUICK, "--devices", "8", "--global-batch", "32", "--why"))

    def test_memory_binds_where_there_is_little(self):
        args = ("gpt3-175b", *QUICK, *ORIGINAL, "--set", "chip.hbm.capacity=32GiB")
        self.assertIn("memory", self.place(*args, "--why")["why"]["binds"])


class Mixtures(Plans):
    def test_experts_are_not_spread(self):
        result = self.start(["place", "mixtral-8x7b", *QUICK, "--devices", "64", "--json"])
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"the experts of this model are not spread over devices", result.stderr)
        self.assertIn("not spread over devices", json.loads(result.stdout)["notes"][0])
        self.assertNotIn("notes", self.place("bert-large", *QUICK, "--devices", "8", "--global-batch", "32"))


class Shards(Plans):
    def test_gathers_count_as_communication(self):
        args = ("gpt2-xl", *QUICK, "--devices", "16", "--global-batch", "16", "--data", "16", "--no-overlap")
        sharded = self.place(*args, "--zero", "3", "--recompute", "none")
        plain = self.place(*args, "--zero", "2", "--recompute", "none")
        self.assertAlmostEqual(sum(sharded["breakdown"].values()) / sharded["iteration_s"], 1, places=9)
        self.assertAlmostEqual(sharded["breakdown"]["compute_s"] / plain["breakdown"]["compute_s"], 1, places=9)
        self.assertGreater(sharded["breakdown"]["data_s"], plain["breakdown"]["data_s"])


if __name__ == "__main__":
    phaze.main()
