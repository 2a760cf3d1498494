"""One sandbox for all tests of blocks, and a way to judge a piece of source as one component."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from grader import components
from grader.component.context import Context
from grader.component.part import examine
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Limits, Module, Source

sys.path.insert(0, str(Path(__file__).parent))

from block_samples import Judge, Judged


@pytest.fixture(scope="session")
def sandbox(torch_sandbox: Sandbox) -> Sandbox:
    return torch_sandbox


@pytest.fixture(scope="session")
def judged(sandbox: Sandbox) -> Judge:
    def judge(component: str, code: str, seed: int = 5, **interface: Any) -> Judged:
        block = components.component(component, "class")
        submission = Submission("s", "s.py", (CodeModule("student", (CodeChunk(code, "student.py"),)),))
        context = Context(Interface(component, block.target, **interface), submission, seed, block.target, "student")
        source = Source((Module("student", (Chunk(code, "student.py"),)),))
        rounds = examine(block, context)
        programs = next(rounds)
        while True:
            answers = sandbox.ask(source, tuple(programs), Limits())
            assert answers.loaded.status == "value", answers.loaded.failure
            try:
                programs = rounds.send(answers.replies)
            except StopIteration as end:
                return Judged(end.value)

    return judge
