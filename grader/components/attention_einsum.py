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


def _meets_rows(letters: str) -> bool:
    """Whether the features of the first array meet the rows of the second: an axis of length 1 hides it."""
    found = _PAIR.fullmatch(letters)
    one, other, out = found.groups() if found else ("", "", "")
    return len(other) > 1 and one[-1:] == other[-2] and one[-1] not in out


def _of_no_average(letters: str) -> bool:
    return mistaken(letters) or meets_columns(letters)


def _written(evidence: Evidence) -> Iterator[str]:
    """The letters of each einsum of two arrays that the source has, without spaces."""
    if not any("einsum" in chunk.code for module in evidence.modules for chunk in module.chunks):
        return
    for node in nodes(evidence):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "einsum":
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value.replace(" ", "")


_WORDS = {"product": "einsum", "retrieve": "values by einsum"}


def _fitted(
    knob: str, wrong: Callable[[str], bool], masked: str = "mask_time"
) -> Callable[[Evidence], Iterable[Mapping[str, Any]]]:
    """The slip with the letters that the source has; how a mask is filled in is none of it."""

    def fit(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
        written = tuple(dict.fromkeys(_written(evidence)))
        for letters in filter(wrong, written):
            for order in ("", TURNED):
                said = {knob: f"{_WORDS[knob]} {letters}{order}"}
                for also in ({}, *_beside(knob, letters, written)):  # it stretches axes of length 1 where @ fails
                    yield from ({**said, **also, "fill": fill} for fill in (-np.inf, LOW))
                    if masked:
                        yield {**said, **also, masked: "indexed"}

    return fit


def _beside(knob: str, letters: str, written: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """The other product, written as an einsum too."""
    other = next(name for name in _WORDS if name != knob)
    yield from ({other: f"{_WORDS[other]} {more}"} for more in written if more != letters)


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
        _fitted("product", mistaken),
        {"product": "einsum ij,kj->ij"},
    ),
    (
        "sdpa-keys-not-transposed",
        """K is not transposed in the product with Q.
? Which letter of K holds the features that a query is compared by?
> Both arrays have their features in the last axis: they share that letter.
= Q is (n, d_k) and K is (m, d_k), so the letter that is summed comes last in both: 'ij,kj->ik'. Where there is one key,
numpy stretches its axis of length 1, and nothing fails.""",
        "K is not transposed in the product with Q: the scores are the {product}.",
        _fitted("product", _meets_rows),
        {"product": "einsum ...ij,...jk->...ik"},
    ),
    (
        "sdpa-einsum-output",
        """The letters of the einsum do not average the values.
? Which letter do the weights and the values share, and is it summed?
> Write the shapes below the letters: (n, m) and (m, d_v) must give (n, d_v).
= The keys are the columns of the weights and the rows of V: that letter stands in both and not in the result,
'ij,jk->ik'. Another letter that is left out of the result is summed by itself.""",
        "The output is made from the {retrieve}, and that is not the weights times V: 'ij,jk->ik' is.",
        _fitted("retrieve", _of_no_average),
        {"retrieve": "values by einsum ij,jk->ij"},
    ),
)
"""In the form of the fitted slips: id, texts, what is told, how it is fitted, examples."""

OF_HEADS: tuple[tuple[Any, ...], ...] = (
    (
        "mha-einsum-scores",
        EINSUM[0][1],
        "The scores of the heads are the {product}, and that is not QKᵀ: '...qd,...kd->...qk' is.",
        _fitted("product", lambda letters: mistaken(letters) or _meets_rows(letters), ""),
        {"product": "einsum ...qd,...kd->...qd"},
    ),
    (
        "mha-einsum-output",
        EINSUM[2][1],
        "The heads are made from the {retrieve}, and that is not the weights times V: '...qk,...kd->...qd' is.",
        _fitted("retrieve", _of_no_average, ""),
        {"retrieve": "values by einsum ...qk,...kd->...kd"},
    ),
)
"""The same for the heads of multi-head attention."""
