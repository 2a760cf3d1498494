"""``grader grade``: an instructor grades a submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import (
    assignment_option,
    component_option,
    format_option,
    isolation_option,
    output_option,
    rubric_option,
    seed_option,
)
from grader.errors import Exit, GraderError

if TYPE_CHECKING:
    from grader.model import Level
    from grader.report.view import View


@click.command("grade")
@click.argument("source", type=click.Path(readable=False, path_type=Path))
@assignment_option()
@component_option()
@rubric_option()
@format_option(None)
@output_option()
@isolation_option()
@seed_option()
@click.option(
    "--view",
    type=click.Choice(("staff", "student")),
    default="staff",
    show_default=True,
    help="Whom the report is for: hidden checks are left out for a student.",
)
def command(
    source: Path,
    assignment: str | None,
    components: tuple[str, ...],
    rubric: str | None,
    form: str | None,
    output: Path | None,
    isolation: Level,
    seed: int,
    view: View,
) -> int:
    """Grade SOURCE: a file, a notebook, a folder or a zip.

    Exit code 0 when it was graded, whatever the score; 2 when it cannot be read; 3 when the isolation asked for is
    not to be had; 4 when the grader itself failed somewhere.
    """
    if isolation == "none" and output:
        raise GraderError("isolation none is for debugging and writes no score", "-o", "Leave -o or --isolation out.")
    from grader.sandbox.parent import Sandbox

    with Sandbox(level=isolation) as sandbox:
        from grader.catalog import recognise
        from grader.cli.judging import has_fault, judge, read, settings_for
        from grader.cli.printing import emit, form_for, require_writable

        if output:
            require_writable(output)
        submission = read(source)
        if not assignment:
            recognised = recognise(source, submission)
            assignment = recognised.assignment
            click.echo(f"Assignment {assignment}: {recognised.how}.", err=True)
        settings = settings_for(assignment, rubric=rubric, components=components, isolation=isolation, seed=seed)
        report = judge(submission, settings, sandbox)
    emit(report, form_for(output, form), view, output)
    return Exit.FAULT if has_fault(report) else Exit.OK
