"""The gradebook says what held the student's code, and of a strict level that is not whole what it consisted of."""

from __future__ import annotations

import pytest

from grader.classroom.worker import _held_by
from grader.sandbox.plain import Isolation


@pytest.mark.parametrize(
    ("applied", "mechanisms", "missing", "told"),
    [
        ("strict", ("Landlock ABI 7", "own uid"), (), "strict"),
        ("standard", ("resource limits",), ("own uid",), "standard"),
        (
            "strict",
            ("Landlock ABI 7", "seccomp allow-list (240 instructions)"),
            ("own cgroup", "own namespaces (pid, net, mount, ipc): Operation not permitted"),
            (
                "strict (Landlock ABI 7, seccomp allow-list (240 instructions); without own cgroup, "
                "own namespaces (pid, net, mount, ipc): Operation not permitted)"
            ),
        ),
    ],
)
def test_what_held_the_code_is_told(
    applied: str, mechanisms: tuple[str, ...], missing: tuple[str, ...], told: str
) -> None:
    assert _held_by(Isolation(applied, applied, mechanisms, missing)) == told
