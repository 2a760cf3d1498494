"""What a submission printed while it was judged: told to whoever asks for it, never stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.judging.snippet import TOO_LARGE, expression
from grader.model.report import Printed
from grader.model.text import StudentText
from grader.sandbox.plain import Program, Reply

MOST_LINES, LONGEST_LINE, LONGEST_CALL = 20, 200, 120


@dataclass(slots=True)
class Prints:
    """The first call of each component that printed something, with what it printed; spelled out when asked for."""

    found: dict[str, tuple[Program, str]] = field(default_factory=dict)
    while_loading: str = ""

    def hear(self, component: str, programs: Sequence[Program], replies: Sequence[Reply]) -> None:
        """Take what a component asked and what came back."""
        if component in self.found:
            return
        for program, reply in zip(programs, replies, strict=True):
            if reply.output.strip():
                self.found[component] = program, reply.output
                return

    def told(self) -> tuple[Printed, ...]:
        """What was printed when the code was loaded, then by component."""
        loading = (Printed("while the code was loaded", _bounded(self.while_loading)),)
        calls = (Printed(_call(name, program), _bounded(text)) for name, (program, text) in self.found.items())
        return (*(loading if self.while_loading.strip() else ()), *calls)


def _call(component: str, program: Program) -> str:
    """The call as a line of Python where its arguments are short; of a module only whose it is."""
    step: Mapping[str, Any] = next((one for one in program.steps if one["do"] == "call"), {})
    if "target" not in step:
        return component
    held = {one["as"]: one["value"] for one in program.steps if one["do"] == "let" and "value" in one}
    words = [_spelled(value, held) for value in step.get("args", ())]
    words += [f"{name}={_spelled(value, held)}" for name, value in step.get("kwargs", {}).items()]
    line = f"{step['target']}({', '.join(words)})"
    return line if len(line) <= LONGEST_CALL and TOO_LARGE not in line else f"{step['target']}(…)"


def _spelled(value: Any, held: Mapping[str, Any]) -> str:
    """An argument, or what stands for it in a step; what is nothing to be typed is too large."""
    match value:
        case {"$": "ref", "name": name}:
            return _spelled(held[name], {}) if name in held else TOO_LARGE
        case {"$": "tensor", "array": array}:
            return expression(array, torch=True)
        case {"$": _}:
            return TOO_LARGE
        case _:
            return expression(value)


def _bounded(text: str) -> tuple[StudentText, ...]:
    """The first lines, cut to a width, and how many more there are."""
    lines = text.rstrip().splitlines()
    kept = tuple(StudentText(line, LONGEST_LINE) for line in lines[:MOST_LINES])
    more = len(lines) - MOST_LINES
    return (*kept, StudentText(f"… and {more} more line{'s' * (more > 1)}")) if more > 0 else kept
