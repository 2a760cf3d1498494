"""``grader check``: a student looks at the own work."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import assignment_option, component_option, format_option, output_option, rubric_option
from grader.errors import Exit, GraderError

if TYPE_CHECKING:
    from grader.sandbox.parent import Sandbox

DOCUMENTS = frozenset({".md", ".yaml", ".yml", ".json", ".pdf", ".tex", ".docx", ".html", ".txt"})
"""Endings of files that hold no code."""

WATCH_INTERVAL = 0.3
"""Seconds between two looks at the files."""


@click.command("check")
@click.argument("path", required=False, type=click.Path(readable=False, path_type=Path))
@assignment_option()
@component_option()
@rubric_option()
@format_option(None)
@output_option()
@click.option("--hint", "hints", count=True, help="Help one step further; twice for two steps.")
@click.option("--watch", is_flag=True, help="Check again whenever the work changes.")
def command(
    path: Path | None,
    assignment: str | None,
    components: tuple[str, ...],
    rubric: str | None,
    form: str | None,
    output: Path | None,
    hints: int,
    watch: bool,
) -> int:
    """Check your own work: what is right, what is wrong, what to look at next.

    PATH is a file, a notebook, a folder or a zip; left out, it is what grader.yaml names, or the only candidate in
    this folder. Exit code 0 when everything judged is right, 1 when points are lost.
    """
    from grader.sandbox.parent import Sandbox

    # It warms up while the rest is imported; a document on its own is only read.
    with nullcontext() if path and path.suffix.lower() in DOCUMENTS else Sandbox(level="auto") as sandbox:
        if not watch:
            return check_once(path, assignment, components, rubric, form, output, hints, sandbox, last=True)
        return _watch(path, assignment, components, rubric, form, output, hints, sandbox)


def check_once(
    path: Path | None,
    assignment: str | None,
    components: tuple[str, ...],
    rubric: str | None,
    form: str | None,
    output: Path | None,
    hints: int,
    sandbox: Sandbox | None,
    *,
    last: bool = False,
) -> int:
    """Check the work once and print the report; returns the exit code, raises GraderError.

    After the ``last`` check the sandbox is put away while the report is printed.
    """
    from grader.catalog import recognise
    from grader.cli.judging import exit_code, judge, read, settings_for
    from grader.cli.printing import emit, form_for, require_writable
    from grader.cli.work import find_work
    from grader.report.view import raised

    chosen = form_for(output, form)
    if output:
        require_writable(output)
    found = path or find_work(Path())
    submission, typed = read(found), assignment
    if not assignment:
        recognised = recognise(found, submission)
        assignment = recognised.assignment
        click.echo(f"Assignment {assignment}: {recognised.how}.", err=True)
    settings = settings_for(assignment, rubric=rubric, components=components, isolation="auto")
    report = judge(submission, settings, sandbox)
    if last and sandbox:
        sandbox.dismiss()
    emit(report, chosen, "student", output, raised(report, hints), _again(path, typed, components, rubric))
    return exit_code(report)


def _again(path: Path | None, assignment: str | None, components: tuple[str, ...], rubric: str | None) -> str:
    """The command as it was typed, without what says how much help and where the report goes."""
    import shlex

    words = ["grader", "check", *([f"./{path}" if str(path).startswith("-") else str(path)] if path else [])]
    words += ["-a", assignment] if assignment else []
    for name in components:
        words += ["--component", name]
    return shlex.join([*words, *(["--rubric", rubric] if rubric else [])])


def _watch(
    path: Path | None,
    assignment: str | None,
    components: tuple[str, ...],
    rubric: str | None,
    form: str | None,
    output: Path | None,
    hints: int,
    sandbox: Sandbox | None,
) -> int:
    """Check again and again; ends with an interrupt."""
    import time

    from grader.cli.work import find_work

    found = path or find_work(Path())
    before: object = None
    while True:
        now = _state(found)
        if now != before:
            before = now
            click.clear()
            try:
                check_once(found, assignment, components, rubric, form, output, hints, sandbox)
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
