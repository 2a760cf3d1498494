"""Slips in the letters of an einsum: the source says which letters, and the answers whether they explain it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from grader.component import Evidence
from grader.components.syntax_signs import nodes
from grader.properties import Array

LOW = -1e9
TURNED = ", the other way round"
"""What follows the letters where the second array is passed first."""

_PAIR = re.compile(r"([A-Za-z.]+),([A-Za-z.]+)->([A-Za-z.]*)")


def product(said: str, first: Array, second: Array) -> Array:
    """Return ``einsum`` of two arrays as ``said``: ``einsum ij,kj->ik``, with :data:`TURNED` behind it or not."""
    letters = said.removesuffix(TURNED).rpartition(" ")[2]
    pair = (second, first) if said.endswith(TURNED) else (first, second)
    return np.asarray(np.einsum(letters, *pair))


def mistaken(letters: str) -> bool:
    """Whether no matrix product has such letters: one is summed in one array alone, or positions instead of features.

    Other slips, such as K not transposed, have names of their own.
    """
    found = _PAIR.fullmatch(letters)
    if found is None:
        return False
    one, other, out = (part.replace(".", "") for part in found.groups())
    alone = any((letter in one) != (letter in other) and letter not in out for letter in one + other)
    positions = len(one) > 1 and len(other) > 1 and one[-2] == other[-2] and one[-2] not in out
    return alone or positions or (one == other and len(out) < len(one) - 1)


def meets_columns(letters: str) -> bool:
    """Whether the last axes of both arrays meet: right for QKᵀ, and the weights times Vᵀ in the output."""
    found = _PAIR.fullmatch(letters)
    one, other, out = found.groups() if found else ("", "", "")
    return one[-1:] == other[-1:] != "" and one[-1] not in out


def _written(evidence: Evidence) -> Iterator[str]:
    """The letters of each einsum of two arrays that the source has, without spaces."""
    if not any("einsum" in chunk.code for module in evidence.modules for chunk in module.chunks):
        return
    for node in nodes(evidence):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "einsum":
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value.replace(" ", "")


def _fitted(knob: str, words: str, wrong: Callable[[str], bool]) -> Callable[[Evidence], Iterable[Mapping[str, Any]]]:
    """The slip with the letters that the source has; the fill of a mask is none of it."""

    def fit(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
        for letters in dict.fromkeys(_written(evidence)):
            if wrong(letters):
                for order in ("", TURNED):
                    said = f"{words} {letters}{order}"
                    yield from ({knob: said, "fill": fill} for fill in (-np.inf, LOW))
                    yield {knob: said, "mask_time": "indexed"}

    return fit


EINSUM: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-einsum-scores",
        """The letters of the einsum make no QKᵀ.
? Which letter do the rows of Q have, which the rows of K, and which of them does your result keep?
> Write the shapes below the letters: (n, d_k) and (m, d_k) must give (n, m).
= A letter that stands in one array only and not in the result is summed by itself, before anything is multiplied.
In the scores the rows of Q and the rows of K both stay, and only the features are summed: 'ij,kj->ik'. Where an axis
has the length 1, a wrong letter can look right.""",
        "The scores are the {product}, and that is not QKᵀ: 'ij,kj->ik' is.",
        _fitted("product", "einsum", mistaken),
        {"product": "einsum ij,kj->ij"},
        {"product": "einsum ij,kj->ij", "fill": LOW},
        {"product": "einsum ij,kj->jk"},
        {"product": "einsum ij,kl->ik"},
        {"product": "einsum ij,ik->jk"},
        {"product": "einsum ij,kj->i"},
        {"product": "einsum ij,kj->j"},
    ),
    (
        "sdpa-einsum-output",
        """The letters of the einsum do not average the values.
? Which letter do the weights and the values share, and is it summed?
> Write the shapes below the letters: (n, m) and (m, d_v) must give (n, d_v).
= The keys are the columns of the weights and the rows of V: that letter stands in both and not in the result,
'ij,jk->ik'. Another letter that is left out of the result is summed by itself.""",
        "The output is made from the {retrieve}, and that is not the weights times V: 'ij,jk->ik' is.",
        _fitted("retrieve", "values by einsum", lambda letters: mistaken(letters) or meets_columns(letters)),
        {"retrieve": "values by einsum ij,jk->ij"},
        {"retrieve": "values by einsum ij,jk->jk"},
        {"retrieve": "values by einsum ij,kl->il"},
        {"retrieve": "values by einsum ij,jk->i"},
        {"retrieve": "values by einsum ij,jk->k"},
        {"retrieve": "values by einsum ij,kj->ik"},
        {"retrieve": "values by einsum ij,ik->ik"},
    ),
)
"""In the form of the fitted slips: id, texts, what is told, how it is fitted, examples."""
