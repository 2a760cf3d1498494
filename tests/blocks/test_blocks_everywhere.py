"""A mistake in a class that every sublayer of both stacks uses is one mistake of the whole model."""

from __future__ import annotations

import pytest
from block_samples import Judge
from whole_submission import changed

pytestmark = [pytest.mark.torch, pytest.mark.slow]  # each takes a whole model or stack
WRAPPED = "self.norm(x + self.drop(sublayer(x)))"
WAYS = {
    "missing-residual": "self.norm(self.drop(sublayer(x)))",
    "residual-twice": "self.norm(x + x + self.drop(sublayer(x)))",
    "residual-subtracted": "self.norm(self.drop(sublayer(x)) - x)",
    "norm-on-sublayer-only": "x + self.norm(self.drop(sublayer(x)))",
    "norm-on-residual-only": "self.drop(sublayer(x)) + self.norm(x)",
    "layernorm-unused": "x + self.drop(sublayer(x))",
    "pre-norm": "x + self.drop(sublayer(self.norm(x)))",
    "norm-before-both": "self.norm(x) + self.drop(sublayer(self.norm(x)))",
    "norm-twice": "self.norm(self.norm(x + self.drop(sublayer(x))))",
}


@pytest.mark.parametrize("way", WAYS)
def test_one_wrapper_around_every_sublayer_is_one_mistake_of_the_model(judged: Judge, way: str) -> None:
    found = judged("transformer", changed((WRAPPED, WAYS[way])))
    assert found.named == {f"enc-{way}"}
    assert "computes_figure_1" in found.lost


def test_a_mask_read_the_other_way_round_shows_in_the_default_mask_of_a_model(judged: Judge) -> None:
    assert judged("transformer", changed(("masked_fill(~mask,", "masked_fill(mask,"))).named == {
        "sdpa-mask-polarity-inverted"
    }


PROJECTIONS = "self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))"


@pytest.mark.parametrize("component", ["encoder", "decoder", pytest.param("transformer", marks=pytest.mark.slow)])
def test_clones_that_are_one_object_are_layers_that_share(judged: Judge, component: str) -> None:
    shared = changed(
        (PROJECTIONS, "self.q, self.k, self.v, self.o = [nn.Linear(d_model, d_model)] * 4"),
        (
            "nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))",
            "nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout)] * num_layers)",
        ),
        (
            "nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))",
            "nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout)] * num_layers)",
        ),
    )
    found = judged(component, shared)
    assert found.named == {"trf-layers-share-weights", "mha-projections-mixed-up"}  # one matrix for all four, too
    assert "own_parameters" in found.lost


@pytest.mark.parametrize("component", ["encoder", "decoder", "encoder_layer", "decoder_layer"])
def test_projections_that_are_one_object_are_no_shared_layers(judged: Judge, component: str) -> None:
    found = judged(
        component, changed((PROJECTIONS, "self.q, self.k, self.v, self.o = [nn.Linear(d_model, d_model)] * 4"))
    )
    assert found.lost
    assert not found.named & {"trf-layers-share-weights", "dec-one-attention-for-both", "enc-one-norm-for-all"}


def test_a_norm_without_use_in_an_attention_without_biases_costs_nothing(judged: Judge) -> None:
    right = changed(
        (PROJECTIONS, PROJECTIONS.replace("d_model, d_model", "d_model, d_model, bias=False")),
        ("self.first, self.second =", "self.third = LayerNorm(d_model)\n        self.first, self.second ="),
    )
    assert not judged("encoder_layer", right).lost


def test_the_residual_of_the_last_sublayer_skips_the_attention_to_the_memory(judged: Judge) -> None:
    found = judged(
        "decoder_layer",
        changed(
            ("x = self.around[1](x, lambda", "read, x = x, self.around[1](x, lambda"),
            (
                "return self.around[2](x, self.network)",
                "return self.around[2].norm(read + self.around[2].drop(self.network(x)))",
            ),
        ),
    )
    assert found.named == {"dec-ffn-residual-skips-cross-attention"}


def test_an_eps_elsewhere_in_the_file_is_no_fill_of_the_attention(judged: Judge) -> None:
    wrong = changed(("scores = scores.masked_fill(~mask, -math.inf)", "scores = scores * mask"))
    found = judged("multi_head_attention", wrong + "\n\ndef adam_step(gradient, eps=1e-9):\n    return gradient\n")
    assert found.named == {"sdpa-mask-multiplied-before-softmax"}
