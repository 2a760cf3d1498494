"""adapter.py beside assignment.yaml: lines that build and call what no table foresees; read here, never run here."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader import components
from grader.catalog.yaml_file import InvalidFileError
from grader.errors import nearest
from grader.model.assignment import Adapter, Interface

FILE = "adapter.py"
BESIDE = frozenset({"work", "sizes"})
"""What a function ``call`` may ask for behind its arguments, which promises nothing."""
THEIRS = "submission"
"""What assignment.yaml says of its adapter where students hand it in themselves."""


def adapted(interfaces: Sequence[Interface], folder: Path, said: str | None) -> tuple[Interface, ...]:
    """Return the interfaces with what adapter.py in ``folder`` says of them; ``said`` is the file's ``adapter``.

    A component is adapted by a class of its name with ``build(work, sizes)`` and ``call(thing, …)``, or for a function
    ``call(work, …)`` alone. What they read of the sizes and what ``call`` takes is what the assignment promises, where
    it does not say itself; ``work`` and ``sizes`` behind it promise nothing. Further functions stand for the
    component's further callables (``make_tgt_mask``).
    Raises InvalidFileError.
    """
    from grader.intake.text import characters

    if said == THEIRS:
        return tuple(replace(item, adapter=Adapter(item.component)) for item in interfaces)
    path = folder / FILE
    return adapted_by(interfaces, characters(path.read_bytes())[0], path) if path.is_file() else tuple(interfaces)


def adapted_by(interfaces: Sequence[Interface], source: str, path: Path) -> tuple[Interface, ...]:
    """The interfaces with what the lines ``source``, those of ``path``, say of them. Raises InvalidFileError."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise InvalidFileError([f"{path}:{error.lineno}: expected Python ({error.msg})"]) from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    known = {item.component: item for item in interfaces}
    if problems := list(_problems(path, classes, known)):
        raise InvalidFileError(problems)
    return tuple(
        _with(item, source, _functions(classes[item.component])) if item.component in classes else item
        for item in interfaces
    )


def _functions(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}


def _problems(path: Path, classes: Mapping[str, ast.ClassDef], known: Mapping[str, Interface]) -> Iterator[str]:
    if not classes:
        yield f"{path}:1: expected a class for each component that is made or called by lines of its own"
    for name, node in classes.items():
        if name not in known:
            if not name.startswith("_"):
                cure = f"{nearest(name, tuple(known))} A helper's name begins with _."
                yield f"{path}:{node.lineno}: the assignment sets no component {name!r}. {cure}"
            continue
        functions = _functions(node)
        if "call" not in functions:
            yield f"{path}:{node.lineno}: expected a function call in {name}, which gets the thing and its arguments"
        if "build" not in functions and _is_made(known[name]):
            cure = f"expected a function build in {name}, which makes the thing: it is handed in as a class"
            yield f"{path}:{node.lineno}: {cure}"
        for function, least, what in (("build", 2, "work and sizes"), ("call", 1, "the thing")):
            if function in functions and len(functions[function].args.args) < least:
                yield f"{path}:{functions[function].lineno}: expected {what} among the parameters of {function}"


def _is_made(item: Interface) -> bool:
    """Whether it is handed in as a class."""
    kept = components.forms(item.component) if item.component in components.names() else ()
    return "class" in (item.conventions.get("form"), *(kept if len(kept) == 1 else ()))


def _with(item: Interface, source: str, functions: Mapping[str, ast.FunctionDef]) -> Interface:
    conventions = {"form": "class" if "build" in functions else "function", **item.conventions}
    call = functions["call"]
    if "build" in functions and not {"constructor", "config"} & set(conventions):
        build = functions["build"]
        conventions["constructor"] = list(
            dict.fromkeys((*_sizes(build, build.args.args[1].arg), *_sizes(call, "sizes")))
        )
    passed = tuple(one.arg for one in (*call.args.args[1:], *call.args.kwonlyargs) if one.arg not in BESIDE)
    further = tuple(name for name in functions if name not in {"build", "call"})
    adapter = Adapter(item.component, source, further)
    return replace(item, adapter=adapter, conventions=conventions, parameters=item.parameters or passed)


def _sizes(function: ast.FunctionDef, name: str) -> Iterator[str]:
    """The sizes that a function reads of the argument of that name, in the order of the text."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            yield node.attr
