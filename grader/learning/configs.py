"""Objects that hold the sizes which a class is made with: what is read of them, and the lines that make such."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from grader.learning import words
from grader.learning.definitions import Definition, value_of


def is_one(name: str) -> bool:
    """Whether an argument of that name can hold sizes: it is called so, or means no size itself."""
    called = {words.plain(name), *words.spoken(name)[-1:]} & {*words.CONFIGS}
    return bool(called) or not any(words.is_size(name, size) for size in words.SIZES)


def reads(one: Definition, argument: str, known: Mapping[str, Definition]) -> tuple[str, ...]:
    """The fields that a class, and those that it hands ``argument`` or a part of it, read of it: attributes or items.

    A field of a field is written with a dot: ``model.width``.
    """
    handed = list(_handed(one, argument, known))
    found = [".".join((*before, *path)) for here, name, before in handed for path, _ in _reads(here, name)]
    return tuple(dict.fromkeys(one for one in found if not any(other.startswith(f"{one}.") for other in found)))


def by_items(one: Definition, argument: str, known: Mapping[str, Definition]) -> bool:
    """Whether anything of it is read as an item, as of a dict."""
    return any(item for here, name, _ in _handed(one, argument, known) for _, item in _reads(here, name))


def _handed(
    one: Definition, argument: str, known: Mapping[str, Definition]
) -> Iterator[tuple[Definition, str, tuple[str, ...]]]:
    """A class and those to which it hands an argument, with its name there, and the path of the part that is handed.

    What hands it on by its parent, or in a way that is not seen, is taken to keep its name.
    """
    waiting: list[tuple[Definition, str, tuple[str, ...]]] = [(one, argument, ())]
    seen: list[object] = []
    while waiting:
        here, name, before = waiting.pop(0)
        if (here.name, name, before) in seen:
            continue
        seen.append((here.name, name, before))
        yield here, name, before
        made = [node for node in ast.walk(here.node) if isinstance(node, ast.Call)]
        named = [(getattr(node.func, "id", getattr(node.func, "attr", "")), node) for node in made]
        calls = [(known[of], node) for of, node in named if of in here.holds & known.keys()]
        for other, call in calls:
            pairs = [*zip(call.args, (taken.name for taken in other.made), strict=False)]
            pairs += [(keyword.value, keyword.arg) for keyword in call.keywords if keyword.arg]
            paths = ((_own(value), theirs) for value, theirs in pairs)
            waiting += [(other, theirs, (*before, *path[1:])) for path, theirs in paths if path[:1] == (name,)]
        rest = here.holds & known.keys() - {other.name for other, _ in calls}
        waiting += [(known[other], name, before) for other in sorted(rest)]


def _reads(one: Definition, argument: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The paths that are read of an argument, and whether their ends are items."""
    methods = {id(node.func) for node in ast.walk(one.node) if isinstance(node, ast.Call)}
    for node in ast.walk(one.node):
        names = _own(node) if id(node) not in methods else ()
        if names[:1] == (argument,) and len(names) > 1:
            yield names[1:], isinstance(node, ast.Subscript)


def _own(node: ast.AST) -> tuple[str, ...]:
    """The names of a path, whether or not it begins at ``self``."""
    names = _path(node)
    return names[1:] if names[:1] == ("self",) else names


def _path(node: ast.AST) -> tuple[str, ...]:
    """The names of ``a.b["c"]``; empty for what is no such path, and for words of a vocabulary: ``ids["<pad>"]``."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before, name = _path(node.value), node.attr
    elif isinstance(node, ast.Subscript) and isinstance(key := value_of(node.slice), str) and key.isidentifier():
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
