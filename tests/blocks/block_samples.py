"""Samples, their headers, and what was judged of them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.model.outcome import Outcome, Verdict

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "submissions" / "transformer-from-scratch" / "correct"
CLASSES = {
    "multi_head_attention": "MultiHeadAttention",
    "feed_forward": "PositionwiseFeedForward",
    "layer_norm": "LayerNorm",
    "add_norm": "AddNorm",
    "learned_positional_encoding": "LearnedPositionalEncoding",
    "token_embedding": "TokenEmbedding",
    "encoder_layer": "EncoderLayer",
    "decoder_layer": "DecoderLayer",
    "encoder": "Encoder",
    "decoder": "Decoder",
    "transformer": "Transformer",
    "weight_tying": "TiedOutput",
    "copy_task": "Transformer",
}


@dataclass(frozen=True)
class Judged:
    """The outcomes of one component."""

    outcomes: tuple[Outcome, ...]

    @property
    def lost(self) -> dict[str, Outcome]:
        """Checks that did not pass, by name."""
        return {o.check.partition(".")[2]: o for o in self.outcomes if o.verdict is not Verdict.PASSED}

    @property
    def named(self) -> set[str]:
        """Mistakes named, the first of each family."""
        return {o.diagnosis.id for o in self.lost.values() if o.diagnosis is not None}

    @property
    def said(self) -> dict[str, tuple[str, str]]:
        """Verdict and message of what was lost."""
        return {name: (o.verdict.value, o.message) for name, o in self.lost.items()}


Judge = Callable[..., Judged]
STACKS = {"encoder_layer", "decoder_layer", "encoder", "decoder", "transformer", "copy_task"}
"""The components that take seconds each: what is made of whole layers."""


def bare(code: str) -> str:
    """The source without comments, which give a mistake away."""
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(code).readline) if t.type != tokenize.COMMENT]
    return tokenize.untokenize(tokens)


def header(path: Path) -> tuple[str, str]:
    """Component and misconception (empty: right) of a sample file."""
    first = path.read_text().splitlines()[0]
    component = re.search(r"component: (\w+)", first)
    mistake = re.search(r"misconception: (\S+)", first)
    return component.group(1) if component else "", mistake.group(1) if mistake else ""


def samples(folder: Path) -> list[Path]:
    """The files of a folder whose component is handed in as a class."""
    return [
        path for path in sorted(folder.glob("*.py")) if header(path)[0] in CLASSES and "nn.Module" in path.read_text()
    ]


def by_size(folder: Path) -> Iterator[Any]:
    """The samples of a folder as parameters; those of whole layers are among the slow tests."""
    for path in samples(folder):
        yield pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if header(path)[0] in STACKS else [])
