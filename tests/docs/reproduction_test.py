"""docs/reproduction.md is what `phaze reproduce` prints today."""
import difflib
import os
import subprocess
import sys
import tempfile

DOCUMENT = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reproduction.md")

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "reproduction.md")
    subprocess.run([os.environ["PHAZE"], "reproduce", "--write", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as printed, open(DOCUMENT, encoding="utf-8") as kept:
        lines = list(difflib.unified_diff(kept.readlines(), printed.readlines(), "docs/reproduction.md", "printed"))
sys.exit("".join(lines) or 0)
