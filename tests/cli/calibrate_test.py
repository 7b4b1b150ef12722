"""phaze calibrate: constants fitted to measurements."""
import json
import pathlib

from phaze import Case, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATORS = str(ROOT / "data" / "h200" / "operators.csv")


class Calibrate(Case):
    def test_a_chip_from_its_operators(self):
        path = pathlib.Path(self.folder()) / "mine.yaml"
        found = json.loads(self.answer("calibrate", "--chip", "h200", "--operators", OPERATORS, "-o", str(path), "--json"))
        errors = found["errors"]["operators"]
        self.assertEqual(errors["before"]["count"], 328)
        self.assertLess(errors["after"]["mean_error"], errors["before"]["mean_error"])
        self.assertLess(errors["cross_validated"]["mean_error"], 0.1)
        chip = self.json("chip", str(path))
        shares = {one["field"]: one["after"] for one in found["constants"] if "after" in one}
        self.assertAlmostEqual(chip["sustained"]["hbm"], shares["sustained.hbm"], 3)

    def test_a_chip_from_a_file_is_named_from_the_new_ones_folder(self):
        base = self.file("base.yaml", "derive: h200\ntitle: mine\n")
        path = pathlib.Path(self.folder()) / "mine.yaml"
        self.answer("calibrate", "--chip", base, "--operators", OPERATORS, "-o", str(path))
        self.json("chip", str(path))

    def test_times_in_other_units_are_doubted(self):
        lines = [line for line in pathlib.Path(OPERATORS).read_text().splitlines() if not line.startswith("#")]
        column = lines[0].split(",").index("time_us")
        rows = [line.split(",") for line in lines[1:60]]
        for row in rows:
            row[column] = str(1000 * float(row[column]))
        path = self.file("ns.csv", "\n".join([lines[0], *(",".join(row) for row in rows)]))
        result = self.start(["calibrate", "--chip", "h200", "--operators", path])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("half of the operators are predicted more than 50 % off", result.stderr.decode())

    def test_threads_do_not_matter(self):
        few = self.file("few.csv", "".join(pathlib.Path(OPERATORS).read_text().splitlines(True)[:60]))
        args = ("calibrate", "--chip", "h100", "--operators", few, "--json")
        self.assertEqual(self.answer(*args, "--threads", "1"), self.answer(*args, "--threads", "2"))

    def test_faults(self):
        self.assertIn("expected measurements", self.refusal("calibrate", "--chip", "h200"))
        self.assertIn("--cluster", self.refusal("calibrate", "--chip", "h200", "--operators", OPERATORS, "--cluster", "dgx-h200"))
        few = self.file("few.csv", "kind,shape,time_us\nproduct,64x64x64,5\n")
        self.assertIn("at least 8", self.refusal("calibrate", "--chip", "h200", "--operators", few))
        self.assertIn("runs.csv", self.refusal("calibrate", "--chip", "h200", "--runs", "runs.csv"))


if __name__ == "__main__":
    main()
