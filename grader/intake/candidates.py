"""Which module is meant, where a submission has several."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from grader.intake.syntax import SyntaxFault, bound_names, imported_names, parse, second_name_of, top_level
from grader.model import CodeChunk, CodeModule, Submission


def ambiguous(submission: Submission, required: Sequence[str], preferred: str = "") -> str | None:
    """Return a sentence with its cure where two files define the same required name differently; None where none do.

    What the file called ``preferred`` defines or imports is taken from it; two files with one text are one.
    """
    first = _called(submission, preferred)
    settled = {*own_definitions(first), *_imported(first)} if first else set()
    for name, files in _owners(submission, required).items():
        if name not in settled:
            places = " and ".join([*list(files)[:2], f"{len(files) - 2} more"][: len(files)])
            return f"{name} is defined in {places}. Hand in one of them, or name the file to be judged (--file)"
    return None


def passed_over(submission: Submission, required: Iterable[str], preferred: str) -> tuple[str, ...]:
    """Say which files define a required name in another way than the one called ``preferred``, which is judged."""
    first = _called(submission, preferred)
    judged = first.chunks[0].file if first else ""
    others: dict[str, list[str]] = {}
    for name, files in _owners(submission, sorted(required)).items():
        for file in files:
            if judged in files and file != judged:
                others.setdefault(file, []).append(name)
    return tuple(
        f"{file} defines {', '.join(names)} too; {judged} is judged, as the hand-out names it."
        for file, names in others.items()
    )


def _owners(submission: Submission, required: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The files of every required name that several define, and not all in the same way."""
    owners: dict[str, dict[str, CodeModule]] = {}
    for module in submission.modules:
        for name, chunk in own_definitions(module).items():
            owners.setdefault(name, {}).setdefault(chunk.file, module)
    found = {name: owners[name] for name in required if len(owners.get(name, ())) > 1}
    return {name: tuple(files) for name, files in found.items() if not _alike(tuple(files.values()))}


def entry_first(submission: Submission, required: Iterable[str], preferred: str = "") -> Submission:
    """Return ``submission`` with the module first that is judged; the order stays otherwise.

    It is the one called ``preferred`` where that has any of ``required``, else the one that defines most of them.
    """
    names = set(required)
    first = _called(submission, preferred)
    counts = [len(names & own_definitions(module).keys()) for module in submission.modules]
    if first is not None and names & {*own_definitions(first), *_imported(first)}:
        best = submission.modules.index(first)
    elif any(counts):
        best = counts.index(max(counts))
    else:
        return submission
    others = submission.modules[:best] + submission.modules[best + 1 :]
    return replace(submission, modules=(submission.modules[best], *others))


def _called(submission: Submission, name: str) -> CodeModule | None:
    """The module whose file is called ``name``, else a notebook of that name; the outermost where there are several.

    Two names that differ in their capitals alone are two files. Of two that lie equally deep, none is meant.
    """
    fits = []
    for module in submission.modules:
        file = module.chunks[0].file
        called = file.rpartition("/")[2]
        stems = [each.lower().removesuffix(".py").removesuffix(".ipynb") for each in (called, name)]
        if name and stems[0] == stems[1]:
            fits.append(((called.lower() != name.lower(), file.count("/"), called != name), module))
    best = min((rank for rank, _ in fits), default=None)
    meant = [module for rank, module in fits if rank == best]
    return meant[0] if len(meant) == 1 else None


def _imported(module: CodeModule) -> set[str]:
    trees = [parse(chunk.code) for chunk in module.chunks]
    statements = [one for tree in trees if not isinstance(tree, SyntaxFault) for one in top_level(tree)]
    return {name for statement in statements for name in imported_names(statement)}


def _alike(modules: Sequence[CodeModule]) -> bool:
    """Whether every name that two of the files define has the same text in both."""
    texts = [_texts(module) for module in modules]
    return all(one[name] == other[name] for one, other in combinations(texts, 2) for name in one.keys() & other.keys())


def _texts(module: CodeModule) -> dict[str, str]:
    """What binds each name of a module last, without its comments and its layout."""
    found: dict[str, str] = {}
    for chunk in module.chunks:
        tree = parse(chunk.code)
        for statement in top_level(tree) if not isinstance(tree, SyntaxFault) else ():
            found.update(dict.fromkeys(bound_names(statement), ast.dump(statement)))
    return found


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
