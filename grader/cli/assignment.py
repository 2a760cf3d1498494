"""``grader assignment``: assignments are checked before students meet them."""

from __future__ import annotations

import click

from grader.errors import Exit


@click.group("assignment")
def command() -> None:
    """Validate assignments."""


@command.command("validate")
@click.argument("assignments", metavar="ID...", nargs=-1, required=True)
def validate(assignments: tuple[str, ...]) -> int:
    """Validate assignments (ids, folders or files): every complaint with file, line, field and what was expected."""
    from grader.catalog import InvalidFileError, assignment_file, load_assignment
    from grader.catalog.interfaces import require_known_interfaces
    from grader.report.words import counted

    code = Exit.OK
    for which in assignments:
        path = assignment_file(which)
        try:
            loaded = load_assignment(path)
            require_known_interfaces(path)
        except InvalidFileError as error:
            click.echo("\n".join(error.problems), err=True)
            code = Exit.USAGE
            continue
        if loaded.sections:
            from grader.written.proof import problems

            complaints = [f"{path.parent}: {complaint}" for complaint in problems(loaded.sections)]
            if complaints:
                click.echo("\n".join(complaints), err=True)
                code = Exit.USAGE
                continue
        click.echo(f"{path}: valid, {counted(len(loaded.components), 'component')}")
    return code
