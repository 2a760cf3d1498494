"""Blackboard: a flat zip of ``<assignment>_<user>_attempt_<YYYY-MM-DD-HH-MM-SS>_<file>``, a .txt beside each attempt.

The .txt ends behind the time and tells ``Name: Ann B (annb)``, ``Date Submitted:``, the text that was typed in
(``Submission Field:``), and under which name each file was handed in. nbgrader's collector calls files the same way.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree, text_of

_NAME = re.compile(
    r"^(?P<who>[^/]+)_attempt_(?P<when>\d{4}-\d{2}-\d{2}-\d{2}-\d{2}-\d{2})(?:_(?P<file>.+)|(?P<about>\.txt))$"
)
_PERSON = re.compile(r"^Name:(?P<name>[^\n]+)\((?P<user>[^()\s]++)\)[ \t\r]*+$", re.MULTILINE)
_TYPED = re.compile(r"^Submission Field:[^\n]*\n(?P<text>.*?)(?=^(?:Comments|Files):|\Z)", re.MULTILINE | re.DOTALL)
_NOTHING_TYPED = "There is no student submission text data"
OWN = re.compile(r"[^/]+_attempt_[\d-]{19}\.txt")
"""The files that say when and whose."""


def recognise(tree: Tree) -> bool:
    """Most files at the top are named so."""
    named = sum(bool(_NAME.match(file.name)) for file in tree.files)
    return bool(named) and named >= 0.8 * len(tree.files)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry an attempt; a person is told by the user name, and called as the .txt says."""
    found = [(match, file) for file in tree.files if (match := _NAME.match(file.name))]
    about: dict[tuple[str, str], str] = {
        (match["who"], match["when"]): text_of(file, 1 << 20) or "" for match, file in found if match["about"]
    }
    people = {who: person for (who, _), text in about.items() if (person := _PERSON.search(text))}
    shared = _title([match["who"] for match, _ in found])
    files: dict[tuple[str, str], list[FileRef]] = defaultdict(list)
    for match, file in found:
        if not match["about"]:
            files[match["who"], match["when"]].append(file.called(match["file"]))
    for who, when in sorted({*files, *about}):
        person = people.get(who)
        user = person["user"] if person else who.removeprefix(shared)
        kept = files[who, when]
        typed = _typed(about.get((who, when), ""))
        notes = ("a text was typed in beside the files",) if typed and kept else ()
        if typed and not kept:
            kept = [FileRef(tree.root, "text.txt", content=typed.encode("utf-8", "replace"))]
        name = person["name"].strip() if person else user
        yield Entry(safe_key(f"{name}-{user}" if person else user), name, tuple(kept), (user,), submitted_at=when,
                    notes=notes)  # fmt: skip


def _title(whole: Sequence[str]) -> str:
    """What stands before the user names: all words that they share; of one alone, all but the last word."""
    first, *others = [one.split("_") for one in {*whole}] or [[]]
    same = takewhile(lambda n: all(other[n : n + 1] == first[n : n + 1] for other in others), range(len(first) - 1))
    return "".join(f"{first[n]}_" for n in same)


def _typed(about: str) -> str:
    found = _TYPED.search(about)
    text = found["text"].strip() if found else ""
    return "" if text.startswith(_NOTHING_TYPED) else text
