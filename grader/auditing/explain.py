"""The catalogue of misconceptions, to be read: what `grader explain` prints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader import components as catalogue
from grader import mistakes
from grader.errors import GraderError
from grader.judging import relation
from grader.judging.agreement import predict
from grader.judging.snippet import TOO_LARGE, expression
from grader.judging.wording import shown
from grader.mistakes import Mistake
from grader.model.outcome import Raised

ANY_FUNCTION = "any function"
"""Where answers can stand in a simple relation to the right ones."""
READ_AGAIN = "what the hand-out says of the function"


@dataclass(frozen=True, slots=True)
class Beside:
    """One call of a function, as right code answers it and as code with the mistake does."""

    function: str
    inputs: dict[str, str]
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A misconception with everywhere it can be met; hints from a nudge to the explanation.

    ``wrong`` and ``right`` are code with the mistake and without. ``example`` is what the wrong code that it is known
    by answers beside the right one; None of modules, and of signs.
    """

    id: str
    title: str
    components: tuple[str, ...]
    explanation: str
    nudge: str
    hint: str
    reread: str
    wrong: str = ""
    right: str = ""
    example: Beside | None = None


@dataclass(frozen=True, slots=True)
class CheckEntry:
    """A check, as a student may look it up."""

    id: str
    title: str
    detail: str


def entries() -> tuple[Entry, ...]:
    """All misconceptions, each once, in the order of the paper."""
    met: dict[str, list[tuple[str, str]]] = {}
    for name, _, part in catalogue.every():
        for misconception in part.misconceptions:
            met.setdefault(misconception.id, []).append((name, misconception.reread))
    files = [*catalogue.names(), relation.ANY_FUNCTION]
    return tuple(_entry(record, met.get(record.id, ())) for name in files for record in mistakes.of(name))


def look_up(wanted: str) -> Entry | CheckEntry:
    """Return the entry of a misconception's or a check's id. Raises GraderError with the nearest ones."""
    known = {entry.id: entry for entry in entries()}
    if wanted in known:
        return replace(known[wanted], example=_beside(wanted))
    checks = _checks()
    if wanted in checks:
        return checks[wanted]
    from difflib import get_close_matches

    if wanted in catalogue.names():
        raise GraderError(f"{wanted!r} is a part", "", f"Its mistakes: grader explain --component {wanted}")
    family = [name for name in known if name.startswith(f"{wanted}-")]
    close = family[:5] or get_close_matches(wanted, [*known, *checks], n=3, cutoff=0.4)
    cure = f"Did you mean {' or '.join(close)}?" if close else "`grader explain` lists them all."
    raise GraderError(f"there is no misconception or check {wanted!r}", "", cure)


def _beside(id_: str) -> Beside | None:
    """The smallest case that both answer, and differently."""
    known = [(part.called, one) for _, _, part in catalogue.every() for one in part.misconceptions]
    for component, misconception in known:
        if misconception.id != id_ or misconception.variant is None or component is None or component.random:
            continue
        target = misconception.target or component.target
        for case in component.ladder(np.random.default_rng(0), {}):
            if (case.target or component.target) != target:
                continue
            inputs = {name: _rounded(value) for name, value in case.inputs.items()}
            right, _ = predict(component.oracle(target), inputs)
            wrong, _ = predict(misconception.variant, inputs)
            texts = [
                f"an exception ({one.family})" if isinstance(one, Raised) else shown(one) for one in (right, wrong)
            ]
            given = {key: expression(value) for key, value in inputs.items() if value is not None}
            if texts[0] != texts[1] and not any(TOO_LARGE in text for text in given.values()):
                return Beside(target, given, *texts)
    return None


def _rounded(value: Any) -> Any:
    """An array of ordinary numbers with the four places that are shown of it."""
    ordinary = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size and 0.1 < abs(value).max() < 1e3  # noqa: PLR2004
    return np.round(value, 4) if ordinary else value


def _entry(record: Mistake, met: Sequence[tuple[str, str]]) -> Entry:
    """The record with the names of what lists it; ``met`` are these, with what to read again."""
    anywhere = record.component == relation.ANY_FUNCTION
    names = (ANY_FUNCTION,) if anywhere else tuple(dict.fromkeys(name for name, _ in met)) or (record.component,)
    reread = READ_AGAIN if anywhere else record.reread or next((again for _, again in met), "")
    return Entry(record.id, record.title, names, record.why, record.question, record.look, reread,
                 record.wrong, record.right)  # fmt: skip


def _checks() -> dict[str, CheckEntry]:
    found: dict[str, CheckEntry] = {}
    for name, _, part in catalogue.every():
        for check in part.checks:
            id_ = f"{name}.{check.name}"
            found.setdefault(id_, CheckEntry(id_, check.title, check.detail))
    return found
