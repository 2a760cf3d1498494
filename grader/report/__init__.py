"""Reports for people and programs; one file a format, each escaping on top of the cleaned text it is given."""

# No `from __future__ import annotations` here: it would hide the module of that name.
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.model.assignment import HintLevel
    from grader.model.report import Report
    from grader.report.view import View

FORMATS = {
    "text": "terminal",
    "json": "json_report",
    "markdown": "markdown",
    "html": "page",
    "junit": "junit",
    "gradescope": "gradescope",
    "prairielearn": "prairielearn",
    "classroom50": "classroom50",
}
"""What ``--format`` knows, and the module that renders it, which is loaded when it is asked for."""


def render(report: "Report", form: str, view: "View" = "student", *, level: "HintLevel | None" = None) -> str:
    """Return ``report`` in the named format; KeyError for one that does not exist."""
    module = import_module(f"grader.report.{FORMATS[form]}")
    return str(module.render(report, view, level=level))
