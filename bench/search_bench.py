"""Searches over chips: search_bench.py PROGRAM [nine] [modern] [exhaustive] (default: GPT-3 175B on phaze2024 alone)

Prints processor seconds (user and system: shared machines do not change them much), wall seconds, chips a second of each,
how chips were settled, and what a second thread gains. Answers are checked: one thread and two, and an exhaustive search
where it is asked for, find the same chip, and those for nine models are proved. Where the time goes: `perf record` of the same command, by the module of a
function's namespace, where there is `perf`.
"""
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
ASKED = sys.argv[2:]
NINE = ["bert-large", "megatron-bert", "gpt2-xl", "opt-350m", "megatron-gpt2-xl", "megatron-gpt2-2.5b",
        "megatron-gpt2-8.3b", "gpt3-175b", "llama2-7b"]
# A function's time is that of the first of these that its name, or the name of a caller nearest to it, begins with.
PARTS = [("phaze::schedule::", "schedules"), ("phaze::place::", "placement"),
         ("phaze::search::bound_pass", "bounds"), ("phaze::cost::", "pricing"), ("phaze::space::", "the space"),
         ("phaze::graph::", "graphs"), ("phaze::models::", "graphs"), ("phaze::search::", "the rest of the search")]


def run(args):
    """The answer of a search, processor seconds and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    result = subprocess.run([PROGRAM, "search", *args, "--json"], capture_output=True, check=False)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{args}: {result.stderr.decode()}")
    return json.loads(result.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def share(part, whole):
    return f"{100 * part / whole:.4g} %"


def show(title, answer, processor, wall):
    chips = answer["chips"]
    total = chips["total"]
    print(f"{title}\n  {answer['best']['chip']}, {answer['status']}, {answer['bound'] / answer['best']['value'] - 1:.2e} open")
    print(f"  {processor:.1f} s of processors, {wall:.1f} s of the clock; {total / processor:,.0f} chips a processor second")
    print(f"  {total:,} chips: {share(chips['evaluated'], total)} evaluated, {share(chips['excluded_by_bound'], total)} "
          f"excluded by bounds, {share(chips['excluded_by_dominance'], total)} by dominance", flush=True)


def profile(args):
    """Shares of samples by part, from the call chains of perf; nothing where it cannot be had."""
    if shutil.which("perf") is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        recorded = subprocess.run(["perf", "record", "-q", "-F", "199", "-g", "-o", path, PROGRAM, "search", *args],
                                  capture_output=True, check=False)
        if recorded.returncode != 0:
            return {}
        text = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, check=False,
                              text=True).stdout
    counts = collections.Counter()
    for sample in re.split(r"\n\s*\n", text):
        names = [line.split(maxsplit=1)[1] for line in sample.splitlines() if len(line.split(maxsplit=1)) == 2]
        part = next((part for name in names for begin, part in PARTS if begin in name), "all else") if names else None
        if part:
            counts[part] += 1
    return counts


def same(one, other, what):
    if (one["best"]["chip"], one["best"]["hbm_bytes"]) != (other["best"]["chip"], other["best"]["hbm_bytes"]):
        sys.exit(f"{what}: another chip")


def main():
    args = ["gpt3-175b"]
    two, processor, wall = run([*args, "--threads", "2"])
    show("gpt3-175b on phaze2024, 2 threads", two, processor, wall)
    one, _, one_wall = run([*args, "--threads", "1"])
    same(one, two, "threads")
    print(f"  1 thread: {one_wall:.1f} s of the clock, {one_wall / wall:.2f} times as long (means little on a busy machine)")
    counts = profile(args)
    for part, count in counts.most_common():
        print(f"  {share(count, sum(counts.values())):>8}  {part}")
    if "nine" in ASKED:
        answer, processor, wall = run(NINE)
        show("nine models, own chips and the common one, phaze2024", answer, processor, wall)
        for model, own in answer["own"].items():
            print(f"  {model}: {own['chip']}, {own['status']}, {own['bound'] / own['value'] - 1:.2e} open")
        if any(found["status"] != "optimal" for found in [answer, *answer["own"].values()]):
            sys.exit("nine models: not all proved")
    if "modern" in ASKED:
        show("llama3-70b on modern", *run(["llama3-70b", "--space", "modern", "--assumptions", "modern"]))
    if "exhaustive" in ASKED:
        answer, processor, wall = run([*args, "--exhaustive"])
        same(answer, two, "exhaustive")
        show("gpt3-175b on phaze2024, every chip evaluated", answer, processor, wall)


if __name__ == "__main__":
    main()
