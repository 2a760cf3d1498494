"""The sizes at which modules are looked at: all different, so that every axis can be told by its length."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of one construction; ``batch``, ``n`` (queries, target) and ``m`` (keys, source) are those of the inputs.

    Products of d_model with 2, 3, 4, d_k, d_ff, 2 d_ff, vocabularies and max_len all differ, so that the number of
    entries of a tensor says what it can be; so it does of a table with a row or two more than max_len. No size but the
    number of projections is 2, 3 or 4 where a tensor could hold several.
    """

    d_model: int = 30
    num_heads: int = 5
    d_ff: int = 44
    num_layers: int = 2
    src_vocab: int = 11
    tgt_vocab: int = 13
    max_len: int = 19
    batch: int = 2
    n: int = 4
    m: int = 7

    @property
    def d_k(self) -> int:
        """Width of a head."""
        return self.d_model // self.num_heads

    @property
    def vocab(self) -> int:
        """The only vocabulary of a block that has one."""
        return self.tgt_vocab

    def argument(self, name: str, changes: Mapping[str, float] | None = None) -> float:
        """Return the value of one of ``KNOWN``, where ``changes`` replace single ones. Raises AttributeError."""
        changes = changes or {}
        if name in changes:
            return changes[name]
        if name in {"d_k", "d_v", "d_head"}:
            return self.d_model // int(changes.get("num_heads", self.num_heads))
        given: dict[str, float] = {"dropout": 0.0, "eps": 1e-5, "vocab": self.vocab}
        return given[name] if name in given else int(getattr(self, name))


SMALL = Sizes(d_model=4, num_heads=2, d_ff=3, src_vocab=5, tgt_vocab=7, max_len=6, batch=2, n=2, m=3)
"""Sizes of an example that can be read. Numbers of entries still tell tensors apart, though heads and their width do
not differ, but for a gate in one tensor with what it gates."""

KNOWN = (
    "d_model",
    "num_heads",
    "d_k",
    "d_v",
    "d_head",
    "d_ff",
    "num_layers",
    "src_vocab",
    "tgt_vocab",
    "vocab",
    "max_len",
    "dropout",
    "eps",
)
"""What a constructor may be given."""
