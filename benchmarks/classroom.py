"""A class at a time: submissions a second, memory, two workers against one, endless loops, and pytest in the same run.

Every submission has a syntax tree of its own and half of them are faulty, so that nothing is found in a cache. The
rival is one pytest process per submission, two at a time, on a sample, told per submission; absolute figures differ
between machines, their ratio hardly does. Without options it takes about two minutes and its figures are rough:
``--full`` measures what is promised, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rival.hand_ins import LOOP, numpy_class, torch_class

ROOT = Path(__file__).resolve().parents[1]
RIVAL = Path(__file__).resolve().parent / "rival"
FEW = 10
"""Submissions of a run that is hardly more than a start."""
ENOUGH = 100
"""Submissions beyond which the start can be told from the rest."""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Run:
    """What one run of ``grader grade`` took; bytes are PSS, shared pages counted once, and CPU is that of the tree."""

    seconds: float = 0.0
    cpu: float = 0.0
    tree: int = 0
    parent: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


def _family(pid: int) -> dict[int, list[str]]:
    """The words of /proc/PID/stat behind the name, for a process and all that come from it."""
    found: dict[int, list[str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
    family, more = {pid}, {pid}
    while more:
        more = {each for each, words in found.items() if int(words[1]) in family} - family
        family |= more
    return {each: found[each] for each in family if each in found}


def _memory(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:")), 0)


def _watch(pid: int, run: Run, going: Callable[[], bool]) -> None:
    while going():
        family = _family(pid)
        sizes = {each: _memory(each) for each in family}
        run.tree, run.parent = max(run.tree, sum(sizes.values())), max(run.parent, sizes.get(pid, 0))
        used = sum(int(word) for words in family.values() for word in words[11:15])  # its own and of those reaped
        run.cpu = max(run.cpu, used / TICK)
        time.sleep(0.3)


def graded(source: Path, assignment: str, jobs: int, isolation: str) -> Run:
    """Grade a class in a fresh process."""
    results = source.with_name(f"results-{source.name}-{jobs}")
    shutil.rmtree(results, ignore_errors=True)
    words = ["grade", str(source), "-a", assignment, "-o", str(results), "--jobs", str(jobs), "--isolation", isolation]
    began, run = time.perf_counter(), Run()
    process = subprocess.Popen(
        [sys.executable, "-c", "from grader.cli import script; script()", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    watcher = threading.Thread(target=_watch, args=(process.pid, run, lambda: process.poll() is None))
    watcher.start()
    said = process.communicate()[1]
    run.seconds = time.perf_counter() - began
    watcher.join()
    if process.returncode not in {0, 4}:
        raise SystemExit(said)
    rows = json.loads((results / "index.json").read_text())["students"].values()
    run.verdicts = Counter(row["verdict"] for row in rows)
    return run


def pytested(source: Path, tests: str, sample: int) -> float:
    """Seconds per submission of one pytest process each, two at a time, start-up included."""
    names = sorted(source.glob("*.py"))[:sample]
    quiet = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    words += ["--rootdir", str(RIVAL), str(RIVAL / tests)]

    def one(path: Path) -> int:
        found = quiet | {"WORK": str(path), "PYTHONPATH": str(RIVAL)}
        return subprocess.run(words, env=found, capture_output=True, check=False).returncode

    began = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        codes = Counter(pool.map(one, names))
    seconds = (time.perf_counter() - began) / len(names)
    if set(codes) - {0, 1, 2}:  # passed, failed, not to be imported
        raise SystemExit(f"pytest ended with {dict(codes)}")
    print(f"  pytest, a process each, two at a time, start-up included: {1 / seconds:.2f} a second")
    print(f"    (a sample of {len(names)}: {codes[0]} pass; told per submission)")
    return seconds


def machine() -> None:
    """Print what is measured on."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    print(f"{names[0].partition(':')[2].strip() if names else platform.machine()}, {cores} cores, {size} GiB, "
          f"{platform.system()} {platform.release()}")  # fmt: skip
    print(f"Python {platform.python_version()}, numpy {version('numpy')}, torch {version('torch')}, "
          f"pytest {version('pytest')}; load {load:.1f}")  # fmt: skip
    if load > 1:
        print("The machine is busy with other things: the figures are too low, the ratios rough.")


def speed(folder: Path, assignment: str, source: Path, tests: str, sample: int, isolation: str) -> Run:
    """One worker, two workers, and pytest, on the same class."""
    count = len(list(source.iterdir()))
    few = folder / f"few-{source.name}"
    few.mkdir()
    for path in sorted(source.iterdir())[:FEW]:
        shutil.copy(path, few)
    start = {jobs: graded(few, assignment, jobs, isolation).seconds for jobs in (1, 2)}
    runs = {jobs: graded(source, assignment, jobs, isolation) for jobs in (1, 2)}
    print(f"\n{assignment}, {count} submissions ({dict(runs[2].verdicts)}), {isolation}")
    each = pytested(source, tests, sample) if sample else 0.0
    for jobs, run in runs.items():
        print(f"  {jobs} worker{'s'[: jobs - 1]}: {count / run.seconds:.1f} a second and {1000 * run.cpu / count:.0f} "
              f"ms of CPU each, start included; {FEW} alone take {start[jobs]:.1f} s")  # fmt: skip
    print(f"  2 workers are {runs[1].seconds / runs[2].seconds:.2f} times 1, start included; peak {_mb(runs[2])}")
    if sample:
        print(f"  times pytest: {each * count / runs[2].seconds:.1f}, start included")
    if count >= ENOUGH:  # else the difference of two starts would be most of it
        rates = {jobs: (count - FEW) / (run.seconds - start[jobs]) for jobs, run in runs.items()}
        print(f"  beyond the first {FEW}: {rates[1]:.1f} a second by 1 worker, {rates[2]:.1f} by 2, "
              f"{rates[2] / rates[1]:.2f} times; {each * rates[2]:.1f} times pytest")  # fmt: skip
    return runs[2]


def _mb(run: Run) -> str:
    return f"{run.tree >> 20} MB in all processes, {run.parent >> 20} MB in the first"


def sizes(folder: Path, counts: list[int], isolation: str) -> None:
    """Peak memory as the class grows: real runs, every submission run and diagnosed."""
    print("\npeak memory, attention-numpy, 2 workers")
    first = 0
    for count in counts:
        source = numpy_class(folder / f"size{count}", count, np.random.default_rng(2))
        run = graded(source, "attention-numpy", 2, isolation)
        first = first or run.tree
        print(f"  {count:6} submissions: {_mb(run)}, {run.tree / first:.2f} times the first; {run.seconds:.0f} s")


def loops(folder: Path, count: int, share: float, isolation: str) -> None:
    """What endless loops add: at most the limits of each, divided by the workers."""
    names = {0.0: "ending", share: "looping"}
    made = {each: numpy_class(folder / name, count, np.random.default_rng(3), each) for each, name in names.items()}
    endless = sum(path.read_text().startswith(LOOP) for path in made[share].iterdir())
    plain, slow = (graded(source, "attention-numpy", 2, isolation).seconds for source in made.values())
    print(f"\n{endless} endless loops among {count}: {slow:.1f} s instead of {plain:.1f}, 2 workers")
    if endless:
        lone = folder / "lone"
        lone.mkdir()
        (lone / "loop.py").write_text(LOOP)
        one = graded(lone, "attention-numpy", 1, isolation).seconds
        print(f"  one alone takes {one:.1f} s with the start; {endless} of them by 2 workers add at most "
              f"{one * -(-endless // 2):.0f} s, and added {slow - plain:.0f} s")  # fmt: skip


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--full", action="store_true", help="1000 and 200 submissions, 2%% loops, up to 10,000 hand-ins"
    )
    options.add_argument("--numpy", type=int, help="submissions of attention-numpy")
    options.add_argument("--torch", type=int, help="submissions of three parts of transformer-from-scratch; 0 for none")
    options.add_argument("--sizes", type=int, nargs="*", help="sizes at which memory is compared")
    options.add_argument("--pytest", type=int, help="sample for one pytest process each")
    options.add_argument("--loops", type=float, help="share of endless loops in a further run, such as 0.02")
    options.add_argument("--isolation", default="strict")
    asked = options.parse_args()
    modest = {"numpy": 300, "torch": 30, "sizes": [], "pytest": 8, "loops": 0.0}
    whole = {"numpy": 1000, "torch": 200, "sizes": [100, 1000, 10_000], "pytest": 20, "loops": 0.02}
    wanted = {name: value if (given := getattr(asked, name)) is None else given
              for name, value in (whole if asked.full else modest).items()}  # fmt: skip
    machine()
    with tempfile.TemporaryDirectory() as place:
        folder, rng = Path(place), np.random.default_rng(1)
        if wanted["numpy"]:
            source = numpy_class(folder / "numpy", wanted["numpy"], rng)
            speed(folder, "attention-numpy", source, "check_attention.py", wanted["pytest"], asked.isolation)
        if wanted["torch"]:
            source = torch_class(folder / "torch", wanted["torch"])
            speed(folder, "transformer-from-scratch", source, "check_modules.py", wanted["pytest"], asked.isolation)
        if wanted["sizes"]:
            sizes(folder, wanted["sizes"], asked.isolation)
        if wanted["loops"]:
            loops(folder, wanted["numpy"], wanted["loops"], asked.isolation)


if __name__ == "__main__":
    main()
