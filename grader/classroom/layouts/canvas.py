"""Canvas: a flat zip of ``<name>[_LATE]_<user id>_<attachment id>_<file>`` (instructure/canvas-lms, content_zipper.rb).

A group's name may end in ``_<number>``. Resubmissions may add ``-1`` before the ending. Anonymous:
``[LATE_]anon_<id>_<attachment>_<file>``. Text entries end in ``_text.html``, links in ``_link.html``.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import OLDER, Entry, FileRef, safe_key
from grader.classroom.tree import Tree

_NAME = re.compile(
    r"^(?:(?P<name>.+?)_)??(?:(?P<late>LATE)_)?(?:anon_(?P<anon>[^_]+)|(?P<user>\d+))"
    r"_(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<kind>text|link)\.html)$"
)
_SHORT = 3
_LONG = re.compile(_NAME.pattern.replace(r"\d+)", rf"\d{{{_SHORT},}})"))
"""Read so that both numbers look like Canvas's own: ``team_3_10002_90002_hw.py`` is the third team's."""
_AGAIN = re.compile(r"-\d+(?=\.[A-Za-z.]+$)")
OWN = re.compile(r"[^/]*\.csv")
"""Tables of grades that were put beside the work."""


def recognise(tree: Tree) -> bool:
    """Most files at the top follow the pattern, and there are no folders.

    One person's files alone (``hw_1_2_final.py``) may be named so by chance: their numbers have to look like Canvas's.
    """
    flat = [file.name for file in tree.files if "/" not in file.name]
    pattern = _pattern(tree)
    found = [match for name in flat if (match := pattern.match(name))]
    if not found or len(flat) < len(tree.files) or len(found) < round(0.8 * len(flat)):
        return False
    several = len({(match["name"], match["user"], match["anon"]) for match in found}) > 1
    numbers = [match[group] for match in found for group in ("user", "attachment") if match[group]]
    return several or "submissions" in tree.name or all(len(number) >= _SHORT for number in numbers)


def _pattern(tree: Tree) -> re.Pattern[str]:
    """How the names are read: with long numbers where all of them have such, as with any but a very small Canvas."""
    named = [file.name for file in tree.files if _NAME.match(file.name)]
    return _LONG if all(_LONG.match(name) for name in named) else _NAME


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person or group; several files of one hand-in stay together."""
    people: dict[tuple[str, str], list[tuple[re.Match[str], FileRef]]] = defaultdict(list)
    pattern = _pattern(tree)
    for file in tree.files:
        if found := pattern.match(file.name):
            people[found["name"] or "", found["anon"] or found["user"]].append((found, file))
    for (name, user), files in sorted(people.items()):
        notes = [
            f"{'a text entry' if match['kind'] == 'text' else 'a link'} was handed in"
            for match, _ in files
            if match["kind"]
        ]
        latest = _latest(files)
        kept = tuple(file.called(name) for name, file in latest)
        counted = {file for _, file in latest}
        older = tuple(file for match, file in files if match["file"] and file not in counted)
        notes += [OLDER] if older else []
        rest = tuple(file for match, file in files if match["kind"])
        if not kept:  # what was typed into Canvas is then the hand-in itself
            kept = tuple(file.called("text.html") for match, file in files if match["kind"] == "text")
        yield Entry(
            key=safe_key(f"{name}-{user}" if name else f"anon-{user}"), name=name or f"anonymous {user}", files=kept,
            ids=(user,), late=any(bool(match["late"]) for match, _ in files), notes=tuple(notes),
            feedback=_feedback(files), marked=True, passed_over=(*older, *rest),
        )  # fmt: skip


def _feedback(files: list[tuple[re.Match[str], FileRef]]) -> str:
    """The name of a file that Canvas attaches as a comment: it looks for the numbers of user and attachment in it."""
    named = [match for match, _ in files if match["file"]]
    if not named:
        return ""
    last = max(named, key=lambda match: int(match["attachment"]))
    return f"{last.string[: last.start('file')]}feedback.md"


def _latest(files: list[tuple[re.Match[str], FileRef]]) -> list[tuple[str, FileRef]]:
    """The files under the names that they were handed in by.

    ``hw-1.py`` replaces ``hw.py``. Where there is no ``hw.py``, the mark is taken off one such file; ``part-1.py`` and
    ``part-2.py`` side by side are no resubmissions, and both stay as they are.
    """
    named = sorted((pair for pair in files if pair[0]["file"]), key=lambda pair: int(pair[0]["attachment"]))
    plain = [_AGAIN.sub("", match["file"]) for match, _ in named]
    whole = {match["file"] for match, _ in named}
    by_name: dict[str, FileRef] = {}
    for (match, file), name in zip(named, plain, strict=True):
        by_name[name if name in whole or plain.count(name) == 1 else match["file"]] = file
    return sorted(by_name.items())
