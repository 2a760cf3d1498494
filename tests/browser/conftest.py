"""A real browser: the Chromium of the machine (Debian's package, or what CHROMIUM names), without a window."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "report")]

SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "these tests need Chromium: apt-get install chromium, or name one in CHROMIUM"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address; whatever the page says on its console, or asks for besides itself, fails the test."""
    contexts, said, asked = [], [], []

    def go(address: str, *, beside: tuple[str, ...] = (), **how: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1024, "height": 800}, **how})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        assert all(url.startswith((address.partition("?")[0], *beside)) for url in asked), asked
        return page

    yield go
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture
def barriers() -> Callable[[Page], list[str]]:
    """What axe-core finds in a page that would keep somebody from reading it."""

    def find(page: Page) -> list[str]:
        found = Axe().run(page).response["violations"]
        return [
            f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for one in found
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]

    return find
