"""What the verbs over a results folder share: the folder, the settings it was made under, one student of it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from grader.classroom.policy import Policy, load_policy, resolved
from grader.classroom.results import Results
from grader.cli.judging import settings_for
from grader.cli.options import PATH, Decorator
from grader.errors import GraderError
from grader.model.report import Settings

VERDICTS = {
    "passed": "full marks", "failed": "lost points", "missing": "lost points", "unreadable": "unreadable",
    "undetermined": "waiting for a person", "fault": "at which the grader failed",
}  # fmt: skip
"""What the verdict on a whole submission means to who reads a summary: not everybody who lost a point failed."""


def results_argument() -> Decorator:
    """RESULTS: the folder that `grader grade CLASS -o RESULTS` made.

    Where a command fails over it, and one of its files was damaged, that is told.
    """
    argument = click.argument("results", type=PATH)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def guarded(**options: Any) -> Any:
            with damage_told(options["results"]):
                return command(**options)

        return argument(guarded)

    return decorate


@contextmanager
def damage_told(folder: Path | None) -> Iterator[None]:
    """Say which file of a results folder was damaged by hand, where that is why something failed."""
    try:
        yield
    except (GraderError, click.exceptions.Exit, click.ClickException, OSError):
        raise
    except Exception as error:
        from grader.classroom.damage import damaged

        if folder is not None and (told := damaged(folder)):
            raise told from error
        raise


def settings_of(results: Results, rubric: str | None = None) -> Settings:
    """Return the settings of a results folder, with another rubric where one is given; raises GraderError."""
    index = results.index()
    made: Mapping[str, str] = next(iter(index["settings"].values()), {})
    seed = next((stored["seed"] for _, stored in results.all_reports()), 0)
    return settings_for(
        index.get("assignment_source") or index["assignment"],
        rubric=rubric or (str(results.rubric) if results.rubric.is_file() else None),
        components=tuple(filter(None, made.get("components", "").split(","))),
        isolation="standard" if made.get("isolation") == "standard" else "strict",
        seed=seed,
    )


def policy_of(results: Results, given: Path | None) -> Policy:
    """Return the policy given, else the one kept with the results, else one that changes nothing.

    Students are in it by key or id, whatever the file calls them.
    """
    path = given or (results.policy if results.policy.is_file() else None)
    return resolved(load_policy(path), results.everybody()) if path else Policy()


def tallied(verdicts: Mapping[str, int]) -> str:
    """Say in words how many submissions have which verdict: "9 full marks, 3 lost points"."""
    counts: dict[str, int] = {}
    for verdict in sorted(verdicts, key=lambda verdict: [*VERDICTS, verdict].index(verdict)):
        words = VERDICTS.get(verdict, verdict)
        counts[words] = counts.get(words, 0) + verdicts[verdict]
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)
