"""Ten styles of the field: a right hand-in keeps every point under what its course declares, wrong ones are named."""

from __future__ import annotations

from typing import Any

import pytest
from block_courses import (
    AFTER,
    BEFORE,
    BY_LETTERS,
    CAUSAL,
    FUSED,
    GATED,
    GPT,
    HEAD,
    KEYS,
    NORM,
    NORM_INSIDE,
    NORMS_IN_FRONT,
    POSITIONS,
    RESIDUAL_INSIDE,
    ROOT_MEAN_SQUARE,
    THINK,
    TIME_FIRST,
)
from block_samples import Judge

pytestmark = pytest.mark.torch
COURSES: dict[str, tuple[str, str, dict[str, Any], dict[str, tuple[str, str]]]] = {
    # style: component, code, what the course declares, {mistake: (right, wrong)}
    "one config, causal by itself": ("multi_head_attention", FUSED, {"parameters": ("query",), "conventions": GPT}, {
        "course-causal-no": ('.masked_fill(self.past[:, :, :t, :t] == 0, float("-inf"))', ""),
        "mha-merge-without-transpose": (".transpose(1, 2).reshape(b, t, c)", ".reshape(b, t, c)"),
        "sdpa-no-scale": (" / math.sqrt(k.size(-1))", ""),
    }),
    "a block of one config, four times as wide": ("encoder_layer", FUSED, {"parameters": ("x",), "conventions": {
        **GPT, "norm": "pre", "activation": "gelu_tanh", "sizes": {"d_ff": 120},
    }}, {
        "course-activation-relu": ('F.gelu(self.up(self.ln_2(x)), approximate="tanh")', "self.up(self.ln_2(x)).relu()"),
        "enc-missing-residual": ("return x + self.down(", "return self.down("),
        "course-norm-post": (BEFORE, AFTER),
    }),
    "a norm by the unbiased deviation": ("layer_norm", NORM, {"parameters": ("x",), "conventions": {
        "constructor": {"features": "d_model", "eps": "eps"}, "deviation": "unbiased", "eps_place": "outside",
    }}, {
        "course-deviation-biased": ("x.std(-1, keepdim=True)", "x.std(-1, keepdim=True, unbiased=False)"),
        "ln-divides-by-variance": ("x.std(-1, keepdim=True)", "x.var(-1, keepdim=True)"),
    }),
    "a norm before the sublayer": ("add_norm", NORM, {"parameters": ("x", "sublayer"), "conventions": {
        "constructor": ["d_model", "dropout"], "norm": "pre", "deviation": "unbiased",
    }}, {
        "course-norm-post": ("x + self.dropout(sublayer(self.norm(x)))", "self.norm(x + self.dropout(sublayer(x)))"),
    }),
    "positions first, masks added, always given": ("encoder_layer", TIME_FIRST,
     {"parameters": ("x", "mask"), "conventions": {
        "batch": "second", "mask": "additive", "mask_required": True, "mask_shapes": ["(n, m)"],
        "constructor": ["d_model", "num_heads", "d_ff", "dropout"],
    }}, {
        "encoder-mask-not-passed": ("mask.expand(b * self.h, t, t)", "0 * mask.expand(b * self.h, t, t)"),
        "enc-missing-residual": ("self.norm1(x + self.drop(", "self.norm1(0 * x + self.drop("),
        "enc-one-norm-for-all": ("self.norm2(x + ", "self.norm1(x + "),
    }),
    "keys alone, ones and zeros, weights beside": ("multi_head_attention", KEYS,
     {"parameters": ("query", "mask"), "conventions": {
        "constructor": ["d_model", "num_heads"], "mask_type": "int", "mask_shapes": ["(b, m)"], "mask_required": True,
        "refuses_uneven_heads": False,
    }}, {
        "sdpa-mask-polarity-inverted": ("(1.0 - attention_mask[:, None, None, :].to(scores.dtype))",
                                        "attention_mask[:, None, None, :].to(scores.dtype)"),
        "sdpa-scale-by-dk": ("self.size ** 0.5", "self.size"),
    }),
    "GELU in between": ("feed_forward", KEYS, {"parameters": ("x",), "conventions": {
        "constructor": ["d_model", "d_ff"], "activation": "gelu",
    }}, {
        "course-activation-relu": ("F.gelu(", "F.relu("),
        "ffn-missing-activation": ("F.gelu(self.up(x))", "self.up(x)"),
    }),
    "the root mean square alone": ("layer_norm", ROOT_MEAN_SQUARE, {"parameters": ("x",), "conventions": {
        "constructor": {"d_model": "d_model", "eps": "eps", "device": "cpu"}, "centred": False, "affine": "gain",
    }}, {
        "course-centred-yes": ("return x * torch.rsqrt(x.pow(2).mean",
                               "x = x - x.mean(-1, keepdim=True)\n        return x * torch.rsqrt(x.pow(2).mean"),
        "ln-spread-wrong": ("x.pow(2).mean(", "x.pow(2).sum("),
    }),
    "a gated network": ("feed_forward", GATED, {"parameters": ("x",), "conventions": {
        "constructor": ["d_model", "d_ff"], "activation": "silu", "gated": True,
    }}, {
        "ffn-gate-wrong": ("F.silu(self.w1(x)) *", "F.silu(self.w1(x)) +"),
    }),
    "causal attention that takes no mask": ("multi_head_attention", CAUSAL, {"parameters": ("query",), "conventions": {
        "constructor": ["d_model", "num_heads"], "causal": True, "refuses_uneven_heads": False,
    }}, {
        "sdpa-softmax-no-max-shift": ("att.softmax(-1)", "(att.exp() / att.exp().sum(-1, keepdim=True))"),
        "sdpa-one-side-normalised": ("att = q @", "att = F.normalize(q, dim=-1) @"),
        "mha-activation-on-projections": ("self.qkv(x)", "self.qkv(x).tanh()"),
    }),
    "one gain and one shift for all features": ("layer_norm", NORM.replace("(features)", "(1)"),
     {"parameters": ("x",), "conventions": {
        "constructor": ["d_model", "eps"], "deviation": "unbiased", "eps_place": "outside", "affine": "scalar",
    }}, {
        "course-affine-both": ("torch.ones(1)), nn.Parameter(torch.zeros(1))",
                               "torch.ones(features)), nn.Parameter(torch.zeros(features))"),
        "course-deviation-biased": ("x.std(-1, ", "x.std(-1, correction=0, "),
    }),
    "parameters and einsum": ("feed_forward", ROOT_MEAN_SQUARE, {"parameters": ("x",), "conventions": {
        "constructor": {"d_model": "d_model", "d_ff": "d_ff", "device": None}, "activation": "silu",
    }}, {
        "course-activation-relu": ("h * torch.sigmoid(h)", "h.relu()"),
    }),
    "einsum over one tensor for all": ("multi_head_attention", BY_LETTERS,
     {"parameters": ("query", "mask"), "conventions": {
        "constructor": ["d_model", "num_heads"], "mask": "block", "mask_shapes": ["(b, n, m)"],
        "refuses_uneven_heads": False,
    }}, {
        "sdpa-mask-polarity-inverted": ("masked_fill(mask[:, None]", "masked_fill(~mask[:, None]"),
        "sdpa-no-scale": (" * q.shape[-1] ** -0.5", ""),
    }),
    "residual and norm inside": ("multi_head_attention", RESIDUAL_INSIDE,
     {"parameters": ("query", "key", "value", "mask"), "conventions": {
        "constructor": ["num_heads", "d_model", "d_k", "d_v"], "around": "norm",
        "mask_shapes": ["(b, n, m)", "(b, 1, m)"],
    }}, {
        "course-around-nothing": ("self.layer_norm(out + left)", "out"),
    }),
    "a norm in front and the residual inside, of a sequence that reads itself": ("multi_head_attention",
     NORM_INSIDE, {"parameters": ("query",), "conventions": {
        "constructor": ["d_model", "num_heads", "dropout"], "around": "norm_first",
    }}, {
        "course-around-residual": ("self.first(x)\n", "x\n"),
        "course-around-norm": (NORM_INSIDE.partition("(self, x):\n        ")[2].rstrip(),
                               "return self.first(x + self.drop(self.attend(x, x, x)[0]))"),
    }),
    "a norm in front of the network and the residual inside": ("feed_forward", THINK,
     {"parameters": ("x",), "conventions": {"constructor": ["d_model", "d_ff"], "around": "norm_first"}}, {
        "course-around-residual": ("self.one(self.first(x))", "self.one(x)"),
        "course-around-nothing": ("x + self.two(self.one(self.first(x))", "self.two(self.one(x)"),
        "ffn-missing-activation": (".relu()", ""),
    }),
    "norms in front": ("decoder_layer", NORMS_IN_FRONT,
     {"parameters": ("x", "memory", "tgt_mask", "src_mask"), "conventions": {
        "constructor": ["d_model", "num_heads", "d_ff"], "norm": "pre",
    }}, {
        "dec-cross-attends-itself": ("self.cross(self.two(x), memory, src_mask)",
                                     "self.cross(self.two(x), self.two(x), tgt_mask)"),
        "decoder-normalises-memory": ("self.two(x), memory", "self.two(x), self.two(memory)"),
        "dec-norm-reaches-queries-only": ("h = self.one(x)\n        x = x + self.own(h, h, ",
                                          "h = self.one(x)\n        x = x + self.own(x, h, "),
        "dec-missing-cross-attention": ("        x = x + self.cross(self.two(x), memory, src_mask)\n", ""),
    }),
    "positions first, as a module": ("positional_encoding", POSITIONS, {"parameters": ("x",), "conventions": {
        "constructor": ["d_model", "dropout", "max_len"], "batch": "second",
    }}, {
        "pe-rows-by-sample": ("self.pe[: x.size(0)]", "self.pe[: x.size(1)].transpose(0, 1)"),
        "pe-not-added": ("x + self.pe[: x.size(0)]", "0 * x + self.pe[: x.size(0)]"),
    }),
}  # fmt: skip


@pytest.mark.parametrize("style", COURSES)
def test_a_right_hand_in_keeps_every_point(style: str, judged: Judge) -> None:
    component, code, said, _ = COURSES[style]
    found = judged(component, HEAD + code, **said)
    assert not found.lost, found.said


def test_a_single_gain_is_no_gain_for_each_feature_unless_it_is_declared(judged: Judge) -> None:
    said = {"constructor": ["d_model", "eps"], "deviation": "unbiased", "eps_place": "outside"}
    found = judged("layer_norm", HEAD + NORM.replace("(features)", "(1)"), parameters=("x",), conventions=said)
    assert found.named == {"ln-one-gain-for-all"}, found.said


MISTAKES = [(style, mistake) for style, (_, _, _, wrong) in COURSES.items() for mistake in wrong]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("style", "mistake"), MISTAKES)
def test_a_wrong_hand_in_is_caught_and_named(style: str, mistake: str, judged: Judge) -> None:
    component, code, said, wrong = COURSES[style]
    old, new = wrong[mistake]
    assert old in code
    found = judged(component, HEAD + code.replace(old, new), **said)
    assert mistake in found.named, (found.named, found.said)
