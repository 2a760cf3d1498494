"""What is learned depends on no machine: tries are counted; where the time is up all the same, it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from courses import HEAD

from grader.blocks import explain
from grader.learning import trial
from grader.learning.judged import judged
from grader.learning.judging import Judging
from grader.learning.lesson import Learned
from grader.learning.trial import Trial
from grader.model.submission import Submission
from grader.sandbox.parent import Sandbox

UNSCALED = HEAD + (
    "def attention(Q, K, V):\n    s = Q @ np.swapaxes(K, -1, -2)\n"
    "    w = np.exp(s - s.max(-1, keepdims=True))\n    w = w / w.sum(-1, keepdims=True)\n    return w @ V, w\n"
)


def test_tries_are_counted_and_a_slow_machine_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(trial.time, "monotonic", lambda: now[0])
    slow, usual = (
        Trial(Submission("s", "s.py"), cast("Any", SimpleNamespace(pace=pace)), begun=0.0) for pace in (4, 1)
    )
    going, other = slow.budget(3), usual.budget(3)
    now[0] = 2.0 * trial.MOST_SECONDS
    assert (going(), other()) == (True, False)
    slow.tries += 3
    assert not going()
    assert slow.budget(1)()


def test_no_mistake_is_told_where_the_time_was_up(
    teach: Callable[[str, Path], Learned], sandbox: Sandbox, tmp_path: Path
) -> None:
    learned = teach(UNSCALED, tmp_path)
    lost = {outcome.check for outcome in learned.lessons[0].mistakes}
    assert lost
    late = judged(learned, Judging(learned.run, sandbox, torch=False, late=lambda: True)).lessons[0]
    assert late.mistakes == ()
    assert all(check in late.questions[-1].text for check in lost)
    assert "--components scaled_dot_product_attention" in late.questions[-1].text


def test_one_mistake_beside_another_of_masks_is_looked_for_in_so_many_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    search: Any = SimpleNamespace(tries=0)

    def never(*_: object) -> Any:
        search.tries += 1000
        yield from ()

    monkeypatch.setattr(explain, "_agreeing", never)
    subject: Any = SimpleNamespace(cases=(), block=SimpleNamespace(cost=4))
    faults: Any = [SimpleNamespace(knobs={"norm.eps": at}, id=f"f{at}", common=False) for at in range(50)]
    assert explain._plain_and_masked(subject, search, faults, [{}]) == ([], None)
    assert search.tries == 2000
