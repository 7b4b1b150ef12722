"""The place command on problems of the original Phaze: its keys, its exit codes, what it refuses."""
import copy
import json

import phaze


def layer(id, **changes):
    return {"id": id, "parameterSize": 10, "activationSize": 0, "optimalLatencyFw": 1, "optimalLatencyBw": 1,
            "isTensorParallelized": False, **changes}


def edges(ids, cost=0):
    return [{"sourceId": a, "destId": b, "communicationCost": cost} for a, b in zip(ids, ids[1:])]


INSTANCE = {
    "maxMemoryPerDevice": 25, "maxDevices": 2, "bandwidth": 1.0, "mbsInBatch": 1,
    "nodes": {"1": [layer(0), layer(1)]}, "edges": {"1": edges([0, 1])},
    "activationRecomputation": False, "optimizerAlgorithm": "SGD",
    "fixedPP": 1, "fixedTMPC": 1, "fixedDP": 1, "numTransformerLayers": 2,
}


class Place(phaze.Case):
    def path(self, instance):
        return self.file("in.json", instance if isinstance(instance, str) else json.dumps(instance))

    def changed(self, **changes):
        return self.path({**copy.deepcopy(INSTANCE), **changes})

    def place(self, path):
        return self.json("place", "--phaze-instance", path)

    def test_a_failing_fixed_strategy_leaves_the_optimum(self):
        answer = self.place(self.changed())
        self.assertEqual(answer["schema"], 1)
        self.assertEqual(answer["status"], "optimal")
        self.assertEqual(answer["finalTimePerBatch"], 4.0)
        self.assertEqual(answer["lowerBound"], 4.0)
        self.assertEqual(answer["dataParallelDegree"], 1)
        self.assertEqual(answer["tensorParallelDegree"], 1)
        self.assertEqual(answer["stages"], [{"nodes": [0], "devicesForStage": 1}, {"nodes": [1], "devicesForStage": 1}])
        self.assertIsNone(answer["fixedStrategyTimePerBatch"])
        self.assertIn("memory", answer["fixedStrategyFailure"])

    def test_the_fixed_strategy_is_not_shifted(self):
        ids = [-1, 0, 1, 2, 3]
        free = {"parameterSize": 0, "optimalLatencyFw": 0, "optimalLatencyBw": 0}
        nodes = [layer(-1, **free)] + [layer(id, parameterSize=0) for id in ids[1:]]
        answer = self.place(self.changed(nodes={"1": nodes}, edges={"1": edges(ids)}, maxMemoryPerDevice=1e12,
                                         fixedPP=2, numTransformerLayers=4))
        self.assertEqual(answer["finalTimePerBatch"], 8.0)
        self.assertEqual(answer["fixedStrategyTimePerBatch"], 8.0)
        self.assertIsNone(answer["fixedStrategyFailure"])

    def test_no_placement(self):
        path = self.changed(maxMemoryPerDevice=15)
        result = self.start(["place", "--phaze-instance", path, "--json"])
        self.assertEqual(result.returncode, 1)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["status"], "infeasible")
        self.assertEqual(answer["stages"], [])
        for key in ("finalTimePerBatch", "dataParallelDegree", "tensorParallelDegree", "fixedStrategyTimePerBatch"):
            self.assertIsNone(answer[key])
        self.assertIn(b"layer 0 alone needs 20 B of 15 B", result.stderr)
        result = self.start(["place", "--phaze-instance", path])
        self.assertEqual((result.returncode, result.stdout), (1, b""))

    def test_nanoseconds(self):
        # Times this small are below what the original can tell apart.
        nodes = [layer(id, optimalLatencyFw=1e-10 * (id + 1), optimalLatencyBw=2e-10) for id in range(9)]
        answer = self.place(self.changed(nodes={"1": nodes}, edges={"1": edges(range(9))}, maxMemoryPerDevice=81,
                                         maxDevices=3, mbsInBatch=4096))
        self.assertEqual(len(answer["stages"]), 3)
        self.assertAlmostEqual(answer["finalTimePerBatch"] / (2.5e-9 * 4098), 1, delta=0.2)

    def test_a_table(self):
        text = self.answer("place", "--phaze-instance", self.changed(numTransformerLayers=2))
        self.assertIn("4.00 s a batch, proved optimal: 1 pipeline of 2 stages", text)
        self.assertIn("head-room", text)
        self.assertIn("fill and drain of 2 stages", text)
        self.assertIn("fixed strategy: stage 1 of 1 needs 40 B of 25 B of memory", text)

    def test_the_original_writes_more_keys_and_a_broken_number(self):
        nodes = [layer(0, energy=[1, {"x": None}]), layer(1, energy=3)]
        answer = self.place(self.changed(nodes={"1": nodes}, mbsInBatch=1.9))
        self.assertEqual(answer["finalTimePerBatch"], 4.0)

    def test_yaml_will_do(self):
        text = "\n".join(f"{key}: {json.dumps(value)}" for key, value in INSTANCE.items())
        self.assertEqual(self.place(self.path(text))["finalTimePerBatch"], 4.0)

    def test_thousands_of_devices(self):
        ids = list(range(1000))
        nodes = {str(t): [layer(id, optimalLatencyFw=8 / t, optimalLatencyBw=16 / t, isTensorParallelized=t > 1)
                          for id in ids] for t in (1, 8)}
        answer = self.place(self.changed(nodes=nodes, edges={"1": edges(ids, 1), "8": edges(ids, 1)},
                                         maxDevices=100000, mbsInBatch=4096, maxMemoryPerDevice=1000))
        self.assertEqual(sum(len(stage["nodes"]) for stage in answer["stages"]), 1000)
        self.assertLess(answer["work"], 10_000_000)

    def test_refusals(self):
        def refusal(**changes):
            return self.refusal("place", "--phaze-instance", self.changed(**changes))

        diamond = [{"sourceId": a, "destId": b, "communicationCost": 1} for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))]
        four = [layer(id) for id in range(4)]
        self.assertRegex(refusal(nodes={"1": four}, edges={"1": diamond}),
                         r"in\.json:1:\d+: error: edges\.1: the graph branches: layers 1 and 2 do not wait for one another")
        self.assertIn("cycle: layers 0 -> 1 -> 0", refusal(edges={"1": edges([0, 1, 0])}))
        self.assertIn("maxDevices: expected a number at least 1", refusal(maxDevices=0))
        self.assertIn("unknown key; did you mean fixedPP?", refusal(fixedPp=1))
        self.assertIn("nodes.1[1].id: expected a whole number", refusal(nodes={"1": [layer(0), layer("a")]}))
        self.assertIn("expected one of SGD, Adam", refusal(optimizerAlgorithm="RMSprop"))
        self.assertIn("no such file", self.refusal("place", "--phaze-instance", "nowhere.json"))
        self.assertIn("expected a map", self.refusal("place", "--phaze-instance", self.path("[1]")))
        self.assertIn("not valid JSON or YAML", self.refusal("place", "--phaze-instance", self.path("{\"a\": [1")))
        self.assertIn("--phaze-instance", self.refusal("place"))


if __name__ == "__main__":
    phaze.main()
