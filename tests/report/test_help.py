"""Each step of help says more, or that there is no more; one line that raises is told once."""

from __future__ import annotations

from dataclasses import replace

import pytest
import reports

from grader.model.assignment import HintLevel
from grader.model.outcome import Location, Raised, Tells, Verdict
from grader.model.text import StudentText
from grader.report.findings import findings
from grader.report.help import more_from, says_more
from grader.report.view import as_seen


def test_a_step_is_offered_as_long_as_it_says_more() -> None:
    made = reports.no_scale()
    low = replace(made, rubric=replace(made.rubric, hint_level=HintLevel.NONE))
    assert [says_more(low, steps) for steps in (1, 2, 3, 4)] == [True, True, True, False]
    assert more_from(as_seen(low, "student", HintLevel.NONE)) is HintLevel.NUDGE
    assert more_from(as_seen(low, "student", HintLevel.EXPLANATION)) is None


def test_help_does_not_go_beyond_the_cap() -> None:
    made = reports.no_scale()
    capped = replace(made, rubric=replace(made.rubric, hint_cap=made.rubric.hint_level))
    assert not says_more(capped, 1)


def raising(message: str, line: int, number: int) -> object:
    place = Location("attention.py", line)
    return replace(
        reports.ATTENTION[number],
        verdict=Verdict.ERROR,
        passed=0,
        message=StudentText(message),
        location=place,
        raised=Raised(*message.split(": ", 1)),
        tells=Tells.NAMED,
    )


def test_one_line_that_raises_is_told_once_whatever_sizes_it_names() -> None:
    said = "ValueError: operands could not be broadcast together with shapes"
    wrong = [raising(f"{said} ({n},2) ({n},3)", 10, n) for n in range(3)]
    made = reports.report([*reports.SOFTMAX, *wrong, reports.KEYS, *reports.MASK])
    assert [len(finding.others) for finding in findings(as_seen(made, "student"))] == [2]


def test_two_lines_or_two_kinds_of_exceptions_are_two_findings() -> None:
    wrong = [raising("ValueError: a", 10, 0), raising("ValueError: a", 11, 1), raising("TypeError: a", 10, 2)]
    made = reports.report([*reports.SOFTMAX, *wrong, reports.KEYS, *reports.MASK])
    assert len(findings(as_seen(made, "student"))) == 3


ONE, BOTH = (
    "f() missing 1 required positional argument: 'b'",
    "f() missing 2 required positional arguments: 'a' and 'b'",
)


@pytest.mark.parametrize(
    ("refusals", "told"),
    [
        ((BOTH, ONE), 1),
        (("f() takes 2 positional arguments but 3 were given", "f() takes 2 positional arguments but 4 were given"), 1),
        ((ONE, "f() got an unexpected keyword argument 'mask'"), 2),
        ((ONE, ONE.replace("f()", "g()")), 2),
    ],
)
def test_a_signature_that_does_not_fit_is_told_once_whatever_is_passed(refusals: tuple[str, ...], told: int) -> None:
    wrong = [replace(raising(f"TypeError: {said}", 1, n), location=None) for n, said in enumerate(refusals)]
    made = reports.report([*reports.SOFTMAX, *wrong, *reports.ATTENTION[2:], reports.KEYS, *reports.MASK])
    assert sum(finding.lead.verdict is Verdict.ERROR for finding in findings(as_seen(made, "student"))) == told
