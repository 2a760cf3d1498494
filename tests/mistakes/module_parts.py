"""What a right module holds, by the names that students give it: each part is the paper's, with weights by role."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from grader.blocks.sizes import Sizes
from grader.paper import layers, stacks, sublayers
from grader.paper.weights import Roles


class Module:
    """``self`` in a program."""

    def __init__(self, weights: Roles, sizes: Sizes) -> None:
        self.weights, self.sizes = weights, sizes
        self.heads, self.d_k, self.d_model, self.eps = sizes.num_heads, sizes.d_k, sizes.d_model, 1e-5
        self.d_ff = sizes.d_ff

    def call(self, forward: Callable[..., Any], **inputs: Any) -> Any:
        """What a forward of ours answers to arrays."""
        return forward(self, **{name: _tensor(value) for name, value in inputs.items()})

    def __getattr__(self, name: str) -> Any:
        """The part of that name, made once. Raises AttributeError where there is none."""
        part = self._part(name)
        setattr(self, name, part)
        return part

    def _part(self, name: str) -> Any:
        weights = self.weights
        made: dict[str, Callable[[], Any]] = {
            "inner": lambda: self._linear("w_1", "b_1"),
            "outer": lambda: self._linear("w_2", "b_2"),
            "gate": lambda: lambda x: self.inner(x.flip(-1)),
            "generator": lambda: self._linear("generator.w", "generator.b"),
            "attention": lambda: self.self_attention,
            "feed_forward": lambda: _lifted(lambda x: sublayers.feed_forward(x, weights.part(name))),
            "layers": lambda: [self._layer(number + 1) for number in range(self.sizes.num_layers)],
            "encoder": lambda: self._encoder,
            "decoder": lambda: self._decoder,
            "src_embedding": lambda: _Embedding(weights.must("src_table")),
            "tgt_embedding": lambda: _Embedding(weights.must("tgt_table")),
            "embedding": lambda: self.tgt_embedding,
            "source": lambda: SimpleNamespace(embedding=self.src_embedding, pe=self.pe, d_model=self.d_model),
            "target": lambda: SimpleNamespace(embedding=self.tgt_embedding, pe=self.pe, d_model=self.d_model),
            "pe": lambda: _tensor(stacks.positions(self.sizes.max_len, self.d_model)),
            "table": lambda: self.embedding if learned is None else _tensor(learned),
        }
        learned = weights.arrays.get("table.positions")
        if name in made:
            return made[name]()
        if name == "norm" and "norm.gain" not in weights.arrays:
            return self.norm_1
        if name.startswith("norm"):
            return _lifted(lambda x: sublayers.layer_norm(x, weights.part(name)))
        if name.endswith("_attention"):
            return partial(self._attention, weights.part(name))
        if name in {"gain", "shift"}:
            return _tensor(weights.must(name))
        if name in {"w_q", "w_k", "w_v", "w_o"}:
            return self._linear(name, name.replace("w", "b"))
        raise AttributeError(name)

    def split(self, x: Any) -> Any:
        """Heads in front of the positions."""
        return x.view(len(x), -1, self.heads, self.d_k).transpose(1, 2)

    def _linear(self, matrix: str, bias: str) -> Any:
        from torch import nn

        weight, shift = self.weights.must(matrix), self.weights.must(bias)
        made = nn.Linear(*weight.shape, dtype=_tensor(weight).dtype)
        made.weight.data, made.bias.data = _tensor(weight.T.copy()), _tensor(shift.copy())
        return made

    def _attention(self, weights: Roles, query: Any, key: Any = None, value: Any = None, mask: Any = None) -> Any:
        key, value = (query, query) if key is None else (key, value)
        return _lifted(lambda q, k, v, m: sublayers.multi_head(q, k, v, weights, self.heads, m))(
            query, key, value, mask
        )

    def _layer(self, number: int) -> Callable[..., Any]:
        weights = self.weights.part(f"layer_{number}")
        decodes = f"layer_{number}.norm_3.gain" in self.weights.arrays
        one: Callable[..., Any] = layers.decoder_layer if decodes else layers.encoder_layer

        def layer(*inputs: Any) -> Any:
            x, *masks = inputs
            before = (x, masks.pop(0), weights) if decodes else (x, weights)
            return _lifted(one)(*before, self.heads, *masks)

        return layer

    def _encoder(self, x: Any, mask: Any) -> Any:
        return _lifted(stacks.encoder)(x, self.weights.part("encoder"), self.heads, self.sizes.num_layers, mask)

    def _decoder(self, x: Any, memory: Any, *masks: Any) -> Any:
        sizes = self.sizes
        return _lifted(stacks.decoder)(x, memory, self.weights.part("decoder"), self.heads, sizes.num_layers, *masks)


class _Embedding:
    """A table that is looked up by ids."""

    def __init__(self, table: Any) -> None:
        self.weight = _tensor(table)
        self.num_embeddings, self.embedding_dim = table.shape

    def __call__(self, ids: Any) -> Any:
        return self.weight[ids]


def _tensor(value: Any) -> Any:
    import torch

    return value if value is None else torch.as_tensor(value)


def _lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays for tensors."""
    return lambda *inputs: _tensor(
        function(*(one.detach().numpy() if hasattr(one, "numpy") else one for one in inputs))
    )
