"""Wall time and peak memory of the whole program, beside their targets: command_bench.py PROGRAM [RUNS]"""
import json
import os
import statistics
import sys
import time

PROGRAM = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
# Arguments, most milliseconds (median), most MB (peak resident memory).
SCENARIOS = [
    (["graph", "llama3-405b", "--json"], 50, 50),
    (["graph", "gpt3-175b", "--tensor", "8", "--sequence-parallel", "--json"], 50, 50),
    (["graph", "t5-large"], 50, 50),
    (["models"], 50, 50),
    (["place", "gpt3-175b", "--chip", "a100-80g", "--cluster", "dgx-a100", "--json"], 1000, 200),
    (["place", "llama3-405b", "--chip", "h100", "--devices", "16384", "--json"], 3000, 200),
    (["search", "gpt3-175b", "--json"], 10_000, 1074),  # all of phaze2024: 10 s, 1 GiB
]


def run(args):
    """Milliseconds, MB and output of one run. Memory is that of the child alone."""
    reader, writer = os.pipe()
    begin = time.perf_counter()
    child = os.posix_spawn(
        PROGRAM, [PROGRAM, *args], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)]
    )
    os.close(writer)
    with open(reader, "rb") as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(child, 0)
    milliseconds = 1e3 * (time.perf_counter() - begin)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{args}: failed")
    return milliseconds, usage.ru_maxrss * 1024 / 1e6, output


def main():
    print(f"{RUNS} runs each, a search 3; a child of this script never shows less than the script itself used to start it")
    print(f"{'command':72}  median ms  max ms  target ms  peak MB  target MB")
    is_met = True
    for args, most_milliseconds, most_megabytes in SCENARIOS:
        times, megabytes, outputs = zip(*(run(args) for _ in range(min(RUNS, 3) if args[0] == "search" else RUNS)))
        answers = [json.loads(output) if "--json" in args else {"schema": 1, "text": output} for output in outputs]
        for answer in answers:
            answer.pop("search_s", None)  # of the clock
        answer = answers[0]
        is_wrong = any(other != answer for other in answers) or answer["schema"] != 1
        if is_wrong or (args[0] in ("place", "search") and answer["status"] != "optimal"):
            sys.exit(f"{args}: wrong answer")
        median = statistics.median(times)
        peak = max(megabytes)
        is_missed = median > most_milliseconds or peak > most_megabytes
        is_met = is_met and not is_missed
        print(
            f"{'phaze ' + ' '.join(args):72}  {median:9.1f}  {max(times):6.1f}  {most_milliseconds:9}"
            f"  {peak:7.1f}  {most_megabytes:9}{'  MISSED' if is_missed else ''}"
        )
        if args[0] == "search":
            chips = answer["chips"]
            print(f"  {chips['total'] / median * 1e3:,.0f} chips a second, {chips['evaluated']} evaluated, "
                  f"{100 * chips['excluded'] / chips['total']:.2f} % excluded")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
