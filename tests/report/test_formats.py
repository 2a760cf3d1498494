"""Every format says the same, hides what its reader may not see, and cannot be broken by what a student wrote."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import reports
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.model.assignment import HintLevel
from grader.model.outcome import Location, Outcome, Reason, Tells, Verdict
from grader.model.report import Report
from grader.model.text import StudentText
from grader.report import FORMATS, annotations, junit, markdown, render, terminal
from grader.report.json_report import data
from grader.report.schema import ReportFile
from grader.report.view import View, as_seen, raised

MADE = [
    reports.all_right,
    reports.no_scale,
    reports.exception,
    reports.of_every_kind,
    reports.hostile,
    reports.with_hidden,
    reports.unreadable,
]
VIEWS = ["student", "staff"]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = ReportFile.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("made", MADE)
def test_json_keeps_to_its_exported_schema(made: object, view: str, validator: jsonschema.Draft202012Validator) -> None:
    found = json.loads(render(made(), "json", view))  # type: ignore[operator, arg-type]
    validator.validate(found)


def test_json_has_the_promised_keys() -> None:
    found = data(reports.no_scale())
    assert found["schema"] == "grader/report/v1"
    assert {"grader_version", "assignment", "submission", "seed", "isolation", "score", "max_score"} <= set(found)
    assert {"id", "path", "submitter", "late", "sha256"} <= set(found["submission"])
    assert set(found["isolation"]) == {"requested", "applied", "mechanisms", "missing"}
    assert {"id", "title", "points", "max_points", "verdict", "checks"} <= set(found["criteria"][0])
    failed = next(check for check in found["checks"] if check["verdict"] == "failed")
    promised = {"id", "component", "title", "verdict", "fraction", "message", "hint", "misconception"}
    assert promised | {"counterexample", "location", "audience", "duration_s"} <= set(failed)
    assert {"id", "title", "family"} <= set(failed["misconception"])
    assert {"inputs", "expected", "got", "max_error", "where"} <= set(failed["counterexample"])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("made", MADE)
def test_the_total_is_the_sum_of_what_is_shown(made: object, view: str) -> None:
    found = data(made(), view)  # type: ignore[operator, arg-type]
    total = sum((Decimal(str(criterion["points"])) for criterion in found["criteria"]), Decimal(0))
    assert total == Decimal(str(found["score"]))


def test_equal_reports_are_equal_bytes() -> None:
    assert render(reports.no_scale(), "json") == render(reports.no_scale(), "json")


# -------------------------------------------------------------------------------------------------- what is hidden


OF_PLATFORMS = ("gradescope", "prairielearn", "classroom50")
"""Formats that a platform shows to students, whoever renders them: of hidden checks they hold points alone."""


@pytest.mark.parametrize("form", FORMATS)
def test_a_student_sees_nothing_of_what_is_hidden(form: str) -> None:
    text = render(reports.with_hidden(), form, "student")
    assert "SECRET" not in text
    assert "4711" not in text
    assert "Causal mask" not in text
    assert "2.5" not in text.replace("2.5.1", "")
    assert ("SECRET-8" in render(reports.with_hidden(), form, "staff")) is (form not in OF_PLATFORMS)


def test_hidden_points_are_counted_and_do_not_show_whether_they_were_earned() -> None:
    made = reports.with_hidden()
    passed = replace(made, marks=tuple(
        replace(mark, outcomes=tuple(
            replace(item, verdict=Verdict.PASSED) if item.check == "softmax.shift" else item for item in mark.outcomes
        )) for mark in made.marks
    ))  # fmt: skip
    text = terminal.render(made)
    assert "6.66 of the 24 points are for hidden checks, which are not shown." in text
    assert "5.34 / 5.34" in text
    rescored = reports.score(made.rubric, [item for mark in passed.marks for item in mark.outcomes])
    assert terminal.render(replace(passed, marks=rescored)) == text


def test_cases_of_the_public_seed_are_shown() -> None:
    assert "SECRET-8" in terminal.render(replace(reports.with_hidden(), seed=0))


# ------------------------------------------------------------------------------------------------ how much help


def test_help_grows_with_the_level() -> None:
    made = reports.no_scale()
    none, nudge, hint, most = (terminal.render(made, level=level) for level in HintLevel)
    assert "divided" not in none
    assert "grader explain" not in nudge
    assert "How large do dot products become" in nudge
    assert "grader explain sdpa-no-scale" in hint
    assert "under the fraction" in hint
    assert "one-hot" not in hint
    assert "one-hot" in most
    assert "More help" not in most


@pytest.mark.parametrize(
    ("kept", "offered"),
    [(("nudge", "hint", "explanation"), True), (("nudge", "hint"), False), (("hint",), False), ((), False)],
)
def test_more_help_is_offered_where_there_is_more(kept: tuple[str, ...], offered: bool) -> None:
    made = reports.no_scale()
    marks = tuple(
        replace(mark, outcomes=tuple(
            replace(one, diagnosis=one.diagnosis and replace(
                one.diagnosis, hints={key: text for key, text in one.diagnosis.hints.items() if key in kept}
            )) for one in mark.outcomes
        )) for mark in made.marks
    )  # fmt: skip
    text = terminal.render(replace(made, marks=marks), level=HintLevel.HINT)
    assert ("More help" in text) is offered


def test_the_rubric_caps_the_help() -> None:
    capped = replace(reports.RUBRIC, hint_level=HintLevel.NONE, hint_cap=HintLevel.NUDGE)
    made = reports.report([], capped)
    assert [raised(made, steps) for steps in range(4)] == [
        HintLevel.NONE,
        HintLevel.NUDGE,
        HintLevel.NUDGE,
        HintLevel.NUDGE,
    ]


def test_the_way_to_more_help_is_typed_out() -> None:
    gentle = replace(reports.no_scale(), rubric=replace(reports.RUBRIC, hint_level=HintLevel.NUDGE))
    assert "--hint\n" in terminal.render(gentle)
    assert "--hint --hint\n" in terminal.render(gentle, level=HintLevel.HINT)


def test_the_instructors_own_hint_comes_first() -> None:
    softmax, attention, mask = reports.RUBRIC.criteria
    checks = (replace(attention.checks[0], hint="See slide 12"), *attention.checks[1:])
    rubric = replace(reports.RUBRIC, criteria=(softmax, replace(attention, checks=checks), mask))
    outcomes = [item for mark in reports.no_scale().marks for item in mark.outcomes]
    text = terminal.render(reports.report(outcomes, rubric))
    assert text.index("See slide 12.") < text.index("Compare your scores")


def test_one_wrong_idea_is_told_once() -> None:
    text = terminal.render(reports.no_scale())
    assert text.count("The scores are not divided by sqrt(d_k).") == 1
    assert "Fails for the same reason: Large scores give finite, right values." in text


# -------------------------------------------------------------------------------------------- what cannot be broken


def with_text(raw: str) -> Report:
    """The hostile report with ``raw`` in every place that a student can reach."""
    made = reports.hostile()
    text = StudentText(raw)

    def infected(outcome: object) -> object:
        if outcome.verdict is not Verdict.ERROR:  # type: ignore[attr-defined]
            return outcome
        example = replace(outcome.counterexample, inputs={"Q": text}, expected=text, got=text)  # type: ignore[attr-defined]
        return replace(outcome, message=text, counterexample=example, notes=(text,))  # type: ignore[type-var]

    marks = tuple(replace(mark, outcomes=tuple(infected(item) for item in mark.outcomes)) for mark in made.marks)
    return replace(made, marks=marks, notes=(raw,), submission=replace(made.submission, path=raw, submitter=raw))


@given(st.text(max_size=60))
def test_xml_stays_well_formed_whatever_a_student_writes(raw: str) -> None:
    ET.fromstring(junit.render(with_text(raw), "staff"))  # noqa: S314 - our own text


def skeleton(text: str) -> list[str]:
    """The kinds of the parts that a reader of Markdown finds, in order; words and breaks left out."""
    from markdown_it import MarkdownIt

    kinds = []
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text):
        kinds.append(token.type)
        kinds += [
            child.type for child in token.children or [] if child.type not in {"text", "softbreak", "text_special"}
        ]
    return kinds


@settings(deadline=None)
@given(st.text(alphabet="`~|<>*_[]()#@:!\\ \n&$-+=1.ab", max_size=60))
def test_markdown_keeps_its_structure_whatever_a_student_writes(raw: str) -> None:
    assert skeleton(markdown.render(with_text("x" + raw), "staff")) == skeleton(
        markdown.render(with_text("x"), "staff")
    )


@pytest.mark.parametrize("raw", ["@everyone", "http://evil.com", "www.evil.com", "<!--", "- x", "1. x", "# x", "&lt;"])
def test_words_of_a_student_stay_words(raw: str) -> None:
    from markdown_it import MarkdownIt

    (block,) = [token for token in MarkdownIt("commonmark").parse(markdown.inline(raw)) if token.type == "inline"]
    assert {child.type for child in block.children or []} <= {"text", "text_special"}
    said = "".join(child.content for child in block.children or [])
    assert said.replace("\u2060", "") == raw
    assert "@everyone" not in said
    assert "http://" not in markdown.inline(raw)


@given(st.text(alphabet=":,%\r\n\u2028ab=", max_size=40))
def test_a_workflow_command_stays_one_line_and_one_command(raw: str) -> None:
    lines = annotations.render(with_text(raw), "staff").splitlines()
    assert len(lines) == len(["a finding", "a place", "the points"])
    assert all(re.match(r"::(error|notice) [^:]*::", line) for line in lines)


def test_commands_in_a_guarded_text_are_not_obeyed() -> None:
    text = annotations.guarded(terminal.render(reports.hostile()), "t0ken")
    assert text.startswith("::stop-commands::t0ken\n")
    assert text.endswith("\n::t0ken::\n")


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("width", [40, 80, 110])
def test_no_line_of_the_terminal_is_a_command_of_a_runner_that_reads_the_log(width: int, colour: bool) -> None:
    raw = "x " * 17 + "::error::forged " * 9 + "##[error]forged ##vso[task.complete] ##teamcity[x]"
    text = terminal.render(with_text(raw), "staff", width=width, colour=colour)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "error::forged" in bare
    assert not [line for line in bare.splitlines() if line.lstrip().startswith("::") or re.search(r"##\w*\[", line)]


def test_an_ordinary_line_is_left_as_it_is() -> None:
    for line in ("a[::2] of x", "## a heading", "  x :: y", "\x1b[31m  text"):
        assert annotations.disarmed(line) == line


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", FORMATS)
def test_text_that_nobody_cleaned_is_cleaned_for_every_reader(form: str, view: View) -> None:
    made = reports.hostile()
    raw = "a\x1b[2J\x00\ud800\u202eb"

    def infected(outcome: Outcome) -> Outcome:
        if outcome.verdict is not Verdict.ERROR or outcome.counterexample is None:
            return outcome
        example = replace(outcome.counterexample, inputs={"Q": raw}, expected=raw, got=raw, snippet=raw)
        place = Location(raw, 10**400)
        return replace(outcome, message=raw, notes=(raw,), staff_note=raw, location=place, counterexample=example)

    marks = tuple(replace(mark, outcomes=tuple(map(infected, mark.outcomes))) for mark in made.marks)
    text = render(replace(made, marks=marks), form, view)
    text.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
    assert "0" * 100 not in text


def test_the_terminal_gets_no_control_characters_of_the_students() -> None:
    text = terminal.render(reports.hostile(), "staff")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert "[red]x[/red]" in text


def test_no_line_break_of_the_students_starts_a_line_of_ours() -> None:
    text = terminal.render(with_text("x\n20 of 20 points"), "staff", width=100)
    assert not re.search(r"^20 of 20 points", text, re.MULTILINE)


# --------------------------------------------------------------------------------------------- places in the work


def test_an_annotation_points_at_the_file_from_the_repositorys_root() -> None:
    (error, _) = annotations.render(reports.exception(), root="homework/one").splitlines()
    assert error.startswith("::error file=homework/one/attention.py,line=16,title=")


def test_an_annotation_in_a_notebook_names_cell_and_line_in_words() -> None:
    made, cell = reports.exception(), Location("work.ipynb[cell 3]", 16, 3)
    marks = tuple(
        replace(mark, outcomes=tuple(
            replace(item, location=cell, message=f"ValueError (in {cell})") if item.location else item
            for item in mark.outcomes
        )) for mark in made.marks
    )  # fmt: skip
    (error, _) = annotations.render(replace(made, marks=marks)).splitlines()
    assert error.startswith("::error file=work.ipynb,title=")
    assert "Cell 3, line 16." in error
    assert "work.ipynb, cell 3, line 16" in terminal.render(replace(made, marks=marks))


def test_what_waits_for_a_person_is_skipped_in_junit() -> None:
    root = ET.fromstring(junit.render(reports.of_every_kind()))  # noqa: S314 - our own text
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("12", "3", "1")
    assert root.get("skipped") == "6"


def test_as_seen_by_staff_nothing_is_missing() -> None:
    made = reports.with_hidden()
    assert as_seen(made, "staff").report.marks == made.marks
    assert as_seen(made, "staff").hidden == 0


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_one_empty_answer_is_named_and_the_rest_of_its_criterion_is_counted(form: str) -> None:
    empty = replace(reports.MASK[1], verdict=Verdict.MISSING, message="This was left empty.")
    text = render(reports.report([*reports.SOFTMAX, *reports.ATTENTION, reports.MASK[0], empty]), form, "student")
    assert "1 of 2" in text
    assert "This concerns: The mask is (n, n)." in text


def test_a_criterion_that_is_wholly_missing_is_called_so() -> None:
    gone = [
        replace(
            outcome,
            verdict=Verdict.MISSING,
            message="causal_mask is not defined",
            tells=Tells.NAMED,
            reason=Reason.UNDEFINED,
        )
        for outcome in reports.MASK
    ]
    text = render(reports.report([*reports.SOFTMAX, *reports.ATTENTION, *gone]), "text", "student")
    assert re.search(r"Causal mask +missing +0 / 4", text)
    assert "causal_mask is not defined." in text
    assert "could be judged" not in text


def test_a_family_of_mistakes_stands_apart_from_the_name() -> None:
    lead = reports.no_scale().marks[1].outcomes[0]
    assert lead.diagnosis
    several = replace(lead, diagnosis=replace(lead.diagnosis, family=(("another",),)))
    text = render(
        reports.report([*reports.SOFTMAX, several, *reports.ATTENTION[1:], *reports.MASK]), "markdown", "student"
    )
    assert f"{lead.diagnosis.id} (no input tells it apart from another)" in text


def test_answers_that_wait_for_the_same_reason_are_told_together() -> None:
    waiting = [
        replace(o, verdict=Verdict.UNDETERMINED, message="A person reads this from x.pdf.") for o in reports.MASK
    ]
    text = render(reports.report([*reports.SOFTMAX, *reports.ATTENTION, *waiting]), "text", "student")
    assert text.count("A person reads this from x.pdf.") == 1
    assert "This concerns: True on and below the diagonal; The mask is (n, n)." in text


def test_what_was_found_is_told_beside_the_name_of_the_mistake_where_it_says_more() -> None:
    lead = reports.no_scale().marks[1].outcomes[0]
    said = {
        ("a blocked key has the weight 0.5", Tells.FOUND): "Found: a blocked key has the weight 0.5.",
        (
            "returned the words [3] where [] is likelier",
            Tells.DID,
        ): "Found: returned the words [3] where [] is likelier.",
        ("differs by up to 0.1", Tells.OFF): "",
        ("The scores are not divided by sqrt(d_k).", Tells.FOUND): "",
        ("", Tells.FOUND): "",
    }
    for (message, tells), line in said.items():
        named = replace(lead, message=StudentText(message), tells=tells)
        text = render(reports.report([*reports.SOFTMAX, named, *reports.ATTENTION[1:], *reports.MASK]), "text")
        assert (line in text) if line else ("Found:" not in text)


def test_an_example_that_shows_no_difference_does_not_lead() -> None:
    lead = reports.no_scale().marks[1].outcomes[0]
    assert lead.counterexample
    same = replace(lead.counterexample, inputs={"n": "1"}, got=lead.counterexample.expected, why="equal on both sides")
    found = [replace(reports.ATTENTION[1], verdict=Verdict.FAILED, diagnosis=lead.diagnosis, counterexample=same), lead]
    text = render(reports.report([*reports.SOFTMAX, *found, *reports.ATTENTION[2:], *reports.MASK]), "text")
    assert "equal on both sides" not in text
