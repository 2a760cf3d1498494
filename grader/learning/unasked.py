"""What of a part of the solution no check looks at: an instructor is told, for nobody loses points by it."""

import ast
from collections.abc import Iterator, Mapping

from grader.blocks.sizes import KNOWN
from grader.learning import configs
from grader.learning.definitions import Definition
from grader.learning.lesson import Lesson
from grader.learning.passing import passed
from grader.model.assignment import BESIDE, Argument

ENTRIES = ("__init__", "forward", "__call__")
"""The methods that a class is made and called by."""


def unasked(lesson: Lesson, known: Mapping[str, Definition]) -> Iterator[str]:
    """What is not asked of a part, in words: arguments, options, values beside the answer, methods, shared weights.

    ``known`` are the solution's definitions.
    """
    one = lesson.definition
    if left := never_passed(lesson):
        yield f"{', '.join(left)}, which no call is given"
    if options := _options(lesson, known):
        yield f"{', '.join(options)}, with another value than the default"
    yield from (f"{theirs}, with another value than {other}" for theirs, other in _alike(lesson))
    if one.kind == "class" and not lesson.interface.returns and len(one.returned) > 1:
        values = ", ".join("…" if name == BESIDE else name for name in one.returned)
        yield f"what stands beside the answer in ({values})"
    if others := _methods(lesson):
        yield f"{', '.join(f'{name}()' for name in others)}, which making and calling it does not need"
    if lesson.component != "weight_tying" and (ties := _ties(one)):
        yield f"that weights are shared ({'; '.join(ties)}): a model with two of them is right, too"


def never_passed(lesson: Lesson) -> list[str]:
    """The optional arguments that no call is given, by name or by their place."""
    interface, called = lesson.interface, lesson.definition.called
    if lesson.definition.entry:
        return []  # which names them all
    given = interface.arguments or [Argument(name) for name in interface.parameters]
    names = {*passed(interface, lesson.definition)}
    names = names or {ours.name or theirs.name for ours, theirs in zip(given, called, strict=False)}
    return [taken.name for taken in called if not taken.required and taken.name not in names]


def _options(lesson: Lesson, known: Mapping[str, Definition]) -> list[str]:
    """What a class, or the class of its config, takes beside sizes, and is never given."""
    said, one = lesson.interface.conventions, lesson.definition
    if lesson.interface.adapter is not None:
        return []
    if "config" in said:
        fields = known[said["config_class"]].fields if said.get("config_class") in known else {}
        read = configs.reads(one, one.made[0].name, known) if one.made else ()
        given = said["config"]
        return [name for name in fields if name in read and given.get(name, fields[name]) == fields[name]]
    built = said.get("constructor")
    if built is None:
        return []
    names = [taken.name for taken in one.made]
    given = {*built} if isinstance(built, Mapping) else {*names[: len(built)]}
    given |= {next(iter(entry)) for entry in built if isinstance(entry, Mapping)}
    return [taken.name for taken in one.made if not taken.required and taken.name not in given]


def _alike(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Sizes that a class is told apart and given as one: heads of keys and values beside those of queries."""
    given: dict[str, str] = {}
    for key in ("constructor", "config"):
        built = lesson.interface.conventions.get(key, ())
        entries = [built] if isinstance(built, Mapping) else [entry for entry in built if isinstance(entry, Mapping)]
        for theirs, ours in (pair for entry in entries for pair in entry.items()):
            if isinstance(ours, str) and ours in KNOWN and given.setdefault(ours, theirs) != theirs:
                yield theirs, given[ours]


def _methods(lesson: Lesson) -> list[str]:
    """The methods of a class that nothing leads to from where it is made and called; those that begin with _ aside."""
    body = lesson.definition.node.body if lesson.definition.kind == "class" else ()
    bodies = {item.name: item for item in body if isinstance(item, ast.FunctionDef)}
    adapter = lesson.interface.adapter
    lines = (lesson.definition.entry, adapter.source if adapter is not None else "")
    waiting = [name for name in bodies if name in ENTRIES or any(f".{name}(" in text for text in lines)]
    met: set[str] = set()
    while waiting:
        name = waiting.pop()
        met.add(name)
        read = {node.attr for node in ast.walk(bodies[name]) if isinstance(node, ast.Attribute)}
        waiting += (read & bodies.keys()) - met
    return [name for name in bodies if name not in met and not name.startswith("_")] if met else []


def _ties(one: Definition) -> list[str]:
    """The lines of a class that give one module the weight of another: ``self.head.weight = self.embed.weight``."""
    assigned = [node for node in ast.walk(one.node) if isinstance(node, ast.Assign)]
    return [
        ast.unparse(node)
        for node in assigned
        if isinstance(node.value, ast.Attribute)
        and any(isinstance(target, ast.Attribute) and target.attr == node.value.attr for target in node.targets)
        and node.value.attr in {"weight", "W", "table"}
    ]
