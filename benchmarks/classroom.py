"""A class at a time: submissions a second, memory, two workers against one, endless loops, and pytest in the same run.

Every submission has a syntax tree of its own and half of them are faulty, so that nothing is found in a cache. The
rival is one pytest process per submission, two at a time, on a sample; absolute figures differ between machines, their
ratio hardly does.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]

SOFTMAXES = (
    """
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
""",
    """
    x = np.asarray(x, dtype=float)
    top = x.max(axis=-1, keepdims=True)
    e = np.exp(x - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / total
""",
    """
    moved = np.subtract(x, np.amax(x, -1, keepdims=True))
    return np.exp(moved) / np.exp(moved).sum(-1, keepdims=True)
""",
)
ATTENTIONS = (
    """
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
""",
    """
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T)
    scores = scores / np.sqrt(d_k)
    weights = softmax(scores)
    output = np.dot(weights, V)
    return output, weights
""",
    """
    n = Q.shape[0]
    weights = np.zeros((n, K.shape[0]))
    for i in range(n):
        weights[i] = softmax(K @ Q[i] / Q.shape[-1] ** 0.5)
    return np.matmul(weights, V), weights
""",
)
FAULTS = (
    (" / np.sqrt(Q.shape[-1])", ""),
    ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
    ("np.sqrt(d_k)", "d_k"),
    (" / Q.shape[-1] ** 0.5", ""),
    ("axis=-1, keepdims=True))", "axis=0, keepdims=True))"),
    ("np.sum(e, axis=-1, keepdims=True)", "np.sum(e)"),
    ("np.exp(x - np.max(x, axis=-1, keepdims=True))", "np.exp(x)"),
    ("return weights @ V, weights", "return weights @ V"),
    ("return output, weights", "return weights, output"),
    ("Q @ K.T", "K @ Q.T"),
    ("np.dot(weights, V)", "np.dot(scores, V)"),
    ("weights @ V, weights", "weights.T @ V, weights"),
    ("np.exp(x - top)", "np.exp(top - x)"),
    ("return e / total", "return e"),
    ("def self_attention", "def selfattention"),
    ("np.dot(Q, K.T)", "np.dot(Q, K)"),
    ("return", "return None and"),
    ("softmax(scores)", "softmaxx(scores)"),
    ("(moved)", "(-moved)"),
    ("weights[i] =", "weights[0] ="),
)
LOOP = """import numpy as np


def softmax(x):
    while True:
        pass


def self_attention(Q, K, V):
    return softmax(Q)
"""
TESTS = """
import importlib.util, os
import numpy as np, pytest
spec = importlib.util.spec_from_file_location("work", os.environ["WORK"]); work = importlib.util.module_from_spec(spec)
spec.loader.exec_module(work)
rng = np.random.default_rng(0)
def right(x):
    e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)
@pytest.mark.parametrize("shape", [(2,), (3, 2), (5, 7), (1, 3), (4, 11)])
class TestSoftmax:
    def test_matches(self, shape):
        x = rng.normal(size=shape); np.testing.assert_allclose(work.softmax(x), right(x), atol=1e-6)
    def test_sums(self, shape): np.testing.assert_allclose(work.softmax(rng.normal(size=shape)).sum(-1), 1)
    def test_large(self, shape): assert np.isfinite(work.softmax(1000 * rng.normal(size=shape))).all()
    def test_shift(self, shape):
        x = rng.normal(size=shape); np.testing.assert_allclose(work.softmax(x + 3), work.softmax(x))
    def test_whole(self, shape):
        np.testing.assert_allclose(work.softmax(np.arange(np.prod(shape)).reshape(shape)).sum(-1), 1)
    def test_same(self, shape):
        x = rng.normal(size=shape); y = x.copy(); a = work.softmax(x); np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(a, work.softmax(x))
@pytest.mark.parametrize("n, d", [(2, 4), (3, 5), (5, 2), (7, 3), (11, 8)])
class TestAttention:
    def arguments(self, n, d): return tuple(rng.normal(size=(n, d)) for _ in range(3))
    def test_shapes(self, n, d):
        o, w = work.self_attention(*self.arguments(n, d)); assert o.shape == (n, d) and w.shape == (n, n)
    def test_weights(self, n, d):
        Q, K, V = self.arguments(n, d)
        np.testing.assert_allclose(work.self_attention(Q, K, V)[1], right(Q @ K.T / np.sqrt(d)), atol=1e-6)
    def test_output(self, n, d):
        Q, K, V = self.arguments(n, d); o, w = work.self_attention(Q, K, V); np.testing.assert_allclose(o, w @ V)
    def test_sums(self, n, d): np.testing.assert_allclose(work.self_attention(*self.arguments(n, d))[1].sum(-1), 1)
    def test_large(self, n, d):
        Q, K, V = self.arguments(n, d); assert np.isfinite(work.self_attention(100 * Q, 100 * K, V)[1]).all()
    def test_order(self, n, d):
        Q, K, V = self.arguments(n, d)
        np.testing.assert_allclose(work.self_attention(Q, K[::-1], V[::-1])[0], work.self_attention(Q, K, V)[0])
    def test_queries(self, n, d):
        Q, K, V = self.arguments(n, d)
        np.testing.assert_allclose(work.self_attention(Q[::-1], K, V)[0], work.self_attention(Q, K, V)[0][::-1])
    def test_same(self, n, d):
        Q, K, V = self.arguments(n, d); q = Q.copy(); work.self_attention(Q, K, V); np.testing.assert_array_equal(Q, q)
"""


def own_tree(number: int) -> str:
    """A function that no other submission has: a tree of its own."""
    terms = " ".join(f"+ {(number >> bit) & 1} * n" if (number >> bit) & 1 else f"- n ** {bit}" for bit in range(14))
    return f"\n\ndef own(n):\n    return 0 {terms}\n"


def numpy_class(folder: Path, count: int, rng: np.random.Generator, loops: float = 0.0) -> Path:
    """Write ``count`` submissions of attention-numpy; every second one is faulty, ``loops`` of them never end."""
    folder.mkdir()
    for number in range(count):
        code = f"import numpy as np\n\n\ndef softmax(x):{SOFTMAXES[rng.integers(3)]}\n\n"
        code += f"def self_attention(Q, K, V):{ATTENTIONS[rng.integers(3)]}"
        if number % 2:
            fitting = [pair for pair in FAULTS if pair[0] in code]
            for at in rng.choice(len(fitting), size=1 + number % 3 // 2, replace=False):
                code = code.replace(*fitting[at])
        if rng.random() < loops:
            code = LOOP
        (folder / f"s{number:05}.py").write_text(code + own_tree(number))
    return folder


def torch_class(folder: Path, count: int) -> Path:
    """Write ``count`` submissions of transformer-from-scratch from the right ones of the tests; half of them broken."""
    folder.mkdir()
    right = sorted((ROOT / "tests/submissions/transformer-from-scratch/correct").glob("*.py"))
    faults = (("math.sqrt(", "("), (" + ", " - "), ("dim=-1", "dim=-2"), (".transpose(", ".contiguous().transpose("))
    for number in range(count):
        code = right[number % len(right)].read_text()
        if number % 2:
            code = code.replace(*faults[number // 2 % len(faults)], 1)
        (folder / f"s{number:05}.py").write_text(code + own_tree(number))
    return folder


def memory(pid: int) -> int:
    """Bytes of a process and all that come from it, shared pages counted once (PSS)."""
    total, parents = 0, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family, more = {pid}, {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in family} - family
        family |= more
    for member in family:
        try:
            rollup = Path(f"/proc/{member}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next((int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total


def graded(source: Path, assignment: str, jobs: int, isolation: str) -> tuple[float, float, dict[str, int]]:
    """Grade a class in a fresh process; return seconds, peak bytes, and the verdicts by count."""
    results = source.with_name(f"results-{source.name}-{jobs}")
    shutil.rmtree(results, ignore_errors=True)
    words = ["grade", str(source), "-a", assignment, "-o", str(results), "--jobs", str(jobs), "--isolation", isolation]
    began = time.perf_counter()
    run = subprocess.Popen(
        [sys.executable, "-c", "from grader.cli import script; script()", *words], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    peak = [0]

    def watch() -> None:
        while run.poll() is None:
            peak[0] = max(peak[0], memory(run.pid))
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = run.communicate()[1]
    seconds = time.perf_counter() - began
    watcher.join()
    if run.returncode not in {0, 4}:
        raise SystemExit(said)
    verdicts: dict[str, int] = {}
    for row in json.loads((results / "index.json").read_text())["students"].values():
        verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
    return seconds, peak[0], verdicts


def pytested(source: Path, sample: int) -> float:
    """Seconds per submission of one pytest process each, two at a time, start-up included."""
    tests = source.with_name("test_work.py")
    tests.write_text(TESTS)
    names = sorted(source.glob("*.py"))[:sample]
    quiet = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def one(path: Path) -> None:
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tests.parent),
            str(tests),
        ]
        subprocess.run(words, env=quiet | {"WORK": str(path)}, capture_output=True, check=False)

    began = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, names))
    return (time.perf_counter() - began) / len(names)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--numpy", type=int, default=1000)
    options.add_argument(
        "--torch", type=int, default=0, help="submissions of transformer-from-scratch (200 take minutes)"
    )
    options.add_argument("--sizes", type=int, nargs="*", default=[100], help="sizes at which memory is compared")
    options.add_argument("--pytest", type=int, default=40, help="sample for one pytest process each")
    options.add_argument(
        "--loops", type=float, default=0.0, help="share of endless loops in a further run, such as 0.02"
    )
    options.add_argument("--isolation", default="strict")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = numpy_class(folder / "numpy", asked.numpy, np.random.default_rng(1))
        one, _, _ = graded(source, "attention-numpy", 1, asked.isolation)
        two, peak, verdicts = graded(source, "attention-numpy", 2, asked.isolation)
        print(f"attention-numpy, {asked.numpy} submissions ({verdicts}), {asked.isolation}")
        print(f"  1 worker  {asked.numpy / one:7.1f} a second")
        print(f"  2 workers {asked.numpy / two:7.1f} a second, {one / two:.2f} times one; peak {peak >> 20} MB")
        if asked.pytest:
            each = pytested(source, asked.pytest)
            print(f"  pytest, a process each, 2 at a time: {1 / each:.1f} a second")
            print(f"  times pytest: {each * asked.numpy / two:.1f}")
        for size in asked.sizes:
            few = numpy_class(folder / f"size{size}", size, np.random.default_rng(2))
            print(f"  peak at {size} submissions: {graded(few, 'attention-numpy', 2, asked.isolation)[1] >> 20} MB")
        if asked.loops:
            looping = numpy_class(folder / "loops", asked.numpy, np.random.default_rng(1), asked.loops)
            count = sum(path.read_text().startswith(LOOP) for path in looping.iterdir())
            seconds, _, _ = graded(looping, "attention-numpy", 2, asked.isolation)
            print(f"  with {count} endless loops: {seconds:.1f} s instead of {two:.1f}")
        if asked.torch:
            source = torch_class(folder / "torch", asked.torch)
            two, peak, verdicts = graded(source, "transformer-from-scratch", 2, asked.isolation)
            print(f"transformer-from-scratch, {asked.torch} submissions ({verdicts})")
            print(f"  2 workers {asked.torch / two:7.1f} a second; peak {peak >> 20} MB")


if __name__ == "__main__":
    main()
