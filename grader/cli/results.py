"""What the verbs over a results folder share: the folder, the settings it was made under, one student of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import Decorator

if TYPE_CHECKING:
    from grader.classroom.policy import Policy
    from grader.classroom.results import Results
    from grader.model import Settings


def results_argument() -> Decorator:
    """RESULTS: the folder that `grader grade CLASS -o RESULTS` made."""
    return click.argument("results", type=click.Path(readable=False, path_type=Path))


def settings_of(results: Results, rubric: str | None = None) -> Settings:
    """Return the settings of a results folder, with another rubric where one is given; raises GraderError."""
    from grader.cli.judging import settings_for

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
    from grader.classroom.policy import Policy, load_policy, resolved

    path = given or (results.policy if results.policy.is_file() else None)
    return resolved(load_policy(path), results.everybody()) if path else Policy()
