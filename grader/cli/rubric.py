"""``grader rubric``: rubrics are checked before students meet them."""

from decimal import Decimal

import click

from grader.catalog import InvalidFileError, list_assignments, load_assignment, load_rubric, rubric_file
from grader.catalog.schema import RubricFile
from grader.catalog.yaml_file import read_yaml
from grader.catalog.yaml_file import validate as validated
from grader.errors import Exit
from grader.report.words import points


@click.group("rubric")
def command() -> None:
    """Validate rubrics."""


@command.command("validate")
@click.argument("rubrics", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-a",
    "--assignment",
    metavar="ID",
    help="The assignment it is for; default: the one it names, or the one beside it.",
)
def validate(rubrics: tuple[str, ...], assignment: str | None) -> int:
    """Validate rubric files (or ids): every complaint with file, line, field and what was expected."""
    code = Exit.OK
    for which in rubrics:
        path = rubric_file(which)
        try:
            source = read_yaml(path)
            said = source.data.get("assignment") if isinstance(source.data, dict) else None
            if said not in list_assignments():  # else its names are looked at together with its fields
                said = validated(source, RubricFile).assignment
                beside = path.parent / "assignment.yaml"
                said = str(beside) if beside.is_file() else said
            rubric = load_rubric(path, load_assignment(assignment or said))
        except InvalidFileError as error:
            click.echo("\n".join(error.problems), err=True)
            code = Exit.USAGE
            continue
        checks = sum(len(criterion.checks) for criterion in rubric.criteria)
        most = sum((criterion.points for criterion in rubric.criteria if not criterion.bonus), Decimal(0))
        click.echo(f"{path}: valid, {len(rubric.criteria)} criteria, {checks} checks, {points(most)} points")
    return code
