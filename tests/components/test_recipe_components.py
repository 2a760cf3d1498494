"""Generated: oracles pass, misconceptions are caught and named, and none is named wrongly; then samples by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import inprocess
import numpy as np
import pytest
import recipe_setups as setups
from recipe_samples import RIGHT
from recipe_slips import WRONG

from grader import mistakes
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.component.calls import Differentiated, Rng
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.component.context import Context
from grader.component.part import examine
from grader.judging import relation
from grader.model.outcome import Outcome
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox import steps, wire
from grader.sandbox.gates import Gates
from grader.sandbox.plain import Failure, Program, Reply

RELATIONS = frozenset(one.id for one in mistakes.of(relation.ANY_FUNCTION))
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def slips() -> Iterable[tuple[str, int, Misconception]]:
    for name in setups.NAMES:
        for number, misconception in enumerate(setups.component(name).misconceptions):
            if misconception.variant is not None:
                yield name, number, misconception


SLIPS = tuple(slips())
FIRST = {name: slip for name, _, slip in reversed(SLIPS)}
"""One slip of each component; all of them are rehearsed in tests/ledger."""
ONE_FUNCTION = (
    {"noam-no-warmup", "noam-warmup-exponent"},  # a rising branch that is never the smaller one
    {"complexity-norms", "complexity-no-biases"},  # two vectors of d_model are missing in each pair of layers
)
"""Names of slips that give the same values whatever is asked."""


def hand_in(component: Component, name: str, misconception: Misconception | None = None, **changes: Any) -> Any:
    interface = setups.interface(name, **changes)
    variants = misconception.by_target(component.target) if misconception else {}
    return rehearse(component, as_submitted(component, interface, variants), interface, seed=1)


@pytest.mark.parametrize("name", setups.NAMES)
def test_the_oracle_passes_every_check(name: str) -> None:
    outcomes = hand_in(setups.component(name), name)
    assert [(o.check, o.message) for o in outcomes if o.verdict != "passed"] == []
    assert all(outcome.asked > 0 for outcome in outcomes)


def test_adam_without_settings_of_its_own_can_be_set() -> None:
    short = ("params", "grads", "m", "v", "step", "lr")
    changes = {"parameters": short, "domain": {"settings": False}}
    assert inprocess.failed(hand_in(setups.component("adam"), "adam", **changes)) == []


@pytest.mark.parametrize("name", FIRST)
def test_a_misconception_loses_points_and_is_named(name: str) -> None:
    outcomes = hand_in(setups.component(name), name, FIRST[name])
    assert inprocess.failed(outcomes) != []
    assert FIRST[name].id in inprocess.names(outcomes)


def named_without_itself(name: str, misconception: Misconception) -> tuple[str, ...]:
    """What is named where the slip's own entry is taken off the list."""
    component = setups.component(name)
    listed = component.misconceptions
    try:
        component.misconceptions = tuple(m for m in listed if m.id != misconception.id)
        return inprocess.names(hand_in(component, name, misconception))
    finally:
        component.misconceptions = listed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(7))
def test_a_slip_that_is_not_listed_is_seldom_named_by_another(part: int) -> None:
    """Several names, or two slips together, are other descriptions of the same answers."""
    hidden = SLIPS[part::7]
    named = [(m.id, names) for name, _, m in hidden if (names := named_without_itself(name, m))]
    wrong = [(own, names) for own, names in named if len(names) == 1 and " + " not in names[0]]
    # How answers stand to the right ones is true of any slip: see test_relations.
    wrong = [(own, names) for own, names in wrong if names[0] not in RELATIONS and {own, *names} not in ONE_FUNCTION]
    assert len(wrong) <= 0.05 * len(hidden), wrong


@pytest.mark.parametrize("name", setups.NAMES)
def test_texts_are_written_for_a_learner(name: str) -> None:
    for misconception in setups.component(name).misconceptions:
        assert misconception.title.endswith("."), misconception.id
        assert misconception.hints["nudge"].endswith("?") or misconception.sign is not None, misconception.id
        assert misconception.hints["hint"], misconception.id
        assert len(misconception.title) < 120, misconception.id


def judged(name: str, code: str) -> tuple[Outcome, ...]:
    component, interface = setups.component(name), setups.interface(name)
    if name != "label_smoothing":
        return inprocess.judged(component, interface, code, seed=5)
    bare = ast.unparse(ast.parse(code))
    namespace: dict[str, Any] = {"__name__": "work"}
    exec(compile(bare, "work.py", "exec"), namespace)  # noqa: S102 - our own samples
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(bare, "work.py"),)),), sha256="work")
    rounds = examine(component.under(interface), Context(interface, submission, 5, interface.callable, "work"))
    try:
        programs = next(rounds)
        while True:
            programs = rounds.send([with_torch(program, namespace) for program in programs])
    except StopIteration as end:
        outcomes: tuple[Outcome, ...] = end.value
        return outcomes


def with_torch(program: Program, namespace: dict[str, Any]) -> Reply:
    """The child's own steps, in this process."""
    table: Any = steps.Table(SimpleNamespace(find=namespace.__getitem__), Gates())  # type: ignore[arg-type]
    values: list[Any] = []
    for number, step in enumerate(program.steps):
        try:
            writer = wire.Writer()
            tree = writer.encode(steps.run(step, table))
            values.append(wire.Reader(writer.blob()).decode(wire.parse(wire.text(tree).encode())))
        except Exception as error:  # noqa: BLE001 - samples raise what they like
            return Reply(
                "error", tuple(values), Failure(type(error).__name__, str(error), (("work.py", 1, ""),), number)
            )
    return Reply("value", tuple(values))


@pytest.mark.parametrize(("name", "code"), RIGHT, ids=[f"{name}-{at}" for at, (name, _) in enumerate(RIGHT)])
def test_a_right_style_loses_no_point(name: str, code: str) -> None:
    assert [(o.check, o.message) for o in judged(name, code) if o.verdict != "passed"] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "slip", "id", "code"), WRONG, ids=[f"{name}: {slip}" for name, slip, *_ in WRONG])
def test_a_slip_loses_points_and_is_named_or_left_open(name: str, slip: str, id: str, code: str) -> None:
    del slip
    outcomes = judged(name, code)
    assert inprocess.failed(outcomes) != []
    assert " ".join(inprocess.names(outcomes)[:1]) == id


LOSS = """
import torch
import torch.nn.functional as F
def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    {body}
"""
RIGHT_LOSSES = (
    "return F.cross_entropy(logits.reshape(-1, V), target.reshape(-1), label_smoothing=eps, ignore_index=pad_id)",
    """q = F.one_hot(target, V) * (1 - eps) + eps / V
    l = -(q * logits.log_softmax(-1)).sum(-1)
    return l.masked_fill(target == pad_id, 0).sum() / (target != pad_id).sum()""",
    """lp = F.log_softmax(logits.float(), -1)[target != pad_id]; t = target[target != pad_id]
    return ((1 - eps) * F.nll_loss(lp, t) - eps * lp.mean())""",
)
CROSS_ENTROPY = "return F.cross_entropy(logits.{flat}(-1, V), target.{flat}(-1), {how}){after}"
PAD, SMOOTH = "ignore_index=pad_id", "label_smoothing=eps"
WRONG_LOSSES = {
    "ls-sum-not-mean": CROSS_ENTROPY.format(flat="reshape", how=f"{PAD}, {SMOOTH}, reduction='sum'", after=""),
    "ls-pad-not-ignored": CROSS_ENTROPY.format(flat="reshape", how=SMOOTH, after=""),
    "ls-eps-ignored": CROSS_ENTROPY.format(flat="reshape", how=PAD, after=""),
    "ls-softmax-twice": CROSS_ENTROPY.format(flat="softmax(-1).reshape", how=f"{PAD}, {SMOOTH}", after="").replace(
        "target.softmax(-1)", "target"
    ),
    "ls-view-on-noncontiguous": CROSS_ENTROPY.format(flat="view", how=f"{PAD}, {SMOOTH}", after=""),
    "ls-not-differentiable": CROSS_ENTROPY.format(flat="reshape", how=f"{PAD}, {SMOOTH}", after=".item()"),
    "ls-divergence-not-cross-entropy": """q = F.one_hot(target, V) * (1 - eps) + eps / V
    kl = F.kl_div(logits.log_softmax(-1), q.to(logits.dtype), reduction='none').sum(-1)
    return kl[target != pad_id].mean()""",
    "ls-mean-over-padding": """p = logits.log_softmax(-1)
    loss = (eps - 1) * p.gather(-1, target[..., None])[..., 0] - eps * p.mean(-1)
    return loss[target != pad_id].sum() / (target == pad_id).sum()""",
    "ls-log-of-softmax": """q = F.one_hot(target, V) * (1 - eps) + eps / V
    return -(q * torch.log(torch.softmax(logits, -1))).sum(-1)[target != pad_id].mean()""",
}


@pytest.mark.torch
@pytest.mark.parametrize("body", RIGHT_LOSSES)
def test_a_right_loss_in_torch_loses_no_point(body: str) -> None:
    pytest.importorskip("torch")
    outcomes = judged("label_smoothing", LOSS.format(body=body))
    assert [(o.check, o.message) for o in outcomes if o.verdict != "passed"] == []


@pytest.mark.torch
@pytest.mark.parametrize(("id", "body"), WRONG_LOSSES.items(), ids=WRONG_LOSSES)
def test_a_wrong_loss_in_torch_is_named(id: str, body: str) -> None:
    pytest.importorskip("torch")
    outcomes = judged("label_smoothing", LOSS.format(body=body))
    assert inprocess.names(outcomes) == (id,)


@pytest.mark.parametrize(
    ("name", "id", "path"), setups.samples("correct"), ids=[p.stem for *_, p in setups.samples("correct")]
)
def test_a_correct_sample_passes(name: str, id: str, path: Path) -> None:
    del id
    outcomes = judged(name, path.read_text())
    assert [(o.check, o.message) for o in outcomes if o.verdict != "passed"] == []


@pytest.mark.parametrize(
    ("name", "id", "path"), setups.samples("open"), ids=[p.stem for *_, p in setups.samples("open")]
)
def test_an_open_sample_is_caught_and_named(name: str, id: str, path: Path) -> None:
    outcomes = judged(name, path.read_text())
    if id in setups.KEEPS_POINTS:
        assert inprocess.failed(outcomes) == []
    else:
        assert inprocess.failed(outcomes) != []
        assert inprocess.names(outcomes)[:1] == (id,)


def oddities() -> dict[str, Any]:
    return {
        "None": None,
        "text": "0.5",
        "a number": 0.5,
        "an empty list": [],
        "a dict": {"tokens": [1, 2]},
        "a pair of arrays": (np.ones((2, 3)), np.ones((2, 3))),
        "a pair of Nones": (None, None),
        "three arrays": (np.ones(1), np.ones(1), np.ones(1)),
        "a ragged list": [[1.0], [1.0, 2.0]],
        "NaN": np.full((2, 2), np.nan),
        "NaN alone": float("nan"),
        "infinity": np.full(3, np.inf),
        "complex numbers": np.ones((2, 2), dtype=complex),
        "texts in an array": np.array(["a", "b"]),
        "booleans": np.ones((2, 2), dtype=bool),
        "a 0-d array": np.array(1.0),
        "a huge number": 10**400,
        "zeros of a matrix": np.zeros((60, 100)),
    }


def odd() -> Iterable[Any]:
    """Every oddity of every component; quick are some of each, which make a diagonal."""
    for at, name in enumerate(setups.NAMES):
        for number, what in enumerate(oddities()):
            yield pytest.param(name, what, id=f"{name}-{what}", marks=[pytest.mark.slow] if (at + number) % 4 else [])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "what"), [*odd()])
def test_an_odd_answer_ends_in_a_verdict(name: str, what: str) -> None:
    component, interface = setups.component(name), setups.interface(name)
    value = oddities()[what]
    functions = as_submitted(component, interface, {target: lambda *_, **__: value for target in component.oracles})
    outcomes = rehearse(component, functions, interface)
    assert {o.verdict for o in outcomes} <= {"passed", "failed", "error"}
    assert len(inprocess.failed(outcomes)) >= 1


def test_a_right_dropout_is_never_blamed_by_chance() -> None:
    component, interface = setups.component("dropout"), setups.interface("dropout")
    for seed in range(40):
        outcomes = rehearse(component, as_submitted(component, interface), interface, seed)
        assert inprocess.failed(outcomes) == []


def test_equal_seeds_are_told_apart_from_unequal_ones() -> None:
    one, other = Rng(3).live().random(4), Rng(4).live().random(4)
    assert np.array_equal(one, Rng(3).live().random(4))
    assert not np.array_equal(one, other)


def test_a_loss_that_cannot_be_differentiated_is_said_to_be_so() -> None:
    component = setups.component("label_smoothing")
    check = next(check for check in component.checks if check.name == "can_be_trained_with")
    case = next(case for case in component.ladder(np.random.default_rng(0), {}) if check.on(case))
    found: Any = check.judge(Differentiated(1.0, None), oracle=component.oracle(), **case.inputs)
    assert found.message == "gives no gradient for the logits: was the result detached, or turned into a float?"
