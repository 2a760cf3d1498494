"""``grader list``: what can be graded."""

from __future__ import annotations

import click


@click.command("list")
def command() -> None:
    """List the assignments: id, title, number of parts, what they need."""
    from grader.catalog import list_assignments, load_assignment

    loaded = [load_assignment(name) for name in list_assignments()]
    width = max((len(item.id) for item in loaded), default=0)
    for item in loaded:
        needs = "numpy and torch" if item.needs_torch else "numpy" if item.interfaces else "written"
        click.echo(f"{item.id:<{width}}  {item.title} ({len(item.components)} parts, {needs})")
