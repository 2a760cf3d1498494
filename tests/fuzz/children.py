"""Readers at damaged files, each batch in a child of its own: what it raised, its processor time and its memory."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError
from grader.sandbox.zygote import machine_pace
from tests.fuzz.mutations import mutated

CPU_S = 5 * machine_pace()
"""Processor seconds that reading may take: 5 on an ordinary machine, as many more as this one is slower."""
MEMORY = 400 << 20
"""Bytes that reading may take, beside the hundred megabytes that a command takes by itself."""
BATCH = 50
ALLOWED = frozenset({0, 1, 2, 3, 130})
"""Exit codes that a command may end with, whatever it is given."""

Reader = Callable[[Path], object]


@dataclass(frozen=True)
class Bad:
    seed: int
    why: str


def faults(data: bytes, name: str, read: Reader, folder: Path, seeds: Sequence[int]) -> list[Bad]:
    """What is wrong with how ``read`` takes ``data``, damaged by each of the seeds, as a file of that name."""
    found = []
    for start in range(0, len(seeds), BATCH):
        some = seeds[start : start + BATCH]
        bad, ended = _batch(data, name, read, folder, some)
        found += bad
        if ended:  # the child did not come to the end: one by one, whose fault it was
            for seed in some:
                bad, ended = _batch(data, name, read, folder, [seed])
                found += bad
                found += [Bad(seed, ended)] if ended else []
    return found


def _batch(data: bytes, name: str, read: Reader, folder: Path, seeds: Sequence[int]) -> tuple[list[Bad], str]:
    out, into = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(out)
        try:
            _work(data, name, read, folder, seeds, into)
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as said:
        lines = said.read().decode("utf-8", "replace").splitlines()
    _, status, used = os.wait4(child, 0)
    bad = [Bad(**json.loads(line)) for line in lines if line.startswith("{")]
    began = next((int(line.removeprefix("began ")) for line in lines if line.startswith("began ")), 0)
    if (taken := (used.ru_maxrss - began) * 1024) > MEMORY:  # what the tests themselves hold is no reader's
        return bad, f"{taken >> 20} MB of memory"
    ended = "" if lines[-1:] == ["end"] else f"the child ended ({os.waitstatus_to_exitcode(status)})"
    return bad, ended


def _work(data: bytes, name: str, read: Reader, folder: Path, seeds: Sequence[int], into: int) -> None:
    limit = CPU_S + len(seeds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    with os.fdopen(into, "w", encoding="utf-8") as report:
        report.write(f"began {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}\n")
        for seed in seeds:
            path = folder / name
            path.write_bytes(mutated(data, seed))
            for why in _tried(read, path):
                report.write(json.dumps({"seed": seed, "why": why}) + "\n")
                report.flush()
        report.write("end\n")


def _tried(read: Reader, path: Path) -> Iterator[str]:
    started = time.process_time()
    try:
        read(path)
    except GraderError:
        pass
    except SystemExit as end:
        if end.code not in ALLOWED:
            yield f"exit code {end.code}"
    except BaseException as error:  # noqa: BLE001 - whatever a reader lets out is what is looked for
        last = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{type(error).__name__}: {str(error)[:200]} ({last.filename}:{last.lineno})"
    if (used := time.process_time() - started) > CPU_S:
        yield f"{used:.1f} s of processor time"
