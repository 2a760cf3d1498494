"""``grader review``: what waits for a person, item by item or as a table."""

import getpass
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import get_terminal_size

import click

from grader.classroom.names import listed
from grader.classroom.results import Results, existing, locked
from grader.cli.lines import laid_out
from grader.cli.options import PATH
from grader.cli.results import results_argument
from grader.errors import Exit, GraderError
from grader.review import sheet
from grader.review.desk.serve import serve
from grader.review.desk.state import Desk
from grader.review.opinion import opinions
from grader.review.queue import WHOLE, Item, undo, waiting
from grader.review.terminal import Opinion, Session, run


@click.command("review")
@results_argument()
@click.option("--only", metavar="NAME", default="", help="A check, a criterion, a section or a student's key.")
@click.option("--by", multiple=True, metavar="NAME", help="Who decides; your login where it is left out.")
@click.option("--web", is_flag=True, help="In the browser, on this machine; each --by NAME gets a link.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of --web; a free one by default.")
@click.option("--export", "target", metavar="FILE", type=PATH, help="Write the queue as CSV instead.")
@click.option("--import", "source", metavar="FILE", type=PATH, help="Take the points of such a CSV.")
@click.option("--list", "listed", is_flag=True, help="Count what waits, and stop.")
@click.option("--undo", "undone", is_flag=True, help="Take back what was decided last; it waits again.")
@click.option(
    "--second-opinion", "endpoint", metavar="URL", help="Ask an OpenAI-compatible endpoint; it only suggests."
)
@click.option("--model", default="", help="The model that --second-opinion asks for.")
def command(  # noqa: PLR0917 - click passes options by name
    results: Path,
    only: str,
    by: tuple[str, ...],
    web: bool,
    port: int,
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
    With --web you do so in a browser, and several can at once: each link is good for one browser.
    """
    folder = existing(results)
    items = waiting(folder, only)
    if undone:
        _undo(folder, _one(by))
    elif listed:
        _count(items)
    elif web:
        _desk(folder, by or (_login(),), only, port)
    elif target:
        click.echo(f"{sheet.export(items, target)} answers in {target}. Fill in points, then: --import {target}")
    elif source:
        with locked(folder):
            count, settled = sheet.load(folder, items, source, _one(by))
        _said(count, settled, waiting(folder, only))
    elif not items:
        click.echo("Nothing waits for a person.")
    else:
        session = _sit(folder, items, _one(by), _opinion(folder, endpoint, model))
        _said(session.decided, session.settled, waiting(folder, only))
    return Exit.OK


def _undo(folder: Results, by: str) -> None:
    with locked(folder):
        found = undo(folder, by)
    said = "nothing was decided on an answer."
    if found:
        students = listed(list(dict.fromkeys(item.student for item in found)))
        said = f"taken back, and waiting again: {', '.join(dict.fromkeys(item.check for item in found))} of {students}."
    click.echo(laid_out(said, "  "))


def _desk(folder: Results, names: Sequence[str], only: str, port: int) -> None:
    """Serve the queue in the browser until ctrl-C."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "python_multipart")):
        cure = "pip install 'attention-grader[web]', or '.[web]' in a clone."
        raise GraderError("needs starlette, uvicorn and python-multipart", "--web", cure)
    click.echo("Open a link; each is good for one browser on this machine. End with ctrl-C.")
    serve(Desk(folder, tuple(dict.fromkeys(names)), only), port, click.echo)


def _one(names: Sequence[str]) -> str:
    """The one who decides at a terminal. Raises GraderError for several."""
    if len(names) > 1:
        raise GraderError("names several, and one decides here", "--by", "Several can with --web.")
    return names[0] if names else _login()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise GraderError("who decides?", "--by", "Give your name.") from None


def _count(items: tuple[Item, ...]) -> None:
    for check, count in sorted(Counter(item.check for item in items).items()):
        click.echo(f"{count:>5}  {check if check != WHOLE else 'hand-ins that no program can read'}")
    click.echo(f"{len(items):>5}  answers wait")


def _sit(folder: Results, items: tuple[Item, ...], by: str, opinion: Opinion | None) -> Session:
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
    if not model:
        raise GraderError("which model is to be asked?", "--second-opinion", "Give --model NAME.")
    return opinions(folder, endpoint, model)
