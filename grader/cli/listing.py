"""``grader list``: what can be graded."""

import click

from grader.catalog import list_assignments, load_assignment
from grader.cli.lines import table
from grader.report.words import counted


@click.command("list")
def command() -> None:
    """List the assignments: id, title, number of parts, what they need."""
    rows = []
    for item in map(load_assignment, list_assignments()):
        needs = "numpy and torch" if item.needs_torch else "numpy" if item.interfaces else "written"
        what = f"({counted(len(item.components), 'part')}, {needs})".replace(" ", "\xa0")  # stays together
        rows.append((item.id, f"{item.title} {what}"))
    click.echo("\n".join(table(rows)).replace("\xa0", " "))
