"""Each folder beside this file is a case: `command` is run in it, `expected` is what must come out. Where there is a
`mask`, what its regular expression matches (such as how long a search took) is "..." in both.

golden_test.py --update (or PHAZE_UPDATE=1) rewrites the expectations; review the difference.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.path.abspath(os.environ.get("PHAZE", HERE.parents[1] / "build" / "phaze"))
IS_UPDATE = "--update" in sys.argv or bool(os.environ.get("PHAZE_UPDATE"))


def transcript(case):
    """Standard output, then standard error, then the exit code when there is one."""
    name, *args = shlex.split((case / "command").read_text(encoding="utf-8"))
    assert name == "phaze", case
    result = subprocess.run([PROGRAM, *args], cwd=case, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    ending = f"Exit {result.returncode}.\n" if result.returncode else ""
    text = result.stdout.decode() + result.stderr.decode() + ending
    mask = case / "mask"
    return re.sub(mask.read_text(encoding="utf-8").strip(), "...", text, flags=re.MULTILINE) if mask.exists() else text


class Golden(unittest.TestCase):
    maxDiff = None

    def test_cases(self):
        cases = sorted(file.parent for file in HERE.glob("*/command"))
        self.assertTrue(cases)
        for case in cases:
            with self.subTest(case.name):
                found = transcript(case)
                expected = case / "expected"
                if IS_UPDATE:
                    expected.write_text(found, encoding="utf-8")
                self.assertMultiLineEqual(expected.read_text(encoding="utf-8"), found, "see --update")


if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument != "--update"]
    unittest.main()
