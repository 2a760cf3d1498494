"""What is judged in place, and as what: names and their source, and the assignment that a few words stand for."""

import inspect
import linecache
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from grader import components
from grader.catalog.assignments import interface_of
from grader.errors import GraderError, nearest
from grader.model.assignment import Assignment, Criterion, Interface, Rubric, RubricCheck
from grader.model.submission import CodeChunk, CodeModule, Submission

FIELDS = ("callable", "aliases", "parameters", "returns", "names", "domain", "forbidden")
"""What may be said of a component besides its conventions."""

UNPASSED: dict[str, dict[str, Any]] = {"mask": {"masks": False}, "axis": {"axis": "last"}, "eps": {"eps": False}}
"""What a function that does not take a parameter is not asked for."""


def named(subject: Any, component: str) -> dict[str, Any]:
    """Return by name what can be asked: of a module or mapping all that is callable, else the one thing itself."""
    if isinstance(subject, ModuleType):
        subject = vars(subject)
    if isinstance(subject, Mapping):
        return {name: thing for name, thing in subject.items() if callable(thing) and not name.startswith("_")}
    if not callable(subject):
        kind = type(subject).__name__
        raise TypeError(f"{component}: expected a function, a class or a module with one, found a value of type {kind}")
    if hasattr(sys.modules.get("torch"), "nn") and isinstance(subject, sys.modules["torch"].nn.Module):
        raise TypeError(f"{component}: give the class, {type(subject).__name__}, so that it can be made in other sizes")
    name = getattr(subject, "__name__", "")
    return {name if name.isidentifier() else component: subject}


def assignment_of(names: Mapping[str, Any], component: str, settled: Mapping[str, Any]) -> Assignment:
    """Return an assignment that sets ``component`` alone; raises GraderError for what it does not have."""
    if component not in components.names():
        raise GraderError(f"there is no component {component!r}", "check", nearest(component, components.names()))
    said = {name: value for name, value in settled.items() if name in FIELDS}
    conventions = {name: value for name, value in settled.items() if name not in FIELDS}
    wanted = said.get("callable") or (next(iter(names)) if len(names) == 1 else component)
    thing = names.get(wanted)
    forms = components.forms(component)
    form = conventions.get("form") or components.handed_in_as(component, _kind(thing))
    if form in forms and len(forms) > 1:
        conventions.setdefault("form", form)
    domain = dict(said.get("domain", {}))
    parameters = tuple(said.get("parameters", ()))
    part = components.component(component, form)
    if part.called is not None and thing is not None:
        oracle = list(part.called.taken())
        parameters = parameters or _passed(thing, oracle)
        for name in oracle:
            if parameters and name not in parameters:
                domain = UNPASSED.get(name, {}) | domain
    elif part.of_torch and thing is not None:
        parameters = parameters or _taken(getattr(thing, "forward", None))
        conventions.setdefault("constructor", list(_taken(thing)))
    settled = {"callable": wanted, "parameters": parameters, "domain": domain, "conventions": conventions}
    interface = interface_of(component, {**said, **settled})
    _require_known(interface)
    return Assignment("check", "1", component, (interface,), needs_torch=part.of_torch)


def _kind(thing: Any) -> str:
    return "class" if isinstance(thing, type) else "function"


def _require_known(interface: Interface) -> None:
    from grader.catalog.interfaces import complaints

    for field, complaint in complaints(interface):
        raise GraderError(complaint, ".".join((interface.component, *map(str, field))))


def _passed(function: Any, oracle: list[str]) -> tuple[str, ...]:
    """The oracle's names of what a function takes: by name where it uses them, else by place; empty where unknown."""
    own = _taken(function)
    return own if set(own) <= set(oracle) else tuple(oracle[: len(own)])


def _taken(function: Any) -> tuple[str, ...]:
    """The parameters of a function without ``self``; empty where they cannot be told."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(one.name for one in found if one.kind in plain and one.name != "self")


def rubric_of(assignment: Assignment, component: str, names: Mapping[str, Any]) -> Rubric:
    """Return a rubric that gives one point for the checks of ``component``, each the same share."""
    interface = assignment.interface(component)
    part = components.of(interface, _kind(names.get(interface.callable)))
    checks = tuple(RubricCheck(f"{component}.{check.name}") for check in part.checks)
    title = component.replace("_", " ").capitalize()
    return Rubric(assignment.id, assignment.id, "1", title, (Criterion(component, title, Decimal(1), checks),))


def submission_of(names: Mapping[str, Any]) -> tuple[Submission, dict[str, str], dict[str, str]]:
    """Return the source of all ``names``, the module of each, and how their files are called in it."""
    chunks: dict[str, tuple[str, CodeChunk]] = {}
    modules: dict[str, str] = {}
    for name, thing in names.items():
        file = _file(thing)
        if file not in chunks:
            chunks[file] = _chunk(file)
        modules[name] = chunks[file][0]
    together: dict[str, list[CodeChunk]] = {}
    for module, chunk in chunks.values():
        together.setdefault(module, []).append(chunk)
    found = tuple(CodeModule(module, tuple(parts)) for module, parts in together.items())
    digest = sha256("\0".join(chunk.code for _, chunk in chunks.values()).encode()).hexdigest()
    path = next((chunk.filename.partition("[")[0] for _, chunk in chunks.values()), "here")
    files = {file: chunk.filename for file, (_, chunk) in chunks.items()}
    return Submission("here", path, found, sha256=digest), modules, files


def _file(thing: Any) -> str:
    """The name of the file that an object's code carries; empty where there is none."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    codes = _codes(thing)
    return next(codes, "")


def _codes(thing: Any) -> Iterator[str]:
    if isinstance(thing, type):
        for member in vars(thing).values():
            yield from _codes(getattr(member, "__func__", member)) if not isinstance(member, type) else ()
        return
    code = getattr(thing, "__code__", None)
    if code is not None:
        yield code.co_filename


def _chunk(file: str) -> tuple[str, CodeChunk]:
    """The module that a file stands for, and its source: a file of its own, or a cell of this notebook."""
    code = "".join(linecache.getlines(file))
    if Path(file).is_file() and file.endswith(".py") and not _cell(file, code):
        return Path(file).stem, CodeChunk(code, Path(file).name)
    number = _cell(file, code) or 1
    return "notebook", CodeChunk(code, f"notebook[cell {number}]", number)


def _cell(file: str, code: str) -> int:
    """The number of the cell that was run as ``file``; 0 where none was."""
    if "ipykernel" not in file and "ipython-input" not in file:
        return 0
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    history = shell.history_manager.input_hist_raw if shell else []
    runs = [number for number, text in enumerate(history) if code.strip() and code.strip() in text]
    return runs[-1] if runs else 1
