"""phaze study: what it shows, SQL and CSV, bad files; studies whose writer is killed, or finds the disk full."""
import csv
import io
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import time

import phaze

WRITER = os.environ.get("STUDY_WRITER", "build/release/tests/study_writer")


def write(path, chips, batch, **options):
    """A whole run of the writer."""
    return subprocess.run([WRITER, path, str(chips), str(batch)], capture_output=True, text=True,
                          timeout=phaze.SECONDS, **options)


def dump(path):
    """All tables, by a program that did not write them."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        names = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        tables = {name: database.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names}
    database.close()
    return tables


class Studies(phaze.Case):
    def study(self, name="study.db", chips=1000, batch=100):
        path = os.path.join(self.folder(), name)
        result = write(path, chips, batch)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return path

    def change(self, path, *statements):
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()


class Shown(Studies):
    def test_a_finished_study(self):
        path = self.study()
        shown = self.json("study", path, "--top", "3")
        self.assertEqual((shown["schema"], shown["state"]), (1, "finished"))
        self.assertEqual(shown["question"], {"models": "llama2-7b", "space": "count: 1..8", "version": "0.1.0"})
        self.assertEqual(shown["chips"], {"total": 1000, "settled": 1000, "evaluated": 100, "excluded": 800,
                                          "dominated": 100, "without_plan": 0})
        rows = dump(path)["chips"]
        best = max((row for row in rows if row[2] == "evaluated"), key=lambda row: row[3])
        self.assertEqual([shown["best"][key] for key in ("chip", "id", "value")], [best[0], best[1], best[3]])
        self.assertEqual(shown["best"]["plans"], {"llama2-7b": {"tensor": 1 + best[0] % 8}})
        self.assertEqual((shown["bound"], shown["gap"]), (best[3], 0))
        self.assertEqual(shown["answer"], {"status": "optimal", "chip": best[0], "value": best[3], "bound": best[3],
                                           "document": None})
        self.assertEqual(len(shown["top"]), 3)
        self.assertEqual(shown["top"][0]["chip"], best[0])
        text = self.answer("study", path)
        self.assertIn("study.db: finished: optimal, 1,000 of 1,000 chips settled (100 %): 100 evaluated, "
                      "800 excluded by bounds, 100 dominated\n", text)
        self.assertIn(f"Best  chip {best[0]}, chip-{best[0]}: ", text)
        self.assertIn("no chip is better\n", text)

    def test_a_study_under_way(self):
        path = self.study()
        self.change(path, "DELETE FROM answer", "DELETE FROM chips WHERE chip >= 500",
                    "DELETE FROM excluded WHERE first_chip >= 500", "UPDATE progress SET open_bound = 400")
        shown = self.json("study", path)
        self.assertEqual((shown["state"], shown["chips"]["settled"], shown["bound"]), ("stopped", 500, 400))
        self.assertAlmostEqual(shown["gap"], 400 / shown["best"]["value"] - 1)
        text = self.answer("study", path)
        self.assertIn("study.db: stopped, 500 of 1,000 chips settled (50 %)", text)
        self.assertRegex(text, r"Best so far  chip \d+, chip-\d+: [0-9.]+; bound 400, at most 2\d(\.\d)? % better\n")

    def test_fronts(self):
        path = self.study()
        rows = [dict(zip(("chip", "value", "area_mm2", "power_w"), row)) for row in json.loads(self.answer(
            "study", path, "--json", "--sql",
            "SELECT chip, value, area_mm2, power_w FROM chips WHERE state = 'evaluated'"))["rows"]]

        def front(less, more):
            return [row["chip"] for row in sorted(rows, key=lambda row: row[less])
                    if not any(other[less] <= row[less] and other[more] >= row[more] and other != row for other in rows)]

        shown = self.json("study", path)["front"]
        self.assertEqual(shown["axes"], [{"name": "area_mm2", "better": "less"}, {"name": "value", "better": "more"}])
        self.assertEqual([row["chip"] for row in shown["chips"]], front("area_mm2", "value"))
        self.assertGreater(len(shown["chips"]), 2)
        other = self.json("study", path, "--front", "max:value,min:power_w")["front"]["chips"]
        self.assertEqual([row["chip"] for row in other], front("power_w", "value")[::-1])
        self.assertIn("Front of the evaluated chips, less power_w and more area_mm2 (",
                      self.answer("study", path, "--front", "power_w,area_mm2"))

    def test_csv_is_tidy(self):
        path = self.study()
        result = self.start(["study", path, "--csv"])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.decode(), "phaze: 800 chips that bounds exclude are stored as ranges and have no "
                         'rows; --csv --sql "SELECT * FROM excluded" has them\n')
        rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
        self.assertEqual(list(rows[0]), ["chip", "id", "state", "value", "bound", "witness", "area_mm2", "power_w"])
        stored = dump(path)["chips"]
        self.assertEqual(len(rows), len(stored))
        for row, kept in zip(rows, stored):
            self.assertEqual([row["chip"], row["id"], row["state"]], [str(kept[0]), kept[1], kept[2]])
            figures = [float(row[key]) if row[key] else None for key in ("value", "area_mm2", "power_w")]
            self.assertEqual(figures, [kept[3], kept[6], kept[7]])
        ranges = list(csv.DictReader(io.StringIO(
            self.answer("study", path, "--csv", "--sql", "SELECT * FROM excluded"))))
        self.assertEqual(sum(int(row["last_chip"]) - int(row["first_chip"]) + 1 for row in ranges), 800)

    def test_sql(self):
        path = self.study()
        self.assertEqual(self.answer("study", path, "--sql", "SELECT state, count(*) AS chips FROM chips GROUP BY state"),
                         "state      chips\n---------  -----\ndominated    100\nevaluated    100\n")
        before = dump(path)
        self.assertIn("--sql: expected a SELECT: the study is only read\n",
                      self.refusal("study", path, "--sql", "DELETE FROM chips"))
        self.assertIn("--sql: SQL: no such table: chip\n", self.refusal("study", path, "--sql", "SELECT * FROM chip"))
        self.assertEqual(dump(path), before)

    def test_many_rows(self):
        """As many evaluated chips as the original's space has, with their plans."""
        path = self.study(chips=10)
        self.change(path,
                    "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 29369) INSERT INTO chips "
                    "SELECT i, 'chip-' || i, 'evaluated', i * 0.5, NULL, NULL, 900 - i * 0.01, 30.0 FROM n",
                    "INSERT INTO plans SELECT chip, json_quote(hex(zeroblob(500))) FROM chips WHERE chip >= 10")
        shown = self.json("study", path)
        self.assertEqual(shown["chips"]["evaluated"], 29361)
        self.assertEqual(shown["front"]["chips"][0]["chip"], 0)
        self.assertEqual(len(self.start(["study", path, "--csv"]).stdout.splitlines()), 29363)


class Refused(Studies):
    def test_files(self):
        self.assertIn("none.db: error: cannot be opened: No such file", self.refusal("study", "none.db"))
        for contents in (b"", b"{}", b"\0" * 5000):
            for options in ([], ["--csv"], ["--sql", "SELECT 1"]):
                path = self.file("bad.db", contents)
                self.assertRegex(self.refusal("study", path, *options), r"bad\.db: error: expected a study")
        path = self.study()
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 1000)
        self.assertIn(": error: the study is damaged: it ends after ", self.refusal("study", path))
        self.assertIn("error: expected a study (an SQLite file), found a folder", self.refusal("study", self.folder()))
        self.assertIn("FILE", self.refusal("study"))
        self.assertIn(":memory:: error: cannot be opened", self.refusal("study", ":memory:"))

    def test_other_databases_and_schemas(self):
        path = os.path.join(self.folder(), "other.db")
        self.change(path, "CREATE TABLE chips (chip)")
        self.assertIn("another program's SQLite file", self.refusal("study", path))
        path = self.study()
        self.change(path, "PRAGMA user_version = 7")
        self.assertIn("expected a study of schema 1, found schema 7; a newer phaze made it", self.refusal("study", path))

    def test_options(self):
        path = self.study()
        for options, message in (
                (["--front", "area_mm2"], "--front: expected two figures"),
                (["--front", "area_mm,value"], 'no chip of the study has "area_mm"; did you mean area_mm2? (known: value, '
                                               "area_mm2, power_w)"),
                (["--top", "0"], "--top"),
                (["--csv", "--json"], "--csv"),
                (["--sql", "SELECT 1", "--front", "area_mm2,value"], "--sql")):
            self.assertIn(message, self.refusal("study", path, *options))

    def test_another_question(self):
        path = self.study()
        result = write(path, 2000, 100)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"{path}: error: chips_total: the study is of another question: it has 1,000, "
                         "this run has 2,000\n")


class Killed(Studies):
    CHIPS = 20000
    BATCH = 500

    def start_writer(self, path, *options):
        writer = subprocess.Popen([WRITER, path, str(self.CHIPS), str(self.BATCH), *options], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(writer.stdout.close)
        self.addCleanup(writer.stdin.close)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        return writer

    def test_killed_again_and_again_it_ends_with_the_same_study(self):
        whole = self.study(chips=self.CHIPS, batch=self.BATCH)
        path = os.path.join(self.folder(), "killed.db")
        moments = random.Random(1)
        kept = 0
        kills = 0
        for _ in range(20):
            writer = self.start_writer(path)
            wait_for = moments.randint(0 if kept else 1, 5)  # batches, and then some way into the next
            said = [writer.stdout.readline() for _ in range(wait_for)]
            time.sleep(moments.random() * 0.01)
            writer.send_signal(signal.SIGKILL)
            said += writer.stdout.readlines()
            kills += writer.wait() == -signal.SIGKILL
            stored = [int(line.split()[1]) for line in said if line.startswith("stored ") and line.endswith("\n")]
            shown = self.json("study", path)
            # Nothing that was stored is lost; a batch may be in whose message never came.
            least = max(stored, default=kept)
            self.assertIn(shown["chips"]["settled"], (least, least + self.BATCH))
            kept = shown["chips"]["settled"]
            if shown["state"] == "finished":
                break
            self.assertEqual(shown["state"], "stopped")
        self.assertGreater(kills, 5)
        result = write(path, self.CHIPS, self.BATCH)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"evaluated {(self.CHIPS - kept) // 10}\n", result.stdout, "no chip twice")
        self.assertEqual(dump(path), dump(whole))

    def test_killed_at_its_beginning(self):
        """Before there is anything, or while the tables are made: an empty file at worst, which is begun anew."""
        moments = random.Random(2)
        for _ in range(15):
            path = os.path.join(self.folder(), "begun.db")
            writer = self.start_writer(path)
            time.sleep(moments.random() * 0.02)
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            if os.path.exists(path):
                result = self.start(["study", path])
                is_empty = result.stderr.decode() == f"{path}: error: expected a study, found an empty file\n"
                self.assertEqual((result.returncode, is_empty), (2, True) if is_empty else (0, False), result.stderr)
            result = write(path, self.CHIPS, self.CHIPS)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.json("study", path)["chips"]["settled"], self.CHIPS)

    def test_a_second_writer_and_readers(self):
        path = os.path.join(self.folder(), "study.db")
        writer = self.start_writer(path, "wait")
        self.assertEqual(writer.stdout.readline(), f"stored {self.BATCH}\n")
        self.assertEqual(self.json("study", path)["state"], "running")
        second = write(path, self.CHIPS, self.BATCH)
        self.assertEqual((second.returncode, second.stderr), (
            2, f"{path}: error: another run is writing to this study; wait for its end or give another file\n"))
        writer.stdin.write("\n")
        writer.stdin.flush()
        while writer.poll() is None and "evaluated" not in writer.stdout.readline():
            self.assertIn(self.json("study", path)["state"], ("running", "finished"))
        self.assertEqual(writer.wait(), 0)
        self.assertEqual(dump(path), dump(self.study(chips=self.CHIPS, batch=self.BATCH)))

    def test_no_room(self):
        """A file that may not grow any more; with room again the search goes on."""
        path = os.path.join(self.folder(), "study.db")
        result = write(path, self.CHIPS, self.BATCH,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY)))
        self.assertEqual((result.returncode, result.stderr), (
            2, f"{path}: error: cannot be read or written: File too large; what was stored before is kept\n"))
        stored = int(result.stdout.split()[-1])
        self.assertEqual(self.json("study", path)["chips"]["settled"], stored)
        self.assertGreater(stored, 0)
        self.assertEqual(write(path, self.CHIPS, self.BATCH).returncode, 0)
        self.assertEqual(dump(path), dump(self.study(chips=self.CHIPS, batch=self.BATCH)))


if __name__ == "__main__":
    phaze.main()
