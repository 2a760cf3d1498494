"""Options that several verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from grader.classroom import LAYOUTS
from grader.errors import GraderError
from grader.report import FORMATS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PATH = click.Path(readable=False, path_type=Path)
"""A file or folder that may not be there: whoever opens it says so."""


def assignments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    """Return the ids of assignments that begin so, for the shell to offer."""
    from grader.catalog.places import list_assignments

    return [name for name in list_assignments() if name.startswith(incomplete)]


def _components(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    """Return the parts of the assignment that is typed already, or of the one that grader.yaml names."""
    from grader.catalog import load_assignment, project_file, read_project

    try:
        project = project_file(Path())
        which = ctx.params.get("assignment") or (read_project(project).assignment if project else "")
        known = load_assignment(which).components if which else ()
    except GraderError:
        return []
    return [name for name in known if name.startswith(incomplete)]


def mistakes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    """Return the ids of known mistakes that begin so, for the shell to offer."""
    from grader.auditing.explain import entries

    return [entry.id for entry in entries() if entry.id.startswith(incomplete)]


assignment_option = click.option(
    "-a",
    "--assignment",
    metavar="ID",
    shell_complete=assignments,
    help="The assignment: an id of `grader list`, or a folder with an assignment.yaml.",
)
"""``-a``: which assignment."""


rubric_option = click.option("--rubric", metavar="FILE", help="A rubric other than the assignment's own.")
"""``--rubric``: another rubric than the assignment's own."""


file_option = click.option("--file", metavar="NAME", help="The file to be judged where a hand-in holds several.")
"""``--file``: which of several files is judged."""


component_option = click.option(
    "--component", "components", metavar="NAME", multiple=True, shell_complete=_components, help="Judge this part only."
)
"""``--component``: judge some parts only."""


def format_option(default: str | None = "text") -> Decorator:
    """``--format``: how the report is written."""
    return click.option("--format", "form", type=click.Choice(tuple(FORMATS)), default=default, help="How to report.")


def output_option(help_: str = "Write the report here.") -> Decorator:
    """``-o``: where the report goes."""
    return click.option("-o", "--output", metavar="FILE", type=PATH, help=help_)


def class_options() -> Decorator:
    """What says who is in a class, which hand-ins count, and where the work is done."""
    chosen = (
        click.option("--jobs", type=click.IntRange(0), default=0, help="Workers on this machine; 0 is one a core."),
        click.option("--cluster", metavar="URL", default="", help="Grade on this Dask cluster: tcp://host:port."),
        click.option("--force", is_flag=True, help="Grade again what is graded already."),
        click.option("--only", metavar="STUDENT", multiple=True, help="This student only, by name, key or id."),
        click.option("--roster", metavar="FILE", type=PATH, help="A CSV of who is in the class."),
        click.option("--layout", type=click.Choice(LAYOUTS), help="The export's layout, if detected wrongly."),
        click.option("--pattern", metavar="REGEX", default="",
                     help="Own file names: (?P<name>…), user, file, late, when, attempt."),
        click.option("--attempt", type=click.Choice(("latest", "best", "all")), default="latest", show_default=True,
                     help="Which of several attempts counts."),
        click.option("--policy", metavar="FILE", type=PATH, help="Lateness, extensions, caps; kept in the results."),
    )  # fmt: skip

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(chosen):
            command = option(command)
        return command

    return decorate


def isolation_option(default: str | None = "strict") -> Decorator:
    """``--isolation``: what must hold the student's code."""
    return click.option(
        "--isolation",
        type=click.Choice(("strict", "standard", "none")),
        default=default,
        show_default=default is not None,
        help="What must hold the student's code; weaker than strict must be asked for.",
    )


def _taken(context: click.Context, parameter: click.Parameter, seed: int) -> int:
    from click.core import ParameterSource

    from grader.sandbox import concealment

    value = concealment.take("GRADER_SEED")
    default = context.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT
    if value is not None and not value.strip() and default:  # a secret that is not set, or not given to a fork
        cure = "Set the secret; or leave the variable out, and the hidden cases are those that everybody can draw."
        raise GraderError("the seed is empty", "GRADER_SEED", cure)
    return seed


seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    envvar="GRADER_SEED",
    callback=_taken,
    help="Your secret number: hidden cases follow from it.",
)
"""``--seed``: the secret from which hidden cases are drawn; out of the environment once it is read."""
