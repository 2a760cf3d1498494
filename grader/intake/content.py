"""What a file is by what it holds: a notebook and a Python file may have each other's ending."""

import codecs
import json

from grader.intake import caps
from grader.intake.caps import shown
from grader.intake.syntax import DEFINITIONS, SyntaxFault, parse, top_level


def kind_of(name: str, data: bytes) -> tuple[caps.Kind, tuple[str, ...]]:
    """Return what the file is read as, with a remark where its name says otherwise."""
    kind, text = caps.kind_of(name), data.removeprefix(codecs.BOM_UTF8).lstrip()
    if kind == "python" and text.startswith(b"{") and _is_notebook(text):
        return "notebook", (f"{shown(name)}: read as a notebook, which it is, although its name is a Python file's.",)
    if kind == "notebook" and text and not text.startswith(b"{") and _is_python(text):
        return "python", (f"{shown(name)}: read as Python, which it is, although its name is a notebook's.",)
    return kind, ()


def _is_notebook(text: bytes) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "nbformat" in found


def _is_python(text: bytes) -> bool:
    tree = parse(text[: caps.CODE_BYTES].decode("utf-8", "replace"))
    return not isinstance(tree, SyntaxFault) and any(isinstance(one, DEFINITIONS) for one in top_level(tree))
