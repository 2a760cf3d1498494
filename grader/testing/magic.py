"""``%%grade``: a cell of a notebook that is judged where it stands. ``%load_ext grader`` makes it known."""

import ast
import shlex
from typing import Any

from grader.errors import GraderError
from grader.testing.checking import check
from grader.testing.result import Result


def register(shell: Any) -> None:
    """Make ``%%grade`` known to an IPython shell."""

    def grade(line: str, cell: str) -> None:
        """Run the cell, then judge what it defines: ``%%grade [COMPONENT…] [-a ASSIGNMENT]``."""
        run = shell.run_cell(cell)
        if run.success:
            from IPython.display import display

            try:
                for result in judged(line, cell, shell.user_ns):
                    display(result)
            except GraderError as error:
                print(f"{error}")  # noqa: T201 - a notebook shows what is printed

    shell.register_magic_function(grade, magic_kind="cell", magic_name="grade")


def judged(line: str, cell: str, names: dict[str, Any]) -> list[Result]:
    """Judge the components that a cell defines, or those that ``line`` names; raises GraderError."""
    components, assignment = _asked(line)
    defined = {node.name for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    interfaces = _interfaces(assignment)
    here = [one.component for one in interfaces.values() if defined & {*one.accepted}]
    results = []
    for component in components or here:
        interface = interfaces.get(component)
        if interface is None:
            results.append(check(_own(component, defined, names), component))
            continue
        name = next((n for n in interface.accepted if n in names), "")
        if not name:
            raise GraderError(f"{interface.callable} is not defined in this notebook", "%%grade")
        results.append(check(names[name], component, assignment=assignment))
    if not results and not assignment:
        cure = "Name it: %%grade -a ASSIGNMENT. In a folder that `grader new` made, grader.yaml names it."
        raise GraderError("no assignment is named here", "%%grade", cure)
    if not results:
        known = ", ".join(one.callable for one in interfaces.values())
        raise GraderError(f"the cell defines nothing that {assignment} asks for ({known})", "%%grade")
    return results


def _asked(line: str) -> tuple[list[str], str]:
    """The components that the magic's line names, and the assignment: its own, or that of a grader.yaml."""
    from pathlib import Path

    from grader.catalog import assignment_named, project_file, read_project

    words = shlex.split(line)
    if "-a" in words[:-1]:
        at = words.index("-a")
        return [*words[:at], *words[at + 2 :]], words[at + 1]
    project = project_file(Path())
    return words, assignment_named(read_project(project).assignment, project) if project else ""


def _interfaces(assignment: str) -> dict[str, Any]:
    """What the assignment asks for, by component."""
    from grader.catalog import load_assignment

    if not assignment:
        return {}
    return {one.component: one for one in load_assignment(assignment, keys=False).interfaces}


def _own(component: str, defined: set[str], names: dict[str, Any]) -> Any:
    """What a cell defines for a component without an assignment: the thing of its name, else the only one."""
    name = component if component in defined else next(iter(defined)) if len(defined) == 1 else ""
    if not name:
        raise GraderError(
            f"which one is {component}: {', '.join(sorted(defined))}?", "%%grade", "Name an assignment: -a."
        )
    return names[name]
