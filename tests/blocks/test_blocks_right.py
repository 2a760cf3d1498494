"""Right modules pass every check, however they are written. Collected ones are judged in tests/ledger."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from block_samples import CLASSES, OWN, ROOT, STACKS, Judge, bare, by_size, header, samples

pytestmark = pytest.mark.torch


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", list(by_size(OWN)))
def test_own_styles_pass_every_check(judged: Judge, path: Path) -> None:
    assert judged(header(path)[0], bare(path.read_text())).said == {}


def test_there_are_enough_styles() -> None:
    assert len(samples(OWN)) >= 24


def reference_source() -> str:
    """The torch reference as one file, as a student would hand it in."""
    names = (
        "attention",
        "multi_head",
        "layer_norm",
        "feed_forward",
        "embedding",
        "positional",
        "encoder",
        "decoder",
        "transformer",
    )
    texts = [(ROOT / "reference" / "modules" / f"{name}.py").read_text() for name in names]
    lines = [
        line
        for text in texts
        for line in text.splitlines()
        if not line.startswith(("from __future__", "from reference."))
    ]
    return "from __future__ import annotations\n" + "\n".join(lines)


@pytest.mark.parametrize(
    "component", [pytest.param(name, marks=[pytest.mark.slow] if name in STACKS else []) for name in sorted(CLASSES)]
)
def test_the_reference_modules_pass_every_check(judged: Judge, component: str) -> None:
    assert judged(component, reference_source()).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("component", ["multi_head_attention", "decoder_layer", "transformer"])
def test_the_verdict_does_not_depend_on_the_seed(judged: Judge, component: str, seed: int) -> None:
    assert judged(component, reference_source(), seed=seed).said == {}


@pytest.mark.slow
def test_a_declared_norm_position_is_what_is_right(judged: Judge) -> None:
    code = reference_source()
    before = re.sub(r'norm_position: str = "post"', 'norm_position: str = "pre"', code)
    for component in ("add_norm", "encoder_layer", "decoder_layer", "encoder", "decoder", "transformer"):
        assert judged(component, before, conventions={"norm": "pre"}).said == {}, component
    assert judged("encoder_layer", before).named == {"enc-pre-norm"}


@pytest.mark.slow
def test_declared_argument_order_and_mask_meaning_are_kept(judged: Judge) -> None:
    code = reference_source()
    turned = code.replace(
        "def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None)",
        "def forward(self, value: Tensor, key: Tensor, query: Tensor, mask: Tensor | None = None)",
    )
    assert turned != code
    assert judged("multi_head_attention", turned, parameters=("value", "key", "query", "mask")).said == {}
    assert "attends_to_another" in judged("multi_head_attention", turned).lost
    blocks = (OWN / "mha_fused_blocks.py").read_text().replace("masked_fill(~(", "masked_fill((")
    assert judged("multi_head_attention", blocks, conventions={"mask": "block"}).said == {}
    assert judged("multi_head_attention", blocks).named == {"sdpa-mask-polarity-inverted"}
    assert set(judged("multi_head_attention", blocks).lost) == {"mask_for_all", "mask_per_sample", "mask_per_head"}


def test_what_an_assignment_leaves_open_is_right_either_way(judged: Judge) -> None:
    code = (OWN / "mha_fused_blocks.py").read_text()
    blocks = code.replace("masked_fill(~(", "masked_fill((")
    for text in (code, blocks):
        assert judged("multi_head_attention", text, conventions={"mask": "either"}).said == {}
    before = re.sub(r'norm_position: str = "post"', 'norm_position: str = "pre"', reference_source())
    assert judged("encoder_layer", before, conventions={"norm": "either"}).said == {}
    assert judged("encoder_layer", reference_source(), conventions={"norm": "either"}).said == {}


def test_arguments_given_by_keyword_only_are_found(judged: Judge) -> None:
    code = (OWN / "mha_fused_blocks.py").read_text().replace("def forward(self, query", "def forward(self, *, query")
    assert judged("multi_head_attention", code).said == {}


def test_a_sequence_first_assignment_is_judged_in_its_own_axes(judged: Judge) -> None:
    code = (OWN / "mha_list_of_linears.py").read_text()
    body = "def forward(self, query, key, value, mask=None):\n"
    turned = code.replace(body, body + "        query, key, value = (t.transpose(0, 1) for t in (query, key, value))\n")
    turned = turned.replace("self.h * x.size(-1)))", "self.h * x.size(-1))).transpose(0, 1)")
    assert judged("multi_head_attention", turned, conventions={"batch": "sequence"}).said == {}
