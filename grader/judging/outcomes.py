"""What a check found, before it says which check that was."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.model.outcome import Outcome, Raised, Verdict

if TYPE_CHECKING:
    from grader.component.checks import Check
    from grader.sandbox.plain import Reply

_log = logging.getLogger("grader")


def finding(verdict: Verdict, message: str = "", passed: int = 0, asked: int = 1, **more: Any) -> Outcome:
    """What a check found; ``more`` are other fields of the outcome."""
    return Outcome("", "", "", verdict, passed, asked, message, **more)


PASSED = finding(Verdict.PASSED, passed=1)


def fault(trace: str) -> Outcome:
    """What cannot be judged since something of ours raised: never the student's mistake, and a person decides."""
    return finding(Verdict.FAULT, "the grader itself failed here", staff_note=trace)


def of_check(judge: Callable[[], Outcome], component: str, check: Check) -> Outcome:
    """The outcome of ``check`` with what its judge finds; one that raises costs its own check alone."""
    try:
        found = judge()
    except Exception:  # noqa: BLE001 - whatever it could not bear
        _log.exception("fault in %s.%s", component, check.name)
        found = fault(traceback.format_exc())
    return replace(
        found, check=f"{component}.{check.name}", component=component, title=check.title, manner=check.manner
    )


def never_entered(reply: Reply, function: str = "") -> bool:
    """The call itself was refused: a TypeError with none of the student's lines in it, or with a decorator's alone."""
    failure = reply.failure
    if reply.status != "error" or failure is None or failure.type != "TypeError":
        return False
    refusing = Raised(failure.type, failure.message).refusing.rpartition(".")[2]
    return not failure.frames or bool(function and refusing == function)
