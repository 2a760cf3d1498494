"""What was handed in."""

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class CodeChunk:
    """A source file, or one notebook cell; ``filename`` is what a traceback shows, ``cell`` counts from 1."""

    code: str
    filename: str
    cell: int | None = None
    tolerate: bool = False

    @property
    def file(self) -> str:
        """The file that it comes from: the mark of a cell is taken off."""
        return self.filename if self.cell is None else self.filename.rpartition("[")[0]

    @property
    def lines(self) -> list[str]:
        """Its lines as Python counts them: a form feed or U+2028 within one does not end it."""
        return _LINE_END.split(self.code)


@dataclass(frozen=True, slots=True)
class CodeModule:
    """One importable module of the submission, by value."""

    name: str
    chunks: tuple[CodeChunk, ...]

    @property
    def source(self) -> str:
        """All chunks as one text."""
        return "\n".join(chunk.code for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is not code (worksheet, report, diagram), by value; of a picture only the digest."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Submission:
    """Who handed in what, when; files by value.

    ``sha256`` is over the names and bytes of all files. ``notes`` are the reader's remarks for the report
    ("byte-order mark removed"), one sentence each.
    """

    id: str
    path: str
    modules: tuple[CodeModule, ...] = ()
    documents: tuple[Document, ...] = ()
    submitter: str = ""
    submitted_at: str = ""
    late: bool = False
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @property
    def chunks(self) -> tuple[CodeChunk, ...]:
        """The chunks of all modules, in order."""
        return tuple(chunk for module in self.modules for chunk in module.chunks)
