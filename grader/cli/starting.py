"""``grader new``: hand-out and starter in a folder of one's own."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from grader.catalog import assignment_file, data_root, load_assignment
from grader.catalog.assignments import OWN
from grader.cli.options import PATH, assignments
from grader.cli.printing import write
from grader.errors import GraderError, system_errors
from grader.intake.text import characters
from grader.learning.notebook import as_notebook
from grader.model.assignment import Section
from grader.model.submission import Document


@click.command("new")
@click.argument("assignment", shell_complete=assignments)
@click.argument("folder", required=False, type=PATH)
@click.option("--notebook", is_flag=True, help="The starter as a notebook, whose cells are checked as they run.")
@click.option(
    "--from",
    "solution",
    metavar="SOLUTION",
    type=PATH,
    help="For instructors: make ASSIGNMENT, a new folder, from your own solution.",
)
@click.option(
    "--components", metavar="NAMES", help="With --from: only these parts, such as softmax,encoder_layer=EncBlock."
)
def command(
    assignment: str, folder: Path | None, *, notebook: bool, solution: Path | None, components: str | None
) -> None:
    """Copy the hand-out and the starter of ASSIGNMENT into FOLDER (default: a folder of its name).

    Nothing that is there already is overwritten. With --from SOLUTION (a .py file, a notebook or a folder) an
    instructor makes an assignment instead: its conventions are learned from the solution.
    """
    if solution:
        from grader.cli.learning import learn_into

        if folder is not None:
            raise GraderError("with --from there is one folder", str(folder), "grader new FOLDER --from SOLUTION.")
        learn_into(Path(assignment), solution, components or "", notebook=notebook)
    elif components:
        raise GraderError("goes with --from", "--components", "grader new FOLDER --from SOLUTION --components NAMES.")
    else:
        _copy(assignment, folder, notebook=notebook)


def _copy(assignment: str, folder: Path | None, *, notebook: bool) -> None:
    source = assignment_file(assignment).parent
    loaded = load_assignment(assignment)
    target = folder or Path(loaded.id)
    starters = sorted(path for path in (source / "starter").rglob("*") if path.is_file() and path.suffix != ".pyc")
    raw = {target / path.relative_to(source / "starter"): path.read_bytes() for path in starters}
    data = {path: content for path, content in raw.items() if b"\0" in content}
    files = {path: characters(content)[0] for path, content in raw.items() if path not in data}
    if notebook:
        asked = [name for one in loaded.interfaces for name in one.accepted]
        files = {
            path.with_suffix(".ipynb") if path.suffix == ".py" else path: (
                as_notebook(text, loaded.title, asked) if path.suffix == ".py" else text
            )
            for path, text in files.items()
        }
    if (source / "handout.md").is_file():
        files[target / "handout.md"] = characters((source / "handout.md").read_bytes())[0]
    sheets = [section for section in loaded.sections if section.part == "worksheet"]
    if sheets and not _holds_sheet(files, sheets):
        from grader.written.printed import blank_sheet

        files[target / "worksheet.md"] = blank_sheet(loaded.title, sheets)
    begun = [path.relative_to(target) for path in files if path.name != "handout.md"]
    work = begun[0].as_posix() if len(begun) == 1 and "report" not in loaded.parts else "."
    named = _named(assignment, source, target)
    files[target / "grader.yaml"] = f"assignment: {named}\npath: {work}\n"
    for path in (*files, *data):
        if path.exists():
            raise GraderError("is there already", str(path), "Name another folder: grader new ID FOLDER.")
    with system_errors(target, "Name another folder."):
        for path in (*files, *data):
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, files[path]) if path in files else path.write_bytes(data[path])
    here = target.resolve() == Path.cwd()
    made = ", ".join(sorted(path.name for path in (*files, *data)))
    click.echo(f"{loaded.title}: {made} in {'this folder' if here else target}.")
    read = f"Read {target / 'handout.md'}, " if target / "handout.md" in files else ""
    writes = f"write {'your work there' if work == '.' else target / work}"
    own = f" -a {shlex.quote(named)}" if source.joinpath(OWN).is_file() else ""
    click.echo(f"{read}{writes}, then: {'' if here else f'cd {shlex.quote(str(target))} && '}grader check{own}")


def _named(assignment: str, source: Path, target: Path) -> str:
    """How grader.yaml in ``target`` names the assignment: by its id, or its folder as seen from there."""
    if source.resolve().is_relative_to(data_root().resolve()):
        return assignment
    return Path(os.path.relpath(source.resolve(), target.resolve())).as_posix()


def _holds_sheet(files: Mapping[Path, str], sheets: Sequence[Section]) -> bool:
    """Say whether a starter, a notebook with tagged cells, has room for every answer already."""
    from grader.written.sheet import read_sheet

    documents = [Document(path.name, text.encode()) for path, text in files.items() if path.suffix == ".ipynb"]
    return {q.id for section in sheets for q in section.questions} <= set(read_sheet(documents, sheets).answers)
