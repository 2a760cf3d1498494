"""Who is in a class and which hand-ins count: from what a class was given with to entries.

What a source was taken for, and by what, is told to ``say`` as it is found out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from grader.catalog import recognise
from grader.classroom.attempts import choose
from grader.classroom.decisions import called, suggestion
from grader.classroom.entry import Entry, distinct, free, read
from grader.classroom.keys import settled
from grader.classroom.layouts import Detected, detect, entries_in, ignored_in
from grader.classroom.names import folded, listed, name_form, some
from grader.classroom.results import Results
from grader.classroom.roster import Matched, Student, match, read_roster, told_apart
from grader.errors import GraderError, UnreadableError
from grader.intake.archive import foreign
from grader.report.words import counted

Say = Callable[[str], object]
"""Tells a person one thing."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The hand-ins that count, remarks on what a person should look at, and who of the roster handed in nothing.

    ``names`` are theirs, with an id where two are called so. ``ignored`` are the files that are nobody's.
    """

    entries: tuple[Entry, ...]
    remarks: tuple[str, ...]
    missing: tuple[Student, ...]
    names: tuple[str, ...]
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """How a class is to be read and graded: its layout, roster, attempts, workers and policy."""

    output: Path
    layout: str | None = None
    pattern: str = ""
    roster: Path | None = None
    attempt: str = "latest"
    only: tuple[str, ...] = ()
    jobs: int = 0
    cluster: str = ""
    force: bool = False
    policy: Path | None = None


def as_graded(results: Results, roster: Path | None) -> ClassOptions:
    """Return the options that ``results`` were made with, to read the same class again."""
    index = results.index()
    return ClassOptions(
        results.folder, layout=index.get("layout"), pattern=str(index.get("pattern", "")), roster=roster,
        attempt=str(index.get("attempt", "latest")),
    )  # fmt: skip


def recognised(entries: Iterable[Entry], say: Say) -> str:
    """Return the assignment that the work of a class belongs to, and say it aloud; raises GraderError."""
    for entry in islice(entries, 20):
        try:
            found = recognise(Path(entry.name), read(entry))
        except GraderError:
            continue
        say(f"Assignment {found.assignment}: {entry.name} tells, {found.how}.")
        return found.assignment
    raise GraderError("cannot tell which assignment this is", "", "Give one with -a; see `grader list`.")


def doubted(path: Path, found: Detected) -> str:
    """Return what was taken for what, why that may be wrong, and how to say otherwise."""
    if found.is_class:
        return f"{path}: taken as a class: {found.doubt}. One student's work? Say --layout single."
    return f"{path}: taken as one student's work: {found.doubt}. A class? Say --layout plain."


def is_class(source: Sequence[Path], output: Path | None, layout: str, pattern: str, say: Say) -> bool:
    """Whether a results folder is to be made: for a class, and where ``output`` is a folder rather than a file.

    Raises GraderError where the results of a class have no folder to go to.
    """
    if output is not None and (output.is_dir() or (not output.suffix and not output.exists())):
        return True
    folder = output.stem if output else "results"
    if len(source) > 1:
        names = " and ".join(str(path) for path in source) if len(source) == 2 else f"{source[0]} and the others"  # noqa: PLR2004
        cure = (
            f"Add -o {folder}. Are they one student's files? Put them into one folder, and give that folder "
            "with --layout single."
        )
        raise GraderError(f"{len(source)} sources are graded as a class, and its results need a folder", names, cure)
    found = detect(source[0], layout, pattern)
    if not found.is_class:
        if found.doubt:
            say(doubted(source[0], found))
        return False
    why = f": {found.doubt}" if found.doubt else ""
    cure = f"Add -o {folder}. Is it one student's work? Say so with --layout single."
    raise GraderError(f"is a class ({found.layout} layout{why}), and its results need a folder", str(source[0]), cure)


def entries_of(source: Sequence[Path], options: ClassOptions, say: Say) -> tuple[Entry, ...]:
    """Return the hand-ins that count; raises GraderError."""
    return gathered(source, options, say).entries


def _detected(
    source: Sequence[Path], options: ClassOptions, known: Callable[[Sequence[Entry]], bool]
) -> list[Detected]:
    """What each source is; a folder that looks like one student's work is a class where it holds ``known`` people."""
    if len(source) == 1 and options.layout != "single" and source[0].is_file():
        with source[0].open("rb") as file:
            problem = foreign(source[0].name, file.read(8))
        if problem:  # who is in it cannot be told
            raise UnreadableError(problem, str(source[0]), "Unpack it, and give the folder.")
    found = [detect(path, options.layout or "", options.pattern) for path in source]
    others = {entry.key for path, one in zip(source, found, strict=True) if one.is_class
              for entry in entries_in(path, one, options.pattern)}  # fmt: skip
    for number, (path, one) in enumerate(zip(source, found, strict=True)):
        if one.is_class or options.layout or not one.tree.files:
            continue
        for several in (detect(path, "plain"), Detected("plain", one.tree)):  # with and without a folder around all
            people = entries_in(path, several)
            if people and (all(entry.key in others for entry in people) or known(people)):
                found[number] = several
                break
    return found


def _collected(
    source: Sequence[Path], options: ClassOptions, known: Callable[[Sequence[Entry]], bool], ignored: list[str],
    say: Say,
) -> Iterator[Entry]:  # fmt: skip
    """Every attempt of everybody; what is nobody's is ``ignored``."""
    for number, (path, detected) in enumerate(zip(source, _detected(source, options, known), strict=True)):
        entries = entries_in(path, detected, options.pattern)
        if detected.doubt and not options.layout:
            say(doubted(path, detected))
        if detected.is_class:
            say(f"{path}: {counted(len(entries), 'hand-in')} ({detected.layout} layout).")
            ignored += ignored_in(detected, entries)
        yield from (replace(entry, source=number) for entry in entries)


def gathered(source: Sequence[Path], options: ClassOptions, say: Say) -> Gathered:
    """Return who handed in what, under the keys of earlier results; raises GraderError."""
    results = Results(options.output)
    before = results.everybody()  # somebody without a hand-in may have points by hand under a key
    ignored: list[str] = []
    place = _roster(options, results, say)
    roster = read_roster(place) if place else None

    def known(people: Sequence[Entry]) -> bool:
        if roster is not None:
            told = match(list(people), roster)
            return not (told.unknown or told.ambiguous or told.guessed)
        return all(entry.key in before for entry in people)

    found = list(distinct(_collected(source, options, known, ignored, say)))
    remarks: tuple[str, ...] = ()
    missing: tuple[Student, ...] = ()
    names: tuple[str, ...] = ()
    if roster is not None:
        matched = match(found, roster)
        missing = _without(matched.missing, results.index()["students"])
        names = told_apart(missing, roster)
        found, remarks = list(matched.entries), (*_lost(roster), *_of_roster(matched, names))
    found, missing = _settled(found, missing, before)
    chosen = choose(found, options.attempt)
    if options.only:  # of the others nothing is said
        chosen, remarks = _only(chosen, found, options.only), ()
    said = _of_hand_ins(found, chosen, options.attempt, roster=place is not None)
    return Gathered(chosen, remarks + said, missing, names, tuple(ignored))


def _without(students: Iterable[Student], rows: Mapping[str, Mapping[str, Any]]) -> tuple[Student, ...]:
    """Those who have no results in ``rows`` of an index: an export may hold late hand-ins alone."""
    ids = {known.casefold() for row in rows.values() for known in row.get("ids", ())}
    names = {name_form(row["name"]) for row in rows.values() if not row.get("ids")}
    return tuple(s for s in students if not ids & folded(s.ids) and name_form(s.name) not in names)


def _settled(
    found: Sequence[Entry], missing: Sequence[Student], before: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Entry], tuple[Student, ...]]:
    """Those who handed in something and those who did not, each under the key of before; no two share one."""
    taken, others = {entry.key for entry in found}, []
    for one in missing:
        others.append(Entry(free(one.key, taken), one.name, (), one.ids))
        taken.add(others[-1].key)
    together = {known for entry in found if entry.members for known in entry.ids}  # a group is nobody of it alone
    alone = {key: row for key, row in before.items() if not (row.get("absent") and together & {*row["ids"]})}
    both = settled((*found, *others), alone)
    here = both[: len(found)]
    return list(here), tuple(replace(s, key=e.key) for s, e in zip(missing, both[len(found) :], strict=True))


def _lost(roster: Sequence[Student]) -> Iterator[str]:
    """Ids of which the roster has the first digits alone."""
    if cut := [f"{one.name} ({number})" for one in roster for number in one.lost]:
        cure = "make the column text in the spreadsheet and save the roster again"
        yield f"a spreadsheet cut these ids on the roster short, so they tell nobody: {some(cut)}; {cure}"


def _of_roster(matched: Matched, absent: Sequence[str]) -> tuple[str, ...]:
    """Who of the roster handed in nothing, and whose hand-in is nobody's on it."""
    if absent and len(matched.unknown) == len(matched.entries):
        one, other = absent[0], matched.unknown[0]
        return (f"nobody of the roster is among the hand-ins: is it the right one? It has {one}, they have {other}",)
    unknown = listed(matched.unknown)
    return (
        *((f"nothing was handed in by {listed(absent)}",) if absent else ()),
        *((f"not on the roster, graded under the names they have: {unknown}",) if unknown else ()),
        *matched.ambiguous,
        *((f"told by words in their file names alone: {listed(matched.guessed)}",) if matched.guessed else ()),
    )


def _of_hand_ins(found: Sequence[Entry], chosen: Sequence[Entry], attempt: str, *, roster: bool) -> tuple[str, ...]:
    """Who handed in more than once, and what was noted of hand-ins, the same of several people in one line."""
    several = Counter(entry.key for entry in found)
    again = [e for e in chosen if several[e.key] > 1] if attempt == "latest" else []
    last = [f"{e.name} ({several[e.key]})" for e in again if not e.problem]
    names_alone = not roster and any(not e.ids for e in again)
    doubt = " (where two are called so, give a --roster with ids, or --attempt all)" if names_alone else ""
    unsure = [f"{e.name} ({several[e.key]})" for e in again if e.problem]
    noted: dict[str, list[str]] = {}
    for entry in chosen:
        for note in entry.notes:
            noted.setdefault(note, []).append(entry.name)
    return (
        *((f"handed in several times, the last one counts: {listed(last)}{doubt}",) if last else ()),
        *((f"handed in several times, and which came last cannot be told, so none counts: {listed(unsure)}",)
          if unsure else ()),
        *(f"{note}: {listed(names)}" for note, names in noted.items()),
    )  # fmt: skip


def _roster(options: ClassOptions, results: Results, say: Say) -> Path | None:
    """The roster that is given, else the one by which the results were made: names and times come from it."""
    if options.roster or not results.roster.is_file():
        return options.roster
    say(f"Roster: {results.roster}, as before; another one is given with --roster.")
    return results.roster


def _only(chosen: Sequence[Entry], found: Iterable[Entry], only: Sequence[str]) -> tuple[Entry, ...]:
    """The hand-ins of those who are asked for, called as people type it. Raises GraderError."""
    known = {entry.key: {"name": entry.name, "ids": entry.ids} for entry in chosen}
    wanted = set()
    for name in only:
        keys = called(name, known)
        if not keys:
            names = ((known, entry.name) for entry in found for known in (entry.name, entry.key, *entry.ids))
            raise GraderError(f"nobody is called {name}", "--only", suggestion(name, names))
        wanted |= {*keys}
    return tuple(entry for entry in chosen if entry.key in wanted)
