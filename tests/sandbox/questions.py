"""How the tests of the sandbox phrase a question."""

from __future__ import annotations

from grader.sandbox.plain import Chunk, Limits, Module, Program, Source

QUICK = Limits(load_s=3.0, call_s=1.0, cpu_s=20, memory_bytes=1 << 28, total_s=60.0)


def source(code: str, *others: tuple[str, str]) -> Source:
    modules = [("hw", code), *others]
    return Source(tuple(Module(name, (Chunk(text, f"{name}.py"),)) for name, text in modules))


def call(target: str, *args: object, group: str = "", **kwargs: object) -> Program:
    return Program(({"do": "call", "target": target, "args": list(args), "kwargs": kwargs},), group)
