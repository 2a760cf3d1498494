"""Generated: every oracle passes, every misconception is caught and named, and none is named wrongly.

The styles and slips written out by hand are what students would write, apart from the workshops' own settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import inprocess
import numpy as np
import numpy_setups as setups
import pytest

from grader import mistakes
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.judging import relation
from grader.judging.agreement import Raised, predict, same

RELATIONS = frozenset(one.id for one in mistakes.of(relation.ANY_FUNCTION))
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NARROW: tuple[tuple[str, dict[str, Any]], ...] = (
    ("softmax", {"parameters": ("x",), "domain": {"ranks": [2], "axis": False}}),
    ("softmax", {"parameters": ("x",), "domain": {"ranks": [1, 2], "axis": "last"}}),
    (
        "scaled_dot_product_attention",
        {
            "parameters": ("Q", "K", "V"),
            "domain": {"ranks": [2], "masks": False, "same_length": True, "same_width": True},
        },
    ),
    ("multi_head_attention", {"parameters": ("query", "key", "value", "weights", "num_heads", "mask")}),
    ("positional_encoding", {"domain": {"odd": False}}),
)


def slips() -> Iterable[tuple[str, int, Misconception]]:
    for name in setups.NAMES:
        for number, misconception in enumerate(setups.component(name).misconceptions):
            if misconception.variant is not None:
                yield name, number, misconception


SLIPS = tuple(slips())
FIRST = {name: slip for name, _, slip in reversed(SLIPS)}
"""One slip of each component; all of them are rehearsed in tests/ledger."""


def hand_in(component: Component, name: str, misconception: Misconception | None = None, **changes: Any) -> Any:
    interface = setups.interface(name, **changes)
    variants = misconception.by_target(component.target) if misconception else {}
    return rehearse(component, as_submitted(component, interface, variants), interface, seed=1)


@pytest.mark.parametrize("name", setups.NAMES)
def test_the_oracle_passes_every_check(name: str) -> None:
    outcomes = hand_in(setups.component(name), name)
    assert inprocess.failed(outcomes) == []
    assert all(outcome.asked > 0 for outcome in outcomes), [o.check for o in outcomes if not o.asked]


@pytest.mark.parametrize(("name", "changes"), NARROW)
def test_the_oracle_passes_in_a_narrow_domain(name: str, changes: dict[str, Any]) -> None:
    assert inprocess.failed(hand_in(setups.component(name), name, **changes)) == []


@pytest.mark.parametrize("name", setups.NAMES)
def test_the_workshop_without_a_setting_is_the_oracle(name: str) -> None:
    component = setups.component(name)
    for case in component.ladder(np.random.default_rng(3), {}):
        target = case.target or component.target
        want, _ = predict(component.oracle(target), case.inputs)
        got, _ = predict(component.turned(target, {}), case.inputs)
        assert isinstance(want, Raised) == isinstance(got, Raised)
        assert isinstance(want, Raised) or same(component, got, want, case.inputs), case.why


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


ONE_FUNCTION = (
    {"sdpa-mask-multiplied-before-softmax", "sdpa-fill-zero"},
    {"sdpa-fill-tiny-positive", "sdpa-fill-zero"},  # 1e-308 as a score
    {"sdpa-mask-inf-times-zero", "sdpa-fill-positive"},
    {"sdpa-mask-inf-times-zero", "sdpa-fill-not-a-number"},  # no row is open to all keys
    {"sdpa-fill-positive", "sdpa-fill-not-a-number"},  # infinity minus infinity
    {"pe-exponent-doubled", "pe-wrong-base"},  # a base of 10000 squared
    {"pe-exponent-halved", "pe-wrong-base"},  # a base of 100
    {"pe-tensor2tensor", "pe-exponent-wrong-width + pe-halves-not-interleaved"},
    {"pe-loop-index-doubled", "pe-wrong-base + pe-cos-uses-next-exponent"},
    {"causal-mask-inverted", "causal-mask-excludes-diagonal + causal-mask-transposed"},
    {"sdpa-ignores-mask", "sdpa-output-ignores-mask + sdpa-returns-unmasked-weights"},
    {"softmax-wrong-divisor", "softmax-constant-in-divisor"},  # 1 more than the sum
    {"softmax-is-a-sigmoid", "softmax-not-normalised + softmax-no-exponential"},
    {"causal-mask-only-itself", "causal-mask-short-window"},  # a window of one position
    {"sdpa-mask-added", "sdpa-mask-polarity-inverted + sdpa-fill-positive"},  # True is 1
    {"sdpa-scales-query-in-place", "sdpa-argument-changed-in-place"},
    {"sdpa-scales-key-in-place", "sdpa-argument-changed-in-place"},
    {"sdpa-mask-changed-in-place", "sdpa-argument-changed-in-place"},
    {"sdpa-fill-not-low-enough", "sdpa-mask-polarity-inverted + sdpa-fill-positive"},  # added, not filled in
    # The same in all rows that are judged; only rows of padded queries tell them apart.
    {"mask-builder-masks-query-rows", "src-mask-ignores-padding"},
    {"mask-builder-masks-query-rows", "tgt-mask-ignores-padding"},
    {"mask-builder-masks-query-rows", "src-mask-ignores-padding + tgt-mask-ignores-padding"},
    {"mask-builder-masks-query-rows", "mask-builder-hides-padded-queries-too"},
)
"""Names of one and the same function: if one of them is not listed, the other is a true description."""


FIFTHS = [slice(part, None, 5) for part in range(5)]


@pytest.mark.slow
@pytest.mark.parametrize("some", FIFTHS, ids=str)
def test_a_slip_that_is_not_listed_is_seldom_named_by_another(some: slice) -> None:
    hidden = SLIPS[some]
    named = [(m.id, names[0]) for name, _, m in hidden if (names := named_without_itself(name, m))]
    # How answers stand to the right ones is true of any slip: see test_relations.
    wrong = [(own, other) for own, other in named if other not in RELATIONS and {own, other} not in ONE_FUNCTION]
    assert len(wrong) <= 0.01 * len(hidden), wrong


@pytest.mark.parametrize("name", setups.NAMES)
def test_texts_are_written_for_a_learner(name: str) -> None:
    for misconception in setups.component(name).misconceptions:
        assert misconception.title.endswith("."), misconception.id
        assert misconception.hints["nudge"].endswith("?") or misconception.sign is not None, misconception.id
        assert misconception.hints["hint"], misconception.id
        assert misconception.hints["explanation"] != misconception.title or misconception.sign is not None, (
            misconception.id
        )
        assert len(misconception.title) < 120, misconception.id


@pytest.mark.parametrize("path", [p for name in setups.NAMES for p in setups.correct_files(name)], ids=lambda p: p.stem)
def test_a_correct_sample_passes(path: Any) -> None:
    name = next(n for n in setups.NAMES if path in setups.correct_files(n))
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), path.read_text())
    assert [(o.check, o.message) for o in outcomes if o.verdict != "passed"] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "id", "path"), setups.open_files(), ids=[p.stem for *_, p in setups.open_files()])
def test_an_open_sample_is_caught_and_named(name: str, id: str, path: Any) -> None:
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), path.read_text())
    assert inprocess.failed(outcomes) != []
    assert inprocess.names(outcomes)[:1] == (id,)
