"""What of a solution is run in each of many rounds: not what takes long and defines nothing."""

import ast
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from grader.assessing.session import Session, payload
from grader.errors import GraderError
from grader.intake.syntax import chunk_trees, imported_names, top_level
from grader.learning.trial import LIMITS
from grader.model.submission import CodeModule, Submission
from grader.source.project import project_of, reached

MOST_LEFT_OUT, LOADING, LONG = 4, 2.5, 0.2
"""Statements that do not end soon and are left out; the seconds that a solution has to load; those worth sparing."""


def quickly(submission: Submission, session: Session) -> tuple[Submission, tuple[str, ...]]:
    """The solution without what does not end soon, nor what takes long and defines nothing; what does not run here.

    A training loop in the open, or a model that is made and shown, would be waited for in each of many rounds. Raises
    GraderError where the solution does not load.
    """
    told: tuple[str, ...] = ()
    for _ in range(MOST_LEFT_OUT):
        loaded, seconds = _loaded(submission, session)
        told = (*told, *_broken(submission, loaded))
        failure = loaded.failure
        own = [frame for frame in failure.frames if frame[2] == "<module>"] if failure is not None else []
        if failure is None or failure.type != "Stopped" or not own:
            break
        file, line, _ = own[-1]
        submission = _without(submission, {(file, line)})
    bare = _without(submission, _idle(submission.modules)) if seconds > LONG else submission
    if bare == submission:
        return submission, told
    again, less = _loaded(bare, session)
    as_well = again.status == "value" and (again.failure is None or loaded.failure is not None)
    return (bare if as_well and less < seconds - LONG else submission), told


def _loaded(submission: Submission, session: Session) -> tuple[Any, float]:
    """What loads of a solution, and the seconds that it takes."""
    start = time.monotonic()
    loaded = session.ask(payload(submission), (), replace(LIMITS, load_s=LOADING)).loaded
    return loaded, time.monotonic() - start


def _idle(modules: tuple[CodeModule, ...]) -> set[tuple[str, int]]:
    """Where the statements stand that no definition leads to, that import nothing, and set nothing by a function."""
    trees = [(chunk.filename, tree) for module in modules for chunk, tree in chunk_trees(module)]
    made = [node for _, tree in trees for node in top_level(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    project = project_of(modules)
    if not all(node.name in project.units for node in made):
        return set()
    led_to = reached(project, [node.name for node in made])
    needed = {(part.chunk.filename, getattr(part.node, "lineno", 0)) for part in led_to}
    setting = _setting_globals(made)
    return {
        (file, statement.lineno)
        for file, tree in trees
        for statement in tree.body
        if not any(
            (file, one.lineno) in needed or imported_names(one) or _names(one) & setting
            for one in top_level(ast.Module(body=[statement], type_ignores=[]))
        )
    }


def _setting_globals(made: Sequence[ast.stmt]) -> set[str]:
    """The definitions that set globals when they are called, and those that name such."""
    names = {getattr(node, "name", ""): _names(node) for node in made}
    found = {getattr(node, "name", "") for node in made if any(isinstance(one, ast.Global) for one in ast.walk(node))}
    while more := {name for name, inside in names.items() if inside & found} - found:
        found |= more
    return found


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _without(submission: Submission, places: Collection[tuple[str, int]]) -> Submission:
    """The same with a pass in the place of each statement of the top level that stands at one of those lines."""
    modules = tuple(_module_without(module, places) for module in submission.modules)
    return replace(submission, modules=modules)


def _module_without(module: CodeModule, places: Collection[tuple[str, int]]) -> CodeModule:
    chunks = []
    for chunk, tree in chunk_trees(module):
        lines = chunk.code.splitlines(keepends=True)
        for one in tree.body:
            last = one.end_lineno or one.lineno
            if any(file == chunk.filename and one.lineno <= line <= last for file, line in places):
                lines[one.lineno - 1 : last] = ["pass\n", *["\n"] * (last - one.lineno)]  # as many lines as before
        chunks.append(replace(chunk, code="".join(lines)))
    return replace(module, chunks=tuple(chunks))


def _broken(submission: Submission, loaded: Any) -> tuple[str, ...]:
    """What does not run of a solution whose definitions are there. Raises GraderError where they are not."""
    failure = loaded.failure
    frames = failure.frames if failure is not None else ()
    at = f"{frames[-1][0]}:{frames[-1][1]}" if frames else submission.path
    said = f"{failure.type}: {failure.message}" if failure is not None else loaded.status
    if loaded.status == "value":
        return (f"{at} does not run here ({said})",) if failure is not None else ()
    raise GraderError(f"the solution does not load ({said})", at, "Run it once by itself and mend what it says.")
