"""What assignment.yaml says of each component, compared with the component itself: names, domain, conventions.

A wrong field would otherwise show as a fault of the grader while a student's work is judged.
"""

from collections.abc import Iterator
from pathlib import Path

from grader.catalog.assignments import load_assignment
from grader.catalog.yaml_file import InvalidFileError, Path_, read_yaml
from grader.errors import nearest
from grader.model.assignment import Assignment, Interface


def require_known_interfaces(path: Path, assignment: Assignment | None = None) -> None:
    """Raise InvalidFileError where assignment.yaml at ``path`` asks a component for what it does not have.

    ``assignment`` is what was read from it, where checks beside a rubric have joined it.
    """
    source = read_yaml(path)
    found = [
        source.problem(("components", item.component, *field), complaint)
        for item in (assignment or load_assignment(path)).interfaces
        for field, complaint in complaints(item)
    ]
    if found:
        raise InvalidFileError(found)


def complaints(item: Interface) -> Iterator[tuple[Path_, str]]:
    """Say what an assignment asks of a component that it does not have: the field, and what is wrong with it."""
    from grader import components

    try:
        forms = components.forms_of(item)
    except KeyError:
        known = nearest(item.component, components.names())
        yield (), f"there is no component {item.component!r}. {known}"
        return
    declared = item.conventions.get("form", "")
    if declared and declared not in forms:
        yield ("conventions", "form"), f"expected {' or '.join(forms)}, found {declared!r}"
        return
    for index, name in enumerate(item.parameters):
        if name in item.parameters[:index]:
            yield ("parameters", index), f"{name!r} is given twice"
    form = components.form_of(item)
    said = "" if declared or len(forms) == 1 else f" (as a {form}; `form` among the conventions says which)"
    yield from ((field, text + said) for field, text in components.asked_for(item, form).complaints(item))
