"""The review desk as an app: who may ask, what a form does, and that two reviewers never overwrite each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from grader.classroom.results import CHECKS, Results, locked
from grader.errors import GraderError
from grader.model.outcome import Answer, Place, Span
from grader.review.desk import app, state
from grader.review.desk.app import COOKIE, application
from grader.review.desk.state import Desk, name_of
from grader.review.queue import decided, waiting

QUESTION = "self_attention.why_scale"
ORIGIN = "http://127.0.0.1:8123"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Reviewer:
    """A browser that sits at the desk."""

    def __init__(self, made: Any, token: str, origin: str = ORIGIN) -> None:
        self.client = TestClient(made, base_url=ORIGIN)
        self.origin = origin
        self.client.get("/sit", params={"token": token})

    def page(self) -> str:
        return unescape(self.client.get("/").text)

    def do(self, what: str, page: str = "", **fields: Any) -> Any:
        page = page or self.page()
        given = {name: one for name in ("csrf", "item")
                 if (found := re.search(rf'name="{name}" value="([^"]*)"', page)) and (one := found[1])}  # fmt: skip
        if fields.get("all"):
            given["alike"] = re.findall(r'name="alike" value="([^"]*)"', page)
        return self.client.post("/do", data={**given, **fields, "do": what}, headers={"Origin": self.origin})


@pytest.fixture
def desk(results: Results) -> Desk:
    """On the answers to one question; two of them say the same, and one is denied."""
    return Desk(results, ["ann", "bob"], only=QUESTION)


@pytest.fixture
def sit(desk: Desk) -> Callable[[str], Reviewer]:
    made, tokens = application(desk, ORIGIN), desk.tokens
    return lambda name: Reviewer(made, tokens[name])


# ------------------------------------------------------------------------------------------------------ who may ask


@pytest.mark.parametrize("path", ["/", "/log", "/place/x/0"])
def test_nobody_sees_anything_without_a_token(path: str, desk: Desk) -> None:
    stranger = TestClient(application(desk, ORIGIN), base_url=ORIGIN)
    assert stranger.get(path).status_code == 403
    assert stranger.get("/sit", params={"token": "guessed"}).status_code == 403
    assert stranger.post("/do", data={"do": "undo"}, headers={"Origin": ORIGIN}).status_code == 403


def test_a_token_lets_one_browser_in_and_no_second_one(desk: Desk) -> None:
    made, token = application(desk, ORIGIN), desk.tokens["ann"]
    first, second = (TestClient(made, base_url=ORIGIN) for _ in range(2))
    assert first.get("/sit", params={"token": token}).status_code == 200
    assert second.get("/sit", params={"token": token}).status_code == 403
    assert second.get("/").status_code == 403
    assert first.get("/sit", params={"token": token}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9", "localhost:8123", ""])
def test_another_host_is_refused(host: str, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    assert ann.client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9", "https://127.0.0.1:8123"])
def test_a_form_of_another_page_does_nothing(origin: str, desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    page = ann.page()
    ann.origin = origin
    assert ann.do("full", page).status_code == 403
    assert not desk.results.overrides()


def test_a_form_without_its_secret_does_nothing(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann, bob = sit("ann"), sit("bob")
    other = re.search(r'name="csrf" value="([^"]*)"', bob.page())
    assert other is not None
    for secret in ("", "x", other[1]):
        assert ann.do("full", csrf=secret).status_code == 403
    assert not desk.results.overrides()


def test_every_answer_carries_the_policy_and_the_cookie_is_for_this_site_alone(desk: Desk) -> None:
    client = TestClient(application(desk, ORIGIN), base_url=ORIGIN)
    sat = client.get("/sit", params={"token": desk.tokens["ann"]}, follow_redirects=False)
    assert {"httponly", "samesite=strict"} <= {part.strip().lower() for part in sat.headers["set-cookie"].split(";")}
    for path in ("/", "/log", "/desk.js", "/nothing", "/place/x/0"):
        response = client.get(path)
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["cache-control"] == "no-store"
    assert COOKIE in client.cookies


# ------------------------------------------------------------------------------------------------------- decisions


def test_a_page_has_the_question_the_answer_with_its_evidence_and_a_suggestion(sit: Callable[[str], Reviewer]) -> None:
    page = sit("ann").page()
    assert "get large" in page
    assert "<mark" in page
    assert "Question" in page
    assert re.search(r"Suggested: [\d.]+ of", page)


@pytest.mark.parametrize(
    ("what", "fields"), [("full", {}), ("zero", {}), ("accept", {}), ("change", {"points": "0,5"})]
)
def test_each_key_gives_its_points_with_name_time_and_comment(
    what: str, fields: dict[str, str], desk: Desk, sit: Callable[[str], Reviewer]
) -> None:
    ann = sit("ann")
    item = waiting(desk.results, QUESTION)[0]
    shown = desk.next_for(desk.seats[0])
    assert shown is not None
    item = shown.item
    want = {"full": item.most, "zero": Decimal(0), "accept": item.suggested, "change": Decimal("0.5")}[what]
    ann.do(what, comment="clear enough", **fields)
    kept = desk.results.overrides()[CHECKS][item.key][item.check]
    assert Decimal(kept["points"]) == want
    assert (kept["by"], kept["reason"]) == ("ann", "clear enough")
    assert kept["when"]
    assert "ann" in ann.client.get("/log").text


@pytest.mark.parametrize("typed", ["", "x", "-1", "99", "nan", "inf", "1e9"])
def test_points_that_cannot_be_are_refused(typed: str, desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    assert "points" in re.findall('role="status">(.*?)<', ann.do("change", points=typed).text)[0]
    assert not desk.results.overrides().get(CHECKS)


def test_alike_answers_are_decided_together_when_asked_to(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    page = ann.page()
    count = 1 + len(re.findall('name="alike"', page))
    assert count > 1
    before = len(waiting(desk.results, QUESTION))
    ann.do("full", page, all="1")
    assert len(waiting(desk.results, QUESTION)) == before - count
    ann.do("undo")
    assert len(waiting(desk.results, QUESTION)) == before


def test_skipping_goes_on_and_what_was_skipped_can_be_brought_back(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    total = len(waiting(desk.results, QUESTION))
    for _ in range(total):
        ann.do("skip")
    assert "Nothing waits for you" in ann.page()
    ann.do("back")
    assert f"{total} wait" in ann.page()
    assert not desk.results.overrides()


# ---------------------------------------------------------------------------------------------------- two reviewers


def test_two_reviewers_get_different_answers(desk: Desk) -> None:
    ann, bob = desk.seats
    first, second = desk.next_for(ann), desk.next_for(bob)
    assert first is not None
    assert second is not None
    mine = {name_of(first.item), *map(name_of, first.alike)}
    assert name_of(second.item) not in mine
    assert desk.next_for(ann) == first


def test_what_is_left_on_a_screen_for_long_is_offered_to_others(results: Results) -> None:
    now = [0.0]
    desk = Desk(results, ["ann", "bob"], clock=lambda: now[0])
    first = desk.next_for(desk.seats[0])
    now[0] += state.HELD_S + 1
    second = desk.next_for(desk.seats[1])
    assert first is not None
    assert second is not None
    assert second.item == first.item


def test_the_second_decision_on_an_answer_does_not_replace_the_first(
    desk: Desk, sit: Callable[[str], Reviewer]
) -> None:
    ann, bob = sit("ann"), sit("bob")
    page = ann.page()
    stolen = re.search(r'name="item" value="([^"]*)"', page)
    assert stolen is not None
    ann.do("full", page)
    assert "Somebody else has decided this" in bob.do("zero", item=stolen[1]).text
    kept = [one for checks in desk.results.overrides()[CHECKS].values() for one in checks.values()]
    assert [one["by"] for one in kept] == ["ann"]


def test_undo_takes_back_nothing_that_somebody_has_decided_since(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    ann.do("full")
    overrides = desk.results.overrides()
    for checks in overrides[CHECKS].values():
        for one in checks.values():
            one["by"] = "zoe"
    desk.results.write_overrides(overrides)
    assert "nothing is changed" in ann.do("undo").text
    assert desk.results.overrides() == overrides


def test_a_decision_taken_back_elsewhere_comes_up_again(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    ann = sit("ann")
    before = len(waiting(desk.results, QUESTION))
    ann.do("full")
    assert f"{before - 1} wait" in ann.page()
    desk.results.write_overrides({})
    assert f"{before} wait" in ann.page()


def test_a_decision_at_the_terminal_is_seen_at_the_desk(desk: Desk, sit: Callable[[str], Reviewer]) -> None:
    from grader.review.queue import decide

    ann = sit("ann")
    before = waiting(desk.results, QUESTION)
    ann.page()
    with locked(desk.results):
        decide(desk.results, before[:1], Decimal(0), "terminal", "zoe")
    assert f"{len(before) - 1} wait" in ann.page()


def test_a_folder_that_another_run_holds_is_said_and_nothing_is_lost(
    desk: Desk, sit: Callable[[str], Reviewer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "PATIENCE_S", 0.0)
    ann = sit("ann")
    with locked(desk.results):
        assert "another run" in ann.do("full").text
    assert not decided(desk.results)
    ann.do("full")
    assert len(decided(desk.results)) == 1


# ----------------------------------------------------------------------------------------------------- what is shown


def test_evidence_is_marked_word_by_word_joined_and_never_twice() -> None:
    spans = (Span(0, 3, "a"), Span(4, 7, "a"), Span(5, 9, "b"), Span(8, 11, "b", "against"), Span(50, 60, "c"))
    pieces = [piece for piece in app._pieces(Answer("one two six", spans)) if piece[0]]
    assert pieces == [("one two", "found", "a"), (" ", "", ""), ("six", "against", "b")]


def test_what_a_student_wrote_is_text(results: Results, keep: Callable[[Results, str, str], None]) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> softmax less extreme"
    keep(results, "eve", evil)
    desk = Desk(results, ["ann"], only="eve")
    ann = Reviewer(application(desk, ORIGIN), desk.tokens["ann"])
    page = "".join(ann.do("skip").text for _ in waiting(results, "eve"))
    page += ann.do("back").text
    assert "<script>" not in page.replace('<script src="/desk.js" defer>', "")
    assert "<img" not in page
    bare = re.sub(r'<span class="sign">.</span>|</?mark[^>]*>', "", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in bare


def test_a_place_on_a_page_is_shown_with_its_region(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    item = waiting(desk.results, QUESTION)[0]
    places = (Place("work.pdf", 2, (0.1, 0.2, 0.6, 0.4), PIXEL), Place("work.pdf", 3, picture="no base64 ☃"))
    shown = replace(item, answer=replace(item.answer, places=places))
    monkeypatch.setattr(desk, "open_items", lambda: (shown,))
    ann = Reviewer(application(desk, ORIGIN), desk.tokens["ann"])
    page = ann.page()
    assert "work.pdf, page 2" in page
    assert '<rect x="0.1" y="0.2" width="0.5"' in page
    picture = ann.client.get(f"/place/{name_of(item)}/0")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert ann.client.get(f"/place/{name_of(item)}/1").content == b""
    assert ann.client.get(f"/place/{name_of(item)}/7").status_code == 404


def test_a_form_that_is_too_long_is_refused(sit: Callable[[str], Reviewer]) -> None:
    assert sit("ann").do("full", comment="x" * 100_000).status_code == 413


def test_an_answer_of_nothing_but_a_picture_has_a_page(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    item = replace(waiting(desk.results, QUESTION)[0], answer=Answer(""))
    monkeypatch.setattr(desk, "open_items", lambda: (item,))
    page = Reviewer(application(desk, ORIGIN), desk.tokens["ann"]).page()
    assert "(no text)" in page
    assert "No suggestion" in page


def test_a_port_that_is_taken_is_told(desk: Desk) -> None:
    import socket

    from grader.review.desk.serve import serve

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(GraderError, match="cannot be used"):
            serve(desk, taken.getsockname()[1], print)


def test_the_verb_serves_a_link_for_each_reviewer_until_it_is_interrupted(results: Results) -> None:
    import signal
    import subprocess
    import sys
    from urllib.error import HTTPError
    from urllib.request import build_opener

    start = [sys.executable, "-c", "from grader.cli import script; script()"]
    words = [*start, "review", str(results.folder), "--web", "--by", "ann", "--by", "bob"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as desk:
        assert desk.stdout is not None
        said = [desk.stdout.readline() for _ in range(3)]
        links = re.findall(r"(\w+): (http://127\.0\.0\.1:\d+/sit\?token=\S+)", "".join(said))
        assert [by for by, _ in links] == ["ann", "bob"]
        with pytest.raises(HTTPError, match="403"):
            build_opener().open(links[0][1].partition("/sit")[0] + "/", timeout=60)
        desk.send_signal(signal.SIGINT)
        assert desk.wait(60) == 130
