"""What student code draws without a seed is the same in every run, and still differs from call to call."""

import pytest
from grader.sandbox.parent import Sandbox

from questions import QUICK, call, source

DRAWS = {
    "numpy's own generator": "np.random.rand(4).tolist()",
    "a generator without a seed": "np.random.default_rng().random(4).tolist()",
    "a legacy generator without a seed": "np.random.RandomState().rand(4).tolist()",
    "a seed sequence": "np.random.SeedSequence().entropy % 2**60",
    "a bit generator": "np.random.Philox().random_raw() % 2**60",
    "Python's own generator": "random.random()",
}


def _drawn(draw: str) -> tuple[object, object]:
    code = f"import random\nimport numpy as np\ndef f():\n    return {draw}\n"
    with Sandbox(level="auto") as sandbox:
        replies = sandbox.ask(source(code), (call("f"), call("f")), QUICK).replies
    first, second = (reply.values[-1] for reply in replies)
    return first, second


@pytest.mark.sampled(3)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())
def test_what_is_drawn_without_a_seed_is_the_same_in_every_run(draw: str) -> None:
    first, second = _drawn(draw)
    assert (first, second) == _drawn(draw)
    assert first != second


def test_a_generator_that_is_seeded_draws_what_it_draws_anywhere() -> None:
    import numpy as np

    code = "import numpy as np\ndef f():\n    return np.random.default_rng(5).random(3).tolist()\n"
    with Sandbox(level="auto") as sandbox:
        (reply,) = sandbox.ask(source(code), (call("f"),), QUICK).replies
    assert reply.values[-1] == np.random.default_rng(5).random(3).tolist()
