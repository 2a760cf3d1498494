"""How long `grader check` takes on a numpy submission, against importing what it stands on, in the same run.

Goal: at most 3 times `python -c "import numpy, click, rich, pydantic"`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "examples" / "class" / "right.py"
RUN = "from grader.cli import script; script()"
COMMANDS = {
    "import numpy, click, rich, pydantic": ["-c", "import numpy, click, rich, pydantic"],
    "grader --help": ["-c", RUN, "--help"],
    "grader check right.py": ["-c", RUN, "check", str(WORK), "-a", "attention-numpy"],
}
ROUNDS = 11


def seconds(arguments: list[str]) -> float:
    """Wall time of one run of this interpreter."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, cwd=ROOT)
    return time.perf_counter() - start


def main() -> None:
    """Measure in turns, so that a busy moment hits all alike, and print medians."""
    for arguments in COMMANDS.values():
        seconds(arguments)
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            taken[name].append(seconds(arguments))
    base = statistics.median(next(iter(taken.values())))
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:<38} {median * 1000:6.0f} ms  {median / base:4.1f} x")


if __name__ == "__main__":
    main()
