"""``grader new … --from``: an assignment learned from a solution, written whole or not at all."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from grader.catalog import load_assignment, load_rubric
from grader.catalog.interfaces import require_known_interfaces
from grader.cli.judging import isolation_errors, read, require_torch
from grader.errors import GraderError, system_errors
from grader.intake.assemble import require_code
from grader.learning.files import files, flow, mistakes
from grader.learning.learn import learn, uses_torch
from grader.learning.lesson import Learned
from grader.learning.starter import starter, whole
from grader.learning.unasked import unasked
from grader.report.words import counted
from grader.sandbox.parent import Sandbox

ANOTHER = "Name another folder: grader new FOLDER --from SOLUTION."


def learn_into(target: Path, solution: Path, components: str, *, notebook: bool) -> None:
    """Learn the assignment of ``target`` from ``solution`` and say what was learned; raises GraderError.

    ``components`` are names with commas between, empty for all that are found.
    """
    if target.exists():
        raise GraderError("is there already", str(target), ANOTHER)
    name = re.sub(r"[^a-z0-9_-]+", "-", target.name.lower()).strip("-")
    if not name[:1].isalpha():
        raise GraderError("an assignment's name begins with a letter", str(target), ANOTHER)
    submission = read(solution)
    require_code(submission)
    require_torch(str(solution), needed=uses_torch(submission))
    chosen = [name.strip() for name in components.split(",") if name.strip()]
    with Sandbox(level="auto") as sandbox, isolation_errors("auto"):
        learned = learn(submission, sandbox, chosen, lambda line: click.echo(line, err=True))
    if not learned.judged:
        first = learned.lessons[0]
        why = f"{first.definition.name} {first.questions[0].text}"
        raise GraderError(why, str(solution), "docs/instructor.md shows both.")
    words = ["grader", "new", str(target), "--from", str(solution)]
    words += ["--components", components] if components else []
    as_cells = notebook or solution.suffix == ".ipynb"
    texts = files(learned, name, folder=str(target), source=str(solution), command=shlex.join(words), cells=as_cells)
    write_whole(target, texts)
    for path, text in starter(submission, name, cells=as_cells).items():
        if given := whole(text, learned.asked):
            told = f"starter/{path} holds {', '.join(given)} whole"
            click.echo(f"! {told}: mark what is to be written (docs/instructor.md)")
    _tell(learned, target, solution)


def write_whole(target: Path, texts: Mapping[str, str]) -> None:
    """Write the files of an assignment and look whether they can be read; nothing is left where that fails."""
    with system_errors(target, ANOTHER):
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        try:
            for name, text in texts.items():
                path = scratch / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            require_known_interfaces(scratch / "assignment.yaml")
            load_rubric(scratch / "rubric.yaml", load_assignment(scratch))
            scratch.chmod(0o755)
            scratch.rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _tell(learned: Learned, target: Path, solution: Path) -> None:
    for line in learned.broken:
        click.echo(f"! {line}: what needs no such thing is learned without it")
    for lesson in learned.judged:
        said = {key: value for key, value in lesson.interface.conventions.items() if key not in UNTOLD}
        told = ", ".join(f"{key}: {flow(value)}" for key, value in said.items() if not isinstance(value, dict | list))
        click.echo(f"{lesson.component}: {lesson.definition.name}{f' ({told})' if told else ''}")
        for question in lesson.questions:
            click.echo(f"  ? {f'{question.key}: {flow(question.value)} – ' if question.key else ''}{question.text}")
        for mistake in mistakes(lesson):
            click.echo(f"  ! {mistake}")
        for what in unasked(lesson, learned.known):
            click.echo(f"  not asked: {what}")
    for lesson in learned.lessons:
        if not lesson.judged:
            click.echo(f"{lesson.component}: {lesson.definition.name} is not asked for yet")
            click.echo(f"  ? {lesson.questions[0].text}")
    if learned.unknown:
        click.echo(f"not asked for, no part of the paper by name: {', '.join(learned.unknown)}")
    asked = sum(len(lesson.questions) for lesson in learned.lessons)
    open_ = f"; {counted(asked, 'question')} in assignment.yaml" if asked else ""
    mistaken = sum(bool(lesson.mistakes) for lesson in learned.judged)
    wrong = f"; in {mistaken} of them the solution loses points (!)" if mistaken else ""
    parts = counted(len(learned.judged), "part")
    click.echo(f"{target}: {parts} learned{wrong}{open_}.")
    then = ["grader", "assignment", "validate", str(target), "--against", str(solution)]
    click.echo(f"Read {target / 'assignment.yaml'}, then: {shlex.join(then)}")


UNTOLD = frozenset({"form"})
"""Conventions that need not be told."""
