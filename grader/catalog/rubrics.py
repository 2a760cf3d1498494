"""A rubric file as the Rubric that travels: globs expanded, every name checked against what it names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from grader.catalog.places import rubric_file
from grader.catalog.yaml_file import Complaint, InvalidFileError, Path_, content, read_yaml
from grader.errors import GraderError, nearest
from grader.model.assignment import Assignment, Audience, Criterion, HintLevel, Interface, Rubric, RubricCheck


def load_rubric(which: str | Path, assignment: Assignment) -> Rubric:
    """Return the rubric of an id or a file, for ``assignment``.

    Raises GraderError with the nearest id where there is no such rubric, InvalidFileError where the file is wrong.
    """
    source = read_yaml(rubric_file(which))
    known = _known_checks(assignment)
    try:
        data = content(source, "RubricFile")
    except InvalidFileError as error:
        told = {_named(field) for field in error.fields}
        besides = [one for one in _problems_besides(source.data, assignment, known) if _named(one[0]) not in told]
        raise InvalidFileError([*error.problems, *source.problems(besides)]) from None
    written = tuple(_criterion(item) for item in data["criteria"])
    problems = list(_problems(data["assignment"], written, assignment, known))
    problems += _left_out_problems([item.get("without", ()) for item in data["criteria"]], written, known)
    if not problems:
        problems = list(_never_asked(written, assignment))
    if problems:
        other = data["assignment"] != assignment.id  # then every check is unknown, which says nothing more
        raise InvalidFileError(source.problems(problems[:1] if other else problems))
    named = {check.id for criterion in written for check in criterion.checks if not _is_glob(check)}
    named |= {check for item in data["criteria"] for check in item.get("without", ())}
    criteria = tuple(_expanded(criterion, named, known) for criterion in written)
    if problems := list(_late_problems(criteria)):
        raise InvalidFileError(source.problems(problems))
    hints = data.get("hints", {})
    return Rubric(
        id=data["id"],
        assignment=data["assignment"],
        version=data["version"],
        title=data["title"],
        criteria=criteria,
        hint_level=HintLevel(hints.get("level", HintLevel.HINT)),
        hint_cap=HintLevel(hints.get("cap", HintLevel.EXPLANATION)),
        sha256=source.sha256,
    )


def _forms(interface: Interface) -> tuple[str, ...]:
    """The form that the assignment declares, or every one in which the component can be handed in."""
    from grader.components import forms_of

    declared = interface.conventions.get("form")
    return (str(declared),) if declared else forms_of(interface)


def _registered(interface: Interface) -> tuple[str, ...]:
    """The checks of every form that may come; score leaves out those that do not apply."""
    from grader.components import asked_for

    names = [check.name for form in _forms(interface) for check in asked_for(interface, form).checks]
    return tuple(dict.fromkeys(names))


def _never_asked(criteria: Sequence[Criterion], assignment: Assignment) -> Iterator[Complaint]:
    """Complaints about checks that are named although the hand-out promises nothing to ask them with."""
    from grader.components import of

    interfaces = {interface.component: interface for interface in assignment.interfaces}
    for number, criterion in enumerate(criteria):
        for index, check in enumerate(criterion.checks):
            component, _, name = check.id.partition(".")
            if _is_glob(check) or (interface := interfaces.get(component)) is None:
                continue
            if all(name not in of(interface, form).asked(interface) for form in _forms(interface)):
                why = "the assignment does not promise what it needs, so take the line out"
                yield ("criteria", number, "checks", index), f"{check.id} is never asked: {why}"


def _known_checks(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    known = {}
    for interface in assignment.interfaces:
        try:
            names = _registered(interface)
        except KeyError:
            problem = f"the assignment {assignment.id} sets {interface.component!r}, which is no component"
            raise GraderError(problem, "", "See the bundled assignments for their names.") from None
        known[interface.component] = tuple(f"{interface.component}.{name}" for name in names)
    for section in assignment.sections:
        known[section.id] = tuple(f"{section.id}.{question.id}" for question in section.questions)
    return known


def _is_glob(check: RubricCheck) -> bool:
    return check.id.endswith(".*")


def _criterion(data: Mapping[str, Any]) -> Criterion:
    """Return a criterion as the file has it, its globs not yet expanded."""
    audience = Audience(data.get("audience", Audience.STUDENT))
    return Criterion(
        id=data["id"],
        title=data["title"],
        points=Decimal(str(data["points"])),
        checks=tuple(_check({"id": item} if isinstance(item, str) else item, audience) for item in data["checks"]),
        credit=data.get("credit", "steps"),
        requires=tuple(data.get("requires", ())),
        bonus=data.get("bonus", False),
        audience=audience,
        hint=data.get("hint", ""),
    )


def _check(data: Mapping[str, Any], audience: Audience) -> RubricCheck:
    return RubricCheck(
        id=data["id"],
        weight=Decimal(str(data.get("weight", 1))),
        audience=Audience(data.get("audience") or audience),
        requires=tuple(data.get("requires", ())),
        hint=data.get("hint", ""),
    )


def _expanded(criterion: Criterion, named: set[str], known: Mapping[str, tuple[str, ...]]) -> Criterion:
    """Return ``criterion`` with every glob replaced by the checks of its component that nobody names."""
    checks: dict[str, RubricCheck] = {}
    for entry in criterion.checks:
        component = entry.id.partition(".")[0]
        ids = [name for name in known[component] if name not in named] if _is_glob(entry) else [entry.id]
        for check in ids:
            requires = tuple(name for name in entry.requires if name != check)
            checks[check] = replace(entry, id=check, requires=requires)
    return replace(criterion, checks=tuple(checks.values()))


def _problems(
    named: str, criteria: Sequence[Criterion], assignment: Assignment, known: Mapping[str, tuple[str, ...]]
) -> Iterator[Complaint]:
    """Complaints about names: what they name does not exist, or is named twice."""
    if named != assignment.id:
        yield ("assignment",), f"expected {assignment.id!r}, found {named!r}"
    every = tuple(name for names in known.values() for name in names)
    ids = [criterion.id for criterion in criteria]
    seen: dict[str, str] = {}
    for number, criterion in enumerate(criteria):
        here = ("criteria", number)
        if ids.index(criterion.id) != number:
            yield (*here, "id"), f"{criterion.id!r} is given twice"
        for index, other in enumerate(criterion.requires):
            if other not in ids or other == criterion.id:
                cure = nearest(other, tuple(name for name in ids if name != criterion.id))
                yield (*here, "requires", index), f"there is no criterion {other!r}. {cure}".rstrip()
        for index, check in enumerate(criterion.checks):
            field = (*here, "checks", index)
            yield from _unknown_check(field, check, known, every)
            if check.id in seen:
                yield field, f"{check.id} is already in criterion {seen[check.id]!r}"
            seen.setdefault(check.id, criterion.id)


def _problems_besides(data: Any, assignment: Assignment, known: Mapping[str, tuple[str, ...]]) -> list[Complaint]:
    """Complaints about names in a file whose fields are wrong, as far as it can be read: all is told in one go."""
    try:
        if data["assignment"] != assignment.id:
            return []
        named = [(item["id"], item.get("requires", ()), item["checks"]) for item in data["criteria"]]
        criteria = [
            _criterion({"id": str(name), "title": "", "points": 0, "requires": _texts(requires), "checks": [
                {"id": str(check["id"]), "requires": _texts(check.get("requires", ()))} if isinstance(check, dict)
                else str(check) for check in checks
            ]}) for name, requires, checks in named
        ]  # fmt: skip
    except (KeyError, TypeError, AttributeError):
        return []
    return list(_problems(assignment.id, criteria, assignment, known))


def _named(field: Path_) -> Path_:
    """What a complaint is about: that of an id is about what has it, and one of each is enough."""
    return field[:-1] if field and field[-1] == "id" else field


def _texts(values: Iterable[object]) -> list[str]:
    return [] if isinstance(values, str) else [str(value) for value in values]


def _unknown_check(
    field: Path_, check: RubricCheck, known: Mapping[str, tuple[str, ...]], every: tuple[str, ...]
) -> Iterator[Complaint]:
    component = check.id.partition(".")[0]
    if component not in known:
        cure = nearest(component, tuple(known))
        yield field, f"the assignment sets no component {component!r}. {cure}".rstrip()
    elif not _is_glob(check) and check.id not in known[component]:
        yield field, f"there is no check {check.id}. {nearest(check.id, every)}".rstrip()
    for index, other in enumerate(check.requires):
        if other not in every:
            cure = nearest(other, every)
            yield (*field, "requires", index), f"there is no check {other}. {cure}".rstrip()


def _left_out_problems(
    without: Sequence[Sequence[str]], criteria: Sequence[Criterion], known: Mapping[str, tuple[str, ...]]
) -> Iterator[Complaint]:
    """Complaints about checks that a criterion leaves out, and that none of its ``component.*`` holds."""
    for number, (criterion, names) in enumerate(zip(criteria, without, strict=True)):
        globs = [check.id.partition(".")[0] for check in criterion.checks if _is_glob(check)]
        there = tuple(name for component in globs for name in known.get(component, ()))
        for index, check in enumerate(names):
            if check not in there:
                complaint = f"no check of this criterion is {check}. {nearest(check, there)}".rstrip()
                yield ("criteria", number, "without", index), complaint


def _late_problems(criteria: Sequence[Criterion]) -> Iterator[Complaint]:
    """Complaints that need the globs expanded: weights, what a student could read between the lines, circles."""
    checks = {check.id: check for criterion in criteria for check in criterion.checks}
    by_id = {criterion.id: criterion for criterion in criteria}
    for number, criterion in enumerate(criteria):
        here = ("criteria", number)
        if not sum(check.weight for check in criterion.checks):
            yield (*here, "checks"), "expected at least one check with a weight above 0"
        if criterion.credit == "all" and len({check.audience for check in criterion.checks}) > 1:
            complaint = "expected steps or cases: with all-or-nothing, hidden checks would show in the points"
            yield (*here, "credit"), complaint
        yield from _leaks(here, criterion, by_id, checks)
    circles = (
        ("requires of the checks", {name: check.requires for name, check in checks.items()}),
        ("requires of the criteria", {name: criterion.requires for name, criterion in by_id.items()}),
    )
    for what, graph in circles:
        circle = _circle(graph)
        if circle:
            yield ("criteria",), f"the {what} run in a circle: {' → '.join(circle)}"


def _leaks(
    here: Path_, criterion: Criterion, by_id: Mapping[str, Criterion], checks: Mapping[str, RubricCheck]
) -> Iterator[Complaint]:
    """What a student sees may not wait for what a student does not see: the skip would tell."""
    if criterion.audience is Audience.STUDENT:
        for other in criterion.requires:
            if by_id[other].audience is Audience.STAFF:
                yield (*here, "requires"), f"{other!r} is for staff, this criterion is not"
    for check in criterion.checks:
        for name in check.requires:
            required = checks.get(name)
            if required is None:
                yield (*here, "checks"), f"{check.id} requires {name}, which no criterion has"
            elif required.audience is Audience.STAFF and check.audience is Audience.STUDENT:
                yield (*here, "checks"), f"{check.id} requires {name}, which is for staff"


def _circle(graph: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return one circle of ``graph``, or nothing."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(
            {name: [other for other in after if other in graph] for name, after in graph.items()}
        ).prepare()
    except CycleError as error:
        return tuple(str(name) for name in error.args[1])
    return ()
