"""The review desk in a real browser: worked through by keyboard, by two at once, with hostile answers inert."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Page
from queued import graded_class

from grader.classroom.results import CHECKS, Results
from grader.review.desk.app import application
from grader.review.desk.state import Desk
from grader.review.queue import waiting

pytestmark = pytest.mark.slow


@dataclass
class Served:
    """A desk on a port of this machine, with a link for each reviewer."""

    results: Results
    origin: str
    links: dict[str, str]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    import socket

    results = graded_class(tmp_path / "results")
    desk = Desk(results, ["ann", "bob"])
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # a link that is opened at once waits until the app is up
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(application(desk, origin), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield Served(results, origin, {by: f"{origin}/sit?token={token}" for by, token in desk.tokens.items()})
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def sit(served: Served, opened: Callable[..., Page]) -> Callable[..., Page]:
    return lambda name, **how: opened(served.links[name], beside=(served.origin,), **how)


def decisions(results: Results) -> list[dict[str, str]]:
    return [one for checks in results.overrides().get(CHECKS, {}).values() for one in checks.values()]


def press(page: Page, *keys: str) -> None:
    """Press keys; the last one sends the form, and the page that it leads to is waited for."""
    for key in keys[:-1]:
        page.keyboard.press(key) if len(key) == 1 or key[0].isupper() else page.keyboard.type(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])


def test_the_whole_queue_is_worked_through_by_keyboard(served: Served, sit: Callable[..., Page]) -> None:
    page = sit("ann")
    total = len(waiting(served.results))
    assert f"{total} wait" in page.locator("header").inner_text()
    press(page, "m", "well said", "Escape", "f")
    assert [(one["by"], one["reason"]) for one in decisions(served.results)] == [("ann", "well said")]
    press(page, "u")
    assert decisions(served.results) == []
    press(page, "c", "0.5", "Enter")
    assert [Decimal(one["points"]) for one in decisions(served.results)] == [Decimal("0.5")]
    press(page, "s")
    for _ in range(total):
        if page.get_by_text("Nothing waits for you").count():
            break
        press(page, "z")
    press(page, "b")
    while not page.get_by_text("Nothing waits for you").count():
        press(page, "z")
    assert waiting(served.results) == ()
    page.goto(f"{served.origin}/log")
    assert page.locator("tbody tr").count() == len(decisions(served.results))


def test_alike_answers_are_decided_with_one_key(served: Served, sit: Callable[..., Page]) -> None:
    page = sit("ann")
    assert page.get_by_text("the same").count()
    before = len(waiting(served.results))
    press(page, "*", "f")
    assert len(waiting(served.results)) < before - 1


def test_two_browsers_at_once_decide_everything_once(served: Served, sit: Callable[..., Page]) -> None:
    ann, bob = sit("ann"), sit("bob")
    assert ann.locator("input[name=item]").get_attribute("value") != bob.locator("input[name=item]").get_attribute(
        "value"
    )
    total = len(waiting(served.results))
    for _ in range(total):
        for page in (ann, bob):
            if not page.get_by_text("Nothing waits for you").count():
                press(page, "f")
    ann.goto(served.origin)
    assert ann.get_by_text("Nothing waits for you").count()
    made = decisions(served.results)
    assert len(made) == total
    assert {one["by"] for one in made} == {"ann", "bob"}


def test_a_hostile_answer_does_nothing(served: Served, sit: Callable[..., Page]) -> None:
    page = sit("ann")
    seen = ""
    for _ in range(len(waiting(served.results))):
        page.evaluate("document.querySelectorAll('.sign').forEach((sign) => sign.remove())")
        seen += page.locator("main").inner_text()
        assert page.locator("main script, main iframe, main [onerror]").count() == 0
        press(page, "s")
    assert "<script>alert(1)</script>" in seen
    assert page.evaluate("window.pwned") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_desk_can_be_used_by_everybody(
    scheme: str, served: Served, sit: Callable[..., Page], barriers: Callable[[Page], list[str]]
) -> None:
    page = sit("ann", color_scheme=scheme)
    assert barriers(page) == []
    press(page, "f")
    assert barriers(page) == []
    page.goto(f"{served.origin}/log")
    assert barriers(page) == []


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_the_desk_is_no_wider_than_the_screen(width: int, sit: Callable[..., Page]) -> None:
    page = sit("ann", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_token_does_not_stay_in_the_address(served: Served, sit: Callable[..., Page]) -> None:
    page = sit("ann")
    assert page.url == f"{served.origin}/"
    assert "token" not in page.content()
