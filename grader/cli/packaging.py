"""``grader package``: a zip for the platform where a course grades, and what is run there."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from grader.cli.judging import judge, read, settings_for, unreadable
from grader.cli.options import assignment_option, output_option, rubric_option
from grader.cli.printing import require_writable, write
from grader.errors import Exit, GraderError, UnreadableError
from grader.model.outcome import Verdict
from grader.model.report import Report
from grader.packaging import package
from grader.packaging.package import CONFIG, Wanted
from grader.report import classroom50, gradescope, markdown, prairielearn
from grader.report.view import View
from grader.sandbox.parent import Sandbox

PLATFORMS = {
    "gradescope": ("autograder.zip", "An autograder to upload to Gradescope."),
    "prairielearn": ("grader-image.zip", "An image's content for PrairieLearn's external grader."),
    "classroom50": ("autograder-bundle.zip", "An autograder for an assignment of Classroom 50."),
    "docker": ("grader-docker.zip", "A Dockerfile with this grader, for instructors."),
}
"""Each platform of ``grader.packaging`` with the name of its zip, and its line in the help."""

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


@click.group("package")
def command() -> None:
    """Make a zip for the platform where a course grades: wheel, assignment, rubric and the platform's scripts."""


def _platform(name: str, output: str, line: str) -> click.Command:
    @assignment_option
    @rubric_option
    @click.option(
        "--isolation",
        type=click.Choice(("auto", "strict", "standard")),
        default="auto",
        show_default=True,
        help="What must hold the student's code there; auto is the best that there is.",
    )
    @click.option("--seed", type=int, help="The secret of the hidden cases; default: a new one, kept in the zip.")
    @click.option(
        "--hidden",
        type=click.Choice(VISIBILITIES),
        default="after_published",
        show_default=True,
        help="When students see the points of hidden checks, where the platform can tell.",
    )
    @output_option(f"The zip; default: {output}.")
    def made(assignment: str | None, output: Path | None, **wanted: Any) -> None:
        if not assignment:
            raise GraderError("which assignment?", "-a", "Give an id of `grader list`, or a folder.")
        target = output or Path(PLATFORMS[name][0])
        require_writable(target)
        data = package(Wanted(name, assignment, **wanted))
        target.write_bytes(data)
        click.echo(f"{target}: {len(data) >> 10} KiB for {assignment}.", err=True)

    return click.command(name, help=line)(made)


for _name, (_output, _line) in PLATFORMS.items():
    command.add_command(_platform(_name, _output, _line))


@command.command("run", hidden=True)
@click.argument("package", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--work", required=True, type=click.Path(path_type=Path), help="What was handed in.")
@output_option("Where the platform looks for the result.")
def run(package: Path, work: Path, output: Path) -> int:
    """Grade WORK on the platform as the zip in PACKAGE says.

    Exit code 0 when there is a result, whatever the score; without one the platform says that staff have to look.
    """
    config = json.loads((package / CONFIG).read_text(encoding="utf-8"))
    settings = settings_for(
        str(package / "assignment"),
        rubric=str(package / "rubric.yaml"),
        isolation=config["isolation"],
        seed=config["seed"],
    )
    with Sandbox(level=config["isolation"], torch=settings.assignment.needs_torch) as sandbox:
        try:
            report = judge(read(work), settings, sandbox)
        except UnreadableError as error:
            report = unreadable(settings, work, error)
    if report.verdict is Verdict.FAULT:
        click.echo("the grader itself failed at a part of it: no result is given", err=True)
        return Exit.FAULT
    held = report.isolation
    click.echo(f"isolation {held.applied or held.requested}; missing: {', '.join(held.missing) or 'nothing'}")
    for path, text in _results(config, report, output).items():
        write(path, text)
    return Exit.OK


def _results(config: dict[str, Any], report: Report, output: Path) -> dict[Path, str]:
    """The files that the platform looks for; hidden points are in the score, and told as far as it can hide them."""
    if config["platform"] == "gradescope":
        return {output: gradescope.render(report, "staff", hidden=config["hidden"])}
    if config["platform"] == "prairielearn":
        return {output: prairielearn.render(report, "staff")}
    view: View = "staff" if config["hidden"] == "visible" else "student"
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = f"### classroom50 autograde: {classroom50.summary(report, view)}\n\n{markdown.render(report, 'student')}"
    return {
        output: classroom50.render(report, view, given=os.environ, when=now),
        output.with_name("release-body.md"): body,
    }
