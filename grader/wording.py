"""Values and failures as a learner reads them: Python expressions, short arrays, lines of their own file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader import exceptions
from grader.component import Rng, StepFn
from grader.model import Counterexample, Location, StudentText, Submission, mask_addresses
from grader.properties import NOT_ASKED, Comparison

_SHOWN = 36
_LONGEST_LINE = 160
_LONGEST_IMPORT = 72
_OF_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_WHERE = re.compile(r" \([^()]*, line \d+\)$")
"""Python's own note of the place, which is told once, with the line itself."""
_RAISED = re.compile(r"\((?P<type>[A-Z]\w*)\)|\((?P<status>[a-z]+)\)")
"""How the judge notes that there is no value: the type of the exception, or what became of the call."""


def expression(value: Any) -> str:
    """A value as a Python expression that can be pasted; large arrays as a remark on their shape."""
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        if inner.size > _SHOWN:
            return f"…  # {inner.dtype} array of shape {tuple(inner.shape)}"
        text = np.array2string(
            inner, separator=", ", precision=4, suppress_small=False, threshold=_SHOWN + 1, max_line_width=100
        ).replace("\n", "")
        return f"np.array({' '.join(text.split())})" if inner.ndim else text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {expression(item)}" for name, item in value.items()) + "}"
    if isinstance(value, Rng):
        return f"np.random.default_rng({value.seed})"
    if isinstance(value, StepFn):
        return _step_function(value)
    return repr(value)


def _step_function(model: StepFn) -> str:
    """A small table as a function that can be pasted: looked up by the whole prefix, else by its last token."""
    if (len(model.rows) + len(model.last)) * len(model.default) > _SHOWN:
        return f"table_of_log_probabilities  # {len(model.rows)} prefixes, {len(model.default)} tokens"
    found = _row(model.default)
    if model.last:
        by_last = ", ".join(f"{token}: {_row(row)}" for token, row in model.last.items())
        found = f"{{{by_last}}}.get(prefix[-1], {found})"
    if model.rows:
        by_prefix = ", ".join(f"({prefix},): {_row(row)}" for prefix, row in model.rows.items())
        found = f"{{{by_prefix}}}.get(tuple(prefix), {found})"
    return f"lambda prefix: np.array({found})"


def _row(values: Sequence[float]) -> str:
    return "[" + ", ".join(f"{value:.3g}" for value in values) + "]"


def shown(value: Any) -> str:
    """A value as printed in a report: rounded, short, without the ``np.array`` around it."""
    if value is NOT_ASKED:
        return "(not asked for)"
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        if inner.size > _SHOWN:
            corner = inner[tuple(slice(0, 4) for _ in inner.shape)]
            text = np.array2string(corner, precision=4, separator=", ", max_line_width=100, threshold=20)
            return f"array of shape {tuple(inner.shape)}, beginning with {' '.join(text.split())}"
        text = np.array2string(inner, precision=4, separator=", ", max_line_width=100)
        return " ".join(text.split())
    if isinstance(inner, tuple):
        return "(" + ", ".join(shown(item) for item in inner) + ")"
    if isinstance(inner, float):
        return f"{inner:.6g}"
    return _noted(inner) or mask_addresses(f"{inner!r:.300}")


def _noted(value: Any) -> str:
    """What happened instead of a value, where the judge has noted that; empty for any value."""
    noted = _RAISED.fullmatch(value) if isinstance(value, str) else None
    if noted is None:
        return ""
    return f"raises {noted['type']}" if noted["type"] else f"no value: {noted['status']}"


def counterexample(
    inputs: Mapping[str, Any],
    found: Comparison | None,
    got: Any,
    expected: Any,
    function: str,
    why: str,
    module: str,
    *,
    hidden: bool,
) -> Counterexample:
    """The smallest failing case as text, with a few lines that reproduce it."""
    named = {name: expression(value) for name, value in inputs.items() if value is not None}
    error = None if found is None else found.max_error
    where = None if found is None else found.where
    return Counterexample(
        inputs=named,
        expected=StudentText(shown(expected)),
        got=StudentText(shown(got)),
        max_error=None if error is None or not np.isfinite(error) else float(f"{error:.6g}"),
        where=where,
        why=why,
        snippet=_snippet(named, function, module),
        hidden=hidden,
    )


def _snippet(named: Mapping[str, str], function: str, module: str) -> str:
    if any("…" in text or text.startswith("table_of") for text in named.values()):
        return ""
    imported = f"from {module} import {function}"
    if len(imported) > _LONGEST_IMPORT:  # a line that a report would have to break
        imported = f"from {module} import (\n    {function},\n)"
    lines = ["import numpy as np", imported]
    lines += [f"{name} = {text}" for name, text in named.items()]
    return "\n".join([*lines, f"print({function}({', '.join(named)}))"])


def location(frames: tuple[tuple[str, int, str], ...], submission: Submission) -> Location | None:
    """The innermost of the student's own lines in a traceback."""
    cells = {chunk.filename: chunk.cell for module in submission.modules for chunk in module.chunks}
    for filename, line, _ in reversed(frames):
        if filename in cells:
            return Location(StudentText(filename), int(line), cells[filename])
    return None


def source_line(place: Location | None, submission: Submission) -> str:
    """The text of a line of the submission; empty where it cannot be found."""
    if place is None:
        return ""
    for module in submission.modules:
        for chunk in module.chunks:
            if chunk.filename == place.file:
                lines = chunk.code.splitlines()
                return StudentText(lines[place.line - 1].strip()) if 0 < place.line <= len(lines) else ""
    return ""


def failure_text(failure: Any, place: Location | None, submission: Submission) -> str:
    """One sentence on an exception: type, message, the student's line."""
    message = mask_addresses(str(failure.message)).strip().splitlines()
    head = f"{failure.type}: {message[0]}" if message else str(failure.type)
    if place is not None and failure.type in _OF_SYNTAX:
        head = _WHERE.sub("", head)
    line = source_line(place, submission)
    line = f"{line[:_LONGEST_LINE]} …" if len(line) > _LONGEST_LINE else line
    at = "" if place is None else f" (in {place.file}, line {place.line}{': ' + line if line else ''})"
    sense = exceptions.meaning(head)
    return StudentText(head[:400] + at + (f": {sense}" if sense else ""))
