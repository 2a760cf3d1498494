"""The arguments of a call in an adapter's lines: how they are written, and what they pass."""

import ast
import itertools
import textwrap
from collections.abc import Mapping, Sequence

from grader.learning.definitions import Definition, Taken
from grader.model.assignment import Interface


def written(taken: Sequence[Taken], texts: Mapping[str, str]) -> str:
    """What is passed, by place as far as nothing is left out before it: names are the student's own.

    ``taken`` are the arguments in their order, ``texts`` what is passed by name.
    """
    first = itertools.takewhile(lambda one: one.name in texts and not one.by_name, taken)
    placed = [one.name for one in first]
    named = (f"{name}={text}" for name, text in texts.items() if name not in placed)
    return ", ".join([*(texts[name] for name in placed), *named])


def passed(interface: Interface, one: Definition) -> dict[str, ast.expr]:
    """What the lines of an adapter pass for the arguments of a definition; empty where there are none."""
    lines = interface.adapter.source if interface.adapter is not None else ""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(ast.parse(textwrap.dedent(lines))):
        if isinstance(node, ast.Call) and _calls(node.func, one):
            found |= dict(zip((taken.name for taken in one.called), node.args, strict=False))
            found |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    return found


def _calls(function: ast.expr, one: Definition) -> bool:
    """Whether that is what is called: a function of the work, or the thing that was made of a class."""
    text = ast.unparse(function)
    return text == f"work.{one.name}" if one.kind == "function" else text == "thing" or isinstance(function, ast.Call)
