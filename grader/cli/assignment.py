"""``grader assignment``: assignments are checked before students meet them."""

from __future__ import annotations

import click

from grader.errors import Exit, GraderError


@click.group("assignment")
def command() -> None:
    """Validate assignments."""


@command.command("validate")
@click.argument("assignments", metavar="ID...", nargs=-1, required=True)
def validate(assignments: tuple[str, ...]) -> int:
    """Validate assignments (ids, folders or files): every complaint with file, line, field and what was expected."""
    from grader import components
    from grader.catalog import InvalidFileError, assignment_file, load_assignment
    from grader.catalog.places import nearest

    code = Exit.OK
    for which in assignments:
        path = assignment_file(which)
        try:
            loaded = load_assignment(path)
        except InvalidFileError as error:
            click.echo("\n".join(error.problems), err=True)
            code = Exit.USAGE
            continue
        known = components.names()
        for interface in loaded.interfaces:
            if interface.component not in known:
                raise GraderError(
                    f"components: there is no component {interface.component!r}",
                    str(path),
                    nearest(interface.component, known),
                )
        if loaded.sections:
            from grader.written.proof import problems

            complaints = [f"{path.parent}: {complaint}" for complaint in problems(loaded.sections)]
            if complaints:
                click.echo("\n".join(complaints), err=True)
                code = Exit.USAGE
                continue
        click.echo(f"{path}: valid, {len(loaded.components)} components")
    return code
