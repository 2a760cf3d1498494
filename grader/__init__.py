"""Grading homework on "Attention Is All You Need": code, notebooks, worksheets, formulas and reports."""

from importlib import import_module
from typing import Any

from grader.version import __version__

__all__ = ["Result", "__version__", "check", "grade", "load_assignment", "load_ipython_extension", "load_rubric"]

_HOMES = {
    "Result": "grader.testing",
    "check": "grader.testing",
    "grade": "grader.testing",
    "load_assignment": "grader.catalog",
    "load_rubric": "grader.catalog",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: start-up is a feature. Types stand in __init__.pyi."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'grader' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Make the cell magic ``%%grade`` known: what ``%load_ext grader`` calls."""
    import_module("grader.testing.magic").register(shell)
