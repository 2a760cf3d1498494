from __future__ import annotations

import sys
from pathlib import Path

import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Limits

sys.path.insert(0, str(Path(__file__).parent))  # for questions.py

from questions import QUICK, call, source

LEVELS = [pytest.param("standard", marks=pytest.mark.slow), "strict"]
"""What strict confines holds for what it is built on; the weaker level is asked again among the slow tests."""


@pytest.fixture(scope="session", params=LEVELS)
def sandbox(request):
    if sys.platform != "linux" and request.param == "strict":
        pytest.skip("strict needs Linux")
    with Sandbox(request.param) as made:
        yield made


@pytest.fixture(scope="session")
def strict_torch():
    if sys.platform != "linux":
        pytest.skip("strict needs Linux")
    with Sandbox("strict", torch=True) as made:
        yield made


@pytest.fixture(scope="session")
def standard_torch():
    with Sandbox("standard", torch=True) as made:
        yield made


@pytest.fixture(params=LEVELS)
def torch_sandbox(request):
    return request.getfixturevalue(f"{request.param}_torch")


@pytest.fixture(scope="session")
def ask(sandbox):
    """Ask one thing of a source and return the reply."""

    def one(code: str, target: str = "f", *args: object, limits: Limits = QUICK):
        return sandbox.ask(source(code), (call(target, *args),), limits).replies[0]

    return one
