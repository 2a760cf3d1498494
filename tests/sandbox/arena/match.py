"""One attack against one sandbox, and everything that must hold afterwards."""

from __future__ import annotations

import json
import os
import resource
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from grader.sandbox.exchange import Child
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Answers, Chunk, Limits, Module, Program, Reply, Source

from . import reports
from .bait import Bait
from .samples import Sample

LIMITS = Limits(load_s=2.0, call_s=1.5, cpu_s=10, memory_bytes=1 << 30, total_s=30.0)
GROWTH = 200 << 20  # bytes that the grader may grow by in one run
HONEST = """
import numpy as np
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
def awake():
    return "awake"
"""


@dataclass
class Result:
    """What came of an attack: the verdict in the README's words, and all that is unsafe about it."""

    name: str
    verdict: str = ""
    unsafe: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    seconds: float = 0.0


def inputs() -> list[np.ndarray[Any, Any]]:
    """Five questions; two have equal shapes and other values."""
    rng = np.random.default_rng(20)
    return [rng.normal(size=shape) for shape in ((4,), (4,), (7,), (4,), (7,))]


def right(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def programs(probe: bool) -> tuple[Program, ...]:
    asked = [Program(({"do": "call", "target": "softmax", "args": [x]},), "softmax") for x in inputs()]
    return (Program(({"do": "call", "target": "probe"},), "probe"), *asked) if probe else tuple(asked)


def injected(hints: dict[str, Any]) -> str:
    """Return the line that sets HINTS; as hex, so that the sandbox's own copy of the source holds no canary."""
    return f"HINTS = __import__('json').loads(bytes.fromhex('{json.dumps(hints).encode().hex()}'))\n"


def _stand_in(mark: str) -> Module:
    """A part of ours that lies beside the submission in its second form; the mark tells where it got to."""
    return Module("stand_in_for_softmax", (Chunk(f"MARK = {mark!r}\n{HONEST}", "(a stand-in)"),))


def _next_forms(code: str, hints: dict[str, Any], arena: Arena, result: Result) -> Answers:
    """Ask a submission as it is, with a right part beside it, and in a fresh child again: nothing may be carried on."""
    mark, source = os.urandom(8).hex(), source_of(code, hints)
    probe = "def probe(" in code
    with arena.sandbox.session() as session:
        first = session.ask(source, programs(probe), arena.limits)
        beside = Source((*source.modules, _stand_in(mark)))
        session.ask(beside, programs(probe), arena.limits)
        session.renew()
        later = session.ask(source, programs(probe=False), arena.limits)
    if verdict(later.replies) == "pass":
        result.unsafe.append("the answer was carried into the next child")
    if any(mark in text for answers in (first, later) for text in texts(answers)):
        result.unsafe.append("what lay beside the second form was told in another one")
    return first


def source_of(code: str, hints: dict[str, Any]) -> Source:
    return Source((Module("hw", (Chunk(injected(hints), "hints"), Chunk(code, "hw.py"))),))


def verdict(replies: tuple[Reply, ...]) -> str:
    """Return the result of the softmax questions in the README's words."""
    words = {"error": "exc", "timeout": "timeout", "crashed": "crash", "protocol": "protocol", "missing": "exc"}
    for reply in replies:
        if reply.status == "memory":
            return "crash" if reply.failure and reply.failure.type == "MemoryLimit" else "exc"
        if reply.status != "value":
            return words[reply.status]
    return "pass" if all(map(_right, replies, inputs())) else "fail"


def _right(reply: Reply, x: np.ndarray[Any, Any]) -> bool:
    got, want = reply.values[0], right(x)
    if type(got) is not np.ndarray or got.shape != want.shape or got.dtype.kind != "f":
        return False
    return bool(np.isfinite(got).all()) and bool((np.abs(got - want) <= 1e-9).all())


def honest(sandbox: Sandbox) -> bool:
    """Tell whether an honest submission passes now."""
    source = Source((Module("hw", (Chunk(HONEST, "hw.py"),)),))
    return verdict(sandbox.ask(source, programs(probe=False), LIMITS).replies) == "pass"


class Sibling:
    """Another child of the same zygote, which has to live through everything."""

    def __init__(self, sandbox: Sandbox) -> None:
        from grader.sandbox import wire

        self.child: Child = sandbox.child(Limits(cpu_s=60, memory_bytes=1 << 28))
        chunk = [[HONEST, "hw.py", False]]
        self.child.receive(_soon())  # that it is armed
        self.child.send(wire.pack({"n": "1", "modules": [["hw", chunk]], "wall": 5}))
        self.child.receive(_soon())

    def alive(self) -> bool:
        from grader.sandbox import wire
        from grader.sandbox.exchange import Ended

        writer = wire.Writer()
        steps = writer.encode([{"do": "call", "target": "awake"}])
        self.child.send(writer.frame({"n": "2", "p": [[0, steps]]}))
        try:
            return bool(self.child.receive(_soon())[0]["r"][0]["v"] == ["awake"])
        except Ended:
            return False


def _soon() -> float:
    from grader.sandbox.exchange import now

    return now() + 10


@dataclass(frozen=True)
class Arena:
    """Where attacks are run. ``mounts``: there is a private root; ``reports``: look at rendered reports too."""

    sandbox: Sandbox
    bait: Bait
    pids: dict[str, int]
    limits: Limits
    mounts: bool
    reports: bool


def attack(sample: Sample, arena: Arena) -> Result:
    """Run an attack in every variant (fs-06 twice) and return its worst result."""
    worst, start = Result(sample.name), time.monotonic()
    rounds = [*sample.variants, *sample.variants] if sample.name.startswith("fs-06") else sample.variants
    seen: set[tuple[Path, int]] = set()
    for variant in rounds:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        hints = arena.bait.hints(sample.name, arena.pids, variant)
        result = _one(sample, arena, hints)
        # Variants differ in values; what a report makes of an answer shows at the first.
        if arena.reports and sample.kind != "archive" and variant == rounds[0]:
            result.unsafe += reports.unsafe(injected(hints) + sample.code, arena.sandbox, arena.bait.secret)
        elif arena.reports and sample.kind == "archive":
            for path in _handed_in(sample, arena.bait, seen):
                result.unsafe += reports.unsafe_file(path, arena.sandbox, arena.bait.secret)
        result.unsafe += arena.bait.touched() + arena.bait.dropped(sample.name)
        if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 > GROWTH:
            result.unsafe.append("the grader grew by more than 200 MB")
        if not honest(arena.sandbox):
            result.unsafe.append("an honest submission fails afterwards")
        if not worst.verdict or (result.unsafe and not worst.unsafe):
            worst = result
    worst.seconds = round(time.monotonic() - start, 2)
    return worst


def _one(sample: Sample, arena: Arena, hints: dict[str, Any]) -> Result:
    result = Result(sample.name)
    probe = sample.probes
    if sample.kind == "archive":
        source, probe = _archive(sample, arena.bait, hints)
        if source is None:
            result.verdict = "refused"
            return _judged(sample, result)
    else:
        source = source_of(sample.code, hints)
    if sample.kind == "session":
        answers = _next_forms(sample.code, hints, arena, result)
    else:
        answers = arena.sandbox.ask(source, programs(probe), arena.limits)
    softmax = answers.replies[1:] if probe else answers.replies
    result.verdict = verdict(softmax)
    if probe:
        _look_at_probe(sample, answers.replies[0], result, mounts=arena.mounts)
    _look_at_texts(answers, arena.bait, result)
    return _judged(sample, result)


def _judged(sample: Sample, result: Result) -> Result:
    if result.verdict not in sample.expected:
        result.unsafe.append(f"{result.verdict}, expected {'|'.join(sample.expected)}")
    return result


def _look_at_probe(sample: Sample, reply: Reply, result: Result, *, mounts: bool) -> None:
    """A probe has to have run and been blocked; an answer that never came has to be an expected verdict."""
    value = reply.values[0] if reply.values else None
    if not isinstance(value, list | tuple):
        word = verdict((reply,)) if reply.status != "value" else "fail"
        if word not in sample.expected or reply.status == "value":
            result.unsafe.append(f"the probe gave no lines: {word} {reply.failure.message if reply.failure else ''}")
        return
    result.lines = [str(line)[:200] for line in value]
    result.unsafe += [line for line in result.lines if line.startswith("LEAK")]
    if mounts:
        result.unsafe += [line for line in result.lines if line.startswith("META")]
    if not any(line.startswith(("BLOCKED", "INFO", "META")) for line in result.lines):
        result.unsafe.append("the probe was not seen to be blocked")


def texts(answers: Answers) -> list[str]:
    """Return every text of the child that a report could show."""
    found = [answers.loaded.output, *answers.loaded.notes]
    for failure in [answers.loaded.failure, *(reply.failure for reply in answers.replies)]:
        if failure is not None:
            found += [failure.type, failure.message]
    return found + [reply.output for reply in answers.replies]


def _look_at_texts(answers: Answers, bait: Bait, result: Result) -> None:
    everything = [*texts(answers), *(repr(reply.values) for reply in answers.replies)]
    if any(bait.secret in text for text in everything):
        result.unsafe.append("the canary came out")
    if any(len(text) > LIMITS.output_bytes for text in texts(answers)):
        result.unsafe.append("more output kept than the cap")
    if any(text.lstrip().startswith("LEAK") for text in texts(answers)):
        result.unsafe.append("LEAK in the output")
    result.unsafe += _unclean(texts(answers))


def _unclean(found: list[str]) -> list[str]:
    """Student text as the reports show it holds no control characters."""
    try:
        from grader.model.text import StudentText
    except ImportError:
        return []
    marks = [chr(code) for code in [*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066]]
    cleaned = "".join(StudentText(text) for text in found)
    return ["control characters in the report's text"] if any(mark in cleaned for mark in marks) else []


def _handed_in(sample: Sample, bait: Bait, seen: set[tuple[Path, int]]) -> list[Path]:
    """What the last variant of an archive attack built: what lies there and was not ``seen`` as it is now."""
    files = [path for path in sorted((bait.folder / "archives" / sample.name).iterdir()) if path.is_file()]
    states = {path: (path, path.stat().st_mtime_ns) for path in files}
    new = [path for path in files if states[path] not in seen]
    seen.update(states.values())
    return new


def _archive(sample: Sample, bait: Bait, hints: dict[str, Any]) -> tuple[Source | None, bool]:
    """Build a hostile archive and give it to the intake; None where that refuses it, or all of it that could answer."""
    from grader.errors import GraderError
    from grader.intake.loading import load

    namespace: dict[str, Any] = {"HINTS": hints}
    exec(compile(sample.code, sample.name, "exec"), namespace)
    folder = bait.folder / "archives" / sample.name
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(namespace["build"](str(folder), hints))
    try:
        submission = load(path)
    except GraderError:
        return None, False
    modules = sorted(submission.modules, key=lambda module: "def softmax" not in module.source)
    if not any("softmax" in module.source for module in modules):
        return None, False
    chunks = [
        (Chunk(injected(hints), "hints"), *(Chunk(c.code, c.filename, c.tolerate) for c in module.chunks))
        for module in modules
    ]
    made = tuple(Module(module.name, parts) for module, parts in zip(modules, chunks, strict=True))
    return Source(made), any("def probe(" in module.source for module in modules)


def pids_of(sandbox: Sandbox, sibling: Sibling) -> dict[str, int]:
    """Return grader, zygote and sibling as this namespace numbers them."""
    assert sandbox._control is not None
    zygote = sandbox._control.pid
    inner = descendants(zygote)
    with Path(f"/proc/self/fdinfo/{sibling.child.pidfd}").open() as file:
        own = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))
    parents = [pid for pid in inner if pid != own]
    return {"grader_pid": os.getpid(), "zygote_pid": parents[0] if parents else zygote, "sibling_pid": own}


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        below = [int(word) for task in tasks for word in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return found
    for each in below:
        found += [each, *descendants(each)]
    return found
