"""The schedule command: its keys, its proofs, what it refuses."""
import json

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


class Problems(phaze.Case):
    def solve(self, problem, *args):
        path = self.file("problem.json", json.dumps(problem))
        return self.json("schedule", "--problem", path, *args)

    def test_methods_agree(self):
        for exclusive in (True, False):
            problem = {**PROBLEM, "exclusive_wide": exclusive}
            for method in ("exact", "ilp", "list"):
                answer = self.solve(problem, "--method", method)
                self.assertEqual(answer["makespan_s"], 1.5e-3)
                self.assertLessEqual(answer["lower_bound_s"], answer["makespan_s"])
                self.assertEqual([op["id"] for op in answer["operators"]], ["q", "k", "s"])
            self.assertEqual(self.solve(problem)["status"], "optimal")

    def test_refusals(self):
        cycle = {**PROBLEM, "edges": [["q", "s"], ["s", "q"]]}
        path = self.file("problem.json", json.dumps(cycle))
        self.assertIn("q -> s -> q", self.refusal("schedule", "--problem", path))
        self.assertIn("expected a model or --problem", self.refusal("schedule"))
        self.assertIn("needs a chip", self.refusal("schedule", "bert-large"))
        self.assertIn("did you mean exact", self.refusal("schedule", "bert-large", "--chip", "tpuv4", "--method", "exat"))


class Models(phaze.Case):
    def test_layers(self):
        for chip in ("tpuv4", "phaze-reference", "h100"):
            answer = self.json("schedule", "bert-large", "--chip", chip)
            estimate = self.json("estimate", "bert-large", "--chip", chip)
            for layer in answer["layers"]:
                self.assertEqual(layer["status"], "optimal", layer["name"])
                self.assertLessEqual(layer["lower_bound_s"], layer["makespan_s"])
            # Where operators follow one another the time is their sum.
            if chip == "h100":
                for layer, of in zip(answer["layers"][::2], estimate["layers"]):
                    self.assertAlmostEqual(layer["makespan_s"], of["forward_s"], delta=1e-9)

    def test_chart(self):
        text = self.answer("schedule", "bert-large", "--chip", "tpuv4")
        self.assertIn("proved optimal", text)
        self.assertIn("t0", text)


if __name__ == "__main__":
    phaze.main()
