"""Which submissions are alike: a report with both passages, never a penalty.

Programs are compared as streams of syntax-tree tokens, so that names, comments and layout do not count. Fingerprints
are picked by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): every shared run of at least ``WINDOW + RUN - 1``
tokens is found. What the starter code holds is left out. Small functions converge, so only the rank within the class
says something.
"""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from pathlib import Path

from grader.catalog.places import assignment_file
from grader.errors import UnreadableError
from grader.intake.loading import load
from grader.model.submission import CodeChunk, CodeModule, Submission

RUN, WINDOW = 12, 6
SHORTEST_COPY = 80
"""Letters of a file from which on an equal one is remarkable."""
MOST_OWNERS = 0.5
"""A fingerprint that more than this share of the class has is common knowledge, not likeness."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, counted from 1."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions, the share of the smaller one's fingerprints that the other has too, and matching passages.

    ``same`` says that a file is the same letter by letter.
    """

    one: str
    other: str
    likeness: float
    passages: tuple[tuple[Place, Place], ...]
    same: bool = False


@dataclass(frozen=True, slots=True)
class _Print:
    digest: int
    place: Place


def compare(
    submissions: Mapping[str, Submission],
    starter: Iterable[str] = (),
    known: Mapping[str, Submission] | None = None,
    least: float = 0.3,
) -> tuple[Pair, ...]:
    """Rank pairs of the class, and each submission against ``known`` sources, the most alike first.

    ``starter`` holds source texts whose code does not count.
    """
    given = {print_.digest for text in starter for print_ in _prints(text, "starter")}
    prints = {key: _of(submission, given) for key, submission in submissions.items()}
    outside = {key: _of(submission, given) for key, submission in (known or {}).items()}
    owners: dict[int, set[str]] = defaultdict(set)
    for key, mine in prints.items():
        for digest in mine:
            owners[digest].add(key)
    crowd = max(3, MOST_OWNERS * len(prints))
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for digest, keys in owners.items():
        if len(keys) <= crowd:
            for pair in combinations(sorted(keys), 2):
                shared[pair].append(digest)
        for name, theirs in outside.items():
            if digest in theirs:
                for key in keys:
                    shared[key, name].append(digest)
    everybody = prints | outside
    copies = _copies(submissions, starter)
    pairs = [
        Pair(one, other, round(len(digests) / max(1, min(len(everybody[one]), len(everybody[other]))), 3),
             _passages(digests, everybody[one], everybody[other]))
        for (one, other), digests in shared.items() if (one, other) not in copies
    ]  # fmt: skip
    alike = [(pair, len(shared[pair.one, pair.other])) for pair in pairs if pair.likeness >= least]
    alike += [(pair, len(prints[pair.one])) for pair in copies.values()]
    ranked = sorted(alike, key=lambda found: (not found[0].same, -found[0].likeness, -found[1], found[0].one))
    return tuple(pair for pair, _ in ranked)


def _copies(submissions: Mapping[str, Submission], starter: Iterable[str]) -> dict[tuple[str, str], Pair]:
    """The pairs with a file that is the same letter by letter, comments and names too, and is not what all were given.

    However many of the class write the same few lines, nobody comes by the same comments and blanks alone.
    """
    given = {_squeezed(text) for text in starter}
    owners: dict[str, dict[str, Place]] = defaultdict(dict)
    for key, submission in submissions.items():
        for module in submission.modules:
            text = _squeezed(module.source)
            if len(text) >= SHORTEST_COPY and text not in given:
                owners[text].setdefault(key, Place(module.chunks[0].filename, 1, module.source.count("\n") or 1))
    return {
        (one, other): Pair(one, other, 1.0, ((places[one], places[other]),), same=True)
        for places in owners.values()
        for one, other in combinations(sorted(places), 2)
    }


def _squeezed(text: str) -> str:
    """The text without what editors and platforms change: ends of lines, blanks before them, the last empty lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def starter_of(assignment: str) -> tuple[str, ...]:
    """The source texts that every student begins with: the starter beside the assignment."""
    folder = assignment_file(assignment).parent / "starter"
    texts = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix in {".py", ".ipynb"}:
            try:
                texts += [chunk.code for chunk in load(path).chunks]
            except UnreadableError:  # an instructor's starter may be no whole program
                texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return tuple(texts)


def reference_sources() -> dict[str, Submission]:
    """The project's own reference, a file each, under the names ``reference/attention.py``."""
    found = {}
    root = Path(str(files("reference")))
    for path in sorted(root.rglob("*.py")):
        name = f"reference/{path.relative_to(root).as_posix()}"
        chunk = CodeChunk(path.read_text(encoding="utf-8"), name)
        found[name] = Submission(name, name, modules=(CodeModule(path.stem, (chunk,)),))
    return found


def _of(submission: Submission, given: set[int]) -> dict[int, Place]:
    found: dict[int, Place] = {}
    for chunk in submission.chunks:
        for print_ in _prints(chunk.code, chunk.filename):
            if print_.digest not in given:
                found.setdefault(print_.digest, print_.place)
    return found


def _prints(code: str, file: str) -> Iterator[_Print]:
    """Winnowed fingerprints of a source text; none where it does not parse."""
    try:
        tokens = list(_tokens(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    hashes = []
    for start in range(len(tokens) - RUN + 1):
        run = tokens[start : start + RUN]
        digest = hashlib.blake2b(" ".join(name for name, _ in run).encode(), digest_size=8).digest()
        lines = [line for _, line in run if line]
        hashes.append(_Print(int.from_bytes(digest, "big"), Place(file, min(lines, default=1), max(lines, default=1))))
    last = -1
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = hashes[start : start + WINDOW]
        if not window:
            return
        best = min(range(len(window)), key=lambda i: (window[i].digest, -i)) + start
        if best != last:
            last = best
            yield hashes[best]


def _tokens(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Node types in the order of the source; names and numbers are one token each, attributes keep their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        if isinstance(node, ast.Load | ast.Store | ast.Import | ast.ImportFrom):
            continue
        line = int(getattr(node, "lineno", 0))
        yield (f".{node.attr}" if isinstance(node, ast.Attribute) else type(node).__name__), line
        yield from _tokens(node)


def _passages(
    digests: Sequence[int], one: Mapping[int, Place], other: Mapping[int, Place]
) -> tuple[tuple[Place, Place], ...]:
    """Matching fingerprints joined to passages where they follow each other in both files."""
    places = sorted(
        ((one[d], other[d]) for d in digests), key=lambda pair: (pair[0].file, pair[0].first, pair[1].first)
    )
    joined: list[tuple[Place, Place]] = []
    for mine, theirs in places:
        if joined and _follows(joined[-1][0], mine) and _follows(joined[-1][1], theirs):
            joined[-1] = (_union(joined[-1][0], mine), _union(joined[-1][1], theirs))
        else:
            joined.append((mine, theirs))
    return tuple(joined)


def _follows(before: Place, after: Place) -> bool:
    return before.file == after.file and after.first <= before.last + 2 and after.last >= before.first - 2


def _union(one: Place, other: Place) -> Place:
    return Place(one.file, min(one.first, other.first), max(one.last, other.last))
