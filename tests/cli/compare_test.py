"""Comparisons, sweeps and batches: tables that are made of other commands' answers."""
import csv
import json
import os
import xml.etree.ElementTree

import phaze

SMALL = ("--devices", "8", "--global-batch", "32")


class Compare(phaze.Case):
    def check_parts(self, answer):
        times = answer["iteration_s"]
        self.assertAlmostEqual(times["b"] - times["a"], times["difference"])
        parts = sum(part["difference"] for part in answer["parts"].values())
        self.assertAlmostEqual(parts / times["a"], times["difference"] / times["a"], places=9)

    def noted(self, *words):
        """An answer that comes with notes: standard output, and the lines of standard error."""
        result = self.start(["compare", *words])
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode(), result.stderr.decode().splitlines()

    def test_chips_with_a_model(self):
        answer = self.json("compare", "a100-80g", "h100", "--model", "gpt2-xl", "--cluster", "dgx-a100", *SMALL)
        self.assertEqual(answer["kind"], "chips")
        self.check_parts(answer)
        causes = {cause["name"]: cause["difference_s"] for cause in answer["causes"]}
        times = answer["iteration_s"]
        self.assertAlmostEqual(sum(causes.values()) / times["a"], times["difference"] / times["a"], places=9)
        self.assertLess(causes["compute"], 0)
        # Both are the plans that place finds.
        for side, chip in (("a", "a100-80g"), ("b", "h100")):
            plan = self.json("place", "gpt2-xl", "--chip", chip, "--cluster", "dgx-a100", *SMALL)
            self.assertEqual(plan["iteration_s"], times[side])

    def test_a_chip_and_itself(self):
        answer = self.json("compare", "h100", "h100", "--model", "gpt2-xl", *SMALL)
        self.assertEqual(answer["iteration_s"]["difference"], 0)
        self.assertEqual({cause["difference_s"] for cause in answer["causes"]}, {0})

    def test_clusters(self):
        answer = self.json("compare", "dgx-a100", "dgx-h100", "--model", "gpt2-xl", "--chip", "h100", *SMALL)
        self.assertEqual(answer["kind"], "clusters")
        self.check_parts(answer)
        times = answer["iteration_s"]
        causes = sum(cause["difference_s"] for cause in answer["causes"])
        self.assertAlmostEqual(causes / times["a"], times["difference"] / times["a"], places=9)

    def test_without_a_model_figures_only(self):
        answer = self.json("compare", "a100-40g", "a100-80g")
        self.assertEqual(answer["figures"]["hbm_bytes"], {"a": 40 << 30, "b": 80 << 30})
        self.assertNotIn("parts", answer)
        self.assertIn("peak bf16", self.answer("compare", "a100-40g", "h100"))

    def test_plans(self):
        paths = []
        for tensor in ("1", "4"):
            paths.append(os.path.join(self.folder(), "plan.json"))
            self.answer("place", "megatron-gpt2-xl", "--chip", "h100", *SMALL, "--tensor", tensor, "--output", paths[-1])
        for option in (("--model", "gpt2-xl"), ("--sequence", "128"), ("--chip", "h100")):
            message = self.refusal("compare", *paths, *option)
            self.assertEqual(message, f"command line: error: {option[0]}: means nothing with two plans, which say "
                                      "what they are of: leave it out\n")
        answer = self.json("compare", *paths)
        self.check_parts(answer)
        self.assertEqual((answer["plans"]["a"]["tensor"], answer["plans"]["b"]["tensor"]), (1, 4))

    def test_plans_that_do_not_train_as_many_tokens(self):
        paths = []
        for batch in ("32", "64"):
            paths.append(os.path.join(self.folder(), "plan.json"))
            self.answer("place", "megatron-gpt2-xl", "--chip", "h100", "--devices", "8", "--global-batch", batch,
                        "--output", paths[-1])
        answer = json.loads(self.noted(*paths, "--json")[0])
        self.check_parts(answer)
        self.assertEqual(answer["tokens"], {"a": 32 * 1024, "b": 64 * 1024})
        self.assertEqual(answer["notes"], ["the plans differ in their global batch"])
        # The table is of as many tokens: what it says of the whole is what throughputs say.
        text, notes = self.noted(*paths)
        self.assertEqual(notes, ["phaze: the plans differ in their global batch"])
        self.assertIn("part of a million tokens' time", text)
        self.assertNotIn("part of an iteration", text)
        speeds = answer["figures"]["tokens_per_s"]
        whole = next(line for line in text.splitlines() if line.startswith("  all"))
        self.assertAlmostEqual(float(whole.split()[-2]), 100 * (speeds["a"] / speeds["b"] - 1), delta=0.051)
        self.assertNotIn("-0 %", text)

    def test_clusters_of_unlike_levels(self):
        """dgx-h100 joins 8 by nvlink and all by infiniband; flat joins all by one network."""
        figures = self.json("compare", "dgx-h100", "flat")["figures"]
        self.assertEqual(set(figures), {"group_8_bytes_per_s", "group_8_latency_s", "all_bytes_per_s", "all_latency_s"})
        self.assertEqual(figures["group_8_bytes_per_s"]["b"], figures["all_bytes_per_s"]["b"])
        self.assertGreater(figures["group_8_bytes_per_s"]["a"], figures["all_bytes_per_s"]["a"])
        back = self.json("compare", "flat", "dgx-h100")["figures"]
        self.assertEqual({key: (pair["b"], pair["a"]) for key, pair in back.items()},
                         {key: (pair["a"], pair["b"]) for key, pair in figures.items()})
        self.assertIn("bandwidth among 8 (nvlink, link)", self.answer("compare", "dgx-h100", "flat"))
        words = ("dgx-h100", "flat", "--model", "gpt2-xl", "--chip", "h100", *SMALL, "--json")
        answer = json.loads(self.noted(*words)[0])
        self.check_parts(answer)
        self.assertIn("different numbers of levels", answer["notes"][0])

    def test_refusals(self):
        self.assertIn("did you mean h100?", self.refusal("compare", "h10", "h200"))
        self.assertIn("two chips, two clusters or two plans", self.refusal("compare", "h100", "dgx-h100"))
        other = self.file("answer.json", '{"schema": 1, "best": {}}')
        self.assertIn("found another answer of phaze", self.refusal("compare", other, "h100"))
        self.assertIn("--devices: means nothing without --model",
                      self.refusal("compare", "h100", "h200", "--devices", "8"))
        self.assertIn("--sequence: means nothing without --model",
                      self.refusal("compare", "h100", "h200", "--sequence", "128"))
        self.assertIn("--chip: the two that are compared are chips",
                      self.refusal("compare", "h100", "h200", "--chip", "h100", "--model", "gpt2-xl"))


class Sweep(phaze.Case):
    def sweep(self, *words):
        return json.loads(self.answer("sweep", "--json", *words))

    def test_points_are_what_the_command_answers(self):
        table = self.sweep("devices=2,8", "chip.hbm.bandwidth=-20%:20%:3", "--", "place", "gpt2-xl", "--chip", "h100",
                           "--global-batch", "32")
        self.assertEqual(table["schema"], 1)
        self.assertEqual(len(table["rows"]), 6)
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        self.assertEqual([row["chip.hbm.bandwidth"] for row in rows], ["-20%", "+0%", "+20%"] * 2)
        for row in rows[:2] + rows[4:]:
            plan = self.json("place", "gpt2-xl", "--chip", "h100", "--global-batch", "32", "--devices",
                             str(row["devices"]), "--set", "chip.hbm.bandwidth=" + row["chip.hbm.bandwidth"])
            self.assertEqual(row["iteration_s"], plan["iteration_s"])
            self.assertEqual(row["outcome"], "ok")

    def test_infeasible_points_say_so(self):
        table = self.sweep("devices=1,64", "--", "place", "llama2-70b", "--chip", "h100", "--global-batch", "64")
        self.assertEqual([row[1] for row in table["rows"]], ["infeasible", "ok"])
        reasons = [row[table["columns"].index("reason")] for row in table["rows"]]
        self.assertIn("no plan fits 1 device", reasons[0])
        self.assertIsNone(reasons[1])
        result = self.start(["sweep", "devices=1", "--", "place", "llama2-70b", "--chip", "h100"])
        self.assertEqual(result.returncode, 1)

    def test_files(self):
        folder = self.folder()
        out, picture = os.path.join(folder, "t.csv"), os.path.join(folder, "t.svg")
        text = self.answer("sweep", "sequence=128:512:3", "--csv", out, "--plot", picture, "--", "estimate", "gpt2-xl",
                           "--chip", "h100")
        with open(out, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["sequence"] for row in rows], ["128", "320", "512"])
        self.assertLess(float(rows[0]["step_s"]), float(rows[2]["step_s"]))
        self.assertIn("step_s", text)
        self.assertEqual([row["fits"] for row in rows], ["true"] * 3)
        root = xml.etree.ElementTree.parse(picture).getroot()
        points = [e for e in root.iter("{http://www.w3.org/2000/svg}path")]
        self.assertEqual(len(points), 3)

    def test_cluster_fields_and_search(self):
        table = self.sweep("cluster.infiniband.bandwidth=100Gb/s:400Gb/s:2", "--", "place", "gpt2-xl", "--chip",
                           "h100", "--devices", "32", "--global-batch", "64", "--tensor", "1", "--pipeline", "1",
                           "--zero", "0", "--no-overlap")
        times = [row[table["columns"].index("iteration_s")] for row in table["rows"]]
        self.assertGreater(times[0], times[1])

    def test_numbers_are_numbers(self):
        table = self.sweep("devices=8,100000", "--", "place", "gpt2-xl", "--chip", "h100", "--global-batch", "32")
        self.assertEqual([row[0] for row in table["rows"]], [8, 100000])

    def test_no_input_is_replaced(self):
        chip = self.file("chip.yaml", "derive: h100\n")
        for words in (["--chip", chip], ["--chip=" + chip]):
            for option in ("--csv", "--plot"):
                message = self.refusal("sweep", "devices=8", option, chip, "--", "place", "gpt2-xl", *words)
                self.assertIn(f"{option}: is the command's own file", message)

    def test_points_do_not_share_files(self):
        for option in ("--output", "--report"):
            self.assertIn(f"{option}: every point would write to the same file",
                          self.refusal("sweep", "devices=8,16", "--", "place", "gpt2-xl", "--chip", "h100", option, "p"))

    def test_what_has_no_figures(self):
        for words in (["place", "--help"], ["place", "gpt2-xl", "-h"], ["search", "bert-large", "--count"]):
            message = self.refusal("sweep", "devices=8", "--", *words)
            self.assertIn(f"expected arguments of {words[0]} with which it answers with figures", message)

    def test_one_bad_value_is_one_error(self):
        def refuse(*words):
            return self.refusal("sweep", *words)

        place = ("--", "place", "gpt2-xl", "--chip", "h100")
        message = refuse("devices=8,0", "global-batch=16,32", *place)
        self.assertIn("at devices=0 global-batch=16:", message)
        self.assertEqual(message.count("\n"), 1)
        self.assertIn("devices: expected from 2 to", refuse("devices=1:8:x", *place))
        self.assertIn("devices: expected a:b:n", refuse("devices=1:8", *place))
        self.assertIn("did you mean place?", refuse("devices=8", "--", "plce", "gpt2-xl"))
        self.assertIn("expected FIELD=", refuse("--", "place", "gpt2-xl"))
        self.assertIn("--metric", refuse("devices=8", "--metric", "tokens", *place))
        self.assertIn("chip.hbm.bandwith", refuse("chip.hbm.bandwith=1,2", *place))


class Batch(phaze.Case):
    FILE = """
scenarios:
  - {name: small, model: gpt2-xl, chip: h100, cluster: dgx-h100, options: {devices: 8, global-batch: 32}}
  - {name: too large, command: place, model: llama2-70b, chip: h100, options: {devices: 1}}
  - {name: step, command: estimate, model: gpt2-xl, chip: a100-80g, options: {set: [chip.hbm.bandwidth=+20%], sequence: 256}}
"""

    def test_one_table(self):
        result = self.start(["batch", self.file("b.yaml", self.FILE), "--json"])
        self.assertEqual(result.returncode, 1, result.stderr)
        table = json.loads(result.stdout)
        rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
        self.assertEqual([row["outcome"] for row in rows], ["ok", "infeasible", "ok"])
        plan = self.json("place", "gpt2-xl", "--chip", "h100", *SMALL)
        self.assertEqual(rows[0]["iteration_s"], plan["iteration_s"])
        self.assertIn("no plan fits 1 device", rows[1]["reason"])
        self.assertGreater(rows[2]["step_s"], 0)

    def test_help_is_no_answer(self):
        text = self.FILE + "  - {name: help, model: gpt2-xl, options: {help: true}}\n"
        result = self.start(["batch", self.file("b.yaml", text), "--json"])
        self.assertEqual(result.returncode, 2, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual([row[2] for row in rows], ["ok", "infeasible", "ok", "bad input"])

    def test_bad_input_does_not_stop_the_others(self):
        bad = self.FILE + "  - {name: typo, model: gpt3-175, chip: h100}\n  - {name: last, model: gpt2-xl, chip: h100, options: {devices: 8}}\n"
        result = self.start(["batch", self.file("b.yaml", bad), "--json"])
        self.assertEqual(result.returncode, 2)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual([row[2] for row in rows], ["ok", "infeasible", "ok", "bad input", "ok"])
        self.assertIn("did you mean gpt3-175b?", rows[3][-1])

    def test_files_that_are_wrong(self):
        message = self.refusal("batch", self.file("b.yaml", "scenarios:\n  - {comand: place}\n"))
        self.assertRegex(message, r"b\.yaml:2:\d+: error: scenarios\[0\]\.comand: .*did you mean command\?")
        self.assertIn("scenarios", self.refusal("batch", self.file("b.yaml", "scenarios: []\n")))
        self.assertIn("expected one of place, estimate, search",
                      self.refusal("batch", self.file("b.yaml", "scenarios: [{command: graph}]\n")))


class Questions(phaze.Case):
    PLACE = ("place", "gpt2-xl", "--chip", "h100", "--global-batch", "32", "--tokens", "1B")

    def test_fewest_devices(self):
        asked = (*self.PLACE, "--devices", "16", "--days", "0.05", "--fewest", "devices")
        plan = self.json(*asked)
        fewest = plan["question"]["answer"]
        self.assertEqual(plan["devices"], fewest)
        self.assertLessEqual(plan["training"]["days"], 0.05)
        # One less would not do, and each count says the same by itself.
        for devices in range(1, 17):
            days = self.json(*self.PLACE, "--devices", str(devices))["training"]["days"]
            self.assertEqual(days <= 0.05, devices >= fewest, devices)

    def test_least_money(self):
        for prices in ((), ("--usd-per-device-hour", "2")):
            with self.subTest(prices):
                plan = self.json(*self.PLACE, *prices, "--devices", "32", "--days", "0.1", "--fewest", "money")
                self.assertEqual(plan["question"]["step"], 8)
                costs = {}
                for devices in range(8, 33, 8):
                    run = self.json(*self.PLACE, *prices, "--devices", str(devices))["training"]
                    if run["days"] <= 0.1:
                        costs[devices] = run["cost_usd"]
                self.assertEqual(plan["question"]["answer"], min(costs, key=costs.get))
                self.assertAlmostEqual(plan["training"]["cost_usd"], min(costs.values()))

    def test_smallest_memory(self):
        common = ("place", "gpt2-xl", "--chip", "h100", "--global-batch", "32", "--devices", "8")
        plan = self.json(*common, "--smallest-hbm", "5")
        best = self.json(*common)["iteration_s"]
        answer = plan["question"]["answer"]
        self.assertEqual(plan["capacity_bytes"], answer)
        self.assertLessEqual(plan["iteration_s"], best * 1.05)
        less = answer // (1 << 30) - 1
        result = self.start([*common, "--set", f"chip.hbm.stack_capacity={less / 5} GiB", "--json"])
        if result.returncode == 0:
            self.assertGreater(json.loads(result.stdout)["iteration_s"], best * 1.05)

    def test_no_answer_and_refusals(self):
        result = self.start([*self.PLACE, "--devices", "2", "--days", "1e-6", "--fewest", "devices"])
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"2 devices take", result.stderr)
        self.assertIn("needs --days", self.refusal(*self.PLACE, "--fewest", "devices"))
        self.assertIn("needs --tokens", self.refusal("place", "gpt2-xl", "--chip", "h100", "--fewest", "devices",
                                                     "--days", "1"))
        self.assertIn("means nothing without --fewest", self.refusal(*self.PLACE, "--days", "1"))
        self.assertIn("expected devices or money", self.refusal(*self.PLACE, "--days", "1", "--fewest", "chips"))
        self.assertIn("expected --assumptions modern", self.refusal(
            "place", "gpt2-xl", "--chip", "tpuv4", "--assumptions", "phaze2024", "--smallest-hbm", "1"))


if __name__ == "__main__":
    phaze.main()
