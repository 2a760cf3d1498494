"""All conventions that assignments can declare: the table of the docs, and their part of the schema."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader.component.convention import Settled

HEAD = """\
# What a course settles

Where courses differ, assignment.yaml says it: `conventions: {activation: gelu}` below a component makes GELU right and
ReLU a mistake with a name. What is not declared is as the paper has it. `grader assignment validate` refuses what a
component does not know. This table is printed by `grader schema conventions`.

| convention | value | means | components |
| --- | --- | --- | --- |
"""
PARAMETERS = """
`parameters` are given by these names, in the order of your hand-out; what is left out is never passed.

| component | parameters |
| --- | --- |
"""
MOST = 6
"""More components than this are told by the form that they share."""


def table() -> str:
    """The page of the conventions in Markdown: name, values, meaning, default, and the components that know each."""
    rows: dict[tuple[str, str], list[tuple[str, str]]] = {}
    meanings: dict[tuple[str, str], str] = {}
    given: dict[tuple[str, str], dict[str, set[str]]] = {}
    for component, form, one in _known():
        for value, meaning in _values(one):
            rows.setdefault((one.key, value), []).append((component, form))
            passing = given.setdefault((one.key, value), {})
            if one.passing:
                passing.setdefault(one.passing, set()).add(component)
            meanings.setdefault((one.key, value), meaning)
    lines = [
        f"| `{key}` | {value} | {meanings[key, value]} | {_told(names)}{_where_passed(given[key, value])} |"
        for (key, value), names in rows.items()
    ]
    return HEAD + "\n".join(lines) + "\n" + PARAMETERS + "\n".join(_parameters()) + "\n"


def _parameters() -> Iterator[str]:
    """What each component can be given in a call."""
    from grader import components

    for name, form, part in components.every():
        if listed := ", ".join(f"`{one}`" for one in part.given):
            yield f"| {_told([(name, form)])} | {listed} |"


def _where_passed(given: Mapping[str, set[str]]) -> str:
    """Which components know a convention only where they are given an argument, such as ids."""
    told = [f"{', '.join(sorted(names))}: where `parameters` has `{passed}`" for passed, names in given.items()]
    return f" ({'; '.join(told)})" if told else ""


def _told(names: Sequence[tuple[str, str]]) -> str:
    """The components of a row, with the form where a component has two."""
    from grader import components

    every = [(name, form) for name, form, _ in components.every()]
    for form in ("function", "class"):
        of_form = [entry for entry in every if entry[1] == form and entry[0] != "integrity"]
        if len(names) > MOST and set(of_form) == {entry for entry in names if entry[1] == form}:
            rest = [entry for entry in names if entry[1] != form]
            return f"every {form}" + (f", {_told(rest)}" if rest else "")
    both = {name for name, _ in names if len(components.forms(name)) > 1}
    return ", ".join(f"{name} ({form})" if name in both else name for name, form in names)


def _values(one: Settled) -> Iterator[tuple[str, str]]:
    """The values of a convention as a component knows it, spelled as in YAML, with their meanings."""
    convention = one.convention
    listed = one.values or convention.values
    for value in listed:
        usual = " (default)" if value == convention.default and type(value) is type(convention.default) else ""
        yield f"`{_spelled(value)}`{usual}", convention.meaning(value)
    if one.number is not None:
        usual = "" if listed else f" (default {convention.default})"
        yield f"a number{usual}", convention.number.replace("{:g}", "n")
    elif convention.reads is not None:
        yield "see below", convention.title


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _known() -> Iterator[tuple[str, str, Settled]]:
    """Component, form and convention of everything that can be declared, by the name of the convention."""
    from grader import components

    found = [(name, form, one) for name, form, part in components.every() for one in part.conventions]
    return iter(sorted(found, key=lambda entry: entry[2].key))


def properties() -> Mapping[str, Any]:
    """For each component the JSON Schema of its conventions; nothing else can be declared."""
    found: dict[str, dict[str, Any]] = {}
    for component, _, one in _known():
        kinds = found.setdefault(component, {}).setdefault(one.key, [])
        kinds += [kind for kind in _kinds(one) if kind not in kinds]
    return {
        component: {
            "type": "object",
            "additionalProperties": False,
            "properties": {key: kinds[0] if len(kinds) == 1 else {"anyOf": kinds} for key, kinds in known.items()},
        }
        for component, known in found.items()
    }


def _kinds(one: Settled) -> Iterator[dict[str, Any]]:
    if one.convention.reads is not None:
        yield {"description": one.convention.title}
        return
    listed = list(one.values or one.convention.values)
    if listed:
        yield {"enum": listed, "description": one.convention.title}
    if one.number is not None:
        yield {"type": "number", "description": one.convention.title}


def with_conventions(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of assignment.yaml in which each component knows its own conventions, and no other component is."""
    named = {
        component: {"allOf": [{"$ref": "#/$defs/InterfaceFile"}, {"properties": {"conventions": conventions}}]}
        for component, conventions in properties().items()
    }
    components = {"type": "object", "additionalProperties": False, "properties": named, "default": {}}
    return {**schema, "properties": {**schema["properties"], "components": components}}
