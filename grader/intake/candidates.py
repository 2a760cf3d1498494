"""Which module is meant, where a submission has several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.intake.syntax import SyntaxFault, bound_names, imported_names, parse, second_name_of, top_level
from grader.model import CodeChunk, CodeModule, Submission


def ambiguous(submission: Submission, required: Sequence[str]) -> str | None:
    """Return a sentence with its cure where two modules define the same required name; None where none do."""
    owners: dict[str, list[str]] = {}
    for module in submission.modules:
        for name, chunk in own_definitions(module).items():
            owners.setdefault(name, []).append(file_of(chunk))
    for name in required:
        files = owners.get(name, [])
        if len(files) > 1:
            places = " and ".join([*files[:2], f"{len(files) - 2} more"][: len(files)])
            return f"{name} is defined in {places}. Hand in one of them, or name the file to be judged"
    return None


def entry_first(submission: Submission, required: Iterable[str]) -> Submission:
    """Return ``submission`` with the module first that defines most of ``required``; the order stays otherwise."""
    names = set(required)
    counts = [len(names & own_definitions(module).keys()) for module in submission.modules]
    if not any(counts):
        return submission
    best = counts.index(max(counts))
    others = submission.modules[:best] + submission.modules[best + 1 :]
    return replace(submission, modules=(submission.modules[best], *others))


def own_definitions(module: CodeModule) -> dict[str, CodeChunk]:
    """Return the names that a module defines at its top level, each with the last chunk that does.

    Imports are left out, and so is a second name for something imported (``softmax = masks.softmax``).
    """
    found: dict[str, CodeChunk] = {}
    foreign: set[str] = set()
    for chunk in module.chunks:
        tree = parse(chunk.code)
        if isinstance(tree, SyntaxFault):
            continue
        for statement in top_level(tree):
            foreign.update(imported_names(statement))
            if second_name_of(statement) not in foreign:
                found.update(dict.fromkeys(bound_names(statement), chunk))
    return found


def file_of(chunk: CodeChunk) -> str:
    """Return the file that a chunk comes from: the mark of a cell is taken off."""
    return chunk.filename if chunk.cell is None else chunk.filename.rpartition("[")[0]
