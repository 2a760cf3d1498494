"""Objects that hold the sizes which a class is made with: what is read of them, and the lines that make such."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from grader.learning import words
from grader.learning.definitions import Definition, value_of


def is_one(name: str) -> bool:
    """Whether an argument of that name can hold sizes: it is called so, or means no size itself."""
    called = {words.plain(name), *words.spoken(name)[-1:]} & {*words.CONFIGS}
    return bool(called) or not any(words.is_size(name, size) for size in words.SIZES)


def reads(one: Definition, argument: str, known: Mapping[str, Definition]) -> tuple[str, ...]:
    """The fields that a class, and those that it hands ``argument`` to, read of it: as attributes or items.

    A field of a field is written with a dot: ``model.width``.
    """
    found: list[str] = []
    waiting, seen = [one], {one.name}
    while waiting:
        here = waiting.pop(0)
        found += _reads(here, argument)
        more = [known[name] for name in sorted(here.holds & known.keys() - seen)]
        waiting += more
        seen |= {other.name for other in more}
    return tuple(dict.fromkeys(one for one in found if not any(other.startswith(f"{one}.") for other in found)))


def _reads(one: Definition, argument: str) -> Iterator[str]:
    methods = {id(node.func) for node in ast.walk(one.node) if isinstance(node, ast.Call)}
    for node in ast.walk(one.node):
        names = _path(node) if id(node) not in methods else ()
        names = names[1:] if names[:1] == ("self",) else names
        if names[:1] == (argument,) and len(names) > 1:
            yield ".".join(names[1:])


def _path(node: ast.AST) -> tuple[str, ...]:
    """The names of ``a.b["c"]``; empty for what is no such path."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before, name = _path(node.value), node.attr
    elif isinstance(node, ast.Subscript) and isinstance(key := value_of(node.slice), str):
        before, name = _path(node.value), key
    else:
        return ()
    return (*before, name) if before else ()


def own_class(fields: Sequence[str], known: Mapping[str, Definition]) -> Definition | None:
    """The first class of the solution that has these fields."""
    every = (one for one in known.values() if one.kind == "class" and one.fields)
    return next((one for one in every if {*fields} <= {*one.fields}), None)


def plain(fields: Mapping[str, str], *, items: bool) -> str:
    """The line that makes an object with these fields, whose texts are given; with ``items`` it is a dict."""
    inside: dict[str, dict[str, str]] = {}
    for name, text in fields.items():
        head, _, rest = name.partition(".")
        inside.setdefault(head, {})[rest] = text
    texts = {head: rest[""] if "" in rest else plain(rest, items=items) for head, rest in inside.items()}
    if items:
        return f"{{{', '.join(f'{name!r}: {text}' for name, text in texts.items())}}}"
    return f"types.SimpleNamespace({', '.join(f'{name}={text}' for name, text in texts.items())})"
