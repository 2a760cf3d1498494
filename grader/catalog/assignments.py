"""assignment.yaml as the Assignment that travels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path
from typing import Any

from grader.catalog.adapter import adapted
from grader.catalog.places import assignment_file, data_root
from grader.catalog.yaml_file import InvalidFileError, YamlFile, content, read_yaml, validate
from grader.errors import nearest
from grader.model.assignment import Argument, Assignment, Interface, Section
from grader.sandbox.plain import Limits

KEYS = {"worksheet": "key.yaml", "report": "report.yaml"}
"""The file beside assignment.yaml that says what is right in a written part."""
OWN = "checks.py"
"""The file beside assignment.yaml with the course's own checks and components."""


def load_assignment(which: str | Path, *, keys: bool = True) -> Assignment:
    """Return the assignment of a bundled id, a folder or a file.

    Without ``keys`` the sections of its written parts are left out: quicker where only its code matters. Raises
    GraderError with the nearest id where there is none, and InvalidFileError with file, line, field and what was
    expected where the file is wrong.
    """
    source = read_yaml(assignment_file(which))
    data = content(source, "AssignmentFile")
    own = _own_checks(source.path.parent)
    interfaces = tuple(interface_of(name, item, own) for name, item in data.get("components", {}).items())
    interfaces = adapted(interfaces, source.path.parent, data.get("adapter"))
    if own and tuple(data.get("needs", ())) == ("torch",):
        interfaces = tuple(map(_in_torch, interfaces))
    parts = tuple(data.get("parts", ("code",)))
    problems = list(_problems(source, parts, interfaces))
    if problems:
        raise InvalidFileError(problems)
    written = [part for part in parts if part != "code"] if keys else []
    sections, digest = _sections(source, written, interfaces)
    return Assignment(
        id=data["id"],
        version=data["version"],
        title=data["title"],
        interfaces=interfaces,
        needs_torch="torch" in data.get("needs", ()),
        parts=parts,
        limits=Limits(**data.get("limits", {})),
        sha256=digest,
        sections=sections,
        file=data.get("file") or "",
    )


def _sections(
    source: YamlFile, parts: Sequence[str], interfaces: Sequence[Interface]
) -> tuple[tuple[Section, ...], str]:
    """Return the sections of the written ``parts`` and a digest over assignment.yaml and their keys.

    The key of a worksheet is key.yaml beside assignment.yaml, that of a report is report.yaml.
    """
    from hashlib import sha256

    found: list[Section] = []
    digests = [source.sha256]
    lines = next((item.adapter.source for item in interfaces if item.adapter is not None), "")
    digests += [sha256(lines.encode()).hexdigest()] if lines else []
    for part in parts:
        from grader.written.key import KeyFile, sections

        key = read_yaml(source.path.parent / KEYS[part])
        from grader.written.course_texts import with_texts

        own = sections(validate(key, KeyFile), part)
        asked = with_texts(own, key.path.parent, data_root() / "assignments")
        found += asked
        digests.append(key.sha256)
        texts = [text for s in asked for q in s.questions for text in getattr(q.key, "texts", {}).items()]
        texts += [(q.id, q.key.held) for s in asked for q in s.questions if getattr(q.key, "held", "")]
        texts += [
            (new.id, new.key.ask)
            for section, bare in zip(asked, own, strict=True)
            for new, old in zip(section.questions, bare.questions, strict=True)
            if new.key.ask != old.key.ask
        ]
        digests += [sha256(repr(sorted(texts)).encode()).hexdigest()] if texts else []
    if interfaces and interfaces[0].own:
        digests.append(sha256(Path(interfaces[0].own).read_bytes()).hexdigest())
    names = [*(item.component for item in interfaces), *(section.id for section in found)]
    for name in names:
        if names.count(name) > 1:
            raise InvalidFileError([source.problem(("parts",), f"two parts have a section {name!r}")])
    whole = sha256(" ".join(digests).encode()).hexdigest() if len(digests) > 1 else source.sha256
    return tuple(found), whole


def arguments(given: Any) -> tuple[Argument, ...]:
    """Return the arguments that a list or a mapping of them stands for.

    A text is one of our names; anything else is a constant. An entry of a list may be ``{theirs: ours}``.
    """
    if isinstance(given, Mapping):
        return tuple(Argument(value, str(name), not isinstance(value, str)) for name, value in given.items())
    return tuple(
        found for item in given for found in arguments(item if isinstance(item, Mapping) else {"": item})
    )  # an entry without a name has its place alone


def interface_of(component: str, data: Mapping[str, Any], own: str = "") -> Interface:
    """Return how a component is called, as assignment.yaml says it: ``data`` is what stands below its name."""
    given = data.get("parameters", ())
    found = arguments(given)
    names = tuple(one.value for one in found if not one.constant)
    return Interface(
        component=component,
        callable=data.get("callable") or component,
        aliases=tuple(data.get("aliases", ())),
        parameters=names,
        arguments=found if any(one.name or one.constant for one in found) else (),
        by_keyword=isinstance(given, Mapping) and bool(given),
        returns=tuple(data.get("returns", ())),
        names=data.get("names", {}),
        domain=data.get("domain", {}),
        conventions=data.get("conventions", {}),
        forbidden=tuple(data.get("forbidden", ())),
        own=own,
    )


def _in_torch(item: Interface) -> Interface:
    """Ask a component of the course's own for tensors, where its homework is done in torch alone."""
    from grader.components import is_own

    usual = {"backend": "torch"} if is_own(item.component) else {}
    return replace(item, conventions={**usual, **item.conventions})


def _own_checks(folder: Path) -> str:
    """The path of the course's own checks in ``folder``; empty where there are none."""
    found = folder / OWN
    return str(found.resolve()) if found.is_file() else ""


def with_own_checks(assignment: Assignment, rubric: str | Path) -> Assignment:
    """The assignment with the checks that lie beside a rubric of the teacher's own, where some do.

    A rubric that is kept apart from the hand-out keeps its checks apart, too.
    """
    from hashlib import sha256

    path = Path(rubric)
    own = _own_checks(path.parent) if path.is_file() else ""
    if not own or all(item.own == own for item in assignment.interfaces):
        return assignment
    interfaces = tuple(replace(item, own=own) for item in assignment.interfaces)
    digest = sha256(f"{assignment.sha256} {sha256(Path(own).read_bytes()).hexdigest()}".encode()).hexdigest()
    return replace(assignment, interfaces=interfaces, sha256=digest)


def _problems(source: YamlFile, parts: Sequence[str], interfaces: Sequence[Interface]) -> Iterator[str]:
    """Complain about parts that hold nothing, and about every name that Python could not define or pass."""
    if ("code" in parts) != bool(interfaces):
        yield source.problem(("parts",), "expected code among the parts exactly where components are given")
    for item in interfaces:
        here = ("components", item.component)
        for index, complaint in unwatched(item):
            yield source.problem((*here, "forbidden", index), complaint)
        fields: list[tuple[tuple[str | int, ...], str]] = [((*here, "callable"), item.callable)]
        fields += [((*here, "aliases", index), name) for index, name in enumerate(item.aliases)]
        said = item.arguments or tuple(Argument(name) for name in item.parameters)
        for index, one in enumerate(said):
            at = (*here, "parameters", one.name if item.by_keyword else index)
            fields += [(at, one.name)] * bool(one.name) + [(at, one.value)] * (not one.constant)
        fields += [((*here, "names", key), name) for key, name in item.names.items()]
        for field, name in fields:
            if not name.isidentifier() or iskeyword(name):
                yield source.problem(field, f"expected a Python name, found {name!r}")


def unwatched(item: Interface) -> Iterator[tuple[int, str]]:
    """Complain about forbidden names that code could use unseen: place and sentence of each."""
    from grader.sandbox.roads import ROADS, unknown

    for index, name in enumerate(item.forbidden):
        if unknown([name]):
            known = (name for road in ROADS for name in (road.name, *road.also))
            yield index, f"{name} cannot be forbidden: nothing sees it. {nearest(name, tuple(known))}"
