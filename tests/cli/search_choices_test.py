"""phaze search: integer programs for schedules, weights of models, a space's choices and budgets, tables, fronts."""
import csv
import json
import os

import phaze

MODEL = """schema: 1
name: gated blocks
sequence: 512
layers:
  - name: block
    repeat: 4
    tensors:
      - {name: x, shape: [1, 512, 1024], role: input}
      - {name: up, shape: [2048, 1024], role: parameter}
      - {name: gate, shape: [2048, 1024], role: parameter}
      - {name: down, shape: [1024, 2048], role: parameter}
      - {name: a, shape: [1, 512, 2048]}
      - {name: b, shape: [1, 512, 2048]}
      - {name: c, shape: [1, 512, 2048]}
      - {name: y, shape: [1, 512, 1024]}
    operators:
      - {name: up, kind: product, inputs: [x, up], outputs: [a], product: {m: 512, n: 2048, k: 1024}}
      - {name: gate, kind: product, inputs: [x, gate], outputs: [b], product: {m: 512, n: 2048, k: 1024}}
      - {name: times, kind: multiply, inputs: [a, b], outputs: [c]}
      - {name: down, kind: product, inputs: [c, down], outputs: [y], product: {m: 512, n: 1024, k: 2048}}
    outputs: [y]
"""
# A product and what follows it: small enough for CBC to prove every schedule in a moment.
SMALL = """schema: 1
name: blocks
sequence: 512
layers:
  - name: block
    repeat: 4
    tensors:
      - {name: x, shape: [1, 512, 1024], role: input}
      - {name: weight, shape: [1024, 1024], role: parameter}
      - {name: a, shape: [1, 512, 1024]}
      - {name: y, shape: [1, 512, 1024]}
    operators:
      - {name: up, kind: product, inputs: [x, weight], outputs: [a], product: {m: 512, n: 1024, k: 1024}}
      - {name: act, kind: gelu, inputs: [a], outputs: [y]}
    outputs: [y]
"""
SPACE = """title: A few chips
base: phaze-reference
technology: phaze22
axes:
  tensor_cores.count: [2, 4]
  vector_cores.count: [2]
  tensor_cores.columns: [64, 128]
  global_buffer.size: [8 MiB]
ties:
  vector_cores.lanes: tensor_cores.columns
budgets: {area: 278.8 mm2}
training:
  microbatches: [1, 2, 4]
  recompute: [none, full]
  tensor_widths: [1, 2]
  hbm_capacity: [2 GiB, 3 GiB, 16 GiB]
"""
# The same chips, which run operators one after another: nothing to schedule, an answer in a moment.
SERIAL = SPACE.replace("base: phaze-reference", "base: {derive: phaze-reference, concurrent_operators: false}")
# A model that trains on a few devices in a moment, whose memory matters.
LLAMA = {**phaze.LLAMA, "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 4}
FEW = ["--devices", "4", "--global-batch", "16"]
SHORT = ["--sequence", "128", *FEW]


OTHER = {**LLAMA, "hidden_size": 256, "intermediate_size": 1536, "num_hidden_layers": 2}


class Case(phaze.Case):
    def models(self):
        """Two files, by whose paths the models go."""
        return [self.file("one.json", json.dumps(LLAMA)), self.file("other.json", json.dumps(OTHER))]

    def space(self, text=SPACE):
        return self.file("few.yaml", text)

    def table(self, *args):
        """The answer, and the rows of --csv with numbers as such."""
        path = os.path.join(self.folder(), "chips.csv")
        found = self.json("search", *args, "--csv", path)
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            for key, cell in row.items():
                try:
                    row[key] = float(cell)
                except ValueError:
                    row[key] = cell or None
        return found, rows


class Schedules(Case):
    def setUp(self):
        refused = self.start(["search", "bert-large", "--schedule", "ilp", "--weight", "of nothing"])
        if b"no solver of integer programs" in refused.stderr:
            self.skipTest("this build has no solver of integer programs")

    def test_integer_programs_give_the_same_chip(self):
        model, space = self.file("block.yaml", SMALL), self.space()
        exact = self.json("search", model, "--space", space, *FEW)
        other = self.json("search", model, "--space", space, *FEW, "--schedule", "ilp")
        self.assertEqual((exact["schedule"], other["schedule"]), ("exact", "ilp"))
        self.assertEqual((exact["status"], other["status"]), ("optimal", "optimal"))
        for key in ("chip", "value", "bound", "hbm_bytes", "over_reference", "steps"):
            self.assertEqual(exact["best"][key], other["best"][key], key)
        self.assertEqual(exact["chips"], other["chips"])
        self.assertEqual(other["notes"], ["layers are scheduled by integer programs, 30.0 s for each at most"])

    def test_what_a_program_does_not_prove_is_said(self):
        """Layers of BERT in a few milliseconds each: the value is reached, and what was proved holds."""
        space = self.space(SPACE.replace("[2, 4]", "[4]").replace("[64, 128]", "[64]").replace("[1, 2, 4]", "[1]")
                           .replace("[1, 2]", "[1]"))
        exact = self.json("search", "bert-large", "--space", space, *SHORT)
        hasty = self.json("search", "bert-large", "--space", space, *SHORT, "--schedule", "ilp", "--ilp-time-limit",
                          "0.01")
        self.assertEqual(hasty["status"], "feasible")
        self.assertGreater(hasty["bound"], hasty["best"]["value"])
        self.assertGreaterEqual(hasty["bound"], exact["best"]["value"])
        self.assertLessEqual(hasty["best"]["value"], exact["bound"])
        self.assertEqual(hasty["best"]["plans"]["bert-large"]["status"], "feasible")

    def test_place(self):
        args = ["place", self.file("block.yaml", SMALL), "--chip", "phaze-reference", "--assumptions", "phaze2024", *FEW]
        exact, other = self.json(*args), self.json(*args, "--layer-schedule", "ilp")
        for key in ("iteration_s", "bound_s", "status", "stages"):
            self.assertEqual(exact[key], other[key], key)

    def test_faults(self):
        message = '--schedule: expected exact or ilp, found "list"'
        self.assertIn(message, self.refusal("search", "bert-large", "--schedule", "list"))
        self.assertIn('--layer-schedule: expected exact or ilp, found "list"',
                      self.refusal("place", "bert-large", "--chip", "h100", "--layer-schedule", "list"))


class Weights(Case):
    def test_means_by_hand(self):
        models, space = self.models(), self.space(SERIAL)
        for combine, mean in (
                ("mean", lambda ratios, _: (ratios[0] + 3 * ratios[1]) / 4),
                ("geometric", lambda ratios, _: (ratios[0] * ratios[1] ** 3) ** 0.25),
                ("raw", lambda _, rates: (rates[0] + 3 * rates[1]) / 4)):
            found, rows = self.table(*models, "--space", space, *SHORT, "--combine", combine, "--weight",
                                     f"{models[1]}=3", "--exhaustive")
            self.assertEqual(found["weights"], {models[0]: 1, models[1]: 3})
            reference = found["reference"]["throughput_sequences_per_s"]
            values = {}
            for row in rows:
                rates = [row[f"throughput_{model}_sequences_per_s"] for model in models]
                values[row["chip"]] = mean([rate / reference[model] for rate, model in zip(rates, models)], rates)
            self.assertAlmostEqual(found["best"]["value"] / max(values.values()), 1)
            self.assertEqual(max(values, key=values.get), found["best"]["chip"])
            unit = "value_sequences_per_s" if combine == "raw" else "value_times_reference"
            for row in rows:
                self.assertAlmostEqual(row[unit] / values[row["chip"]], 1)

    def test_text(self):
        models = self.models()
        text = self.answer("search", *models, "--space", self.space(SERIAL), *SHORT, "--weight", f"{models[1]}=2.5")
        self.assertIn(f"weights: {models[0]} 1.00, {models[1]} 2.50\n", text)

    def test_another_weight_is_another_question(self):
        models = self.models()
        study = os.path.join(self.folder(), "study.db")
        question = ["search", *models, "--space", self.space(SERIAL), *SHORT, "--study", study]
        self.answer(*question, "--weight", f"{models[1]}=2")
        self.assertIn('weights: the study is of another question: it has "1 2", this run has "1 1"',
                      self.refusal(*question))

    def test_faults(self):
        models = ["bert-large", "opt-350m"]
        for args, message in (
                ([*models, "--weight", "gpt2-xl=2"], '--weight: "gpt2-xl" is none of the models'),
                ([*models, "--weight", "opt-350m=2", "--weight", "opt-350m=3"], '--weight: "opt-350m" has two'),
                ([*models, "--weight", "opt-350m"], "--weight: expected MODEL=NUMBER with a number above 0"),
                ([*models, "--weight", "opt-350m=0"], "--weight: expected MODEL=NUMBER with a number above 0"),
                ([*models, "--weight", "opt-350m=inf"], "--weight: expected MODEL=NUMBER with a number above 0"),
                (["opt-350m", "--weight", "opt-350m=2"], "--weight: means nothing with one model"),
                ([*models, "--weight", "opt-350m=2", "--combine", "worst"],
                 "--weight: means nothing with --combine worst")):
            self.assertIn(message, self.refusal("search", *args, "--space", self.space(SERIAL), *SHORT))


class Choices(Case):
    """The best of all choices of a space is the best over its choices one by one."""
    LISTS = {"microbatches": "[1, 2, 4]", "tensor_widths": "[1, 2]", "recompute": "[none, full]",
             "hbm_capacity": "[16 MiB, 32 MiB, 1 GiB]"}
    SPACE = SERIAL.replace("[2 GiB, 3 GiB, 16 GiB]", LISTS["hbm_capacity"])

    def best_of(self, text):
        space = self.file("few.yaml", text)
        model = self.file("config.json", json.dumps(LLAMA))
        result = self.start(["search", model, "--space", space, "--json", "--sequence", "512", *FEW])
        found = json.loads(result.stdout)
        return (0, None) if found["best"] is None else (found["best"]["value"], found["best"])

    def test_one_by_one(self):
        value, best = self.best_of(self.SPACE)
        (plan,) = best["plans"].values()
        chosen = {"microbatches": plan["microbatch"], "tensor_widths": plan["tensor"],
                  "hbm_capacity": best["hbm_bytes"] / 2**20}
        for name, values in self.LISTS.items():
            singles = {}
            for single in values.strip("[]").split(", "):
                singles[single], of_single = self.best_of(self.SPACE.replace(f"{name}: {values}", f"{name}: [{single}]"))
                if of_single is None or name == "recompute":  # a plan of one stage recomputes nothing there
                    continue
                (its_plan,) = of_single["plans"].values()
                took = {"microbatches": str(its_plan["microbatch"]), "tensor_widths": str(its_plan["tensor"]),
                        "hbm_capacity": f"{of_single['hbm_bytes'] // 2**20} MiB".replace("1024 M", "1 G")}
                self.assertEqual(took[name], single)
            with self.subTest(name):
                if name == "recompute":  # stages may differ
                    self.assertGreaterEqual(value, max(singles.values()) * (1 - 1e-9))
                else:
                    self.assertAlmostEqual(value / max(singles.values()), 1, 9)
                    at = [single for single in singles if single.split()[0] == str(int(chosen[name]))]
                    self.assertAlmostEqual(singles[at[0]] / value, 1, 9)
                    self.assertGreater(len(set(singles.values())), 1)  # the choice matters

    def test_budgets(self):
        """Of the file and of the command line: as many chips as are within, and the best of those."""
        space, model = self.space(SERIAL), self.models()[0]
        _, every = self.table(model, "--space", space, *SHORT, "--exhaustive")
        unit = "value_sequences_per_s"
        for option, of_file, column, limit in (("--area", "area: {} mm2", "area_mm2", 40),
                                               ("--power", "area: 278.8 mm2, power: {} W", "tdp_w", 150)):
            within = [row for row in every if row[column] <= limit]
            self.assertTrue(0 < len(within) < len(every), column)
            best = max(within, key=lambda row: row[unit])
            for args in ([space, option, str(limit)],
                         [self.file("other.yaml", SERIAL.replace("area: 278.8 mm2", of_file.format(limit)))]):
                found = self.json("search", model, "--space", *args, *SHORT)
                self.assertEqual(found["chips"]["total"], len(within))
                self.assertEqual(found["best"]["chip"], best["chip"])

    def test_recomputation(self):
        """What 28 MiB hold when the original recomputes, and only then."""
        text = self.SPACE.replace(self.LISTS["hbm_capacity"], "[28 MiB]").replace("[1, 2, 4]", "[1]").replace(
            "[1, 2]", "[1]")
        both, stored = self.best_of(text), self.best_of(text.replace("[none, full]", "[none]"))
        again = self.best_of(text.replace("[none, full]", "[full]"))
        self.assertEqual((both[0], stored[0]), (again[0], 0))
        (plan,) = both[1]["plans"].values()
        self.assertGreater(plan["breakdown"]["recompute_s"], 0)


class Tables(Case):
    def test_every_chip_has_a_row(self):
        models = self.models()
        args = [*models, "--space", self.space(SERIAL), *SHORT]
        found, rows = self.table(*args)
        _, exhaustive = self.table(*args, "--exhaustive")
        self.assertEqual(len(rows), found["chips"]["total"])
        states = [row["state"] for row in rows]
        self.assertEqual(states.count("evaluated"), found["chips"]["evaluated"])
        self.assertEqual(states.count("excluded"), found["chips"]["excluded_by_bound"])
        self.assertEqual(states.count("dominated"), found["chips"]["excluded_by_dominance"])
        self.assertGreater(states.count("dominated"), 0)
        by_name = {row["chip"]: row for row in rows}
        best = by_name[found["best"]["chip"]]
        self.assertEqual(best["value_times_reference"], found["best"]["value"])
        self.assertEqual((best["hbm_bytes"], best["area_mm2"]), (found["best"]["hbm_bytes"], found["best"]["area_mm2"]))
        self.assertEqual(best["build_cost_usd"], found["best"]["build_cost_usd"])
        self.assertEqual(best["tensor_cores_count"], found["best"]["tensor_cores"]["count"])
        self.assertEqual(best["global_buffer_size_bytes"], found["best"]["global_buffer_bytes"])
        for row, whole in zip(rows, exhaustive):
            self.assertEqual(row["chip"], whole["chip"])
            self.assertGreaterEqual(row["bound_times_reference"] * (1 + 1e-9), whole["value_times_reference"])
            self.assertEqual(row["dominated_by"] is not None, row["state"] == "dominated")
            if row["dominated_by"]:
                above = by_name[row["dominated_by"]]
                for axis in ("tensor_cores_count", "vector_cores_count", "global_buffer_size_bytes"):
                    self.assertGreaterEqual(above[axis], row[axis])
        units = ("_bytes", "_mm2", "_w", "_usd", "_kg", "_per_s", "_count", "_columns", "_reference")
        names = ["chip", "index", "state", "dominated_by", *(f"state_{model}" for model in models),
                 *(f"dominated_by_{model}" for model in models)]
        for column in rows[0]:
            self.assertTrue(column in names or column.endswith(units), column)

    def test_chips_that_sets_did_not_exclude(self):
        model = self.models()[0]
        found, rows = self.table(model, "--space", self.space(SERIAL), *SHORT, "--by-sets", "--objective", "per-watt")
        best = max(rows, key=lambda row: row["value_sequences_per_joule"] or 0)
        self.assertEqual(best["value_sequences_per_joule"], found["best"]["value"])
        self.assertAlmostEqual(best[f"throughput_{model}_sequences_per_s"],
                               found["best"]["plans"][model]["throughput_sequences_per_s"])

    def test_faults(self):
        model = self.file("block.yaml", MODEL)
        self.assertIn("--csv", self.refusal("search", model, "--csv", model))
        self.assertIn("nowhere", self.refusal("search", model, "--csv", "/nowhere/chips.csv"))
        self.assertIn("--csv", self.refusal("search", model, "--csv", ""))


class Robustness(Case):
    ARGS = ["--space", "phaze2024-small", *FEW]

    def test_counts(self):
        model = self.file("block.yaml", MODEL)
        found = self.json("search", model, *self.ARGS, "--robust", "40", "--seed", "5")
        robust = found["robust"]
        self.assertEqual((robust["draws"], robust["asked"], robust["seed"], robust["whole_space"]), (40, 40, 5, True))
        self.assertEqual(robust["chip"], found["best"]["chip"])
        self.assertEqual(robust["stays_best"] + sum(rival["wins"] for rival in robust["rivals"]), 40)
        self.assertLessEqual(robust["mean_loss"], robust["worst_loss"])
        self.assertEqual([constant["name"] for constant in robust["constants"]], ["clock", "HBM", "links"])
        for rival in robust["rivals"]:
            self.assertGreater(rival["mean_gain"], 0)
            self.assertLessEqual(rival["mean_gain"], rival["most_gain"] * (1 + 1e-12))
        again = self.json("search", model, *self.ARGS, "--robust", "40", "--seed", "5", "--threads", "1")
        self.assertEqual(again["robust"], robust)
        self.assertNotIn("robust", self.json("search", model, *self.ARGS))

    def test_text(self):
        text = self.answer("search", self.file("block.yaml", MODEL), *self.ARGS, "--robust")
        self.assertIn("If constants were other ones: 200 draws, seed 1\n", text)
        self.assertRegex(text, r"stays best in \d+ of them; against the best of each it loses \d+\.\d\d % on average")

    def test_modern(self):
        """Of chips that run one operator at a time, on a cluster with levels."""
        robust = self.json("search", self.models()[0], "--space", self.space(SERIAL), "--assumptions", "modern", *SHORT,
                           "--robust", "20")["robust"]
        self.assertEqual(len(robust["constants"]), 6)
        self.assertEqual(robust["draws"], 20)

    def test_faults(self):
        self.assertIn("--robust", self.refusal("search", "bert-large", "--robust", "many"))
        self.assertIn("--seed", self.refusal("search", "bert-large", "--seed", "2"))


class Names(Case):
    def test_models_are_columns_of_a_study(self):
        folder = self.folder()
        models = [os.path.join(folder, name) for name in ("Block.yaml", "block.yaml")]
        for model in models:
            with open(model, "w", encoding="utf-8") as file:
                file.write(MODEL)
        message = self.refusal("search", *models, "--space", self.space(), *FEW,
                               "--study", os.path.join(folder, "study.db"))  # fmt: skip
        self.assertIn("--study: expected models whose names differ by more than case", message)


class Fronts(Case):
    """Fronts over the chips of phaze2024-small against all pairs of chips."""
    def objectives(self, row):
        hours, devices = 4 * 365.25 * 24, 4
        rate = row["value_sequences_per_joule"] * row["tdp_w"] * devices
        kwh = row["tdp_w"] * 1.1 * hours / 1000
        return {"throughput": rate, "per-watt": row["value_sequences_per_joule"],
                "per-dollar": rate * hours * 3600 / devices / (row["build_cost_usd"] + 0.08 * kwh),
                "per-carbon": rate * hours * 3600 / devices / (row["embodied_carbon_kg"] + 0.369 * kwh)}

    def test_the_best_chip_is_on_the_front_with_its_throughput(self):
        # Odd counts, whose schedules take more work than a first look gives.
        space = self.space("""base: phaze-reference
technology: phaze22
axes:
  tensor_cores.count: [5, 6, 7]
  vector_cores.count: [4, 5, 6]
  global_buffer.size: [16 MiB, 32 MiB]
training: {microbatches: [1], recompute: [none], tensor_widths: [1], hbm_capacity: [80 GiB]}
""")
        found = self.json("search", "bert-large", "--space", space, "--devices", "8", "--global-batch", "32",
                          "--objective", "throughput,per-watt")  # fmt: skip
        self.assertEqual(found["pareto"][0]["chip"], found["best"]["chip"])
        self.assertAlmostEqual(found["pareto"][0]["throughput_sequences_per_s"] / found["best"]["value"], 1)

    def test_against_every_chip(self):
        model = self.file("block.yaml", MODEL)
        args = [model, "--space", "phaze2024-small", *FEW]
        _, rows = self.table(*args, "--objective", "per-watt", "--exhaustive")
        self.assertEqual({row["state"] for row in rows}, {"evaluated"})
        self.assertGreater(len(rows), 1000)
        for names in (["throughput", "per-watt"], ["per-dollar", "throughput"], ["throughput", "per-watt", "per-carbon"]):
            points = {row["chip"]: tuple(self.objectives(row)[name] for name in names) for row in rows}

            def beats(one, other):
                """At least as good in all and better in one, beyond rounding."""
                return (all(a >= b * (1 - 1e-12) for a, b in zip(one, other))
                        and any(a > b * (1 + 1e-12) for a, b in zip(one, other)))
            expected = {chip for chip, point in points.items() if not any(beats(p, point) for p in points.values())}
            found = self.json("search", *args, "--objective", ",".join(names))
            front = {f"{row['chip']}-m{row['hbm_bytes'] >> 30}G": row["objectives"] for row in found["pareto"]}
            self.assertLessEqual(set(front), expected)
            # Of chips that are equal in all objectives one is enough.
            rounded = {tuple(float(f"{x:.10e}") for x in points[chip]) for chip in expected}
            self.assertEqual(rounded, {tuple(float(f"{x:.10e}") for x in points[chip]) for chip in front})
            self.assertGreater(len(front), 3)
            for chip, values in front.items():
                for name, value in zip(names, points[chip]):
                    self.assertAlmostEqual(values[name] / value, 1, 9)


if __name__ == "__main__":
    phaze.main()
