"""Which module is meant, where a submission has several."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from grader.intake.syntax import bound_names, imported_names, second_name_of, statements_of
from grader.model.submission import CodeChunk, CodeModule, Submission


def ambiguous(submission: Submission, required: Sequence[str], preferred: str = "") -> str | None:
    """Return what is wrong where two files define the same required name differently; None where none do.

    What the file called ``preferred`` defines or imports is taken from it; two files with one text are one. Of several
    the one counts of which the other required names are made, or else whatever imports it.
    """
    first = _called(submission, preferred)
    settled = {*own_definitions(first), *_imported(first)} if first else set()
    for name, files in _owners(submission, required).items():
        if name not in settled and not _made_of(submission, required, name, files):
            places = " and ".join([*list(files)[:2], f"{len(files) - 2} more"][: len(files)])
            return f"{name} is defined in {places}"
    return None


def passed_over(submission: Submission, required: Iterable[str], preferred: str) -> tuple[str, ...]:
    """Say which files define a required name in another way than the one that is judged.

    That is the one called ``preferred``, else the one of which the other required names are made.
    """
    first = _called(submission, preferred)
    wanted = first.chunks[0].file if first else ""
    names = sorted(required)
    others: dict[tuple[str, str], list[str]] = {}
    for name, files in _owners(submission, names).items():
        judged = wanted if wanted in files else _made_of(submission, names, name, files)
        for file in files:
            if judged and file != judged:
                others.setdefault((file, judged), []).append(name)
    return tuple(
        f"{file} defines {', '.join(names)} too; {judged} is judged, "
        f"{'as the hand-out names it' if judged == wanted else 'which the rest imports'}."
        for (file, judged), names in others.items()
    )


def _made_of(submission: Submission, required: Sequence[str], name: str, files: Sequence[str]) -> str:
    """The one of ``files`` from which this one is imported; empty where none is.

    Those count that define other required names, and where none of them imports it, all that define more than tests.
    """
    others = {*required} - {name}
    users: dict[bool, set[str]] = {True: set(), False: set()}
    for module in submission.modules:
        defined = {one for one in own_definitions(module) if not one.lower().startswith("test")}
        stems = {stem for stem, named in _imports(module) if named == name}
        if defined:
            users[bool(others & defined)] |= stems
    handed_on = _handed_on(submission, name)
    stems = {handed_on.get(stem, stem) for stem in users[True] or users[False]}
    found = [file for file in files if file.rpartition("/")[2].removesuffix(".py") in stems]
    return found[0] if len(found) == 1 else ""


def _handed_on(submission: Submission, name: str) -> dict[str, str]:
    """From which of its modules a package hands on a name, by the package's own: what its ``__init__.py`` imports."""
    files = [(module, module.chunks[0].file.split("/")) for module in submission.modules]
    packages = {path[-2]: module for module, path in files if len(path) > 1 and path[-1] == "__init__.py"}
    return {package: stem for package, module in packages.items() for stem, named in _imports(module) if named == name}


def _imports(module: CodeModule) -> Iterator[tuple[str, str]]:
    """What a module imports under its own name, behind the last name of the module that has it."""
    for _, statement in statements_of(module):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            stem = statement.module.rpartition(".")[2]
            yield from ((stem, alias.name) for alias in statement.names if alias.asname in (None, alias.name))


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

    It is the one called ``preferred`` where that has any of ``required``, else the one that defines most of them. What
    defines one of them otherwise than the rest has it comes last.
    """
    names = set(required)
    first = _called(submission, preferred)
    owners = _owners(submission, sorted(names)).items()
    judged = {name: _made_of(submission, sorted(names), name, files) for name, files in owners}
    late = {file for name, files in owners for file in files if judged[name] not in ("", file)}
    modules = tuple(sorted(submission.modules, key=lambda module: module.chunks[0].file in late))
    submission = replace(submission, modules=modules)
    counts = [len(names & own_definitions(module).keys()) for module in modules]
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
    return {name for _, statement in statements_of(module) for name in imported_names(statement)}


def _alike(modules: Sequence[CodeModule]) -> bool:
    """Whether every name that two of the files define has the same text in both."""
    texts = [_texts(module) for module in modules]
    return all(one[name] == other[name] for one, other in combinations(texts, 2) for name in one.keys() & other.keys())


def _texts(module: CodeModule) -> dict[str, str]:
    """What binds each name of a module last, without its comments and its layout."""
    return {name: ast.dump(statement) for _, statement in statements_of(module) for name in bound_names(statement)}


def own_definitions(module: CodeModule) -> dict[str, CodeChunk]:
    """Return the names that a module defines at its top level, each with the last chunk that does.

    Imports are left out, and so is a second name for something imported (``softmax = masks.softmax``).
    """
    found: dict[str, CodeChunk] = {}
    foreign: set[str] = set()
    for chunk, statement in statements_of(module):
        foreign.update(imported_names(statement))
        if second_name_of(statement) not in foreign:
            found.update(dict.fromkeys(bound_names(statement), chunk))
    return found
