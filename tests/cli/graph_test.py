"""The graph command's answers: JSON, tables, DOT, files that go round."""
import itertools
import json
import re
import shutil
import subprocess

import phaze
from phaze import config

SMALL = {
    "dense": config(),
    "experts": config(model_type="mixtral", num_local_experts=4, num_experts_per_tok=2),
    "pair": json.dumps({"model_type": "t5", "vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2,
                        "num_heads": 4, "n_positions": 16}),
}  # fmt: skip


class Zoo(phaze.Case):
    def test_every_model_in_every_way(self):
        for model in self.json("models"):
            name = model["name"]
            for width in (1, 8):
                if width not in model["tensor_widths"]:
                    self.assertIn("--tensor", self.refusal("graph", name, "--tensor", str(width)))
                    continue
                for execution, attention, parallel in itertools.product(
                    ("fused", "eager"), ("flash", "eager"), (False, True)
                ):
                    args = [name, "--tensor", str(width), "--execution", execution, "--attention", attention]
                    args += ["--sequence-parallel"] if parallel else []
                    with self.subTest(" ".join(args)):
                        if parallel and model["sequence"] % width != 0:
                            self.assertIn("is not a multiple", self.refusal("graph", *args))
                            continue
                        self.check(self.json("graph", *args), model, width)

    def check(self, graph, model, width):
        self.assertEqual(graph["schema"], 1)
        self.assertEqual(graph["name"], model["name"])
        self.assertEqual(graph["tensor"], width)
        self.assertEqual(graph["sequence"], model["sequence"])
        self.assertEqual(graph["parameters"], model["parameters"])
        if width == 1:
            owned = sum(layer["parameters"] * layer["repeat"] for layer in graph["layers"])
            self.assertEqual(owned, graph["parameters"])
        else:
            self.assertGreater(graph["parameters_per_device"] * width, graph["parameters"])
            self.assertLess(graph["parameters_per_device"], graph["parameters"])
        # Two products backward for one forward: nearly twice, attention's own recomputation aside.
        self.assertGreater(graph["backward_flops"], 1.9 * graph["forward_flops"])
        self.assertLess(graph["backward_flops"], 2.6 * graph["forward_flops"])
        for layer in graph["layers"]:
            for key in ("name", "repeat", "parameters", "forward_flops", "backward_flops", "saved_activation_bytes"):
                self.assertIn(key, layer)
            names = [operator["name"] for operator in layer["operators"]]
            self.assertEqual(len(set(names)), len(names))


class Answers(phaze.Case):
    def test_json_is_one_document(self):
        for model in ("llama2-7b", "t5-large"):
            text = self.answer("graph", model, "--json")
            self.assertTrue(text.endswith("}\n"))
            self.assertEqual(json.loads(text)["schema"], 1)

    def test_the_same_twice_and_for_any_number_of_threads(self):
        for args in (["models"], ["graph", "mixtral-8x7b"], ["graph", "t5-large", "--dot"]):
            for form in ([], ["--json"]):
                if "--dot" in args and form:
                    continue
                with self.subTest(args + form):
                    text = self.answer(*args, *form)
                    for threads in ("1", "2", "2", "64"):
                        self.assertEqual(self.answer(*args, *form, "--threads", threads), text)

    def test_nothing_depends_on_where_and_how_it_runs(self):
        text = self.answer("graph", "llama2-7b")
        program = shutil.os.path.abspath(phaze.PROGRAM)
        for env in ({}, {"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "C", "COLUMNS": "20", "TERM": "dumb"}):
            result = subprocess.run([program, "graph", "llama2-7b"], capture_output=True, env=env, cwd="/", timeout=10)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, text))

    def test_what_is_written_reads_back(self):
        for model in self.json("models"):
            for options in ([], ["--forward"], ["--execution", "eager", "--recompute", "full"]):
                with self.subTest(model=model["name"], options=options):
                    text = self.answer("graph", model["name"], "--json", *options)
                    kept = ["--forward"] if "--forward" in options else []
                    self.assertEqual(self.answer("graph", "-", "--json", *kept, stdin=text), text)

    def test_a_forward_graph_becomes_the_training_graph(self):
        for name, text in SMALL.items():
            with self.subTest(name):
                forward = self.answer("graph", "-", "--forward", "--json", stdin=text)
                passes = {op["pass"] for layer in json.loads(forward)["layers"] for op in layer["operators"]}
                self.assertEqual(passes, {"forward"})
                self.assertEqual(
                    self.answer("graph", "-", "--json", stdin=forward), self.answer("graph", "-", "--json", stdin=text)
                )

    def test_a_graph_file_keeps_what_is_built_in(self):
        training = self.answer("graph", "-", "--json", stdin=SMALL["dense"])
        forward = self.answer("graph", "-", "--json", "--forward", stdin=SMALL["dense"])
        for text, option, words in [
            (training, ["--sequence", "8"], "--sequence: a graph file has this built in"),
            (forward, ["--tensor", "2"], "--tensor: a graph file has this built in"),
            (training, ["--recompute", "full"], "--recompute: the graph file holds its backward pass already"),
        ]:
            with self.subTest(option):
                self.assertIn(words, self.refusal("graph", "-", *option, stdin=text))
        self.answer("graph", "-", "--recompute", "full", stdin=forward)

    def test_graph_files_name_their_faults(self):
        graph = json.loads(self.answer("graph", "-", "--json", "--forward", stdin=SMALL["dense"]))

        def changed(change):
            copy = json.loads(json.dumps(graph))
            change(copy, copy["layers"][1])
            return json.dumps(copy, indent=1)

        def spoil(key, value):
            return lambda copy, layer: layer["operators"][0].__setitem__(key, value)

        for change, words in [
            (lambda g, layer: g.pop("schema"), "schema: this key is required"),
            (lambda g, layer: g.update(schema=2), "schema: expected 1, found 2"),
            (lambda g, layer: g.update(layers=[]), "layers: expected a list of at least one layer"),
            (lambda g, layer: g.update(layers=3), "layers: expected a list of layers, found 3"),
            (lambda g, layer: g.update(parameters=1), "parameters: the layers add up to"),
            (lambda g, layer: layer.update(repeat=0), "layers[1].repeat: expected a whole number from 1"),
            (lambda g, layer: layer.update(colour=1), "layers[1].colour: unknown key"),
            (lambda g, layer: layer["outputs"].append("y"), "no tensor of this layer is called"),
            (lambda g, layer: layer["tensors"].append(dict(layer["tensors"][0])), "another tensor of this layer"),
            (lambda g, layer: layer["tensors"][0].update(shape=[0]), "expected extents of at least 1, found 0"),
            (lambda g, layer: layer["tensors"][0].update(shape=[1 << 40, 1 << 40]), "more than 2^50 elements"),
            (lambda g, layer: layer["operators"].reverse(), "before it is written"),
            (spoil("kind", "rms_nrm"), "did you mean rms_norm?"),
            (spoil("inputs", []), "expected at least"),
            (spoil("product", {"m": 1, "n": 1, "k": 1}), "has m, n and k but is no product"),
            (spoil("vector_flops", "many"), "vector_flops: expected a number"),
            (spoil("vector_flops", -1), "vector_flops: expected a number"),
        ]:
            with self.subTest(words):
                message = self.refusal_of(changed(change))
                self.assertRegex(message, r"\Astandard input:\d+:\d+: error: ")
                self.assertIn(words, message)

    def test_names_with_markup_pass_through(self):
        names = '<b>"quoted\\" \u001b[31m {x} \u00e9 a\nb'
        graph = {
            "schema": 1,
            "name": names,
            "layers": [
                {
                    "name": names,
                    "tensors": [{"name": "x", "shape": [2], "role": "input"}, {"name": names, "shape": [2]}],
                    "operators": [{"name": names, "kind": "relu", "inputs": ["x"], "outputs": [names]}],
                    "outputs": [names],
                }
            ],
        }
        text = json.dumps(graph)
        self.assertEqual(self.json("graph", "-", stdin=text)["layers"][0]["operators"][0]["name"], names)
        self.assertNotIn("\u001b", self.answer("graph", "-", stdin=text))
        self.check_dot(self.answer("graph", "-", "--dot", stdin=text))

    def check_dot(self, text):
        self.assertTrue(text.startswith("digraph "))
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
        self.assertNotIn('"', outside)
        self.assertEqual(outside.count("{"), outside.count("}"))
        self.assertEqual(outside.count("["), outside.count("]"))
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
        if shutil.which("dot"):
            result = subprocess.run(["dot", "-Tcanon"], input=text.encode(), capture_output=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_dot(self):
        for text in SMALL.values():
            self.check_dot(self.answer("graph", "-", "--dot", stdin=text))
            self.check_dot(self.answer("graph", "-", "--dot", "--forward", stdin=text))

    def test_forward_alone(self):
        graph = self.json("graph", "llama2-7b", "--forward")
        self.assertEqual(graph["backward_flops"], 0)
        self.assertEqual(graph["saved_activation_bytes"], 0)
        self.assertNotIn("backward", self.answer("graph", "llama2-7b", "--forward").split("\n\n", 2)[2])

    def test_recomputation_saves_less_and_costs_more(self):
        def figures(*args):
            graph = self.json("graph", "llama2-7b", *args)
            return graph["saved_activation_bytes"], graph["backward_flops"]

        none, selective, full = figures(), figures("--recompute", "norms+activations"), figures("--recompute", "full")
        self.assertLess(full[0], selective[0])
        self.assertLess(selective[0], none[0])
        self.assertLess(none[1], full[1])


if __name__ == "__main__":
    phaze.main()
