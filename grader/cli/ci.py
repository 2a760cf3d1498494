"""``grader ci``: the check of an assignment's repository."""

from __future__ import annotations

import os
import shlex
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import assignment_option, component_option, isolation_option, seed_option
from grader.errors import Exit, GraderError, UnreadableError

if TYPE_CHECKING:
    from grader.catalog.schema import ProjectFile
    from grader.model import Level, Report, Settings

ANOTHER = "Name another file with --junit."
"""The cure where the JUnit file cannot be written."""


@click.command("ci")
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(readable=False, path_type=Path),
    default=Path("grader.yaml"),
    help="Default: grader.yaml.",
)
@assignment_option()
@component_option()
@click.option("--path", metavar="PATH", help="The work, inside the folder of grader.yaml.")
@click.option("--min-score", metavar="N", help="Points (14) or a share (80%) to reach; default: all.")
@isolation_option(None)
@seed_option()
@click.option("--junit", metavar="FILE", help="Where the JUnit XML goes; default: grader-junit.xml.")
def command(
    config: Path,
    assignment: str | None,
    components: tuple[str, ...],
    path: str | None,
    min_score: str | None,
    isolation: Level | None,
    seed: int,
    junit: str | None,
) -> int:
    """Grade the work in this repository, as grader.yaml says.

    Options given here win over grader.yaml. Writes JUnit XML; on GitHub also annotations on
    the lines and a job summary. Exit code 0 when the score is reached, 1 when it is not.
    """
    project = _project(config, assignment)
    level: Level = isolation or project.isolation
    if level == "none":
        raise GraderError("isolation none is for debugging and writes no score", str(config), "Use strict or standard.")
    from grader.sandbox.parent import Sandbox

    with Sandbox(level=level) as sandbox:
        from grader.cli.judging import judge, read, settings_for
        from grader.cli.printing import require_writable
        from grader.cli.work import inside
        from grader.report.spelled import decision

        work = inside(config.parent, path or project.path, config)
        settings = settings_for(
            assignment or project.assignment, rubric=project.rubric, components=components, isolation=level, seed=seed
        )
        wanted = min_score or project.min_score
        needed = _needed(wanted, settings)
        target = config.parent / junit if junit else inside(config.parent, project.junit, config, "junit")
        require_writable(target, ANOTHER)
        try:
            report = judge(read(work), settings, sandbox)
        except UnreadableError as error:
            _publish(_unreadable(settings, work, error), work, target)
            raise
    code = _verdict(report, needed)
    said = decision(report, _asked(wanted, needed), reached=code is Exit.OK)
    again = shlex.join(["grader", "check", str(work), *(["-a", assignment] if assignment else [])])
    _publish(report, work, target, again, said)
    return code


def _project(config: Path, assignment: str | None) -> ProjectFile:
    """Return grader.yaml; without one, what ``-a`` alone says."""
    from grader.catalog import read_project, require_assignment
    from grader.catalog.schema import ProjectFile

    if config.is_file():
        project = read_project(config)
        if not assignment:
            require_assignment(project.assignment, config)
        return project
    if not assignment:
        cure = "Write one (assignment: ID), or give the assignment with -a."
        raise GraderError("there is no such file", str(config), cure)
    return ProjectFile(assignment=assignment)


def _needed(wanted: str | None, settings: Settings) -> Decimal | None:
    """Return the points that must be reached, or None for all that can be judged; raises GraderError."""
    if wanted is None:
        return None
    number = wanted.removesuffix("%")
    try:
        value = Decimal(number)
    except ArithmeticError:
        raise GraderError(f"expected points or a share, found {wanted!r}", "--min-score", "Write 14 or 80%.") from None
    if not value.is_finite() or value < 0:
        raise GraderError(f"expected points or a share, found {wanted!r}", "--min-score", "Write 14 or 80%.")
    most = sum((item.points for item in settings.rubric.criteria if not item.bonus), Decimal(0))
    return most * value / 100 if wanted.endswith("%") else value


def _asked(wanted: str | None, needed: Decimal | None) -> str:
    """The points that are needed, with the share where that was asked for; empty where all has to be right."""
    from grader.report.words import points

    if wanted is None or needed is None:
        return ""
    return points(needed) + (f" ({wanted})" if wanted.endswith("%") else "")


def _verdict(report: Report, needed: Decimal | None) -> Exit:
    from grader.cli.judging import exit_code, has_fault

    if needed is None or has_fault(report):
        return exit_code(report)
    return Exit.OK if report.score >= needed else Exit.POINTS_LOST


def _publish(report: Report, work: Path, target: Path, again: str = "", decided: str = "") -> None:
    """Print the report and what was ``decided``, write the JUnit XML, and tell GitHub where the run is there.

    ``again`` is the command with which the student gets the same report at home.
    """
    from grader.cli.lines import wrapped
    from grader.cli.printing import rendered, show, write
    from grader.report import annotations, junit

    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    text = rendered(report, "text", "student", to_terminal=True, again=again)
    text += "".join(f"{line}\n" for line in wrapped(decided, ""))
    if on_github:
        import secrets

        text = annotations.guarded(text, secrets.token_hex(16))
    show(text, utf8=False)
    write(target, junit.render(report, "student"), ANOTHER)
    if on_github:
        show(annotations.render(report, "student", root=_root(work), decided=decided), utf8=True)
        _summarise(report, decided)


def _root(work: Path) -> str:
    """The folder of the work as GitHub names it: from the repository's root."""
    folder = work if work.is_dir() else work.parent
    try:
        return folder.resolve().relative_to(Path(os.environ.get("GITHUB_WORKSPACE") or ".").resolve()).as_posix()
    except ValueError:
        return folder.as_posix()


def _summarise(report: Report, decided: str) -> None:
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    from grader.report import markdown

    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(markdown.render(report, "student", decided=decided) + "\n")
    except OSError as error:
        raise GraderError(f"cannot be written ({error.strerror})", summary, "GITHUB_STEP_SUMMARY names it.") from error


def _unreadable(settings: Settings, work: Path, error: UnreadableError) -> Report:
    from grader import __version__
    from grader.model import Isolation, Report, Submission

    return Report(
        assignment=settings.assignment,
        rubric=settings.rubric,
        submission=Submission(work.name, str(work)),
        marks=(),
        isolation=Isolation(settings.isolation, ""),
        seed=settings.seed,
        grader_version=__version__,
        unreadable=str(error),
    )
