"""``grader formula``: one formula, judged by what it means."""

import json
import sys
from dataclasses import asdict

import click

from grader.cli.lines import laid_out
from grader.errors import Exit, GraderError, nearest
from grader.model.text import StudentText
from grader.written.formula import KINDS, judge_formula


@click.command("formula")
@click.argument("kind")
@click.argument("source")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to answer.")
def command(kind: str, source: str, form: str) -> int:
    """Judge the formula SOURCE (LaTeX, Unicode or plain text; - reads it from the input) as the paper's KIND.

    Kinds: attention, multi_head, pe_sin, pe_cos, ffn, add_norm, noam, variance.

    Exit code 0 when it is equal, 1 when it is different or a person has to look at it.
    """
    if kind not in KINDS:
        raise GraderError(f"there is no formula kind {kind!r}", "", nearest(kind, tuple(KINDS)))
    found = judge_formula(kind, _typed() if source == "-" else source)
    told = {name: value for name, value in asdict(found).items() if name != "work"}
    clean = {name: value if value is None else StudentText(value) for name, value in told.items()}
    if form == "json":
        click.echo(json.dumps(clean, ensure_ascii=False, indent=2))
    else:
        lines = [found.verdict, clean["reason"]]
        lines += [f"read as: {clean['reading']}"] if found.reading else []
        lines += [f"hint: {clean['hint']}"] if found.hint else []
        click.echo("\n".join(laid_out(line, "  ") for line in lines if line))
    return Exit.OK if found.verdict == "equal" else Exit.POINTS_LOST


def _typed() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraderError(f"byte {error.start + 1} is no UTF-8", "the input", "Save it as UTF-8.") from None
