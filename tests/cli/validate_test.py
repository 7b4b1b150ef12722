"""phaze validate: predictions against measured runs."""
import json
import pathlib
import tempfile
import unittest

from phaze import Case

HEADER = "model,chip,cluster,devices,global_batch,microbatch,tensor,pipeline,data,recompute,attention,overlap,iteration_s\n"
ROW = "megatron-gpt2-8.3b,a100-80g,dgx-a100,16,64,2,2,1,8,full,eager,0,1.5\n"


class Validate(Case):
    def test_a_row_is_what_place_says_of_the_same_plan(self):
        found = self.json("validate", "-", stdin=HEADER + ROW)
        place = self.json("place", "megatron-gpt2-8.3b", "--chip", "a100-80g", "--cluster", "dgx-a100", "--devices", "16",
                          "--global-batch", "64", "--microbatch", "2", "--tensor", "2", "--pipeline", "1", "--data", "8",
                          "--recompute", "full", "--attention", "eager", "--execution", "megatron", "--zero", "0", "--order", "tdp",
                          "--sequence-parallel", "off", "--schedule", "1f1b")
        row = found["rows"][0]
        self.assertEqual(row["predicted"], place["iteration_s"])
        self.assertEqual(row["measured"], 1.5)
        self.assertAlmostEqual(row["error"], row["predicted"] / 1.5 - 1)
        self.assertEqual(row["memory"]["total_bytes"], place["peak_memory_bytes"])
        self.assertEqual(found["mean_error"], abs(row["error"]))
        self.assertIsNone(found["regret"])

    def test_built_in_sets(self):
        found = self.json("validate")
        groups = {group["group"]: group["count"] for group in found["groups"] if group["quantity"] == "iteration_s"}
        self.assertEqual(groups, {"SC21 table 1": 10, "Korthikanti table 5": 9, "Megatron-Core on H100": 9})
        self.assertEqual(len(found["one_device"]), 18)
        self.assertEqual(len(found["held_out"]), 5)
        for key in ("mean_error", "median_error", "p90_error", "regret"):
            self.assertGreaterEqual(found[key], 0)

    def test_threads_do_not_matter(self):
        self.assertEqual(self.answer("validate", "--threads", "1"), self.answer("validate", "--threads", "2"))

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plot.svg"
            self.answer("validate", "-", "--plot", str(path), stdin=HEADER + ROW)
            self.assertTrue(path.read_text().startswith("<svg"))

    def test_document_is_what_the_project_holds(self):
        """docs/validation.md is written, never typed; `make validation` writes it anew."""
        with tempfile.TemporaryDirectory() as folder:
            self.start(["validate", "--write", folder])
            docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
            for name in ("validation.md", "validation/runs.svg", "validation/steps.svg"):
                self.assertEqual((pathlib.Path(folder) / name).read_text(), (docs / name).read_text(), name)

    def test_plans_have_ranges(self):
        place = self.json("place", "gpt3-175b", "--chip", "a100-80g", "--cluster", "dgx-a100", "--devices", "64",
                          "--global-batch", "64", "--alternatives", "3")
        low, high = place["iteration_range_s"]
        self.assertLess(low, high)
        self.assertIn("measured runs on a100", place["range_basis"])
        half = (high - low) / (high + low)
        for other in place["alternatives"]:
            self.assertEqual(other["within_error"], other["loss"] < half)
        unknown = self.json("place", "gpt2-xl", "--chip", "tpuv4", "--cluster", "tpuv4-pod", "--devices", "64",
                            "--global-batch", "64")
        self.assertIn("too few on tpuv4", unknown["range_basis"])

    def test_what_is_no_machine_has_no_runs_of_one(self):
        def basis(*words):
            return self.json("place", "gpt2-xl", *words, "--devices", "8", "--global-batch", "32")["range_basis"]

        self.assertIn("measured runs on h100", basis("--chip", "h100"))
        for words in (["--chip", self.file("h100.yaml", "derive: tpuv4\n")],
                      ["--chip", "h100", "--set", "chip.clock=+50%"]):
            self.assertIn("on other machines; none on this chip", basis(*words))

    def test_errors_are_written(self):
        path = pathlib.Path(self.folder()) / "errors.csv"
        self.answer("validate", "--write-errors", str(path))
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(lines[0], "machine,regime,runs,largest_devices,low,median,high")
        self.assertTrue(any(line.startswith("a100,compute,") for line in lines))

    def test_faults(self):
        names = "model,chip,cluster,iteration_s\n"
        good = "gpt2-xl,h100,dgx-h100,1\n"
        for row, place in (("gpt2-xl,a1oo,dgx-h100,1\n", "3:9: error: chip: "),
                           ("gpt2-xl,h100,dgx-h1oo,1\n", "3:14: error: cluster: "),
                           ("gpt2-xxl,h100,dgx-h100,1\n", "3:1: error: model: ")):
            message = self.refusal("validate", "-", stdin=names + good + row + row)
            self.assertIn("standard input:" + place, message)
            self.assertEqual(message.count("error"), 1, message)
        message = self.refusal("validate", "-", stdin=names + 'gpt2-xl,"h100\n",dgx-h100,1\n')
        self.assertEqual(message, "standard input:2:9: error: expected a closing quote on this line: "
                                  "cells hold no line breaks\n")
        message = self.refusal("validate", "-", stdin="hidden,heads,layers,chip,cluster,iteration_s\n"
                                                      "x,32,4,h100,dgx-h100,1\n")
        self.assertEqual(message.count("error"), 1, message)
        self.assertIn("unknown column", self.refusal("validate", "-", stdin="modell,chip,iteration_s\n"))
        self.assertIn("nothing.csv", self.refusal("validate", "nothing.csv"))
        self.assertEqual(self.refusal("validate", "-", stdin=b"\x7fELF\0\xff\n,\n"),
                         "standard input: error: expected text, found binary data\n")
        for value in ("1e-308", "1e300"):
            self.assertIn("iteration_s: expected a number from 1e-12 to 1e18",
                          self.refusal("validate", "-", stdin=names + f"gpt2-xl,h100,dgx-h100,{value}\n"))
        path = str(pathlib.Path(self.folder()) / "out")
        self.assertIn("--write-errors: is --plot's own file",
                      self.refusal("validate", "--plot", path, "--write-errors", path))


if __name__ == "__main__":
    unittest.main()
