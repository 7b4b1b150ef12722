"""phaze report, search --report, place --report: the document, the page that holds it, and faults."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

import phaze
from few_chips import SMALL, SPACE

# The page that the program was built with: empty without Node, or without what npm has.
HAS_PAGE = os.path.getsize(os.environ.get("PHAZE_PAGE", "build/release/web/report.html")) > 0
PLACE = ["place", "llama2-7b", "--chip", "h100", "--devices", "16", "--global-batch", "32", "--pipeline", "4",
         "--schedule", "1f1b"]


class Reports(phaze.Case):
    def document_of(self, page):
        """The document inside a page."""
        with open(page, encoding="utf-8") as file:
            text = file.read()
        inside = re.search(r'<script type="application/json" id="document">(.*?)</script>', text, re.S).group(1)
        self.assertNotRegex(inside, "[<>&]")
        return json.loads(inside)

    def study(self):
        path = os.path.join(self.folder(), "study.db")
        space = self.file("few.yaml", SPACE)
        self.answer("search", "bert-large", "--space", space, *SMALL, "--study", path)
        return path, self.json("search", "bert-large", "--space", space, *SMALL)

    def plan(self, *args):
        path = os.path.join(self.folder(), "plan.json")
        self.answer(*PLACE, *args, "--output", path)
        with open(path, encoding="utf-8") as file:
            return path, json.load(file)


class Documents(Reports):
    def test_a_plan_with_its_iteration(self):
        path, plan = self.plan()
        report = self.json("report", path)
        self.assertEqual((report["schema"], report["kind"], report["source"]), (1, "plan", "plan.json"))
        self.assertEqual(report["plan"], plan)
        simulation = report["simulations"][plan["model"]]
        simulated = self.json("simulate", path)
        for key in ("iteration_s", "closed_form_s", "bubble_s", "events", "peak_memory_bytes"):
            self.assertEqual(simulation[key], simulated[key], key)
        self.assertEqual(simulation["shown_until_s"], simulation["iteration_s"])
        for stage in simulation["stages"]:
            passes = stage["passes"]
            self.assertEqual(sorted(passes["microbatch"]), sorted(2 * list(range(plan["microbatches"]))))
            self.assertEqual(passes["kind"].count("f"), plan["microbatches"])
            self.assertEqual(passes["kind"].count("b"), plan["microbatches"])
            ends = list(zip(passes["start_s"], passes["end_s"]))
            for (_, before), (after, _) in zip(ends, ends[1:]):  # one at a time
                self.assertLessEqual(before, after + 1e-12)
            self.assertAlmostEqual(sum(end - start for start, end in ends), stage["busy_s"])

    def stages_add_up(self, plan):
        times = {}
        for layer in plan["details"]["layers"]:
            times[layer["name"], layer["pass"]] = layer["counted_s"]
        for stage in plan["stages"]:
            self.assertEqual(stage["recompute"], plan["details"]["recompute"])
            for key in ("forward", "backward"):
                expected = sum(run["count"] * times[run["name"], key] for run in stage["layers"])
                self.assertAlmostEqual(stage[key + "_s"] / expected, 1, 6)

    def test_layers_of_a_plan_are_those_of_its_stages(self):
        self.stages_add_up(self.plan("--tensor", "2", "--recompute", "none", "--zero", "0:2")[1])
        self.stages_add_up(self.plan("--tensor", "1", "--recompute", "full", "--zero", "0:2")[1])

    def test_layers_on_a_chip_that_runs_operators_side_by_side(self):
        path = os.path.join(self.folder(), "plan.json")
        self.answer("place", "bert-large", "--chip", "tpuv4", "--cluster", "tpuv4-pod", "--devices", "8",
                    "--global-batch", "32", "--recompute", "none", "--zero", "0", "--output", path)
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        self.stages_add_up(plan)
        cores = plan["details"]["layers"][0]["cores"]
        for layer in plan["details"]["layers"]:
            for each in layer["operators"]:
                self.assertLessEqual(each["start_s"], each["end_s"])
                self.assertLessEqual(each["end_s"], layer["makespan_s"] * (1 + 1e-9))
                self.assertTrue(each["wide"] or each["unit"] in ("network", "none") or
                                0 <= each.get("tensor_core", each.get("vector_core")) < max(cores.values()))

    def test_a_study_with_all_its_chips(self):
        path, answer = self.study()
        report = self.json("report", path)
        self.assertEqual(report["kind"], "search")
        for key in ("chip", "value", "bound", "chips", "area_mm2", "rivals", "steps"):
            self.assertEqual(report["search"]["best"][key], answer["best"][key], key)
        chips = report["study"]["chips"]
        total = answer["chips"]["total"]
        self.assertEqual({len(column) for column in (*chips["metrics"].values(), chips["id"], chips["state"])}, {total})
        self.assertEqual(report["study"]["counts"]["evaluated"], answer["chips"]["evaluated"])
        best = chips["chip"].index(report["study"]["best"])
        self.assertEqual((chips["id"][best], chips["value"][best]), (answer["best"]["chip"], answer["best"]["value"]))
        for key in ("area_mm2", "tdp_w", "build_cost_usd"):  # with the memory that it takes
            self.assertAlmostEqual(chips["metrics"][key][best], answer["best"][key])
        # Axes say what ids mean.
        axes = report["search"]["axes"]
        for identifier in chips["id"]:
            for part, axis in zip(identifier.split("-"), axes, strict=True):
                self.assertIn(part, axis["codes"])
        self.assertEqual([axis["letter"] for axis in axes], ["t", "v", "c", "r", "g"])
        progress = report["search"]["progress"]
        self.assertEqual(progress[-1]["settled"], total)
        self.assertEqual(progress, sorted(progress, key=lambda moment: moment["elapsed_s"]))
        self.assertIn("area_breakdown_mm2", report["search"]["best"]["description"])

    def test_a_study_that_has_not_ended(self):
        path, _ = self.study()
        with sqlite3.connect(path) as database:
            database.execute("DELETE FROM answer")
        report = self.json("report", path)
        self.assertEqual((report["search"], report["study"]["state"], report["simulations"]), (None, "stopped", {}))
        self.assertTrue(report["study"]["chips"]["id"])

    def test_an_answer_without_its_chips(self):
        _, answer = self.study()
        path = self.file("answer.json", json.dumps(answer))
        report = self.json("report", path)
        self.assertEqual(report["search"], answer)
        self.assertNotIn("study", report)


@unittest.skipUnless(HAS_PAGE, "built without Node")
class Pages(Reports):
    def test_hold_the_document(self):
        plan, _ = self.plan()
        study, _ = self.study()
        for path in (plan, study):
            page = os.path.join(self.folder(), "page.html")
            said = self.answer("report", path, "-o", page)
            self.assertIn("page.html", said)
            self.assertEqual(self.document_of(page), self.json("report", path))

    def test_come_straight_from_a_search_and_a_plan(self):
        page = os.path.join(self.folder(), "page.html")
        space = self.file("few.yaml", SPACE)
        answer = self.json("search", "bert-large", "--space", space, *SMALL, "--report", page)
        report = self.document_of(page)
        self.assertEqual(report["search"], answer)
        stored, _ = self.study()
        again = self.json("report", stored)["study"]
        self.assertEqual(report["study"]["counts"], again["counts"])
        for key in ("id", "state", "value", "bound", "witness", "metrics"):
            self.assertEqual(report["study"]["chips"][key], again["chips"][key], key)
        answer = self.json(*PLACE, "--report", page)
        plan = self.document_of(page)["plan"]
        self.assertTrue(plan.pop("details"))
        self.assertEqual(plan, answer)

    def test_a_search_that_was_stopped_shows_what_it_has(self):
        for models in (["gpt3-175b"], ["gpt3-175b", "megatron-gpt2-8.3b"]):
            folder = self.folder()
            page, study = os.path.join(folder, "page.html"), os.path.join(folder, "study.db")
            run = subprocess.Popen([phaze.PROGRAM, "search", *models, "--exhaustive", "--report", page, "--study", study],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.addCleanup(run.stderr.close)
            self.addCleanup(run.wait)
            self.addCleanup(run.kill)
            self.wait_for_chip(study)
            run.send_signal(signal.SIGINT)
            err = run.communicate(timeout=phaze.SECONDS)[1]
            self.assertEqual(run.returncode, 130, err)
            report = self.document_of(page)
            settled = report["study"]["counts"]["settled"]
            self.assertTrue(0 < settled < report["study"]["counts"]["total"])
            self.assertEqual(len(report["study"]["chips"]["id"]), settled)
            self.assertEqual(report["search"] is None, len(models) > 1)  # no common chip yet

    def wait_for_chip(self, study):
        for _ in range(600):
            time.sleep(0.05)
            try:
                with sqlite3.connect(f"file:{study}?mode=ro", uri=True) as database:
                    if database.execute("SELECT count(*) FROM chips").fetchone()[0] > 0:
                        return
            except sqlite3.OperationalError:  # not there yet
                continue
        self.fail("nothing is stored")

    def test_names_with_markup_stay_text(self):
        path, plan = self.plan()
        plan["model"] = "</script><script>alert(1)</script><!--&amp;"
        hostile = self.file("</script>.json".replace("/", "_"), json.dumps(plan))
        page = os.path.join(self.folder(), "page.html")
        self.answer("report", hostile, "-o", page)
        self.assertEqual(self.document_of(page)["plan"]["model"], plan["model"])

    def test_ask_for_nothing_from_a_network(self):
        path, _ = self.plan()
        page = os.path.join(self.folder(), "page.html")
        self.answer("report", path, "-o", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("default-src 'none'", text)
        self.assertNotRegex(text, r'<(script|link|img)[^>]*(src|href)="(?!data:)')

    def test_outputs_that_cannot_be(self):
        path, _ = self.plan()
        self.assertIn("--output: is the report's own file", self.refusal("report", path, "-o", path))
        self.assertIn("--output: expected the name of a file", self.refusal("report", path, "-o", "-"))
        nowhere = os.path.join(self.folder(), "nowhere", "page.html")
        self.assertIn("page.html", self.refusal("report", path, "-o", nowhere))
        self.assertIn("--report: expected the name of a file", self.refusal(*PLACE, "--report", ""))
        self.assertIn("--report: expected the name of a file", self.refusal("search", "bert-large", "--report", "-"))


@unittest.skipIf(HAS_PAGE, "built with Node")
class WithoutPage(Reports):
    def test_says_what_is_missing(self):
        path, _ = self.plan()
        page = os.path.join(self.folder(), "page.html")
        for args in (["report", path, "-o", page], [*PLACE, "--report", page]):
            self.assertIn("built without the page of reports", self.refusal(*args))
        self.assertFalse(os.path.exists(page))


class Faults(Reports):
    def refused(self, text):
        return self.refusal("report", self.file("input.json", text), "--json")

    def test_files_that_are_none(self):
        self.assertIn("nothing.db", self.refusal("report", "nothing.db", "--json"))
        self.assertIn("expected JSON, found YAML", self.refused("stages: []\nschema: 1\n"))
        self.assertIn('neither "best" and "models" nor "stages"', self.refused('{"schema": 1}'))
        self.assertIn("input.json:1", self.refused('{"schema": 1, "stages": []}'))
        self.assertIn("input.json:1", self.refused('{"schema": 1, "stages": 3, "best": '))

    def test_answers_without_a_chip(self):
        self.assertIn("the search found no chip", self.refused('{"schema": 1, "models": ["a"], "best": null}'))
        self.assertIn("plans: this key is required", self.refused('{"schema": 1, "models": ["a"], "best": {}}'))
        self.assertIn("plans.a", self.refused('{"schema": 1, "models": ["a"], "best": {"plans": {"a": {"schema": 1}}}}'))

    def test_a_study_that_is_damaged(self):
        self.assertIn("input.json", self.refused(b"SQLite format 3\0" + bytes(200)))


if __name__ == "__main__":
    phaze.main()
