"""``grader check``: a student looks at the own work."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import (
    PATH,
    assignment_option,
    component_option,
    file_option,
    format_option,
    output_option,
    rubric_option,
)
from grader.errors import Exit, GraderError
from grader.intake.caps import DOCUMENTS

if TYPE_CHECKING:
    from grader.model.outcome import Outcome
    from grader.model.report import Report
    from grader.sandbox.parent import Sandbox

WATCH_INTERVAL = 0.3
"""Seconds between two looks at the files."""


PRINTED_IN = frozenset({"text", "markdown", "html"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What the student typed: the work, what to judge of it by which rubric, and how to show it."""

    path: Path | None
    assignment: str | None
    components: tuple[str, ...]
    file: str | None
    rubric: str | None
    form: str | None
    output: Path | None
    hints: int
    prints: bool


@click.command("check")
@click.argument("path", required=False, type=PATH)
@assignment_option
@component_option
@file_option
@rubric_option
@format_option(None)
@output_option()
@click.option("--hint", "hints", count=True, help="Help one step further; twice for two steps.")
@click.option("--draw", type=click.Choice(("weights",)), help="Draw your own attention weights for a sentence instead.")
@click.option("--sentence", default="Dogs love treats", show_default=True, help="The sentence of --draw.")
@click.option("--prints", is_flag=True, help="Show what your code printed: of each part the first call that did.")
@click.option("--watch", is_flag=True, help="Check again whenever the work changes.")
def command(*, draw: str | None, sentence: str, watch: bool, **options: Any) -> int:
    """Check your own work: what is right, what is wrong, what to look at next.

    PATH is a file, a notebook, a folder or a zip; left out, it is what grader.yaml names, or the only candidate in
    this folder. Exit code 0 when everything judged is right, 1 when points are lost.
    """
    asked = Asked(**options)
    # It warms up while the rest is imported; a document on its own is only read.
    document = asked.path and asked.path.suffix.lower() in DOCUMENTS
    with nullcontext() if document else _warming_up() as sandbox:
        if draw and sandbox:
            return _draw(asked, sentence, sandbox)
        if not watch:
            return check_once(asked, sandbox, last=True)
        return _watch(asked, sandbox)


def _warming_up() -> Sandbox:
    from grader.sandbox.parent import Sandbox

    return Sandbox(level="auto")


def check_once(asked: Asked, sandbox: Sandbox | None, *, last: bool = False) -> int:
    """Check the work once and print the report; returns the exit code, raises GraderError.

    After the ``last`` check the sandbox is put away while the report is printed.
    """
    from grader.cli.judging import assignment_of, exit_code, judge, read, settings_for
    from grader.cli.printing import emit, form_for, require_writable
    from grader.cli.work import find_work
    from grader.report.help import says_more
    from grader.report.view import raised

    chosen = form_for(asked.output, asked.form)
    if asked.prints and chosen not in PRINTED_IN:
        raise GraderError("what your code printed is shown as text, markdown or html", "--prints")
    if asked.output:
        require_writable(asked.output)
    found = asked.path or find_work(Path())
    submission = read(found)
    assignment = asked.assignment or assignment_of(found, submission)
    settings = settings_for(
        assignment,
        rubric=asked.rubric,
        components=asked.components,
        isolation="auto",
        file=asked.file,
        prints=asked.prints,
    )
    report = judge(submission, settings, sandbox)
    if last and sandbox:
        sandbox.dismiss()
    report = _pasteable_here(report, found)
    emit(report, chosen, "student", asked.output, raised(report, asked.hints), _again(asked))
    if asked.hints and not says_more(report, asked.hints):
        click.echo(
            f"There is no more help than this: --hint {'once more ' if asked.hints > 1 else ''}adds nothing.", err=True
        )
    return exit_code(report)


def _draw(asked: Asked, sentence: str, sandbox: Sandbox) -> int:
    """Draw what the student's own attention makes of a sentence; nothing is judged. Raises GraderError."""
    from grader.assessing.own_weights import own_weights
    from grader.cli.judging import assignment_of, isolation_errors, read, settings_for
    from grader.cli.printing import draws, form_for, show, write
    from grader.cli.work import find_work
    from grader.pipeline import prepared
    from grader.report import page
    from grader.report.pictures import characters

    found = asked.path or find_work(Path())
    submission = read(found)
    settings = settings_for(asked.assignment or assignment_of(found, submission), isolation="auto", file=asked.file)
    with isolation_errors("auto"):
        if settings.assignment.needs_torch:
            sandbox.warm_torch()
        ready = prepared(submission, settings.assignment)
        picture = own_weights(ready, settings.assignment, sentence, sandbox)
    title = f"Your attention weights for “{' '.join(picture.labels[0])}”"
    form = form_for(asked.output, asked.form)
    if form not in {"text", "html"}:
        raise GraderError("draws as text or html", "--draw", "Name a file that ends in .html, or none.")
    text = page.drawn(title, picture) if form == "html" else f"{title}\n\n" + "".join(
        f"{line}\n" for line in characters.lines(picture, 80, plain=not draws()))  # fmt: skip
    if asked.output:
        write(asked.output, text)
    else:
        show(text, utf8=form == "html")
    return Exit.OK


def _pasteable_here(report: Report, path: Path) -> Report:
    """The report with lines to paste that run in this folder: in a fresh interpreter, wherever the work lies."""
    folder = path if path.is_dir() or path.suffix == ".zip" else path.parent

    def here(outcome: Outcome) -> Outcome:
        example = outcome.counterexample
        if example is None or not example.snippet:
            return outcome
        from grader.judging.snippet import from_folder  # only code has such lines

        return replace(outcome, counterexample=replace(example, snippet=from_folder(example.snippet, folder)))

    marks = tuple(replace(mark, outcomes=tuple(map(here, mark.outcomes))) for mark in report.marks)
    return replace(report, marks=marks)


def _again(asked: Asked) -> str:
    """The command as it was typed, without what says how much help and where the report goes."""
    import shlex

    words = ["grader", "check"]
    if asked.path:
        words.append(f"./{asked.path}" if str(asked.path).startswith("-") else str(asked.path))
    if asked.assignment:
        words += ["-a", asked.assignment]
    for name in asked.components:
        words += ["--component", name]
    if asked.file:
        words += ["--file", asked.file]
    if asked.rubric:
        words += ["--rubric", asked.rubric]
    return shlex.join(words)


def _watch(asked: Asked, sandbox: Sandbox | None) -> int:
    """Check again and again; ends with an interrupt."""
    import time

    from grader.cli.work import find_work

    found = asked.path or find_work(Path())
    before: object = None
    while True:
        now = _state(found)
        if now != before:
            before = now
            click.clear()
            try:
                check_once(replace(asked, path=found), sandbox)
            except GraderError as error:
                if error.exit_code is Exit.ISOLATION:
                    raise
                click.echo(f"grader: {error}", err=True)
            click.echo(f"Watching {found}; end with ctrl-C.", err=True)
        time.sleep(WATCH_INTERVAL)


def _state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when the work is saved: names, times and sizes."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    found = []
    for file in files:
        try:
            status = file.stat()
        except OSError:  # saved by renaming, and gone for a moment
            continue
        if file.suffix in {".py", ".ipynb", ".zip", ".yaml", ".md", ".json", ".tex", ".pdf"}:
            found.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(found)
