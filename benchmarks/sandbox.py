"""What a question costs: children a second, file to verdict, memory per child, beside a process of its own.

Everything is measured in this one run, the rivals in turn, because absolute figures differ between machines.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Limits, Module, Program, Source

NUMPY = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
"""
TORCH = """
import math, torch
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h, self.d = num_heads, d_model // num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, query, key, value, mask=None):
        b, n, _ = query.shape
        split = lambda x: x.view(b, -1, self.h, self.d).transpose(1, 2)
        q, k, v = split(self.q(query)), split(self.k(key)), split(self.v(value))
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.d), -1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, n, -1))
"""


def source(code: str) -> Source:
    return Source((Module("hw", (Chunk(code, "hw.py"),)),))


def numpy_programs() -> tuple[Program, ...]:
    import numpy as np

    rng = np.random.default_rng(0)
    cases = [tuple(rng.normal(size=(n, 8)) for _ in range(3)) for n in range(2, 22)]
    return tuple(Program(({"do": "call", "target": "self_attention", "args": list(case)},)) for case in cases)


def torch_programs() -> tuple[Program, ...]:
    import numpy as np

    rng = np.random.default_rng(0)
    made = {"do": "construct", "target": "MultiHeadAttention", "args": [32, 4], "as": "m", "seed": 0}
    programs = []
    for n in range(2, 22):
        x = {"$": "tensor", "array": rng.normal(size=(2, n, 32)).astype(np.float32)}
        call = {"do": "call", "on": "m", "args": [x, x, x]}
        programs.append(Program((made, {"do": "mode", "on": "m", "train": False}, call)))
    return tuple(programs)


def milliseconds(action: Callable[[], object], times: int) -> tuple[float, float]:
    """Return median and 90th percentile."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken), sorted(taken)[int(0.9 * (len(taken) - 1))]


def fresh_process(library: str) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", f"import {library}"], check=True, env=environment)


def proportional(pid: int) -> float:
    """Return the proportional set size of a process in MB, as far as it may be read."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return float("nan")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def host_pid(pidfd: int) -> int:
    text = Path(f"/proc/self/fdinfo/{pidfd}").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pid:"))


def memory_per_child(sandbox: Sandbox, count: int = 8) -> float:
    """Return the mean over some children alive at once."""
    children = [sandbox.child(Limits()) for _ in range(count)]
    try:
        for child in children:
            child.receive(time.monotonic() + 10)
        return statistics.mean(proportional(host_pid(child.pidfd)) for child in children)
    finally:
        for child in children:
            child.close()


def measure(level: str, library: str, times: int) -> None:
    code, programs = (TORCH, torch_programs()) if library == "torch" else (NUMPY, numpy_programs())
    start = time.perf_counter()
    with Sandbox(level, torch=library == "torch") as sandbox:
        applied = sandbox.isolation
        ready = (time.perf_counter() - start) * 1000
        replies = sandbox.ask(source(code), programs).replies
        assert all(reply.status == "value" for reply in replies), replies[0].failure
        one, slow = milliseconds(lambda: sandbox.ask(source(code), programs[:1]), times)
        all_of_them, _ = milliseconds(lambda: sandbox.ask(source(code), programs), times)
        alone, _ = milliseconds(lambda: fresh_process(library), 3 if library == "torch" else 10)
        pss = memory_per_child(sandbox)
    print(
        f"{library:6} {level:9} start to ready {ready:6.0f} ms   file to first verdict {one:5.1f} ms (p90 {slow:.1f})"
        f"   {len(programs)} cases {all_of_them:5.1f} ms   children/s {1000 / one:4.0f}   PSS/child {pss:5.1f} MB"
        f"   subprocess + import {library} {alone:5.0f} ms = {alone / one:.0f} times as long"
    )
    if applied.missing:
        print(f"       missing: {'; '.join(applied.missing)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    for library in ("numpy", "torch"):
        if importlib.util.find_spec(library) is None:
            continue
        for level in ("standard", "strict"):
            measure(level, library, options.times)


if __name__ == "__main__":
    main()
