"""Wrong modules lose points and are told why; never by a wrong name. Collected ones are judged in tests/ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from block_mutants import OF_PARTS
from block_samples import OWN, Judge, bare, header
from model_mutants import OF_MODELS

from grader.model.outcome import Verdict

pytestmark = pytest.mark.torch

HEAVY = ("transformer", "decoder_", "encoder_")
"""Layers and what is made of them, whose readings take a search."""


def cases() -> Iterator[Any]:
    for stem, old, new, names in (*OF_PARTS, *OF_MODELS):
        marks = [pytest.mark.slow] if stem.startswith(HEAVY) else []
        yield pytest.param(stem, old, new, names, id=f"{stem}:{new[:30]}", marks=marks)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("stem", "old", "new", "names"), list(cases()))
def test_a_slip_in_a_right_module_is_caught_and_never_wrongly_named(
    judged: Judge, stem: str, old: str, new: str, names: tuple[str, ...]
) -> None:
    path = OWN / f"{stem}.py"
    code = path.read_text()
    assert old in code
    found = judged(header(path)[0], bare(code.replace(old, new)))
    assert found.lost
    assert all(outcome.verdict is not Verdict.UNDETERMINED for outcome in found.lost.values())
    if names:
        assert found.named
        assert found.named <= set(names)


def test_logits_that_nothing_explains_say_nothing_of_the_gradient(judged: Judge) -> None:
    code = (OWN / "tied_functional.py").read_text().replace("self.table[ids]", "self.table[ids].sin()")
    found = judged("weight_tying", code)
    assert set(found.lost) == {"scores_with_the_table"}
    assert not found.named


def test_most_points_survive_one_slip(judged: Judge) -> None:
    code = (OWN / "mha_fused_blocks.py").read_text().replace(" / math.sqrt(q.shape[-1])", "")
    assert set(judged("multi_head_attention", code).lost) == {"attends_to_itself", "attends_to_another"}


@pytest.mark.slow
def test_two_slips_are_found_together(judged: Judge) -> None:
    code = (OWN / "mha_list_of_linears.py").read_text()
    code = code.replace(" / math.sqrt(q.shape[-1])", "").replace("[linear(x).view", "[linear(x).relu().view")
    assert judged("multi_head_attention", code).named == {"mha-relu-on-projections + sdpa-no-scale"}


@pytest.mark.slow
def test_an_unlisted_mistake_is_failed_and_not_named(judged: Judge) -> None:
    code = (
        (OWN / "mha_fused_blocks.py").read_text().replace("scores.softmax(-1) @ v", "(scores.softmax(-1) ** 1.5) @ v")
    )
    found = judged("multi_head_attention", code)
    assert {"attends_to_itself", "attends_to_another"} <= set(found.lost)
    assert found.lost["attends_to_itself"].verdict is Verdict.FAILED
    assert found.named == set()
    assert "mask_for_all" not in found.lost
