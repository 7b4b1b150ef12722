#!/usr/bin/env python3
"""Runs the commands in guides and puts their real output below them; nothing there is typed by hand.

    python3 tools/examples.py README.md docs/guide-architects.md           # writes
    python3 tools/examples.py --check README.md docs/guide-architects.md   # fails where it differs

From the project's root after `make build` (PHAZE names another program). A block is indented by four spaces; each of
its lines that begins with "$ " is a command, run by Bash in a folder of the document's own, with what docs/examples
has, so that one command may use the file of another. What follows up to the next command is replaced by what it prints (standard error too). A
comment in front of the block says which lines to keep where there are many:

    <!-- lines: 1-4, /part of an iteration/-/all /, -1 -->

numbers count from 1, negative ones from the end, /text/ is the first line from there on that holds it. What is left
out is "...". A block behind <!-- not run --> stays as it is. Times that a search took differ from run to run: --check
does not look at them.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = pathlib.Path(os.environ.get("PHAZE", "build/phaze")).resolve()
LONGEST = 150  # characters of a line
PROGRESS = re.compile(r"phaze: .*; [\d.]+ s$")  # of commands that take long on this machine
TIMES = re.compile(r"in [\d.]+ (ms|s)\b|^\s*[\d.]+ (ms|s)$")


def run(command, folder):
    words = command.replace("build/phaze", str(PROGRAM))
    result = subprocess.run(["bash", "-c", words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit code {result.returncode}\n{result.stdout}")
    lines = result.stdout.rstrip("\n").replace(str(PROGRAM), "build/phaze").split("\n")
    return [line for line in lines if not PROGRESS.match(line)]


def place_of(text, lines, start):
    """The number of a line, from 0: a number, or the first from `start` on that holds a /text/."""
    if text.startswith("/"):
        for number in range(start, len(lines)):
            if text[1:-1] in lines[number]:
                return number
        raise SystemExit(f"no line has {text} in\n" + "\n".join(lines))
    return int(text) - 1 if int(text) > 0 else len(lines) + int(text)


def pick(lines, spec):
    """The lines that `spec` names, with "..." where some are left out."""
    kept, at = [], 0
    for part in spec.split(", ") if spec else ["1--1"]:
        first, _, last = re.fullmatch(r"(-?\d+|/[^/]+/)(-(-?\d+|/[^/]+/))?", part).groups()
        begin = place_of(first, lines, at)
        end = place_of(last, lines, begin) if last else begin
        if begin > at and (kept or begin > 0):
            kept.append("...")
        kept += lines[begin:end + 1]
        at = end + 1
    if at < len(lines):
        kept.append("...")
    return [line if len(line) <= LONGEST else line[:LONGEST - 4].rstrip() + " ..." for line in kept]


def fill(text, folder):
    out, spec, lines = [], "", text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if found := re.fullmatch(r"<!-- (?:lines: (.*)|not run) -->", line):
            spec = found.group(1)
        out.append(line)
        at += 1
        if line.startswith("    $ ") and spec is not None:
            while at < len(lines) and lines[at].startswith("    ") and not lines[at].startswith("    $ ") or (
                    at + 1 < len(lines) and not lines[at] and lines[at + 1].startswith("    ")
                    and not lines[at + 1].startswith("    $ ")):
                at += 1
            printed = run(line[6:], folder)
            out += [("    " + each).rstrip() for each in (pick(printed, spec) if printed != [""] else [])]
        elif line and not line.startswith("    ") and not line.startswith("<!--"):
            spec = ""
    return "\n".join(out)


def main():
    paths = [pathlib.Path(each) for each in sys.argv[1:] if each != "--check"]
    faults = 0
    for path in paths:
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "docs" / "examples", folder, dirs_exist_ok=True)
            after = fill(before, folder)
        if "--check" not in sys.argv:
            path.write_text(after, encoding="utf-8")
            continue
        plain = [TIMES.sub("in T", each) for each in before.split("\n")]
        for number, (old, new) in enumerate(zip(plain, [TIMES.sub("in T", each) for each in after.split("\n")]), 1):
            if old != new:
                print(f"{path}:{number}: is\n  {old}\nnow\n  {new}")
                faults += 1
                break
        if len(plain) != len(after.split("\n")) and not faults:
            print(f"{path}: has {len(plain)} lines, now {len(after.split(chr(10)))}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
