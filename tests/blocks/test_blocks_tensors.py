"""Classes that hold their weights in plain tensors and are no modules of torch: they are judged as those of numpy."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

CODE = """
import torch


class Map:
    def __init__(self, rows, columns):
        self.held = {"W": torch.randn(rows, columns), "b": torch.zeros(columns), "kind": torch.tensor([3])}

    def __call__(self, x):
        return torch.einsum("...i,ij->...j", x, self.held["W"]) + self.held["b"]


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.heads, self.maps = num_heads, [Map(d_model, d_model) for _ in range(4)]

    def __call__(self, query, key, value, mask=None):
        q, k, v = (one(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for one, x in zip(self.maps, (query, key, value)))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return self.maps[3]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class LayerNorm:
    def __init__(self, d_model, eps=1e-5):
        self.gain, self.shift, self.eps = torch.ones(d_model), torch.zeros(d_model), eps

    def __call__(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.gain * d / (d.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.shift
"""
SAID = {
    "multi_head_attention": {"constructor": ["d_model", "num_heads"], "mask_shapes": ["(b, 1, n, m)"]},
    "layer_norm": {"constructor": ["d_model"]},
}
SLIPS = [
    ("multi_head_attention", "/ q.shape[-1] ** 0.5", "/ q.shape[-1]", "sdpa-scale-by-dk"),
    ("multi_head_attention", "~mask", "mask", "sdpa-mask-polarity-inverted"),
    ("multi_head_attention", "self.maps[3](", "self.maps[2](", "mha-output-projection-replaced"),
    ("layer_norm", "d.square().mean(-1, keepdim=True)", "x.var(-1, keepdim=True)", "ln-unbiased-variance"),
]


@pytest.mark.parametrize("component", SAID)
def test_weights_in_tensors_are_found_without_a_module(component: str, judged: Judge) -> None:
    found = judged(component, CODE, conventions={**SAID[component], "backend": "tensors"})
    assert not found.lost, found.said
    assert judged(component, CODE, conventions=SAID[component]).lost


HOLDS = {
    "a table of numpy beside": (
        "self.heads, self.maps",
        "self.table, self.heads, self.maps",
        "numpy.ones(9), num_heads",
    ),
    "layers of torch": ("Map(d_model, d_model)", "torch.nn.Linear(d_model, d_model)", "num_heads"),
}


@pytest.mark.parametrize(("before", "after", "heads"), HOLDS.values(), ids=HOLDS)
def test_other_things_that_such_classes_hold_are_read(before: str, after: str, heads: str, judged: Judge) -> None:
    code = "import numpy\n" + CODE.replace(before, after).replace("= num_heads,", f"= {heads},")
    said = {**SAID["multi_head_attention"], "backend": "tensors"}
    found = judged("multi_head_attention", code, conventions=said)
    assert not found.lost, found.said
    wrong = judged("multi_head_attention", code.replace("self.maps[3](", "self.maps[2]("), conventions=said)
    assert wrong.named == {"mha-output-projection-replaced"}, wrong.said


@pytest.mark.parametrize(("component", "right", "wrong", "named"), SLIPS)
def test_slips_of_such_classes_have_their_names(
    component: str, right: str, wrong: str, named: str, judged: Judge
) -> None:
    assert right in CODE
    code = CODE.replace(right, wrong)
    found = judged(component, code, conventions={**SAID[component], "backend": "tensors"})
    assert found.named == {named}, found.said
