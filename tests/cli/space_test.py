"""Spaces of chips: sizes, limits, and what is refused."""
import unittest

import phaze

SPACE = """\
base: {base}
technology: phaze22
axes: {{tensor_cores.count: {{from: 1, to: 8, times: 2}}, vector_cores.count: [1, 2]}}
ties: {{vector_cores.lanes: tensor_cores.count}}
budgets: {{area: 1000 mm2}}
"""


class Spaces(phaze.Case):
    def test_lists_what_is_built_in(self):
        spaces = self.json("spaces")
        self.assertEqual([space["name"] for space in spaces],
                         ["phaze2024", "phaze2024-small", "phaze-slides", "tpuv4-class", "modern"])  # fmt: skip
        self.assertIn("phaze-slides", self.answer("spaces"))

    def test_counts_the_originals_chips(self):
        answer = self.json("search", "--space", "phaze2024", "--count")
        self.assertEqual((answer["schema"], answer["combinations"], answer["chips"]), (1, 75712, 29360))
        self.assertEqual(answer["combinations"] - sum(answer["removed"].values()), answer["chips"])
        buffers = next(axis for axis in answer["axes"] if axis["field"] == "global_buffer.size")
        self.assertEqual(buffers["chips"], [2968, 3010, 3066, 3224, 3918, 7029, 6145])
        self.assertEqual(answer["training"]["hbm_capacity_bytes"], [gib << 30 for gib in (32, 64, 80)])
        for threads in ("1", "3"):
            again = self.json("search", "--space", "phaze2024", "--count", "--threads", threads)
            self.assertEqual(again, answer)

    def test_budgets_of_the_command_line_go_before_the_files(self):
        whole = self.json("search", "--space", "phaze2024-small", "--count")
        half = self.json("search", "--space", "phaze2024-small", "--count", "--area", "140")
        self.assertEqual(half["budgets"]["area_mm2"], 140)
        self.assertLess(half["chips"], whole["chips"])
        less = self.json("search", "--space", "phaze2024-small", "--count", "--power", "400")
        self.assertGreater(less["removed"]["power"], 0)
        cheap = self.json("search", "--space", "phaze2024-small", "--count", "--die-cost", "15")
        self.assertGreater(cheap["removed"]["die_cost"], 0)

    def test_base_chip_in_a_file_by_name_or_in_place(self):
        by_name = self.json("search", "--space", self.file("space.yaml", SPACE.format(base="phaze-reference")), "--count")
        self.assertEqual((by_name["name"], by_name["base"], by_name["chips"]), ("space", "phaze-reference", 8))
        in_place = SPACE.format(base="{derive: phaze-reference, clock: 1 GHz}")
        self.assertEqual(self.json("search", "--space", self.file("space.yaml", in_place), "--count")["base"], "space-base")

    def test_none_within_is_no_answer(self):
        result = self.start(["search", "--space", "phaze2024", "--count", "--area", "1"])
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"75,712 have more area than the budget", result.stderr)

    def test_bad_input(self):
        for space, message in {
            "phaze2023": "did you mean phaze2024?",
            self.file("space.yaml", SPACE.format(base="phaze-referense")): "did you mean phaze-reference?",
            self.file("space.yaml", SPACE.format(base="3")): "expected a chip's name, file or description",
            self.file("space.yaml", SPACE.format(base="{derive: tpuv4, clocks: 3}")): "clocks: unknown key",
        }.items():
            with self.subTest(message):
                result = self.start(["search", "--space", space, "--count"])
                self.assertEqual((result.returncode, result.stdout), (2, b""))
                self.assertIn(message, result.stderr.decode())
        self.assertEqual(self.start(["search", "--count", "--area", "-1"]).returncode, 2)


if __name__ == "__main__":
    unittest.main()
