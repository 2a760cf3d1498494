"""``check``: one component, judged in this process."""

from dataclasses import replace
from typing import Any

from grader.errors import GraderError, nearest
from grader.model.assignment import Assignment, Rubric
from grader.model.report import Report
from grader.sandbox.plain import Isolation
from grader.testing.result import Result
from grader.version import __version__


def check(subject: Any, component: str, *, assignment: str | None = None, seed: int = 0, **settled: Any) -> Result:
    """Judge ``subject`` as ``component`` of the paper and return a result that prints as the report.

    ``subject`` is a function, a class, or a module or mapping that holds it under its name. ``component`` is an id
    such as ``softmax`` or ``multi_head_attention``. What the course settles, and the points, are taken from an
    ``assignment`` (an id, a folder). Else it is given in words: ``parameters``, ``returns``, ``names``, ``domain``,
    ``forbidden``, and every convention that assignment.yaml knows, such as ``mask="block"``. What is not said is the
    paper's, and the parameters are those of the signature; there is one point for all checks together. ``seed`` draws
    hidden cases.

    The code runs in this process, with nothing around it and no limit of time: a host such as a test runner's container
    sees to that. Parts that it calls are the student's own, right or wrong. Raises GraderError for a component or a
    convention that there is not, and TypeError for a value.
    """
    from grader.assessing.assess import assess
    from grader.score import score, unscored
    from grader.testing.here import Here
    from grader.testing.setting import named, submission_of

    names = named(subject, component)
    asked, rubric, names = (
        _of_course(names, component, assignment) if assignment else _in_words(names, component, settled)
    )
    submission, modules, files = submission_of(names)
    found = assess(submission, asked, (component,), seed, Here(names, modules, files))
    marks = score(rubric, found.outcomes)
    return Result(
        Report(
            assignment=asked,
            rubric=rubric,
            submission=submission,
            marks=marks,
            isolation=Isolation("none", ""),
            seed=seed,
            grader_version=__version__,
            notes=found.notes,
            unscored=unscored(marks, found.outcomes),
            seconds=found.seconds,
        )
    )


Set = tuple[Assignment, Rubric, dict[str, Any]]


def _in_words(names: dict[str, Any], component: str, settled: dict[str, Any]) -> Set:
    from grader.testing.setting import assignment_of, rubric_of

    asked = assignment_of(names, component, settled)
    return asked, rubric_of(asked, component, names), names


def _of_course(names: dict[str, Any], component: str, assignment: str) -> Set:
    """What an assignment sets for a component and gives for it; the one thing that is given is what it means."""
    from grader.catalog import load_assignment, load_rubric, rubric_beside
    from grader.score import select

    whole = load_assignment(assignment, keys=False)
    known = tuple(one.component for one in whole.interfaces)
    if component not in known:
        raise GraderError(f"{whole.id} has no component {component!r}", "check", nearest(component, known))
    interface = whole.interface(component)
    if len(names) == 1:
        names = {interface.callable: next(iter(names.values()))}
    rubric = select(load_rubric(rubric_beside(assignment), load_assignment(assignment)), (component,))
    return replace(whole, interfaces=(interface,), parts=("code",), sections=()), rubric, names
