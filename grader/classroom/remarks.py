"""What an instructor has to know of a class beside the scores, after grading, in the report and at every export."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

from grader.classroom.decisions import called, outlived, suggestion
from grader.classroom.lateness import NO_TIME, untold
from grader.classroom.names import some
from grader.classroom.policy import Policy, unknown, unknown_criteria
from grader.classroom.results import Results
from grader.report.words import points

Rows = Mapping[str, Mapping[str, Any]]


def of_class(results: Results, policy: Policy) -> tuple[str, ...]:
    """Remarks on the class of ``results`` under ``policy``, one sentence each: nothing of it is silent."""
    rows = results.everybody()
    return (
        *of_policy(policy, rows), *of_lateness(policy, rows), *of_files(results.index()), *of_decisions(results, rows)
    )  # fmt: skip


def of_policy(policy: Policy, students: Rows) -> tuple[str, ...]:
    """What of a policy changes nothing: names that nobody has or several have, and criteria that there are not."""
    from grader.errors import nearest

    names = tuple((known, row["name"]) for key, row in students.items() for known in (row["name"], key, *row["ids"]))
    criteria = tuple(dict.fromkeys(name for row in students.values() for name in row["criteria"]))
    said = []
    for name in unknown(policy, students):
        several = called(name, students)
        cure = f"Could be any of {', '.join(several)}: give the key." if several else suggestion(name, names)
        said.append(f"{name}: in the policy, but not in the class. {cure}")
    said += [
        f"{name}: a group of the policy names it, and there is no such criterion. {nearest(name, criteria)}"
        for name in unknown_criteria(policy, students)
    ]
    return tuple(said)


def of_lateness(policy: Policy, students: Rows) -> Iterator[str]:
    """Whose lateness nobody can tell, where the policy has a deadline."""
    if policy.due is None and not any(own.due for own in policy.students.values()):
        return
    here = [row for row in students.values() if not row.get("absent")]
    why = [(row, reason) for row in here if (reason := untold(row))]
    if none := [row["name"] for row, reason in why if reason == NO_TIME]:
        who = "anybody" if len(none) == len(here) > 1 else some(none)
        cure = "a --roster with a column of times, such as the platform's own sheet, tells"
        yield f"lateness is not counted for {who}: the source does not say when they handed in; {cure}"
    if unread := [f"{row['name']} ({row['submitted_at']!r})" for row, reason in why if reason != NO_TIME]:
        yield f"lateness is not counted where the time could be read in two ways or not at all: {some(unread)}"


def of_files(index: Mapping[str, Any]) -> Iterator[str]:
    """The files of the source that are in nobody's hand-in, and folders that might have been somebody's."""
    if empty := [name.rstrip("/") for name in index.get("ignored", ()) if name.endswith("/")]:
        yield f"an empty folder, in which nothing was handed in: {some(empty)}"
    if ignored := [name for name in index.get("ignored", ()) if not name.endswith("/")]:
        cure = "put what is somebody's into a folder of that name"
        yield f"ignored, taken for nobody's hand-in: {some(ignored)}; {cure}"


def of_decisions(results: Results, students: Rows) -> Iterator[str]:
    """Points by hand that stand although other work was handed in since they were given."""
    for key, name, decision in outlived(results):
        row = students.get(key)
        if row and name in row["criteria"]:
            yield (
                f"{row['name']}: {decision['points']} points for {name} by hand ({decision['reason']}) still stand, and"
                f" other work was handed in since; it earns {points(Decimal(row['criteria'][name][0]))}: give them"
                " again, or --withdraw"
            )


def gone(students: Rows, here: Collection[str]) -> tuple[str, ...]:
    """Whose results are there from before, and nothing of theirs is in the source this time."""
    names = [
        row["name"] for key, row in sorted(students.items()) if key not in here and key.partition(".")[0] not in here
    ]
    return (f"not in the source any more, their results stay: {some(names)}",) if names else ()
