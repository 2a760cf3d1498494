"""assignment.yaml as the Assignment that travels."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

from grader.catalog.places import assignment_file
from grader.catalog.yaml_file import InvalidFileError, YamlFile, read_yaml, validate
from grader.model import Assignment, Interface, Limits

if TYPE_CHECKING:
    from grader.catalog.schema import AssignmentFile, InterfaceFile


def load_assignment(which: str | Path) -> Assignment:
    """Return the assignment of a bundled id, a folder or a file.

    Raises GraderError with the nearest id where there is none, and InvalidFileError with file, line, field and
    what was expected where the file is wrong.
    """
    from grader.catalog.schema import AssignmentFile

    source = read_yaml(assignment_file(which))
    content = validate(source, AssignmentFile)
    problems = list(_problems(source, content))
    if problems:
        raise InvalidFileError(problems)
    return Assignment(
        id=content.id,
        version=content.version,
        title=content.title,
        interfaces=tuple(_interface(name, item) for name, item in content.components.items()),
        needs_torch="torch" in content.needs,
        parts=content.parts,
        limits=Limits(**content.limits.model_dump()),
        sha256=source.sha256,
    )


def _interface(component: str, item: InterfaceFile) -> Interface:
    return Interface(
        component=component,
        callable=item.callable or component,
        aliases=item.aliases,
        parameters=item.parameters,
        returns=item.returns,
        names=item.names,
        domain=item.domain,
        conventions=item.conventions,
        forbidden=item.forbidden,
    )


def _problems(source: YamlFile, content: AssignmentFile) -> Iterator[str]:
    """Complain about every name that Python could not define or pass."""
    for component, item in content.components.items():
        here = ("components", component)
        fields: list[tuple[tuple[str | int, ...], str]] = [((*here, "callable"), item.callable or component)]
        fields += [((*here, "aliases", index), name) for index, name in enumerate(item.aliases)]
        fields += [((*here, "parameters", index), name) for index, name in enumerate(item.parameters)]
        fields += [((*here, "names", key), name) for key, name in item.names.items()]
        for field, name in fields:
            if not name.isidentifier() or iskeyword(name):
                yield source.problem(field, f"expected a Python name, found {name!r}")
