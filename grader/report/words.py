"""Words and figures as all formats write them: points, places, sentences, verdicts."""

import re
from decimal import Decimal
from functools import cache

from grader.model.outcome import Diagnosis, Verdict


def points(value: Decimal) -> str:
    """Return points as printed: no trailing zeros, never an exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_points(value: Decimal) -> str:
    """Return points with their noun."""
    return f"{points(value)} point{'' if value == 1 else 's'}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural but for one."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def sentence(text: str) -> str:
    """Return ``text`` on one line, with a full stop at its end."""
    flat = " ".join(text.split())
    return flat if not flat or flat[-1] in ".!?…`" else flat + "."


def explain(known: Diagnosis) -> str:
    """Return the command that explains a named mistake; both, where two were found together.

    Empty for a slip of a worksheet's key and for what a hand-out settles: the hint is all there is to say.
    """
    return ", ".join(f"grader explain {name}" for name in known.ids if not name.startswith(("sheet.", "course-")))


@cache
def _not_storable() -> re.Pattern[str]:
    """What XML 1.0 cannot hold, not even escaped; compiled when a format needs it, for that takes its time."""
    return re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def storable(text: str) -> str:
    """Return ``text`` for XML and HTML, with a mark in the place of what they cannot hold."""
    return _not_storable().sub("\ufffd", str(text))


def capital(text: str) -> str:
    """Return ``text`` with a capital letter."""
    return text[:1].upper() + text[1:]


WORDS = {
    Verdict.PASSED: "passed",
    Verdict.FAILED: "wrong",
    Verdict.MISSING: "missing",
    Verdict.ERROR: "exception",
    Verdict.TIMEOUT: "too slow",
    Verdict.MEMORY: "too much memory",
    Verdict.CRASHED: "crashed",
    Verdict.SKIPPED: "not judged",
    Verdict.UNDETERMINED: "for a person to decide",
    Verdict.FAULT: "fault of the grader",
    Verdict.UNREADABLE: "unreadable",
}
"""Verdicts as a learner reads them."""
