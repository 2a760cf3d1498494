"""Values and failures as a learner reads them: Python expressions, short arrays, lines of their own file."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader import exceptions, source
from grader.component.calls import NoValue
from grader.component.context import Context
from grader.judging.outcomes import finding
from grader.judging.snippet import LARGEST, Tried, entries, expression, snippet
from grader.model.outcome import Counterexample, Location, Outcome, Raised, Reason, Tells, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText, mask_addresses
from grader.properties import NOT_ASKED, Comparison
from grader.sandbox.plain import Failure, Limits

_BESIDE = object()
"""A value that is returned beside those that are judged."""
_LONGEST_LINE = 160
_AROUND = 2
"""Entries shown to each side of a difference in a long row."""
_OURS = "Unsendable"
"""How the child notes a value that it cannot send: no exception that the student could look for."""
_NOT_LISTED = "PackageNotListed"
"""How the child notes that a package is needed which the homework does not use."""
_BECAME = {"timeout": "out of time", "memory": "out of memory", "crashed": "the process ended"}
_OF_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_WHERE = re.compile(r" \([^()]*, line \d+\)$")
"""Python's own note of the place, which is told once, with the line itself."""


def shown(value: Any, where: tuple[int, ...] = (), spell: Callable[[Any], str] | None = None) -> str:
    """A value as printed in a report: rounded, short, without the ``np.array`` around it.

    Of a large array the row at ``where`` is shown, else its beginning. ``spell`` writes a number in another way.
    """
    if value is NOT_ASKED or value is _BESIDE:
        return "(not asked for)" if value is NOT_ASKED else "…"
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        if inner.size > LARGEST:
            return _part(inner, where, spell)
        return entries(inner, spell)
    if isinstance(inner, tuple):
        return "(" + ", ".join(shown(item, spell=spell) for item in inner) + ")"
    if isinstance(inner, float):
        return f"{inner:.6g}" if spell is None else spell(inner)
    return _without(inner) if isinstance(inner, NoValue) else mask_addresses(f"{inner!r:.300}")


def _part(array: np.ndarray[Any, Any], where: tuple[int, ...], spell: Callable[[Any], str] | None) -> str:
    """The shape of a large array with a few entries: around ``where`` if that is a place in it."""
    head = f"array of shape {tuple(array.shape)}"
    if len(where) != array.ndim or not all(at < size for at, size in zip(where, array.shape, strict=True)):
        corner = array[tuple(slice(0, 4) for _ in array.shape)]
        return f"{head}, beginning with {entries(corner, spell)}"
    row, width = where[:-1], array.shape[-1]
    first = min(max(0, where[-1] - _AROUND), max(0, width - 2 * _AROUND - 1))
    few = array[row][first : first + 2 * _AROUND + 1]
    text = ("[…, " if first else "[") + entries(few, spell)[1:-1] + (", …]" if first + few.size < width else "]")
    return f"{head}, in row [{', '.join(map(str, row))}] {text}" if row else f"{head}, {text}"


def _without(value: NoValue) -> str:
    """What happened instead of a value."""
    if value.raised == _NOT_LISTED:
        return "raises ModuleNotFoundError"
    if value.raised == _OURS:
        return "a value that cannot be judged"
    return f"raises {value.raised}" if value.raised else f"no value: {_BECAME.get(value.became, value.became)}"


def _judged(expected: Any, got: Any) -> tuple[Any, Any]:
    """Both without the values that are not judged, of several that are returned: the paper's has None for these."""
    if not isinstance(expected, tuple) or not any(value is None for value in expected):
        return expected, got
    beside = [value is None for value in expected]
    wanted, came = (
        tuple(_BESIDE if left else value for value, left in zip(values, beside, strict=True))
        if isinstance(values, tuple) and len(values) == len(beside)
        else values
        for values in (expected, got)
    )
    return wanted, came


def counterexample(
    tried: Tried, found: Comparison | None, got: Any, expected: Any, why: str, *, hidden: bool, part: str = ""
) -> Counterexample:
    """The smallest failing case as text, with a few lines that reproduce it; ``part`` names the value it shows."""
    given = tried.calls[0].items()
    error = None if found is None else found.max_error
    where = () if found is None else found.where
    expected, got = _judged(expected, got)
    wanted, came = shown(expected, where), shown(got, where)
    if wanted == came:  # four places hide it
        wanted, came = (shown(value, where, _finely) for value in (expected, got))
    return Counterexample(
        inputs={name: expression(value, torch=tried.torch) for name, value in given if value is not None},
        expected=StudentText(wanted),
        got=StudentText(came),
        max_error=None if error is None or not np.isfinite(error) else float(f"{error:.6g}"),
        where=None if found is None else found.place,
        why=why,
        snippet=snippet(tried),
        hidden=hidden,
        part=part,
        function=tried.function,
    )


def _finely(value: Any) -> str:
    return f"{value:.9g}"


_DID = {
    "timeout": "did not come back within {call:g} s",
    "memory": "needed more memory than the {memory} allowed",
    "crashed": "ended the process instead of returning",
    "protocol": "disturbed the grading protocol",
}
_DID_LOADING = {
    "timeout": "running the file from top to bottom did not end within {load:g} s",
    "memory": "running the file from top to bottom needed more memory than the {memory} allowed",
    "crashed": "running the file from top to bottom ended the process",
    "protocol": "running the file from top to bottom disturbed the grading protocol",
}
_CURES = {
    "timeout": ': a loop without an end, or a training run that belongs under `if __name__ == "__main__":`?',
    "memory": ": are the sizes right?",
}


def told(
    status: str, failure: Failure | None, submission: Submission, limits: Limits, *, loading: bool = False
) -> tuple[str, Location | None, Tells]:
    """What became of a call that brought nothing back, or of a file that was loaded, and the student's line in it."""
    if failure is None or status == "timeout" or not (status == "error" or failure.frames):
        text, cure = ended(status, failure, limits, loading=loading), _CURES.get(status, "") if loading else ""
        lines = ((file, line) for file, line, _ in failure.frames) if failure and status == "timeout" else ()
        tells = Tells.FOUND if loading or status not in _DID else Tells.DID
        return (*_with_loops(text, cure, source.loops_around(submission.modules, lines), loading=loading), tells)
    place = source.innermost(failure.frames, submission)
    text = failure_text(failure, place, submission)
    tells = Tells.DID if failure.type == _OURS else Tells.NAMED
    return (f"{text}; {_bytes(limits.memory_bytes)} are allowed" if status == "memory" else text), place, tells


VERDICTS = {
    "value": Verdict.FAILED,
    "error": Verdict.ERROR,
    "timeout": Verdict.TIMEOUT,
    "memory": Verdict.MEMORY,
    "crashed": Verdict.CRASHED,
    "protocol": Verdict.CRASHED,
    "missing": Verdict.MISSING,
}
"""What a call comes to by how it ended, where its value is not the right one."""


def raised(status: str, failure: Failure | None) -> Raised:
    """The exception that ended a call."""
    return Raised(failure.type, failure.message) if status == "error" and failure is not None else Raised()


def reason_of(status: str, failure: Failure | None) -> Reason:
    """Why a call brought nothing back, where that is not the exception itself."""
    if failure is None:
        return Reason.JUDGED
    if failure.type in _NOT_RUN:
        return Reason.NOT_RUN
    if failure.type == _NOT_LISTED:
        return Reason.PACKAGE
    unwritten = exceptions.kind(str(raised(status, failure))) == exceptions.UNWRITTEN
    return Reason.UNWRITTEN if unwritten else Reason.JUDGED


_NOT_RUN = frozenset({"TotalTime", "NotAsked"})
"""How the sandbox calls it where a program was not asked at all."""


def _with_loops(text: str, cure: str, loops: Sequence[source.Loop], *, loading: bool) -> tuple[str, Location | None]:
    """Name the loop that a call did not come back from where it can be seen, ask about those there are, or guess."""
    sure = [loop for loop in loops if loop.endless]
    if len(sure) == 1:
        (loop,) = sure
        why = (
            f"nothing leaves the loop {_read(loop)}"
            if loop.endless == "left"
            else f"nothing in the loop {_read(loop)} changes its condition"
        )
        # A call that comes to such a loop is not waited for until the limit.
        return StudentText(f"{text if loading else _NEVER}: {why}"), loop.place
    if len(loops) == 1:
        (loop,) = loops
        return StudentText(f"{text}: does the loop {_read(loop)} ever end?"), loop.place
    if loops:
        places = "; ".join(_read(loop) for loop in loops[:_MOST_LOOPS])
        return StudentText(f"{text}: does each loop end? There is one {places}"), None
    return text + cure, None


_NEVER = "did not come back"
_MOST_LOOPS = 3
_LONGEST_CONDITION = 60


def _read(loop: source.Loop) -> str:
    place, condition = loop.place, loop.condition
    written = condition if len(condition) <= _LONGEST_CONDITION else f"{condition[:_LONGEST_CONDITION]} …"
    return f"at {place} (`while {written}:`)"


def stops(failure: Failure | None, submission: Submission) -> tuple[str, ...]:
    """What to say of a file that failed on its way, and whose other definitions were judged; nothing of others."""
    own = next((frame for frame in failure.frames if frame[2] == "<module>"), None) if failure else None
    if failure is None or own is None:
        return ()
    text = failure_text(failure, source.innermost(failure.frames, submission), submission)
    at = f"{StudentText(own[0])} fails at line {own[1]}; what else it defines was judged."
    return (StudentText(f"{at} {text}"),)


def ended(status: str, failure: Failure | None, limits: Limits, *, loading: bool = False) -> str:
    """Which limit was met, or how the process ended, where no line of the student's is known."""
    kind, note = ("", "") if failure is None else (failure.type, failure.message)
    if kind in _NOT_RUN:
        spent = f"the {limits.total_s:g} s for everything were used up" if kind == "TotalTime" else ""
        return f"was not run: {spent or 'two calls of this part did not come back'}"
    if status not in _DID:
        return "the file could not be imported" if loading else status
    text = (_DID_LOADING if loading else _DID)[status].format(
        call=limits.call_s, load=limits.load_s, memory=_bytes(limits.memory_bytes)
    )
    if kind == "ProcessorTime":
        text = f"{'running the file from top to bottom ' if loading else ''}{note}, more than is allowed"
    return f"{text} ({note})" if kind in _ENDINGS else text


_ENDINGS = frozenset({"Exit", "Signal"})
"""How the sandbox calls it where a process ended by itself: its message says how."""


def _bytes(count: int) -> str:
    return f"{count / (1 << 30):g} GiB" if count >= 1 << 30 else f"{count / (1 << 20):g} MiB"


def failure_text(failure: Any, place: Location | None, submission: Submission) -> str:
    """One sentence on an exception: type, message, the student's line."""
    message = mask_addresses(str(failure.message)).strip().splitlines()
    head = f"{failure.type}: {message[0]}" if message else str(failure.type)
    if failure.type in {_OURS, _NOT_LISTED} and message:
        head = message[0]
    if place is not None and failure.type in _OF_SYNTAX:
        head = _WHERE.sub("", head)
    line = source.line_at(place, submission)
    line = f"{line[:_LONGEST_LINE]} …" if len(line) > _LONGEST_LINE else line
    at = "" if place is None else f" (in {place}{': ' + line if line else ''})"
    written = source.line_at(place, submission)
    whole = f"{failure.type}: {message[0]}" if message else head
    inside = place is not None and all(function != "<module>" for _, _, function in failure.frames)
    sense = exceptions.meaning_of_line(failure.type, head, written)
    sense = sense or exceptions.meaning(whole, line=place is not None, function=inside)
    if not sense and (missing := Raised(failure.type, failure.message).undefined):
        sense = source.meant_by(missing, place, submission)
    return StudentText(head[:400] + at + (f": {sense}" if sense else ""))


def of_call(status: str, failure: Failure | None, function: str, context: Context, times: int = 1) -> Outcome:
    """What a call of ``function`` comes to that did not end with a value; it had ``times`` the seconds of a call."""
    limits = replace(context.limits, call_s=times * context.limits.call_s)
    text, place, tells = told(status, failure, context.submission, limits)
    if status != "missing":
        outcome = finding(VERDICTS.get(status, Verdict.ERROR), text, tells=tells, location=place)
        exception = raised(status, failure)
        lacks = source.package_meant(exception.undefined)
        return replace(outcome, reason=reason_of(status, failure), raised=exception, unimported=lacks)
    undefined = failure.message if failure is not None else f"{function} is not defined"
    if any(name == function for _, name, _ in context.names):  # it is there, and what it is made with is not
        return finding(Verdict.ERROR, undefined, tells=Tells.NAMED, raised=Raised("NameError", undefined))
    return finding(Verdict.MISSING, undefined, tells=Tells.NAMED, reason=Reason.UNDEFINED)
