"""How the tests of the sandbox phrase a question."""

from __future__ import annotations

from grader.sandbox.plain import Chunk, Limits, Module, Program, Source

QUICK = Limits(load_wall=3.0, call_wall=1.0, cpu=20, memory=1 << 28, total_wall=60.0)


def source(code: str, *others: tuple[str, str]) -> Source:
    modules = [("hw", code), *others]
    return Source(tuple(Module(name, (Chunk(text, f"{name}.py"),)) for name, text in modules))


def call(target: str, *args: object, group: str = "", **kwargs: object) -> Program:
    return Program(({"do": "call", "target": target, "args": list(args), "kwargs": kwargs},), group)
