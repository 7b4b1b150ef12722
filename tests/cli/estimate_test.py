"""The estimate command: its keys, its sums, what it refuses."""
import json
import math

import phaze
from phaze import config

CHIP = ("--chip", "h200")


class Products(phaze.Case):
    def gemm(self, shape, *args):
        return self.json("estimate", "--gemm", shape, *(args or CHIP))

    def test_keys_and_sums(self):
        answer = self.gemm("4096,12288,4096")
        self.assertEqual(answer["schema"], 1)
        parts = answer["parts"]
        longest = max(parts[key] for key in ("core_s", "power_s", "global_buffer_s", "hbm_s"))
        total = parts["launch_s"] + parts["fill_s"] + longest + parts["reduction_s"]
        self.assertAlmostEqual(answer["in_sequence_s"], total, delta=1e-12)
        self.assertGreaterEqual(answer["time_s"], answer["in_sequence_s"])
        self.assertGreater(answer["utilisation"], 0.5)
        self.assertLessEqual(answer["utilisation"], 1)
        self.assertIn(answer["bound"], ("compute", "power"))
        self.assertGreaterEqual(answer["hbm_bytes"], 2 * (4096 * 12288 + 4096 * 4096 + 12288 * 4096))
        for key in ("dataflow", "tile_m", "tile_n", "k_splits"):
            self.assertIn(key, answer["mapping"])
        for other in answer["alternatives"]:
            if other["time_s"] is not None:
                self.assertGreaterEqual(other["time_s"], answer["in_sequence_s"])

    def test_batch_is_so_many_products(self):
        one = self.gemm("2048,2048,128")
        many = self.gemm("2048,2048,128,96")
        self.assertGreater(many["time_s"], 20 * one["in_sequence_s"])
        self.assertLess(many["time_s"], 96 * one["time_s"])

    def test_odd_sizes_fall_off_no_cliff(self):
        for chip in ("h200", "tpuv4", "a100-80g"):
            for odd, even in (("1021,4096,4096", "1024,4096,4096"), ("4096,50257,1600", "4096,50304,1600"),
                              ("4096,4096,4099", "4096,4096,4224")):  # fmt: skip
                with self.subTest(f"{chip} {odd}"):
                    self.assertLessEqual(self.gemm(odd, "--chip", chip)["time_s"],
                                         1.02 * self.gemm(even, "--chip", chip)["time_s"])  # fmt: skip

    def test_more_of_anything_never_hurts(self):
        base = self.gemm("1000,3000,700", "--chip", "tpuv4")["time_s"]
        for field in ("tensor_cores.local_buffer=512 KiB", "tensor_cores.count=+100%", "global_buffer.size=+50%",
                      "global_buffer.bytes_per_cycle=+100%", "hbm.bandwidth=+10%"):  # fmt: skip
            with self.subTest(field):
                more = self.gemm("1000,3000,700", "--chip", "tpuv4", "--set", field)
                self.assertLessEqual(more["time_s"], base * (1 + 1e-12))

    def test_large_sizes_are_computed_or_refused(self):
        for shape in ("1048576,1048576,1024", "1,1,1", "1099511627776,1,1", "7,1048576,1048576"):
            answer = self.gemm(shape)
            self.assertTrue(math.isfinite(answer["time_s"]) and answer["time_s"] > 0, shape)
            self.assertLessEqual(answer["utilisation"], 1)
        for shape in ("1048577,1048577,1", "1099511627777,1,1", "99999999999999999999,1,1", "1048576,1048576,1048576",
                      "0,1,1", "1,1", "1,2,3,4,5", "a,b,c", "-1,2,3", "1.5,2,3", "1,,2", "", "1,2,3 "):  # fmt: skip
            with self.subTest(shape):
                message = self.refusal("estimate", "--gemm", shape, *CHIP) if shape else None
                if message:
                    self.assertIn("--gemm", message)

    def test_formats(self):
        bf16 = self.gemm("8192,8192,8192")["time_s"]
        fp8 = self.gemm("8192,8192,8192", *CHIP, "--format", "fp8")["time_s"]
        self.assertLess(fp8, 0.6 * bf16)
        self.assertIn("no matrix units", self.refusal("estimate", "--gemm", "8,8,8", *CHIP, "--format", "fp32"))
        self.assertIn("did you mean bf16", self.refusal("estimate", "--gemm", "8,8,8", *CHIP, "--format", "bf61"))

    def test_rows_that_are_not_padded(self):
        self.assertGreater(self.gemm("4096,50257,1600")["unpadded_s"], 4e-3)
        self.assertNotIn("unpadded_s", self.gemm("4096,50304,1600"))
        self.assertIn("does not pad", self.answer("estimate", "--gemm", "4096,50257,1600", *CHIP))

    def test_text(self):
        text = self.answer("estimate", "--gemm", "512,1024,4096", *CHIP)
        for word in ("Mapping", "proved", "fill and drain", "HBM", "other ways", "twice"):
            self.assertIn(word, text)


class Steps(phaze.Case):
    def check(self, answer):
        step = answer["step"]
        self.assertAlmostEqual(step["total_s"], step["forward_s"] + step["backward_s"] + step["optimizer_s"],
                               delta=1e-9 * step["total_s"])  # fmt: skip
        for key in ("forward", "backward", "optimizer"):
            summed = sum(layer[f"{key}_s"] * layer["repeat"] for layer in answer["layers"])
            self.assertAlmostEqual(step[f"{key}_s"], summed, delta=1e-9 * step["total_s"])
        for layer in answer["layers"]:
            forward = sum(op["time_s"] for op in layer["operators"] if op["pass"] == "forward")
            self.assertAlmostEqual(layer["forward_s"], forward, delta=1e-12)
            for op in layer["operators"]:
                self.assertGreaterEqual(op["time_s"], 0)
                self.assertTrue(0 <= op["utilisation"] <= 1.0001, op)
                self.assertGreaterEqual(op["energy_j"], 0)
                self.assertEqual(op["time_s"] == 0, op["bound"] == "nothing", op)
        memory = answer["memory"]
        parts = sum(value for key, value in memory.items() if key.endswith("_bytes") and key != "capacity_bytes")
        self.assertEqual(parts, step["peak_memory_bytes"])
        self.assertGreater(step["mfu"], 0)
        pace = step["host_s"] + step["optimizer_s"] if step["host_bound"] else step["total_s"]
        self.assertLess(step["tokens_per_s"] * pace, 1e7)

    def test_every_model(self):
        for model in self.json("models"):
            with self.subTest(model["name"]):
                width = max(w for w in model["tensor_widths"] if w in (1, 2, 4, 8))
                self.check(self.json("estimate", model["name"], "--chip", "h100", "--tensor", str(width)))

    def test_every_chip(self):
        for chip in self.json("chips"):
            for execution in ("fused", "eager"):
                with self.subTest(f"{chip['name']} {execution}"):
                    self.check(self.json("estimate", "bert-large", "--chip", chip["name"], "--execution", execution))

    def test_what_is_slower_is_slower(self):
        def total(*args):
            return self.json("estimate", "llama2-7b", *CHIP, *args)["step"]

        base = total()
        self.assertGreater(total("--execution", "eager")["total_s"], base["total_s"])
        self.assertGreater(total("--attention", "eager")["total_s"], base["total_s"])
        full = total("--recompute", "full")
        self.assertGreater(full["backward_s"], base["backward_s"])
        self.assertLess(total("--recompute", "full", "--microbatch", "4")["peak_memory_bytes"],
                        total("--microbatch", "4")["peak_memory_bytes"])  # fmt: skip
        self.assertAlmostEqual(full["mfu"] * full["total_s"], base["mfu"] * base["total_s"], delta=1e-6)
        self.assertGreater(full["hfu"] * full["total_s"], 1.2 * base["hfu"] * base["total_s"])
        self.assertGreater(total("--microbatch", "2")["total_s"], 1.8 * (base["total_s"] - base["optimizer_s"]))
        self.assertLess(total("--set", "hbm.bandwidth=+50%")["total_s"], base["total_s"])

    def test_says_when_it_does_not_fit(self):
        answer = self.json("estimate", "llama3-70b", "--chip", "a100-40g")
        self.assertFalse(answer["step"]["fits"])
        self.assertIn("does not fit", self.answer("estimate", "llama3-70b", "--chip", "a100-40g"))
        self.assertTrue(self.json("estimate", "bert-large", *CHIP)["step"]["fits"])

    def test_host(self):
        args = ("estimate", "bert-large", *CHIP, "--execution", "eager", "--precision", "bf16")
        self.assertTrue(self.json(*args)["step"]["host_bound"])
        self.assertIn("the host is the limit", self.answer(*args))
        self.assertFalse(self.json(*args, "--microbatch", "16")["step"]["host_bound"])

    def test_says_what_was_asked_for(self):
        args = ("estimate", "llama2-7b", "--chip", "h100", "--set", "hbm.bandwidth=+20%", "--tensor", "8")
        answer = self.json(*args)
        self.assertEqual((answer["chip_settings"], answer["cluster"]), (["hbm.bandwidth=+20%"], "dgx-h100"))
        self.assertIn("hbm.bandwidth=+20%", self.answer(*args))
        self.assertIn("dgx-h100", self.answer(*args))

    def test_links_of_the_chip_limit_the_network(self):
        base = ("estimate", "llama2-7b", "--chip", "h100", "--tensor", "8")
        slow = self.json(*base, "--set", "links.bandwidth=1 GB/s")["step"]["total_s"]
        self.assertGreater(slow, 1.5 * self.json(*base)["step"]["total_s"])

    def test_more_of_anything_never_hurts(self):
        for model, chip in (("bert-large", "phaze-reference"), ("gpt2-xl", "tpuv4")):
            base = self.json("estimate", model, "--chip", chip, "--microbatch", "3")["step"]["total_s"]
            for field in ("tensor_cores.count=64", "tensor_cores.local_buffer=1 MiB", "vector_cores.count=64",
                          "global_buffer.bytes_per_cycle=8192", "hbm.bandwidth=2 TB/s"):  # fmt: skip
                with self.subTest(f"{model} {chip} {field}"):
                    args = ("estimate", model, "--chip", chip, "--microbatch", "3", "--set", field)
                    more = self.json(*args)["step"]["total_s"]
                    self.assertLessEqual(more, base * (1 + 1e-9))

    def test_configs_and_graph_files(self):
        path = self.file("config.json", config())
        self.check(self.json("estimate", path, *CHIP))
        graph = self.answer("graph", path, "--json")
        again = self.json("estimate", self.file("graph.json", graph), *CHIP)
        self.check(again)
        self.assertEqual(again["step"]["forward_s"], self.json("estimate", path, *CHIP)["step"]["forward_s"])


class Refusals(phaze.Case):
    def test_messages(self):
        self.assertIn("--chip", self.refusal("estimate", "bert-large"))
        self.assertIn("expected a model or --gemm", self.refusal("estimate", *CHIP))
        self.assertIn("not both", self.refusal("estimate", "bert-large", "--gemm", "8,8,8", *CHIP))
        self.assertIn("means nothing", self.refusal("estimate", "--gemm", "8,8,8", "--sequence", "8", *CHIP))
        self.assertIn("h200", self.refusal("estimate", "bert-large", "--chip", "h2000"))
        self.assertIn("--tensor", self.refusal("estimate", "bert-large", *CHIP, "--tensor", "7"))

    def test_no_answer(self):
        args = ("estimate", "bert-large", "--chip", "tpuv4", "--set", "tensor_cores.local_buffer=64 B")
        result = self.start(args)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"no tile that fits", result.stderr)

    def test_formats(self):
        message = self.refusal("estimate", "bert-large", "--chip", "tpuv4", "--precision", "fp32")
        self.assertIn("--precision: tpuv4 has no matrix units for f32", message)

    def test_options_that_mean_nothing(self):
        for args in (("--measured", "x.csv"), ("--operators",), ("--cluster", "dgx-h100"), ("--sequence", "8")):
            self.assertIn("means nothing with --gemm", self.refusal("estimate", "--gemm", "8,8,8", *CHIP, *args))
        self.assertIn("is for --gemm", self.refusal("estimate", "bert-large", *CHIP, "--format", "fp8"))
        self.assertIn("without --tensor", self.refusal("estimate", "bert-large", *CHIP, "--cluster", "dgx-h100"))


class Tables(phaze.Case):
    def test_measured_times_go_before_the_model(self):
        args = ("estimate", "llama2-7b", *CHIP)
        base = self.json(*args)
        name, shape = next((op["name"], op) for op in base["layers"][1]["operators"] if op["kind"] == "product")
        table = self.file("mine.csv", "kind,shape,time_us\nproduct,4096x4096x4096,1000\n")
        answer = self.json(*args, "--measured", table)
        measured = next(op for op in answer["layers"][1]["operators"] if op["name"] == name)
        self.assertEqual((measured["time_s"], measured["source"]), (1e-3, "measured"))
        self.assertNotEqual(shape["time_s"], 1e-3)
        self.assertGreater(answer["measured"]["exact"], 0)
        self.assertGreater(answer["step"]["total_s"], base["step"]["total_s"])

    def test_nonsense(self):
        for text in ("", "kind,shape\nproduct,1x1x1\n", "kind,shape,time_us\nproduct,0x1x1,5\n",
                     "kind,shape,time_us\nprodukt,1x1x1,5\n", "kind,shape,time_us\nproduct,1x1x1,nan\n",
                     "kind,shape,time_us\nproduct,1x1x1,-5\n", "kind,shape,time_us\nproduct,1x1x1\n"):  # fmt: skip
            with self.subTest(text):
                path = self.file("mine.csv", text)
                self.assertIn(path, self.refusal("estimate", "llama2-7b", *CHIP, "--measured", path))
        self.assertIn("nowhere.csv", self.refusal("estimate", "llama2-7b", *CHIP, "--measured", "nowhere.csv"))


if __name__ == "__main__":
    phaze.main()
