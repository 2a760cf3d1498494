"""From files by value to a submission: modules with their names and order, documents, digest, remarks."""

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.errors import UnreadableError
from grader.intake import caps, content, naming, python
from grader.intake.caps import Gathered, shown
from grader.intake.syntax import DEFINITIONS, WORDS, SyntaxFault, parse, top_level, words
from grader.model.submission import CodeChunk, CodeModule, Document, Submission

_NOT_READ = (": not read, ", "is not opened", "is not followed")
"""What remarks on files say that may have held the work."""
_SUPPORT = frozenset({"setup", "conftest", "sitecustomize", "usercustomize", "noxfile"})


@dataclass(frozen=True, slots=True)
class _CodeFile:
    path: str
    chunks: tuple[CodeChunk, ...]


def submission(path: str, root: str, gathered: Gathered) -> Submission:
    """Build the submission that was found at ``path``; ``root`` is the name of its folder, archive or file.

    Raises UnreadableError.
    """
    notes = list(gathered.notes)
    code_files: list[_CodeFile] = []
    documents: list[Document] = []
    for written, data in gathered.files:
        name = unicodedata.normalize("NFC", written)  # macOS parts letters from accents; an import does not
        kind, remark = content.kind_of(name, data)
        notes += remark
        if kind == "python":
            chunks, remarks = python.read(name, data)
        elif kind == "notebook":
            from grader.intake import notebook

            read = notebook.read(name, data)
            chunks, remarks = read.chunks, read.notes
            documents.append(read.document)
            beside = name.rpartition("/")[0]
            code_files += [_CodeFile(f"{beside}/{path}".lstrip("/"), parts) for path, parts in read.written]
        elif kind == "picture":  # nothing reads it: its name and a digest, so that another one is another hand-in
            documents.append(Document(shown(name), hashlib.sha256(data).digest()))
            continue
        else:
            documents.append(Document(shown(name), data))
            continue
        notes += remarks
        if chunks:
            code_files.append(_CodeFile(name, chunks))
    _refuse_unseen_code(path, code_files)
    modules, left = _modules(code_files, root)
    return Submission(
        id=shown(root), path=shown(path), modules=modules, documents=tuple(documents), sha256=_digest(gathered.files),
        notes=(*notes, *left),
    )  # fmt: skip


def require_code(found: Submission) -> Submission:
    """Return ``found``; UnreadableError where nothing in it is Python."""
    if found.modules:
        return found
    listed = ", ".join(document.path for document in found.documents[:5])
    alone = len(found.documents) == 1 and found.path.endswith(found.documents[0].path)
    what = f"no Python code in it, only {listed}" if listed and not alone else "no Python code in it"
    if found.documents and not any(document.data.strip() for document in found.documents):
        what = "the file is empty" if len(found.documents) == 1 else f"all files are empty: {listed}"
    hint = next((note for note in found.notes if any(mark in note for mark in _NOT_READ)), "")
    cure = "Hand in a .py file, a notebook (.ipynb), or a folder or zip with one."
    raise UnreadableError(what, found.path, f"{hint} {cure}".strip())


def _refuse_unseen_code(path: str, files: Sequence[_CodeFile]) -> None:
    """Refuse what would run and yet could not be looked into."""
    total = 0
    few = sum(len(chunk.code) for file in files for chunk in file.chunks) <= WORDS  # as many words as letters at most
    for file in files:
        total += 0 if few else sum(words(chunk.code) for chunk in file.chunks)
        if total > WORDS:
            raise caps.too_much_code(shown(path))
        for chunk in file.chunks:
            fault = parse(chunk.code)
            if isinstance(fault, SyntaxFault) and fault.deep:
                what = "an expression or block is nested too deeply to be looked into"
                raise UnreadableError(what, chunk.filename, "Break it up into several statements.")


def _modules(files: Sequence[_CodeFile], root: str) -> tuple[tuple[CodeModule, ...], list[str]]:
    """Name the modules, put those first that no other one imports, and leave out what only supports the work."""
    named = naming.name_modules([(file.path, [chunk.code for chunk in file.chunks]) for file in files], root)
    reasons = ["" if index in named.imported else _reason(file) for index, file in enumerate(files)]
    if all(reasons):
        reasons = [""] * len(files)
    order = sorted(range(len(files)), key=lambda index: (index in named.imported, files[index].path.count("/"), index))
    modules = [CodeModule(named.names[index], files[index].chunks) for index in order if not reasons[index]]
    for alias, name in sorted(named.aliases.items()):
        code = f"import importlib, sys\nsys.modules[__name__] = importlib.import_module({name!r})\n"
        modules.append(CodeModule(alias, (CodeChunk(code, f"<{alias}>"),)))
    notes: list[str] = []
    for index, (file, reason) in enumerate(zip(files, reasons, strict=True)):
        if reason:
            notes.append(f"{shown(file.path)} is not run: {reason}.")
        elif index in named.renamed:
            notes.append(f"{shown(file.path)} has the name of a library and is read as {named.names[index]}.")
    return tuple(modules), notes


def _reason(file: _CodeFile) -> str:
    """Say why a file that nobody imports is not the work itself; empty where it may be."""
    stem = file.path.rpartition("/")[2].lower().partition(".")[0]
    trees = [parse(chunk.code) for chunk in file.chunks]
    statements = [one for tree in trees if not isinstance(tree, SyntaxFault) for one in top_level(tree)]
    if file.chunks[0].cell is not None or not statements:
        return ""
    defined = [one.name for one in statements if isinstance(one, DEFINITIONS)]
    if stem in _SUPPORT:
        return "it sets things up"
    if stem.startswith("test_") or stem.endswith("_test"):
        return "it holds tests" if all(name.lower().startswith("test") for name in defined) else ""
    if stem in naming.LIBRARIES and not defined:
        return "it has the name of a library and defines nothing"
    return "it defines nothing" if file.path == "__init__.py" and not defined else ""


def _digest(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over the sorted names and bytes, each with its length, so that no two hand-ins share one."""
    digest = hashlib.sha256()
    for name, data in sorted(files):
        label = shown(name).encode()
        digest.update(b"%d:%b%d:" % (len(label), label, len(data)))
        digest.update(data)
    return digest.hexdigest()
