"""Source text judged in this process: fast, and for code of this project and of the corpus only."""

from __future__ import annotations

import ast
import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from grader.auditing import rehearsal
from grader.component.component import Component
from grader.component.context import Context
from grader.component.part import examine
from grader.model.assignment import Interface
from grader.model.outcome import Diagnosis, Outcome, Verdict, joined
from grader.model.submission import CodeChunk, CodeModule, Submission


def judged(component: Component, interface: Interface, code: str, seed: int = 0) -> tuple[Outcome, ...]:
    """Judge a submission of one module, comments and docstrings taken off."""
    bare = ast.unparse(_without_docstrings(ast.parse(code)))
    namespace: dict[str, Any] = {"__name__": "work"}
    exec(compile(bare, "work.py", "exec"), namespace)  # noqa: S102 - our own samples
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(bare, "work.py"),)),), sha256="work")
    return run(component, Context(interface, submission, seed, interface.callable, "work"), namespace)


def run(component: Component, context: Context, functions: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """Drive the component's examination with functions of this process."""
    with redirect_stdout(io.StringIO()):
        return rehearsal.driven(examine(component, context), lambda one: rehearsal.answer(one, functions))


def failed(outcomes: tuple[Outcome, ...]) -> list[str]:
    """Names of the checks that did not pass."""
    return [outcome.check.partition(".")[2] for outcome in outcomes if outcome.verdict is not Verdict.PASSED]


def diagnosis(outcomes: tuple[Outcome, ...]) -> Diagnosis | None:
    """The diagnosis of the first failed check."""
    return next((o.diagnosis for o in outcomes if o.diagnosis is not None), None)


def names(outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """The id that was named, and its family."""
    found = diagnosis(outcomes)
    return (found.id, *map(joined, found.family)) if found else ()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            body[0] = ast.Pass()  # type: ignore[index]
    return tree
