"""``grader grade``: an instructor grades a submission, or a class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import (
    PATH,
    assignment_option,
    class_options,
    component_option,
    file_option,
    format_option,
    isolation_option,
    output_option,
    rubric_option,
    seed_option,
)
from grader.errors import Exit, GraderError

if TYPE_CHECKING:
    from grader.model.report import Settings
    from grader.report.view import View
    from grader.sandbox.plain import Level


@click.command("grade")
@click.argument("source", nargs=-1, required=True, type=PATH)
@assignment_option
@component_option
@file_option
@rubric_option
@format_option(None)
@output_option("A file for the report, or a folder for the results of a class.")
@isolation_option()
@seed_option
@click.option(
    "--view",
    type=click.Choice(("staff", "student")),
    default="staff",
    show_default=True,
    help="Whom the report is for: hidden checks are left out for a student.",
)
@class_options()
def command(
    source: tuple[Path, ...],
    *,
    assignment: str | None,
    components: tuple[str, ...],
    file: str | None,
    rubric: str | None,
    form: str | None,
    output: Path | None,
    isolation: Level,
    seed: int,
    view: View,
    **of_class: Any,
) -> int:
    """Grade SOURCE: a file, a notebook, a folder or a zip; or a class, into a folder of results.

    A class is an export of Canvas, Moodle, Gradescope, GitHub Classroom, Classroom 50 or Google Drive (a zip or a
    folder), a folder of hand-ins, or several SOURCEs. Run the same command again to grade only what is new or changed.

    Exit code 0 when all was graded, whatever the score; 2 when the one submission given cannot be read; 3 when the
    isolation asked for is not to be had; 4 when the grader itself failed somewhere.
    """
    if isolation == "none" and output:
        raise GraderError("isolation none is for debugging and writes no score", "-o", "Leave -o or --isolation out.")
    from grader.classroom.gathering import ClassOptions, is_class
    from grader.cli.lines import say

    def settings_of(which: str) -> Settings:
        from grader.cli.judging import settings_for

        return settings_for(which, rubric=rubric, components=components, isolation=isolation, seed=seed, file=file)

    if is_class(source, output, of_class["layout"] or "", of_class["pattern"], say) and output:
        if form:
            raise GraderError("results of a class are JSON reports", "--format", "See `grader export` for other forms.")
        from grader.cli.classwork import grade_class
        from grader.cli.results import damage_told

        with damage_told(output):
            return grade_class(source, assignment, rubric, settings_of, ClassOptions(output, **of_class))
    return _grade_one(source[0], assignment, settings_of, isolation, form, output, view)


def _grade_one(
    source: Path,
    assignment: str | None,
    settings_for: Callable[[str], Settings],
    isolation: Level,
    form: str | None,
    output: Path | None,
    view: View,
) -> Exit:
    from grader.model.outcome import Verdict
    from grader.sandbox.parent import Sandbox

    with Sandbox(level=isolation) as sandbox:
        from grader.cli.judging import assignment_of, judge, read
        from grader.cli.printing import emit, form_for, require_writable

        chosen = form_for(output, form)
        if output:
            require_writable(output)
        submission = read(source)
        report = judge(submission, settings_for(assignment or assignment_of(source, submission)), sandbox)
    emit(report, chosen, view, output)
    return Exit.FAULT if report.verdict is Verdict.FAULT else Exit.OK
