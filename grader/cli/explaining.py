"""``grader explain``: what a named mistake is, why it is one, and what to read again."""

import json
import shutil
import textwrap
from dataclasses import asdict
from itertools import groupby, zip_longest

import click

from grader.auditing.explain import CheckEntry, Entry, entries, look_up
from grader.cli.lines import table
from grader.cli.options import mistakes
from grader.components import names
from grader.errors import GraderError, nearest
from grader.report.words import counted

_WIDEST = 88
"""Longer lines of words are hard to read."""
PAPERS = (
    "This is told in the paper's form: what your hand-out settles otherwise, such as the norm's place, holds instead."
)


@click.command("explain")
@click.argument("id_", metavar="[ID]", required=False, shell_complete=mistakes)
@click.option("--component", metavar="NAME", help="List the mistakes of one part only.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to print.")
def command(id_: str | None, component: str | None, form: str) -> None:
    """Explain the mistake or the check ID; without ID, list the catalogue."""
    if id_:
        found = look_up(id_)
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=2) if form == "json" else _page(found))
        return
    if component is not None:
        _require_part(component)
    listed = [entry for entry in entries() if component in {None, *entry.components}]
    if form == "json":
        click.echo(json.dumps([asdict(entry) for entry in listed], ensure_ascii=False, indent=2))
        return
    for heading, found_there in groupby(listed, key=lambda entry: entry.components[0]):
        click.secho(f"\n{heading}", bold=True)
        click.echo("\n".join(table([(entry.id, entry.title) for entry in found_there], "  ")))
    click.echo(f"\n{counted(len(listed), 'mistake')}. `grader explain ID` tells more about one.")


def _require_part(name: str) -> None:
    if name not in names():
        raise GraderError(f"there is no part {name!r}", "--component", nearest(name, names()))


def _codes(wrong: str, right: str, columns: int) -> list[str]:
    """Both codes: line over line, or side by side where one has several lines and the terminal is wide enough."""
    left, other = ["wrong", *wrong.splitlines()], ["right", *right.splitlines()]
    wide = max(map(len, left)) + 4
    if "\n" in wrong + right and 2 + wide + max(map(len, other)) <= columns:
        return [f"  {one:<{wide}}{two}".rstrip() for one, two in zip_longest(left, other, fillvalue="")]
    width = min(columns, _WIDEST)
    return [*_code("wrong", wrong, width), *_code("right", right, width)]


def _code(label: str, code: str, width: int) -> list[str]:
    """Code line by line behind its label; a line that is too long goes on, set in."""
    rest = " " * 9
    wrapped = [
        textwrap.wrap(line, width - 9, subsequent_indent="    ", drop_whitespace=False) for line in code.splitlines()
    ]
    lines = [part.rstrip() for parts in wrapped for part in parts]
    return [f"  {label:<7}{lines[0]}", *(rest + line for line in lines[1:])]


def _page(found: Entry | CheckEntry) -> str:
    columns = shutil.get_terminal_size((80, 24)).columns
    width = min(columns, _WIDEST)

    def paragraph(text: str) -> str:
        return textwrap.fill(text, width)

    lines = [click.style(found.id, bold=True), paragraph(found.title)]
    if not isinstance(found, Entry):
        return "\n".join([*lines, "", paragraph(found.detail)] if found.detail else lines)
    lines += ["", paragraph(found.explanation)] if found.explanation != found.title else []
    if found.wrong:
        lines += ["", *_codes(found.wrong, found.right, columns), "", paragraph(PAPERS)]
    if found.example:
        given = ", ".join(f"{name}={text}" for name, text in found.example.inputs.items())
        lines += ["", paragraph(f"{found.example.function}({given})")]
        lines += [paragraph(f"  right:     {found.example.right}"), paragraph(f"  with this: {found.example.wrong}")]
    lines += ["", paragraph(f"Ask yourself: {found.nudge}"), paragraph(f"Look here: {found.hint}"), ""]
    return "\n".join(
        [*lines, paragraph(f"Read again: {found.reread}."), paragraph(f"Met in: {', '.join(found.components)}.")]
    )
