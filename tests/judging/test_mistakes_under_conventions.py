"""Under every value that can be declared, what is wrong keeps a name, and no name says that what is right is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from grader import components
from grader.blocks.examine import Block
from grader.component.checks import Misconception
from grader.component.convention import right_knobs
from grader.component.part import Part
from grader.judging.settling import dropped_under, mistakes_under

NUMBER = 0.3


def _declarable() -> Iterator[tuple[str, str, str, Any]]:
    for name in components.names():
        for form in components.forms(name):
            if form != "work":
                for one in components.component(name, form).conventions:
                    values = [*one.values, *([NUMBER] if one.number else [])]
                    yield from ((name, form, one.key, value) for value in values if one.knobs(value))


def _known(part: Part) -> Sequence[Misconception]:
    """Its mistakes; a module's with those of its parts."""
    return part.faults if isinstance(part, Block) else part.misconceptions


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "form", "key", "value"), list(_declarable()))
def test_what_is_wrong_has_a_name_and_what_is_right_has_none(name: str, form: str, key: str, value: Any) -> None:
    part = components.component(name, form)
    settled, said = tuple(part.conventions), {key: value}
    right, dropped = right_knobs(settled, said), dropped_under(settled, said)
    others, left = mistakes_under(name, _known(part), settled, said)
    computed = [{**right, **one.knobs} for one in (*others, *left)]
    assert right not in [made for made, one in zip(computed, (*others, *left), strict=True) if one.knobs]
    for one in _known(part):
        denied = one.id in dropped | {o.id for o in _known(part) if o.knobs and {**right, **o.knobs} == right}
        assert not one.knobs or {**right, **one.knobs} in computed or denied, (one.id, one.knobs)


SAID = (
    ("scaled_dot_product_attention", "function", {"scale": "none"}, {"product": "cosine"}, "sdpa-cosine-scores"),
    ("multi_head_attention", "class", {"scale": "none"}, {"sdpa.product": "cosine"}, "sdpa-cosine-scores"),
    ("layer_norm", "class", {"deviation": "unbiased"}, {"ln.eps_at": "nowhere"}, "ln-eps-missing"),
    ("layer_norm", "function", {"deviation": "unbiased"}, {"eps_at": "root"}, "ln-eps-outside-sqrt"),
    ("layer_norm", "function", {"centred": False}, {"spread": "root of variance"}, None),
    ("scaled_dot_product_attention", "function", {"causal": True}, {"fill": -1e9}, None),
)


@pytest.mark.parametrize(("name", "form", "said", "wrong", "told"), SAID)
def test_the_name_says_what_is_left_to_be_wrong(
    name: str, form: str, said: dict[str, Any], wrong: dict[str, Any], told: str | None
) -> None:
    part = components.component(name, form)
    settled = tuple(part.conventions)
    right = right_knobs(settled, said)
    _, left = mistakes_under(name, _known(part), settled, said)
    named = {one.id for one in left if {**right, **one.knobs} == {**right, **wrong}}
    assert named == ({told} if told else set())
