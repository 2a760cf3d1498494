"""The queue: what waits, what is alike, what a decision changes, and that it stays."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.classroom import statistics
from grader.classroom.decisions import decide as override
from grader.classroom.decisions import withdraw
from grader.classroom.feedback import files
from grader.classroom.policy import Final, Policy
from grader.classroom.results import Results, locked
from grader.classroom.row import GradebookRow
from grader.classroom.row import rows as gradebook_rows
from grader.cli import main
from grader.errors import GraderError
from grader.model.outcome import Answer, Span
from grader.review import sheet
from grader.review.alike import groups, near
from grader.review.queue import Item, decide, undo, waiting
from grader.review.terminal import Session, page, run

WHY = "self_attention.why_scale"


def item(text: str, key: str = "ada", spans: tuple[Span, ...] = ()) -> Item:
    return Item(key, key.title(), "a.b", "a", "A question", Answer(text, spans, 0.5), Decimal(4))


def score(results: Results, key: str) -> Final:
    return next(row.score for row in gradebook_rows(results, Policy()) if row.report == key)


def final(results: Results, key: str) -> tuple[Decimal | None, Decimal]:
    return score(results, key).points, score(results, key).pending


def test_what_is_undecided_waits_with_its_evidence_and_a_suggestion(results: Results) -> None:
    items = waiting(results)
    assert [(found.check, found.key) for found in items] == [
        *(("practice.head_1_focus", name) for name in ("ada", "bob", "cyd", "dan")),
        *((WHY, name) for name in ("ada", "bob", "cyd", "dan")),
    ]
    dan = items[-1]
    assert dan.student == "Dan"
    assert dan.most == 2
    assert [found.key for found in waiting(results, "dan")] == ["dan", "dan"]
    assert {found.check for found in waiting(results, "self_attention")} == {WHY}


def test_alike_answers_are_one_group_and_a_denial_is_not_alike(results: Results) -> None:
    found = [[member.key for member in group] for group in groups(waiting(results, WHY))]
    assert found == [["ada", "bob"], ["cyd"], ["dan"]]
    assert not near("the scale is 8", "the scale is 9")
    assert near("because the dot products grow very large", "because the dot product grow very large")


def test_a_decision_counts_in_the_gradebook_once_its_criterion_is_complete(results: Results) -> None:
    before, waits = final(results, "ada")
    assert waits == Decimal("2.57")
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    with locked(results):
        settled = decide(results, [first], Decimal("1.5"), "half right", "prof", "2026-01-01T10:00:00+00:00")
    assert settled == ("ada: self_attention",)
    assert before is not None
    assert final(results, "ada") == (before + Decimal("1.5"), Decimal("0.57"))
    assert "ada" not in {found.key for found in waiting(results, WHY)}
    kept = json.loads((results.folder / "overrides.json").read_text())
    assert kept["ada"]["self_attention"]["reason"] == "half right"
    assert kept["_checks"]["ada"][WHY]["by"] == "prof"
    assert kept["_checks"]["ada"][WHY]["when"] == "2026-01-01T10:00:00+00:00"
    assert {line["kind"] for line in results.history()} == {"review", "override"}


def test_a_decision_stays_when_the_class_is_graded_again(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [first], Decimal(2), "fine", "prof")
    points = final(results, "ada")
    keep(results, "ada", first.answer.text)
    assert final(results, "ada") == points
    assert "ada" not in {found.key for found in waiting(results, WHY)}


def test_another_answer_comes_up_again_with_what_was_decided_before(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [first], Decimal(2), "fine", "prof")
    keep(results, "ada", "Something else altogether.")
    (again,) = (found for found in waiting(results, WHY) if found.key == "ada")
    assert again.before == "Answer changed since the decision: 2 points, by prof: fine"
    shown = page(Session(results, "prof", print, input), again, 0)
    assert again.before in shown
    assert shown.index(again.before) < shown.index("A person reads")


def test_points_for_an_older_answer_no_longer_count_and_the_gradebook_says_so(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    """A decision is about an answer: once that changes, the automatic points count until somebody decides again."""
    before = score(results, "ada")
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [first], Decimal(2), "fine", "prof")
    decided = score(results, "ada")
    assert before.points is not None
    assert decided.points == before.points + 2
    keep(results, "ada", "Something else altogether.")
    changed = score(results, "ada")
    assert (changed.points, changed.pending) == (before.points, before.pending)
    (step,) = changed.steps
    assert str(step) == "self_attention: the answer changed since prof gave 2 points, which no longer count"
    assert [line["points"] for line in results.history() if line["kind"] == "review"] == ["2"]
    (again,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [again], Decimal(1), "half", "prof")
    assert score(results, "ada").points == before.points + 1
    assert score(results, "ada").pending == decided.pending


def test_an_answer_that_is_taken_away_takes_its_points_along(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    before = score(results, "ada").points
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [first], Decimal(2), "fine", "prof")
    keep(results, "ada", "")
    assert score(results, "ada").points == before


def test_the_old_answer_handed_in_again_has_its_points_again(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    (first,) = (found for found in waiting(results, WHY) if found.key == "ada")
    decide(results, [first], Decimal(2), "fine", "prof")
    decided = score(results, "ada").points
    keep(results, "ada", "Something else altogether.")
    keep(results, "ada", first.answer.text)
    assert score(results, "ada").points == decided


def test_points_for_a_whole_criterion_hold_whatever_is_handed_in(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    override(results, "ada", "self_attention", Decimal(9), "seen in the lab", "prof")
    decided = score(results, "ada").points
    keep(results, "ada", "Something else altogether.")
    assert score(results, "ada").points == decided


def test_a_decision_on_an_older_answer_does_not_complete_a_criterion(
    results: Results, keep: Callable[[Results, str, str], None]
) -> None:
    """Both answers of a criterion change; deciding one anew must not bring back what was given for the other."""

    def two(text: str) -> str:
        return f"x\n\n**[passed_before_assignments]** {text}\n\n**[all_words_at_once]** {text}"

    def first_part() -> list[Item]:
        return [found for found in waiting(results, "sequential") if found.key == "ada"]

    keep(results, "ada", two("Who knows."))
    for found in first_part():
        decide(results, [found], found.most, "fine", "prof")
    assert first_part() == []
    keep(results, "ada", two("Nobody knows."))
    graded = score(results, "ada").points
    assert len(first_part()) == 2
    assert decide(results, first_part()[:1], Decimal(0), "no", "prof") == ()
    assert score(results, "ada").points == graded
    assert len(first_part()) == 1


@pytest.mark.parametrize("points", ["-1", "2.01", "NaN", "Infinity"])
def test_points_that_cannot_be_are_refused_and_nothing_is_kept(points: str, results: Results) -> None:
    with pytest.raises(GraderError, match="not between 0 and 2"):
        decide(results, waiting(results, WHY), Decimal(points), "", "prof")
    assert results.overrides() == {}


# --------------------------------------------------------------------------------------------------- the terminal


def sit(results: Results, lines: list[str], only: str = WHY) -> tuple[Session, str]:
    shown: list[str] = []
    script = iter(lines)
    session = Session(results, "prof", shown.append, lambda _: next(script, "q"))
    run(session, waiting(results, only))
    return session, "\n".join(shown)


def test_keys_accept_change_comment_skip_and_decide_all_alike(results: Results) -> None:
    session, shown = sit(results, ["c* 1", "what", "s", "m see the slides", "c 3", "c 0,5", "a"])
    assert session.decided == 3
    kept = results.overrides()["_checks"]
    assert [(name, kept[name][WHY]["points"], kept[name][WHY]["reason"]) for name in sorted(kept)] == [
        ("ada", "1", "reviewed"),
        ("bob", "1", "reviewed"),
        ("dan", "0.5", "see the slides"),
    ]
    assert "Ada, and 1 alike" in shown
    assert "not between 0 and 2" in shown
    assert [found.key for found in waiting(results, WHY)] == ["cyd"]


def test_a_line_that_is_not_understood_says_why(results: Results) -> None:
    _, shown = sit(results, ["c", "1"])
    assert "c takes points, on the same line: c 0.5" in shown
    assert "'1' is none of the keys." in shown


def test_an_order_to_the_grader_is_given_no_suggestion(results: Results) -> None:
    (dan,) = (found for found in waiting(results, WHY) if found.key == "dan")
    assert dan.suggested is None
    assert "there is no suggestion" in sit(results, ["s*", "s", "a"])[1]


def test_undo_takes_the_last_decision_back_and_asks_again(results: Results) -> None:
    before = final(results, "ada")
    session, _ = sit(results, ["f*", "u", "z", "q"])
    assert session.decided == 1
    assert results.overrides()["_checks"]["ada"][WHY]["points"] == "0"
    assert final(results, "ada")[0] == before[0]
    assert "review undone" in {line["kind"] for line in results.history()}
    session, shown = sit(results, ["u", "q"])
    assert (session.decided, "nothing to take back" in shown) == (0, True)


def test_what_is_taken_back_is_alike_only_with_what_it_was_alike_before() -> None:
    one, other = item("They get large.", "ada"), item("Because of the softmax.", "bob")
    again = replace(one, key="cyd", student="Cyd")
    kept: dict[str, str] = {}
    shown: list[str] = []

    def give(_: object, items: list[Item], points: Decimal, *_rest: str) -> tuple[str, ...]:
        kept.update({each.key: str(points) for each in items})
        return ()

    words = iter(["f", "f", "u", "f*", "f"])
    session = Session(Results(Path()), "me", shown.append, lambda _: next(words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.review.terminal.decide", give)
        patch.setattr("grader.review.terminal.take_back", lambda _, items, by: [kept.pop(each.key) for each in items])
        run(session, [one, other, again])
    assert next(words, "") == ""
    heads = [next(line for line in page.splitlines() if " of 3" in line) for page in shown if " of 3" in page]
    assert heads == [
        "Ada, and 1 alike · 1 of 3", "Cyd · 2 of 3", "Bob · 3 of 3",
        "Cyd · 2 of 3", "Bob · 3 of 3",
    ]  # fmt: skip
    assert kept == {"ada": "4", "cyd": "4", "bob": "4"}


def test_each_doubt_is_said_once_with_its_words_and_the_table_says_all_that_the_page_does(tmp_path: Path) -> None:
    doubts = tuple(Span(at, at + 4, "not known here", "doubt") for at in (0, 5, 10))
    asked = item("rows sums rows", spans=doubts)
    asked = replace(asked, answer=replace(asked.answer, why="Named only: the sum."), message="A person reads this.")
    shown = page(Session(Results(Path()), "me", print, input), asked, 0)
    assert shown.count("not known here") == 1
    assert "doubt: not known here (rows, sums)" in shown
    sheet.export([asked], tmp_path / "queue.csv")
    (row,) = csv.DictReader((tmp_path / "queue.csv").read_text(encoding="utf-8-sig").splitlines())
    assert row["evidence"] == "doubt: rows, sums (not known here)"
    assert row["look_for"] == "A person reads this. Named only: the sum."


def test_what_people_decided_stands_in_feedback_comment_and_verdict(results: Results) -> None:
    loaded = load_assignment("discovery-worksheet")
    rubric = load_rubric(rubric_beside("discovery-worksheet"), loaded)

    def told(key: str) -> tuple[GradebookRow, str]:
        book = [row for row in gradebook_rows(results, Policy()) if row.key == key]
        return book[0], next(text for _, text in files(results, book, loaded, rubric, {}))

    criterion = waiting(results, WHY)[0].criterion
    assert "A person reads this" in told("ada")[1]
    given = {"ada": None, "bob": Decimal("0.5")}
    for key, points in given.items():
        for one in [one for one in waiting(results) if one.key == key]:
            decide(
                results, [one], one.most if points is None else points, "see slide 3" if points else "reviewed", "me"
            )
    for key, points in given.items():
        row, text = told(key)
        assert (row.score.pending, row.verdict == "undetermined") == (0, False)
        assert "❔" not in text
        assert "A person reads this" not in text
        step = next(step.said for step in row.score.steps if step.criterion == criterion)
        assert "read by a person (" in step
        assert ("see slide 3" in step, "reviewed" in step) == (points is not None, False)
        name = WHY.partition(".")[2]
        assert f"{name} {'0.5' if points else ''}" in step
        assert ("A person gave 0.5 of " in text, "points (see slide 3)." in text) == (points is not None,) * 2


def test_leaving_keeps_what_was_decided_so_far(results: Results) -> None:
    session, _ = sit(results, ["c 1", "q"])
    assert session.decided == 1
    assert len(waiting(results, WHY)) == 3


def test_articles_make_no_difference_and_order_does() -> None:
    answers = ["subject and verb", "The subject and the verb.", "verb and subject", "no subject and verb"]
    found = groups([item(text, key=f"s{number}") for number, text in enumerate(answers)])
    assert [[member.key for member in group] for group in found] == [["s0", "s1"], ["s2"], ["s3"]]


def test_a_sitting_counts_what_is_left_of_what_it_was_about(
    results: Results, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("c 1\nq\n"))
    with pytest.raises(SystemExit) as left:
        main(["review", str(results.folder), "--only", WHY, "--by", "prof"])
    assert left.value.code == 0
    assert capsys.readouterr().out.endswith("1 decided, 1 criterion complete, 3 still wait.\n")


def test_a_question_is_found_without_its_section_and_an_unknown_name_is_told(results: Results) -> None:
    assert waiting(results, "why_scale") == waiting(results, WHY)
    with pytest.raises(GraderError, match=r"there is no 'why_scales' in these results.*\n?.*Did you mean 'why_scale'"):
        waiting(results, "why_scales")


def test_the_verb_counts_exports_and_imports(
    results: Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(*words: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(["review", str(results.folder), *words])
        assert left.value.code == 0
        return capsys.readouterr().out

    assert "    4  self_attention.why_scale" in command("--list")
    path = tmp_path / "q.csv"
    assert command("--export", str(path)).startswith("8 answers in ")
    path.write_text(f"key,check,points,comment\nada,{WHY},2,good\n")
    assert command("--import", str(path), "--by", "prof") == "1 decided, 1 criterion complete, 7 still wait.\n"
    assert results.overrides()["_checks"]["ada"][WHY]["reason"] == "good"


def test_a_decision_that_is_withdrawn_waits_again(results: Results) -> None:
    items = [item for item in waiting(results) if item.key == "ada"]
    for item in items:
        decide(results, [item], item.most, "good", "kim")
    assert not waiting(results, "ada")
    criteria = sorted({item.criterion for item in items})
    for criterion in criteria:
        withdraw(results, "ada", criterion, "read again", "kim")
    assert [item.check for item in waiting(results, "ada")] == [item.check for item in items]


def test_what_was_decided_last_is_taken_back_in_a_later_sitting(results: Results) -> None:
    before = waiting(results)
    first, *others = before
    decide(results, [first], first.most, "good", "kim", when="2026-09-01T10:00:00+00:00")
    together = [item for item in others if item.check == others[-1].check]
    decide(results, together, Decimal(0), "none", "kim", when="2026-09-01T10:05:00+00:00")
    assert {item.key for item in undo(results, "lee")} == {item.key for item in together}
    assert len(waiting(results)) == len(before) - 1
    assert [item.key for item in undo(results, "lee")] == [first.key]
    assert waiting(results) == before
    assert undo(results, "lee") == ()
    assert [line["kind"] for line in results.history()][-1] == "review undone"


def test_what_is_decided_waits_no_more_in_the_class_report(results: Results) -> None:
    assert [who.key for who in statistics.of(results).noted["undetermined"]] == ["ada", "bob", "cyd", "dan"]
    items = waiting(results)
    for item in items:
        if item.key != "dan":
            decide(results, [item], Decimal(0), "none", "kim")
    found = statistics.of(results)
    assert [who.key for who in found.noted["undetermined"]] == ["dan"]
    assert found.pending == 1
