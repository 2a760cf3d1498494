"""The bundled faulty samples are caught, and named as their first line says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import assignment_file
from grader.sandbox.parent import Sandbox
from tests import corpus

FOLDER = assignment_file(corpus.ASSIGNMENT).parent / "samples"
QUICK = {
    "ln_group_norm_of_halves",
    "encoder_mask_not_passed_halves",
    "sdpa_softmax_over_query_axis_clamped",
    "sdpa_softmax_over_batch_axis_clamped",
    "sdpa_returns_shifted_scores",
    "sdpa_elementwise_torch_fill",
    "beam_stops_with_any_finished",
    "beam_stops_a_round_after_the_first",
    "mha_linear_created_in_forward",
    "mha_mask_repeat_order_folded",
    "mha_value_uses_key_chunk",
    "mha_value_uses_key_half",
    "pe_odd_dmodel_too_few_sines",
    "sdpa_elementwise_by_transposed_keys",
    "softmax_global_shift_logsumexp",
    "softmax_global_shift_python_numbers",
    "softmax_missing_keepdims_logsumexp",
    "softmax_no_shift_logsumexp",
    "softmax_no_shift_python_numbers",
    "trf_pe_in_a_plain_object",
    "trf_pe_not_a_buffer",
    "trf_pe_single_row_past_the_end",
}
"""Styles that once went unnamed, or under a wrong name."""


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> Iterator[None]:
    pytest.importorskip("torch")
    with Sandbox(level="auto", torch=True) as started:
        corpus._sandboxes[:] = [started]
        yield
        corpus._sandboxes.clear()


def cases() -> Iterator[Any]:
    for sample in corpus.samples(FOLDER):
        if sample.misconception:
            name = sample.path.stem
            yield pytest.param(sample, id=name, marks=() if name in QUICK else pytest.mark.slow)


@pytest.mark.torch
@pytest.mark.parametrize("sample", list(cases()))
def test_a_faulty_sample_is_caught_and_named(sample: corpus.Sample) -> None:
    result = corpus.run(sample)
    assert result.right_points
    if sample.misconception not in corpus.KEEPS_POINTS:
        assert sample.misconception in result.named


def test_every_quick_sample_is_there() -> None:
    assert {path.stem for path in Path(FOLDER, "faulty").glob("*.py")} >= QUICK


@pytest.mark.torch
def test_a_norm_that_never_runs_is_not_said_to_lack_its_gain() -> None:
    result = corpus.run(corpus.Sample(FOLDER / "faulty" / "ln_group_norm_raises.py", "layer_norm", "unlisted"))
    assert result.earned < 1
    assert result.named == ()
