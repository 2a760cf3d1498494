"""The written parts of a submission as outcomes: one a question, judged from the documents and never run."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from grader.model.assignment import Question, Section
from grader.model.outcome import Answer, Diagnosis, Outcome, Verdict
from grader.model.submission import Document, Submission
from grader.model.text import StudentText
from grader.written.answers import chosen, judge_answer
from grader.written.by_eye import NOT_WORK, PICTURES, is_like_sheet, is_named_sheet, text_of
from grader.written.judged import Judged, for_a_person, quoted, unread
from grader.written.model_answer import model_answer
from grader.written.printed import Printed, blank_sheet
from grader.written.sheet import BY_EYE, Sheet, Written, marked, read_sheet

if TYPE_CHECKING:
    from grader.written.paper import Paper

LONGEST = 8000
"""Characters of an answer that are kept."""
TOGETHER = frozenset({"topic", "stated", "answered"})
"""Kinds of which a criterion has several, read off the same pages: one decision for all that wait."""
_log = logging.getLogger("grader")
SLIP = "sheet."
"""What the ids of slips begin with: they belong to a key, not to the catalogue of misconceptions."""


def assess_written(
    submission: Submission, sections: Sequence[Section], *, code: bool = False
) -> tuple[tuple[Outcome, ...], tuple[str, ...]]:
    """Return one outcome a question of ``sections``, and remarks that belong to none; ``code`` is asked for, too."""
    outcomes: list[Outcome] = []
    notes: list[str] = []
    shares = shared_out(submission.documents, sections)
    for part, judge in (("worksheet", _worksheet), ("report", _report)):
        asked = tuple(section for section in sections if section.part == part)
        if not asked:
            continue
        try:
            found, remarks = judge(shares[part], asked, code)
        except Exception:  # noqa: BLE001 - a reader that fails is ours: these questions become faults, the others stand
            _log.exception("fault while reading the %s", part)
            trace = traceback.format_exc()
            found, remarks = [_fault(section, q, trace) for section in asked for q in section.questions], []
        outcomes += found
        notes += remarks
    notes += [f"{o.marked}: {note}" for o in outcomes if o.verdict is Verdict.PASSED for note in o.notes]
    return tuple(outcomes), tuple(StudentText(note) for note in notes)


def shared_out(documents: Sequence[Document], sections: Sequence[Section]) -> Mapping[str, tuple[Document, ...]]:
    """Return the documents of each written part: in mixed homework the sheet's files are no sources of the report.

    The report's PDF and its sources hold no answers to the sheet either, whatever they are called.
    """
    everything = tuple(documents)
    sheet = tuple(section for section in sections if section.part == "worksheet")
    if not sheet or not any(section.part == "report" for section in sections):
        return {"worksheet": everything, "report": everything}
    marked = read_sheet(everything, sheet, blank_sheet("", sheet)).files
    if not marked:
        return _by_looks(everything, sheet)
    answers = tuple(document for document in everything if document.path in marked)
    rest = tuple(document for document in everything if document.path not in marked)
    return {"worksheet": answers, "report": rest}


def _by_looks(documents: tuple[Document, ...], sheet: Sequence[Section]) -> Mapping[str, tuple[Document, ...]]:
    """Share out what has no marks: a sheet is what is named so, is like it, or is left over by the report."""
    from grader.written.opening import open_paper

    named = tuple(document for document in documents if is_named_sheet(document.path))
    rest = tuple(document for document in documents if document not in named)
    if named:
        return {"worksheet": named, "report": rest}
    paper, printed = open_paper(rest), Printed.of(blank_sheet("", sheet))
    texts = {name: "\n".join(block.text for block in blocks) for name, blocks in paper.sources.items()}
    texts |= {paper.pages.path: "\n".join(paper.pages.texts)} if paper.pages else {}
    drawn = "".join(block.text for blocks in paper.sources.values() for block in blocks if block.kind == "picture")
    spare = tuple(
        document
        for document in documents
        if PurePosixPath(document.path).name.lower() not in NOT_WORK
        if is_like_sheet(text_of(document) or texts.get(document.path, ""), printed)
        or not (document.path in texts or _beside_report(document.path, drawn))
    )
    return {"worksheet": spare, "report": rest}


def _beside_report(path: str, drawn: str) -> bool:
    """Whether a file is what a report shows or is made of, or of another kind than a sheet."""
    name = PurePosixPath(path.lower())
    return name.suffix not in {*BY_EYE, *PICTURES} or name.stem in drawn.lower()


def _worksheet(
    documents: Sequence[Document], sections: Sequence[Section], code: bool
) -> tuple[list[Outcome], list[str]]:
    sheet = read_sheet(documents, sections, blank_sheet("", sections), code=code)
    notes = list(sheet.notes)
    if sheet.answers:  # else that is what is said of every question
        notes += [f"{path} is a picture: no program reads it, a person looks at it." for path in sheet.pictures]
    if not sheet.answers and not sheet.by_eye:
        notes.append(_nothing_found(documents))
    return [_of_sheet(section, question, sheet) for section in sections for question in section.questions], notes


def _nothing_found(documents: Sequence[Document]) -> str:
    """Say where no answers were found, and how they are written."""
    how = "they stand behind their marks, as `grader new` writes them."
    named = [document.path for document in documents if PurePosixPath(document.path).name.lower() not in NOT_WORK]
    empty = [document.path for document in documents if document.path in named and not document.data.strip()]
    if not named:
        return f"No filled sheet was handed in. Answers are read from a text: {how}"
    if empty == named:
        return _said_empty(empty)
    return f"No answers were found in {', '.join(named[:5])}: {how}"


def _said_empty(paths: Sequence[str]) -> str:
    return f"{', '.join(paths[:5])} {'is' if len(paths) == 1 else 'are'} empty."


def _report(documents: Sequence[Document], sections: Sequence[Section], _: bool) -> tuple[list[Outcome], list[str]]:
    from grader.written.opening import open_paper
    from grader.written.reports import nothing_read

    paper = open_paper(documents)
    told = nothing_read(paper)
    if told:
        shown = [marked(document) for document in documents if paper.pages and document.path == paper.pages.path]
        passage = "\n".join(shown or (*paper.unread, *paper.pictures))
        found = [_outcome(s, q, lambda: (unread(told), passage)) for s in sections for q in s.questions]
        return found, [note for note in paper.notes if note not in paper.unread.values()]
    found = [_of_report(section, question, paper) for section in sections for question in section.questions]
    empty = [document.path for document in documents if not document.data.strip()]
    return found, [*paper.notes, *([_said_empty(empty)] if empty and not paper.sources else [])]


def own_text(submission: Submission, sections: Sequence[Section]) -> str:
    """Return what a student wrote in sentences: answers to open questions, a report's prose. Blanks are left out."""
    texts: list[str] = []
    worksheet = tuple(section for section in sections if section.part == "worksheet")
    shares = shared_out(submission.documents, sections)
    if worksheet:
        answers = read_sheet(shares["worksheet"], worksheet, blank_sheet("", worksheet)).answers
        asked = [q.id for section in worksheet for q in section.questions if q.kind in {"text", "free"}]
        texts += [answers[name].text for name in asked if name in answers]
    if any(section.part == "report" for section in sections):
        from grader.written.opening import open_paper

        texts.append(open_paper(shares["report"]).text)
    return StudentText("\n".join(texts), limit=200_000)


def _of_sheet(section: Section, question: Question, sheet: Sheet) -> Outcome:
    written = sheet.answers.get(question.id)
    text = StudentText(written.text, limit=LONGEST) if written else StudentText("")
    if written:
        written = replace(written, text=text)  # what is judged is what is shown: places in the text hold for both
    elif sheet.by_eye and not sheet.answers:
        text = StudentText("\n".join(sheet.by_eye))
    return _outcome(section, question, lambda: (_judged(question, written, sheet), text))


def _of_report(section: Section, question: Question, paper: Paper) -> Outcome:
    from grader.written.reports import judge_report

    if paper.pages is None and not paper.sources:
        return _outcome(section, question, lambda: (Judged(Verdict.MISSING, "No report was handed in."), ""))
    return _outcome(section, question, lambda: judge_report(question.key, paper))


def _outcome(section: Section, question: Question, judge: Callable[[], tuple[Judged, str]]) -> Outcome:
    check = f"{section.id}.{question.id}"
    try:
        found, passage = judge()
    except Exception:  # noqa: BLE001 - an exception inside a judge is ours, never the student's: it becomes a fault
        _log.exception("fault while judging %s", check)
        return _fault(section, question, traceback.format_exc())
    text = StudentText(passage, limit=LONGEST)
    return Outcome(
        check=check,
        component=section.id,
        title=question.title,
        mark=_mark(section, question),
        verdict=found.verdict,
        passed=found.passed,
        asked=found.asked,
        message=StudentText(found.message),
        diagnosis=_diagnosis(question, found),
        notes=tuple(StudentText(note) for note in found.notes),
        staff_note=StudentText(found.staff_note),
        answer=_answer(question, found, text) if text or found.places else None,
        reason=found.reason,
    )


def _answer(question: Question, found: Judged, text: str) -> Answer:
    """Return the answer with what a person needs to decide on it, where one has to."""
    if found.verdict is not Verdict.UNDETERMINED:
        return Answer(text, found.spans, found.suggested)
    asked, model = question.key.ask.strip() or question.title, model_answer(question.key)
    return Answer(
        text, found.spans, found.suggested, asked, model, StudentText(found.why), found.places,
        together=question.kind in TOGETHER,
    )  # fmt: skip


def _fault(section: Section, question: Question, trace: str) -> Outcome:
    check, mark = f"{section.id}.{question.id}", _mark(section, question)
    message = "the grader itself failed here"
    return Outcome(check, section.id, question.title, Verdict.FAULT, message=message, staff_note=trace, mark=mark)


def _mark(section: Section, question: Question) -> str:
    """Return the mark that a question stands behind on a sheet."""
    return question.id if section.part == "worksheet" else ""


def _judged(question: Question, written: Written | None, sheet: Sheet) -> Judged:
    if written is None and sheet.by_eye and not sheet.answers:
        return unread(sheet.unread)
    if written is None and not sheet.answers:
        return Judged(Verdict.MISSING, "No worksheet was handed in.")
    if written is None or not (written.text or written.data):
        return Judged(Verdict.MISSING, "This was left empty.")
    if written.others:
        both = " and ".join(quoted(text) for text in (written.text, *written.others[:1]))
        return for_a_person(f"Answered more than once: {both}.")
    other = sheet.answers.get(getattr(question.key, "other_than", ""))
    if other and chosen(question.key, other.text) == chosen(question.key, written.text) != ():
        return for_a_person(f"{quoted(written.text)} may be the same as {quoted(other.text)}.")
    return judge_answer(question.key, written)


def _diagnosis(question: Question, found: Judged) -> Diagnosis | None:
    slip = found.slip
    if slip is None:
        return None
    name = slip.id or f"{question.id}_{question.key.slips.index(slip) + 1}"
    hints = {"hint": slip.hint, "nudge": slip.hint} if slip.hint else {}
    return Diagnosis((f"{SLIP}{name}",), slip.title, hints=hints)
