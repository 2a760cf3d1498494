"""``grader ci``: the check of an assignment's repository."""

from __future__ import annotations

import shlex
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import PATH, assignment_option, component_option, isolation_option, rubric_option, seed_option
from grader.errors import Exit, GraderError, UnreadableError

if TYPE_CHECKING:
    from grader.catalog.schema import ProjectFile
    from grader.model.report import Report, Settings
    from grader.sandbox.plain import Level


@click.command("ci")
@click.option("--config", metavar="FILE", type=PATH, default=Path("grader.yaml"), help="Default: grader.yaml.")
@assignment_option
@component_option
@rubric_option
@click.option("--path", metavar="PATH", help="The work, inside the folder of grader.yaml.")
@click.option("--min-score", metavar="N", help="Points (14) or a share (80%) to reach; default: all.")
@isolation_option(None)
@seed_option
@click.option("--junit", metavar="FILE", help="Where the JUnit XML goes; default: grader-junit.xml.")
@click.option("--code-quality", metavar="FILE", help="Write GitLab's code quality report here.")
@click.option("--report", "page", metavar="FILE", help="Write the report here: .html, .json, .md or .txt.")
@click.option("--show-hidden", is_flag=True, help="Tell what hidden checks gave, in all: a way to probe them.")
def command(
    *,
    config: Path,
    assignment: str | None,
    components: tuple[str, ...],
    rubric: str | None,
    path: str | None,
    min_score: str | None,
    isolation: Level | None,
    seed: int,
    junit: str | None,
    code_quality: str | None,
    page: str | None,
    show_hidden: bool,
) -> int:
    """Grade the work in this repository, as grader.yaml says.

    Options given here win over grader.yaml. Writes JUnit XML; on GitHub also annotations on
    the lines, a job summary and outputs. Exit code 0 when the score is reached, 1 when it is not.
    """
    project = _project(config, assignment)
    level: Level = isolation or project.isolation
    if level == "none":
        raise GraderError("isolation none is for debugging and writes no score", str(config), "Use strict or standard.")
    from grader.sandbox.parent import Sandbox

    with Sandbox(level=level) as sandbox:
        from grader.cli.judging import judge, read, settings_for, unreadable
        from grader.cli.runners import Files, publish
        from grader.cli.work import inside
        from grader.report.spelled import decision

        work = inside(config.parent, path or project.path, config)
        _require_apart(assignment or project.assignment, rubric, work)
        settings = settings_for(
            assignment or project.assignment,
            rubric=rubric or project.rubric,
            components=components,
            isolation=level,
            seed=seed,
            named=bool(rubric),
        )
        wanted = min_score or project.min_score
        needed = _needed(wanted, settings)
        files = Files(
            config.parent / junit if junit else inside(config.parent, project.junit, config, "junit"),
            config.parent / code_quality if code_quality else None,
            config.parent / page if page else None,
        )
        files.require_writable()
        try:
            report = judge(read(work), settings, sandbox)
        except UnreadableError as error:
            publish(unreadable(settings, work, error), work, files, reached=False)
            raise
    code = _verdict(report, needed)
    hidden = show_hidden or project.show_hidden
    said = decision(report, _asked(wanted, needed), reached=code is Exit.OK, hidden=hidden)
    again = shlex.join(["grader", "check", str(work), *(["-a", assignment] if assignment else [])])
    publish(report, work, files, reached=code is Exit.OK, again=again, decided=said, hidden=hidden)
    return code


def _project(config: Path, assignment: str | None) -> ProjectFile:
    """Return grader.yaml; without one, what ``-a`` alone says."""
    from grader.catalog import assignment_named, read_project
    from grader.catalog.schema import ProjectFile

    if config.is_file():
        project = read_project(config)
        return (
            project
            if assignment
            else project.model_copy(update={"assignment": assignment_named(project.assignment, config)})
        )
    if not assignment:
        cure = "Write one (assignment: ID), or give the assignment with -a."
        raise GraderError("there is no such file", str(config), cure)
    return ProjectFile(assignment=assignment)


def _require_apart(assignment: str, rubric: str | None, work: Path) -> None:
    """Say where the repository that is graded holds what decides its score; raises GraderError where that is code."""
    from grader.catalog import assignment_file
    from grader.catalog.assignments import OWN

    graded = _repository(work)
    deciding = [assignment_file(assignment).parent, *([Path(rubric).parent] if rubric else [])]
    inside = [folder for folder in deciding if graded is not None and _repository(folder) == graded]
    for folder in inside:
        if (folder / OWN).is_file():
            what = "lies in the repository that is graded, and would run in the grader, beside answers and the seed"
            cure = "Check your own repository out beside it, and name its folder (docs/ci.md)."
            raise GraderError(what, str(folder / OWN), cure)
    if inside:
        where = f"{inside[0]} lies in the repository that is graded"
        click.echo(f"grader: {where}: who can push to it can change what is asked, and the points.", err=True)


def _repository(path: Path) -> Path | None:
    """The folder of the git repository that holds ``path``."""
    here = path.resolve()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)


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
    from grader.cli.judging import exit_code
    from grader.model.outcome import Verdict

    if needed is None or report.verdict is Verdict.FAULT:
        return exit_code(report)
    return Exit.OK if report.score >= needed else Exit.POINTS_LOST
