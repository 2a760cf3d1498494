"""Library calls that may stand in for an exercise, and every operator and function that computes one of them.

One list for both sides: the child watches what stands here, an assignment's ``forbidden`` names what it means. However
a name is come by, what runs is one of these operators: ``x.softmax(-1)``, ``nn.Softmax2d``, ``Categorical(logits=x)``
all end in ``aten::_softmax``. Read off torch 2.13: its list of operators, and what each public function reached.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Road:
    """``name`` is what a finding says, ``also`` other public names for it.

    ``operators`` are the dispatcher's, with their overloads; ``functions`` are written in Python, ``module:path``.
    """

    name: str
    also: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


_F, _REFS, _DECOMPOSED = "torch.nn.functional", "torch._refs", "torch._decomp.decompositions"


def _layer(name: str, *operators: str) -> Road:
    return Road(f"torch.nn.{name}", (), operators, (f"torch.nn:{name}.forward",))


ROADS = (
    Road(
        "torch.softmax",
        (f"{_F}.softmax", f"{_F}.softmin", "torch.Tensor.softmax", "torch.nn.Softmax", "torch.nn.Softmax2d",
         "torch.nn.Softmin", "torch.special.softmax", "torch._softmax", "torch.sparse.softmax",
         "torch.masked.softmax", "scipy.special.softmax"),
        ("aten::_softmax", "aten::_softmax.out", "aten::_safe_softmax", "aten::_masked_softmax",
         "aten::_sparse_softmax", "aten::_nested_tensor_softmax_with_shape", "quantized::softmax"),
        (f"{_REFS}:softmax", f"{_REFS}.special:softmax", f"{_REFS}.nn.functional:softmax",
         f"{_REFS}.nn.functional:softmin", f"{_DECOMPOSED}:_softmax", f"{_DECOMPOSED}:_safe_softmax"),
    ),
    Road(
        "torch.log_softmax",
        (f"{_F}.log_softmax", "torch.Tensor.log_softmax", "torch.nn.LogSoftmax", "torch.special.log_softmax",
         f"{_F}.cross_entropy", "torch.nn.CrossEntropyLoss", "scipy.special.log_softmax"),
        ("aten::_log_softmax", "aten::_log_softmax.out", "aten::_sparse_log_softmax"),
        (f"{_REFS}:log_softmax", f"{_REFS}.special:log_softmax", f"{_REFS}.nn.functional:log_softmax",
         f"{_DECOMPOSED}:_log_softmax"),
    ),
    Road(
        f"{_F}.scaled_dot_product_attention",
        ("torch.nn.attention.flex_attention.flex_attention",),
        ("aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math",
         "aten::_scaled_dot_product_flash_attention_for_cpu"),
        ("torch.nn.attention.flex_attention:flex_attention", f"{_REFS}.nn.functional:scaled_dot_product_attention",
         f"{_DECOMPOSED}:scaled_dot_product_flash_attention_for_cpu"),
    ),
    Road(
        f"{_F}.multi_head_attention_forward",
        (),
        ("aten::_native_multi_head_attention",),
        (f"{_F}:multi_head_attention_forward",),
    ),
    Road(
        "torch.nn.MultiheadAttention",
        (),
        (),
        ("torch.nn:MultiheadAttention.forward", "torch.ao.nn.quantizable:MultiheadAttention.forward"),
    ),
    _layer("TransformerEncoderLayer", "aten::_transformer_encoder_layer_fwd"),
    _layer("TransformerDecoderLayer"),
    _layer("TransformerEncoder"),
    _layer("TransformerDecoder"),
    _layer("Transformer"),
    Road(
        "torch.nn.LayerNorm",
        (f"{_F}.layer_norm", "torch.layer_norm", "torch.native_layer_norm"),
        ("aten::native_layer_norm",),
        (f"{_REFS}:native_layer_norm", f"{_REFS}.nn.functional:layer_norm", f"{_DECOMPOSED}:native_layer_norm"),
    ),
)  # fmt: skip

SWITCHED_OFF = "a way to switch off what watches library calls"
"""The name of what code used that no road's gate saw."""

_AT_HAND = frozenset({"numpy", "torch", "math"})


def forbidden(names: Iterable[str]) -> frozenset[str]:
    """Return the names of the roads that dotted ``names`` mean, with ``*`` and ``?``: ``torch.nn.Transformer*``."""
    patterns = tuple(names)
    known = ((road, public) for road in ROADS for public in (road.name, *road.also))
    return frozenset(road.name for road, public in known if any(fnmatchcase(public, each) for each in patterns))


def unknown(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of ``names`` that nothing watches, though code could use them; what is absent needs no watching."""
    return tuple(name for name in names if name.partition(".")[0] in _AT_HAND and not forbidden([name]))
