"""``grader formula``: one formula, judged by what it means."""

from __future__ import annotations

import json

import click

from grader.errors import Exit


@click.command("formula")
@click.argument("kind")
@click.argument("source")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to answer.")
def command(kind: str, source: str, form: str) -> int:
    """Judge the formula SOURCE (LaTeX, Unicode or plain text) against the one that KIND names.

    Exit code 0 when it is equal, 1 otherwise.
    """
    from grader.model import StudentText
    from grader.written.formula import judge_formula

    found = judge_formula(kind, source)
    if form == "json":
        fields = ("verdict", "slip", "title", "reason", "reading")
        click.echo(json.dumps({name: _plain(getattr(found, name)) for name in fields}, ensure_ascii=False, indent=2))
    else:
        lines = [str(found.verdict), found.title, found.reason, f"read as: {found.reading}" if found.reading else ""]
        click.echo("\n".join(StudentText(line) for line in lines if line))
    return Exit.OK if str(found.verdict) == "equal" else Exit.POINTS_LOST


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
