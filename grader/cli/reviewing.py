"""``grader review``: what waits for a person, item by item or as a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from grader.cli.results import results_argument
from grader.errors import Exit, GraderError

if TYPE_CHECKING:
    from grader.classroom.results import Results
    from grader.review.queue import Item
    from grader.review.terminal import Opinion, Session

_FILE = click.Path(readable=False, path_type=Path)


@click.command("review")
@results_argument()
@click.option("--only", metavar="NAME", default="", help="A check, a criterion, a section or a student's key.")
@click.option("--by", default="", help="Who decides; your login where it is left out.")
@click.option("--export", "target", metavar="FILE", type=_FILE, help="Write the queue as CSV instead.")
@click.option("--import", "source", metavar="FILE", type=_FILE, help="Take the points of such a CSV.")
@click.option("--list", "listed", is_flag=True, help="Count what waits, and stop.")
@click.option("--undo", "undone", is_flag=True, help="Take back what was decided last; it waits again.")
@click.option(
    "--second-opinion", "endpoint", metavar="URL", help="Ask an OpenAI-compatible endpoint; it only suggests."
)
@click.option("--model", default="", help="The model that --second-opinion asks for.")
def command(
    results: Path,
    only: str,
    by: str,
    target: Path | None,
    source: Path | None,
    listed: bool,
    undone: bool,
    endpoint: str | None,
    model: str,
) -> int:
    """Go through the answers in RESULTS that the grader could not decide.

    Each is shown with its evidence and a suggestion; your decisions are kept with your name, the time and your
    comment, and stay whatever a later regrade does. Answers that say the same are decided together with `a*` or `c*`.
    """
    from grader.classroom.results import existing, locked
    from grader.review import sheet
    from grader.review.queue import waiting

    folder = existing(results)
    items = waiting(folder, only)
    if undone:
        _undo(folder, by or _login())
    elif listed:
        _count(items)
    elif target:
        click.echo(f"{sheet.export(items, target)} answers in {target}. Fill in points, then: --import {target}")
    elif source:
        with locked(folder):
            count, settled = sheet.load(folder, items, source, by or _login())
        _said(count, settled, waiting(folder, only))
    elif not items:
        click.echo("Nothing waits for a person.")
    else:
        session = _sit(folder, items, by or _login(), _opinion(folder, endpoint, model))
        _said(session.decided, session.settled, waiting(folder, only))
    return Exit.OK


def _undo(folder: Results, by: str) -> None:
    from grader.classroom.names import listed
    from grader.classroom.results import locked
    from grader.cli.lines import laid_out
    from grader.review.queue import undo

    with locked(folder):
        found = undo(folder, by)
    said = "nothing was decided on an answer."
    if found:
        students = listed(list(dict.fromkeys(item.student for item in found)))
        said = f"taken back, and waiting again: {', '.join(dict.fromkeys(item.check for item in found))} of {students}."
    click.echo(laid_out(said, "  "))


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise GraderError("who decides?", "--by", "Give your name.") from None


def _count(items: tuple[Item, ...]) -> None:
    from collections import Counter

    from grader.review.queue import WHOLE

    for check, count in sorted(Counter(item.check for item in items).items()):
        click.echo(f"{count:>5}  {check if check != WHOLE else 'hand-ins that no program can read'}")
    click.echo(f"{len(items):>5}  answers wait")


def _sit(folder: Results, items: tuple[Item, ...], by: str, opinion: Opinion | None) -> Session:
    from grader.classroom.results import locked
    from grader.review.terminal import Session, run

    def ask(prompt: str) -> str:
        click.echo(prompt, nl=False)
        line = sys.stdin.readline()
        return line or "q"

    with locked(folder):
        session = Session(folder, by, click.echo, ask, colour=sys.stdout.isatty(), opinion=opinion)
        session.width = get_terminal_size().columns
        run(session, items)
    return session


def _said(decided: int, settled: Sequence[str], left: Sequence[Item]) -> None:
    criteria = "1 criterion" if len(settled) == 1 else f"{len(settled)} criteria"
    click.echo(f"{decided} decided, {criteria} complete, {len(left)} still wait{'s' if len(left) == 1 else ''}.")


def _opinion(folder: Results, endpoint: str | None, model: str) -> Opinion | None:
    if not endpoint:
        return None
    from grader.review.opinion import opinions

    if not model:
        raise GraderError("which model is to be asked?", "--second-opinion", "Give --model NAME.")
    return opinions(folder, endpoint, model)
