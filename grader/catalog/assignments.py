"""assignment.yaml as the Assignment that travels."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

from grader.catalog.places import assignment_file
from grader.catalog.yaml_file import InvalidFileError, YamlFile, read_yaml, validate
from grader.model import Assignment, Interface, Limits, Section

if TYPE_CHECKING:
    from grader.catalog.schema import AssignmentFile, InterfaceFile


KEYS = {"worksheet": "key.yaml", "report": "report.yaml"}
"""The file beside assignment.yaml that says what is right in a written part."""


def load_assignment(which: str | Path, *, keys: bool = True) -> Assignment:
    """Return the assignment of a bundled id, a folder or a file.

    Without ``keys`` the sections of its written parts are left out: quicker where only its code matters. Raises
    GraderError with the nearest id where there is none, and InvalidFileError with file, line, field and what was
    expected where the file is wrong.
    """
    from grader.catalog.schema import AssignmentFile

    source = read_yaml(assignment_file(which))
    content = validate(source, AssignmentFile)
    problems = list(_problems(source, content))
    if problems:
        raise InvalidFileError(problems)
    sections, digest = _sections(source, content) if keys else ((), source.sha256)
    return Assignment(
        id=content.id,
        version=content.version,
        title=content.title,
        interfaces=tuple(_interface(name, item) for name, item in content.components.items()),
        needs_torch="torch" in content.needs,
        parts=content.parts,
        limits=Limits(**content.limits.model_dump()),
        sha256=digest,
        sections=sections,
    )


def _sections(source: YamlFile, content: AssignmentFile) -> tuple[tuple[Section, ...], str]:
    """Return the sections of the written parts and a digest over assignment.yaml and their keys.

    The key of a worksheet is key.yaml beside assignment.yaml, that of a report is report.yaml.
    """
    from hashlib import sha256

    found: list[Section] = []
    digests = [source.sha256]
    for part in content.parts:
        if part == "code":
            continue
        from grader.written.key import KeyFile, sections

        key = read_yaml(source.path.parent / KEYS[part])
        found += sections(validate(key, KeyFile), part)
        digests.append(key.sha256)
    names = [*content.components, *(section.id for section in found)]
    for name in names:
        if names.count(name) > 1:
            raise InvalidFileError([source.problem(("parts",), f"two parts have a section {name!r}")])
    whole = sha256(" ".join(digests).encode()).hexdigest() if len(digests) > 1 else source.sha256
    return tuple(found), whole


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
    """Complain about parts that hold nothing, and about every name that Python could not define or pass."""
    if ("code" in content.parts) != bool(content.components):
        yield source.problem(("parts",), "expected code among the parts exactly where components are given")
    for component, item in content.components.items():
        here = ("components", component)
        fields: list[tuple[tuple[str | int, ...], str]] = [((*here, "callable"), item.callable or component)]
        fields += [((*here, "aliases", index), name) for index, name in enumerate(item.aliases)]
        fields += [((*here, "parameters", index), name) for index, name in enumerate(item.parameters)]
        fields += [((*here, "names", key), name) for key, name in item.names.items()]
        for field, name in fields:
            if not name.isidentifier() or iskeyword(name):
                yield source.problem(field, f"expected a Python name, found {name!r}")
