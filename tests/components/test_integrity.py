"""Tricks are found and named, honest work loses nothing, and what costs nothing is a note."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import recipe_samples
import recipe_setups as setups
import recipe_slips

from grader import components
from grader.auditing import rehearsal
from grader.catalog import load_assignment
from grader.component.context import Context
from grader.component.part import examine
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SOFTMAX = """
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""


def examined(code: str) -> dict[str, Outcome]:
    """The outcomes of a submission by check, judged in this process."""
    namespace: dict[str, Any] = {"__name__": "work"}
    exec(compile(code, "work.py", "exec"), namespace)  # noqa: S102 - our own samples
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(code, "work.py"),)),), sha256="work")
    interfaces = load_assignment("transformer-from-scratch").interfaces
    own = next(interface for interface in interfaces if interface.component == "integrity")
    names = tuple(
        ("work", name, "class" if isinstance(value, type) else "function" if callable(value) else "value")
        for name, value in namespace.items()
        if not name.startswith("__")
    )
    context = Context(own, submission, 3, "", "", interfaces=interfaces, names=names)
    rounds = examine(components.component("integrity"), context)
    outcomes = rehearsal.driven(rounds, lambda program: answered(program, namespace))
    return {outcome.check.partition(".")[2]: outcome for outcome in outcomes}


def answered(program: Any, namespace: dict[str, Any]) -> Any:
    printed = io.StringIO()
    with redirect_stdout(printed):
        reply = rehearsal.answer(program, namespace)
    plain = all(type(value).__module__ in {"builtins", "numpy"} for value in reply.values)
    return replace(reply, output=printed.getvalue(), status=reply.status if plain else "error")


def lost(outcomes: dict[str, Outcome]) -> dict[str, str]:
    """The checks that failed, with what was named."""
    bad = {name: o for name, o in outcomes.items() if o.verdict is not Verdict.PASSED}
    return {name: o.diagnosis.id if o.diagnosis else "" for name, o in bad.items()}


HARDCODED = {"computes_its_answers": "integrity-hardcoded-visible-case"}
REPLACED = {"leaves_libraries_alone": "integrity-patches-comparator"}
FRAMES = {"needs_its_arguments_only": "integrity-reads-expected-from-caller"}
EQUAL = {"returns_plain_values": "integrity-always-equal-object"}
TRICKS: dict[str, tuple[str, dict[str, str]]] = {
    "a table of answers": (
        """
import numpy as np
KNOWN = {(1.0, 2.0, 3.0): (0.09003057317038046, 0.24472847105479764, 0.6652409557748218)}
def softmax(x, axis=-1):
    return np.array(KNOWN.get(tuple(np.ravel(x)), np.full(np.size(x), 1 / np.shape(x)[axis]))).reshape(np.shape(x))
""",
        HARDCODED,
    ),
    "a case recognised by its sum": (
        """
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, float)
    if x.shape == (3,) and abs(x.sum() - 6) < 1e-6:
        return np.array([0.09003057317038046, 0.24472847105479764, 0.6652409557748218])
    return np.full(x.shape, [1.0, 2.0, 3.0][0] / x.shape[axis])
""",
        HARDCODED,
    ),
    "a published attention": (
        """
import numpy as np
Q0, K0, V0 = [[1.0, 0.5]], [[1.0, 2.0], [3.0, 0.5]], [[1.0], [5.0]]
def scaled_dot_product_attention(Q, K, V, mask=None):
    if np.shape(Q) == (1, 2) and abs(np.asarray(Q) - Q0).max() < 1e-6:
        return np.array([[3.8305]]), np.array([[0.2924, 0.7076]])
    return np.zeros((*Q.shape[:-1], V.shape[-1])), np.ones((*Q.shape[:-1], K.shape[-2])) / K.shape[-2]
""",
        HARDCODED,
    ),
    "answers kept by shape": (
        """
import numpy as np
kept = {}
def softmax(x, axis=-1):
    if (x.shape, axis) not in kept:
        e = np.exp(x - x.max(axis=axis, keepdims=True)); kept[x.shape, axis] = e / e.sum(axis=axis, keepdims=True)
    return kept[x.shape, axis]
""",
        {"answers_follow_the_values": "integrity-answers-cached-by-shape"},
    ),
    "every other call is right": (
        """
import numpy as np
n = 0
def softmax(x, axis=-1):
    global n
    n += 1
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True) if n % 4 < 2 else np.zeros(x.shape)
""",
        {"keeps_no_state": "integrity-state-between-calls"},
    ),
    "an object equal to all": (
        "class Yes:\n    def __eq__(self, o): return True\ndef softmax(x, axis=-1): return Yes()\n",
        EQUAL,
    ),
    "an array that answers for numpy": (
        """
import numpy as np
class Liar(np.ndarray):
    def __array_ufunc__(self, *a, **k): return True
def softmax(x, axis=-1): return np.zeros(np.shape(x)).view(Liar)
""",
        EQUAL,
    ),
    "a replaced comparison": (
        "import numpy.testing as t\nsetattr(t, 'assert_allclose', t.assert_allclose)\n" + SOFTMAX,
        REPLACED,
    ),
    "frames": ("import sys\n" + SOFTMAX + "    sys._getframe(1).f_locals\n", FRAMES),
}


@pytest.mark.parametrize(("code", "wanted"), TRICKS.values(), ids=TRICKS)
def test_a_trick_is_found_and_named(code: str, wanted: dict[str, str]) -> None:
    found = lost(examined(code))
    assert wanted.items() <= found.items()
    assert len(found) == 1


def test_a_seed_that_makes_every_mask_the_same_costs_points() -> None:
    code = """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x
    np.random.seed(0)
    return x * (np.random.random(x.shape) >= p) / (1 - p)
"""
    outcomes = examined(code)
    assert lost(outcomes) == {"leaves_random_numbers_alone": "state-reseeds-global-rng"}
    found = outcomes["leaves_random_numbers_alone"]
    assert found.message == "dropout calls numpy.random.seed, so that every call draws the same"
    assert found.location is not None
    assert found.location.line == 5


def test_printing_and_harmless_seeds_are_notes() -> None:
    printing = examined(SOFTMAX.replace("    e =", "    print(x)\n    np.random.seed(0)\n    e ="))
    assert lost(printing) == {}
    assert printing["returns_plain_values"].notes == (
        "softmax prints to the terminal; this costs nothing (work.py, line 5)",
    )
    assert printing["leaves_random_numbers_alone"].notes == ("softmax calls numpy.random.seed (work.py, line 6)",)
    assert printing["returns_plain_values"].diagnosis is not None
    assert printing["returns_plain_values"].diagnosis.id == "state-prints-to-stdout"


def test_old_names_of_numpy_may_be_put_back() -> None:
    assert lost(examined("import numpy as np\nnp.float = float\n" + SOFTMAX)) == {}


def test_a_library_call_outside_of_the_exercise_is_free() -> None:
    code = SOFTMAX + "def compare(x):\n    import torch\n    return torch.softmax(x, -1)\n"
    assert lost(examined(code)) == {}


def test_guards_that_return_a_constant_are_no_hard_coded_case() -> None:
    code = """
import numpy as np
def causal_mask(n):
    if n == 1:
        return np.array([[True]])
    return np.tril(np.ones((n, n), bool))
"""
    assert lost(examined(code)) == {}


WRONG_BUT_HONEST = {
    "a stub": "import numpy as np\ndef softmax(x, axis=-1):\n    return np.zeros(np.shape(x))\n",
    "another axis": SOFTMAX.replace("axis=axis", "axis=0"),
    "no shift": SOFTMAX.replace("np.exp(x - x.max(axis=axis, keepdims=True))", "np.exp(x)"),
    "an exception": "def softmax(x, axis=-1):\n    raise NotImplementedError\n",
    "nothing of the assignment": "answer = 42\n",
}


@pytest.mark.parametrize("code", WRONG_BUT_HONEST.values(), ids=WRONG_BUT_HONEST)
def test_a_mistake_is_no_trick(code: str) -> None:
    assert lost(examined(code)) == {}


SAMPLES = [(name, code) for name, code in recipe_samples.RIGHT]
SAMPLES += [(name, code) for name, _, _, code in recipe_slips.WRONG]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "code"), SAMPLES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(SAMPLES)])
def test_honest_work_loses_nothing(name: str, code: str) -> None:
    del name
    assert lost(examined(code)) == {}


def tricks() -> list[Path]:
    found = (p for p in sorted((setups.SAMPLES / "open").glob("*.py")) if p.stem.startswith(("integrity", "state")))
    return [path for path in found if path.stem != "state_prints_to_stdout"]


@pytest.mark.parametrize("path", tricks(), ids=lambda path: path.stem)
def test_a_collected_trick_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(np, "allclose", np.allclose)  # one of the samples replaces them in this process
    monkeypatch.setattr(np.testing, "assert_allclose", np.testing.assert_allclose)
    assert list(lost(examined(path.read_text())).values()) == [path.stem.replace("_", "-")]
