"""``grader export``: the gradebook in the form that a learning platform takes, and a feedback file per student."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import click

from grader.classroom import feedback, gradebook
from grader.classroom.decisions import comments
from grader.classroom.names import some
from grader.classroom.remarks import of_class
from grader.classroom.results import Results, existing
from grader.classroom.row import GradebookRow, rows
from grader.cli.lines import say
from grader.cli.options import PATH
from grader.cli.printing import show, write
from grader.cli.results import policy_of, results_argument, settings_of
from grader.errors import Exit, GraderError
from grader.report.words import counted


@click.command("export")
@results_argument()
@click.option("--to", type=click.Choice(gradebook.FORMS), default="csv", show_default=True, help="For which platform.")
@click.option("-o", "--output", metavar="FILE", type=PATH, help="Write the gradebook here.")
@click.option("--sheet", metavar="FILE", type=PATH, help="Your own sheet from the platform, to be filled in.")
@click.option("--title", default="", help="The assignment as the platform calls it; its id as a rule.")
@click.option("--policy", metavar="FILE", type=PATH, help="Lateness, extensions, caps; else the results' own.")
@click.option("--feedback", metavar="DIR|ZIP", type=PATH, help="Write a feedback file per student, too.")
@click.option(
    "--feedback-as",
    "form",
    type=click.Choice(("markdown", "html")),
    default="markdown",
    show_default=True,
    help="Feedback as text, or as pages with pictures.",
)
def command(
    results: Path,
    to: str,
    output: Path | None,
    sheet: Path | None,
    title: str,
    policy: Path | None,
    feedback: Path | None,
    form: Literal["markdown", "html"],
) -> int:
    """Print the gradebook of RESULTS, or write it with -o. Remarks on rows that do not match go to the error stream."""
    folder = existing(results)
    chosen = policy_of(folder, policy)
    book = rows(folder, chosen)
    index = folder.index()
    if sheet and to not in gradebook.SHEETS:
        what = f"is for {', '.join(name.capitalize() for name in gradebook.SHEETS)}, and {to} takes none"
        raise GraderError(what, "--sheet", "Leave it out, or change --to.")
    text, remarks = gradebook.export(to, book, title=title or index["assignment"], sheet=sheet)
    if feedback:
        click.echo(f"{counted(_feedback(folder, book, feedback, form), 'feedback file')} in {feedback}.", err=True)
    for remark in (*remarks, *_waiting(book, results), *of_class(folder, chosen)):
        say(remark)
    if output:
        write(output, "\ufeff" + text if sheet and _marked(sheet) else text)
    else:
        show(text, utf8=True)
    return Exit.OK


def _waiting(book: Sequence[GradebookRow], results: Path) -> Iterator[str]:
    """Whose grade is not whole yet: nobody should have to find that out from the students."""
    if names := [row.name for row in book if row.score.none_yet]:
        yield f"nothing was handed in, so there is no grade: {some(names)} (0 for them: `absent: zero` in the policy)"
    if names := [row.name for row in book if row.score.pending and row.score.points is not None]:
        yield f"points that wait for a person are in no grade yet: {some(names)} (grader review {results})"
    if names := [row.name for row in book if row.verdict == "unreadable" and not row.score.points]:
        yield f"what could not be read has 0 points here: {some(names)}; ask for the files again, or grader override"


def _marked(sheet: Path) -> bool:
    """Whether a sheet begins with the mark by which Excel knows UTF-8."""
    with sheet.open("rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


def _feedback(folder: Results, book: Sequence[GradebookRow], target: Path, form: Literal["markdown", "html"]) -> int:
    settings = settings_of(folder)
    made = feedback.files(folder, book, settings.assignment, settings.rubric, comments(folder), form)
    return feedback.write(target, made)
