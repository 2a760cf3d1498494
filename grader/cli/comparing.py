"""``grader similar``: submissions that are alike, both passages side by side; a report, never a penalty."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from grader.classroom.entry import read
from grader.classroom.gathering import ClassOptions, as_graded, entries_of
from grader.classroom.likeness import Pair, Place, compare, reference_sources, starter_of
from grader.classroom.results import existing
from grader.cli.lines import columns, laid_out, say, wrapped
from grader.cli.options import PATH
from grader.cli.printing import show
from grader.cli.results import results_argument, settings_of
from grader.errors import Exit, GraderError
from grader.model.assignment import Assignment
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.pipeline import prepared
from grader.report.annotations import disarmed
from grader.report.words import counted

_LINES = 12


@click.command("similar")
@results_argument()
@click.option("--source", metavar="CLASS", type=PATH, multiple=True, required=True, help="The submissions.")
@click.option("--roster", metavar="FILE", type=PATH, help="The roster that was given when the class was graded.")
@click.option(
    "--least", type=click.FloatRange(0, 1), default=0.3, show_default=True, help="Leave out what is less alike."
)
@click.option("--most", type=click.IntRange(1), default=50, show_default=True, help="Show so many pairs.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to report.")
def command(results: Path, source: tuple[Path, ...], roster: Path | None, least: float, most: int, form: str) -> int:
    """Rank the pairs of a class that are alike, starter code left out; the project's own reference is marked.

    Names, comments and layout do not count, and neither does code that most of the class share. Small functions
    converge: look at the passages before you think of anybody.
    """
    folder = existing(results)
    assignment = settings_of(folder).assignment
    students = folder.index()["students"]
    submissions = _submissions(source, as_graded(folder, roster), assignment, students)
    known = reference_sources()
    where = folder.index().get("assignment_source") or assignment.id
    pairs = compare(submissions, starter_of(where), known, least)[:most] if assignment.interfaces else []
    wording = _wording(submissions, assignment)[:most]
    folder.write_json(
        "alike.json", {"pairs": [{"one": p.one, "other": p.other, "likeness": p.likeness} for p in pairs]}
    )
    if form == "json":
        found = {"schema": "grader/likeness/v1", "pairs": [_data(pair, {**submissions, **known}) for pair in pairs]}
        found |= {"wording": wording} if assignment.sections else {}
        show(json.dumps(found, ensure_ascii=False, indent=2) + "\n", utf8=True)
    else:
        names = _names(students)
        lines = [*_text(pairs, names, len(submissions), {**submissions, **known})] if assignment.interfaces else []
        lines += [*_shared(wording, names, len(submissions))] if assignment.sections else []
        show("".join(f"{disarmed(line)}\n" for line in lines), utf8=False)
    return Exit.OK


def _names(students: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """What to call each student by key: the name, with the key where several have it."""
    count = Counter(row["name"] for row in students.values())
    return {
        key: StudentText(row["name"] if count[row["name"]] == 1 else f"{row['name']} ({key})")
        for key, row in students.items()
        if row["name"]
    }


def _wording(submissions: Mapping[str, Submission], assignment: Assignment) -> list[dict[str, object]]:
    """The pairs whose written parts share passages word for word, the longest passage first."""
    if not assignment.sections:
        return []
    from grader.written.overlap import shared
    from grader.written.parts import own_text

    texts = {key: own_text(submission, assignment.sections) for key, submission in submissions.items()}
    found: list[tuple[int, dict[str, object]]] = []
    for one, other, passages in shared(texts):
        said = [{"words": p.words, "one": texts[one][p.start : p.end], "other": p.theirs} for p in passages]
        found.append((max(p.words for p in passages), {"one": one, "other": other, "passages": said}))
    return [pair for _, pair in sorted(found, key=lambda item: -item[0])]


def _shared(wording: Sequence[Mapping[str, Any]], names: Mapping[str, str], count: int) -> Iterator[str]:
    verb = "shares" if len(wording) == 1 else "share"
    found = f"{counted(count, 'submission')}, {counted(len(wording), 'pair')} that {verb} a dozen words in a row."
    yield laid_out(f"{found} Quotations are left out.")
    for number, pair in enumerate(wording, 1):
        people = [names.get(pair[side], pair[side]) for side in ("one", "other")]
        yield ""
        yield f"{number}. {' and '.join(people)}"
        for passage in pair["passages"]:
            yield f"    {passage['words']} words:"
            for who, side in zip(people, ("one", "other"), strict=True):
                yield from wrapped(StudentText(f"      {who}: “{' '.join(passage[side].split())}”"), "        ")


def _submissions(
    source: Sequence[Path], options: ClassOptions, assignment: Assignment, students: Mapping[str, Mapping[str, Any]]
) -> dict[str, Submission]:
    """The work of each student by the key of the results, which a roster may have given."""
    entries = entries_of(source, options, say)
    found = {}
    for entry in entries:
        key = entry.key
        try:
            found[key] = prepared(read(entry), assignment)
        except GraderError as error:
            name = students[key]["name"] if key in students else entry.name
            say(StudentText(f"{name or key}: left out: {error}"))
    return found


def _passage(place: Place, submission: Submission) -> list[str]:
    """The lines of a passage."""
    lines = next((chunk.lines for chunk in submission.chunks if chunk.filename == place.file), [])
    return lines[place.first - 1 : place.last]


def _data(pair: Pair, sources: Mapping[str, Submission]) -> dict[str, object]:
    passages = [
        {"one": asdict(mine) | {"lines": _passage(mine, sources[pair.one])},
         "other": asdict(theirs) | {"lines": _passage(theirs, sources[pair.other])}}
        for mine, theirs in pair.passages
    ]  # fmt: skip
    return {"one": pair.one, "other": pair.other, "likeness": pair.likeness, "same": pair.same,
            "reference": _is_reference(pair), "passages": passages}  # fmt: skip


def _is_reference(pair: Pair) -> bool:
    return pair.other.startswith("reference/")


def _text(
    pairs: Sequence[Pair], names: Mapping[str, str], count: int, sources: Mapping[str, Submission]
) -> Iterator[str]:
    half = (columns() - 7) // 2
    found = f"{counted(count, 'submission')}, {counted(len(pairs), 'pair')}."
    yield laid_out(f"{found} Likeness is no proof: small functions converge.")
    yield laid_out("Not counted: the starter code, what most of the class have alike, names and comments.")
    for number, pair in enumerate(pairs, 1):
        mark = "  (the project's own reference)" if _is_reference(pair) else ""
        yield ""
        people = f"{names.get(pair.one, pair.one)} and {names.get(pair.other, pair.other)}"
        yield f"{number}. {people}: {'the same file' if pair.same else f'{pair.likeness:.0%}'}{mark}"
        for mine, theirs in pair.passages:
            yield StudentText(f"    {_place(mine, half):<{half}}   {_place(theirs, half)}")
            left, right = _passage(mine, sources[pair.one]), _passage(theirs, sources[pair.other])
            for one, other in zip_longest(left[:_LINES], right[:_LINES], fillvalue=""):
                yield StudentText(f"    {one[:half]:<{half}} │ {other[:half]}".rstrip())
            if max(len(left), len(right)) > _LINES:
                yield "    …"


def _place(place: Place, most: int) -> str:
    lines = f", lines {place.first} to {place.last}"
    room = most - len(lines)
    return (place.file if len(place.file) <= room else f"{place.file[: room - 1]}…") + lines
