"""Slips in the letters of an einsum: the source says which letters, and the answers whether they explain it."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from grader.component.checks import Evidence
from grader.components.syntax_signs import nodes
from grader.paper.einsum import TURNED

LOW = -1e9
_PAIR = re.compile(r"([A-Za-z.]+),([A-Za-z.]+)->([A-Za-z.]*)")


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


def meets_rows(letters: str) -> bool:
    """Whether the features of the first array meet the rows of the second: an axis of length 1 hides it."""
    found = _PAIR.fullmatch(letters)
    one, other, out = found.groups() if found else ("", "", "")
    return len(other) > 1 and one[-1:] == other[-2] and one[-1] not in out


def of_no_average(letters: str) -> bool:
    """Whether the letters do not average values by weights."""
    return mistaken(letters) or meets_columns(letters)


def transposed(letters: str) -> bool:
    """Whether the result has the rows of the second array in front of those of the first."""
    found = _PAIR.fullmatch(letters)
    one, other, out = found.groups() if found else ("", "", "")
    rows = meets_columns(letters) and len(one) > 1 < len(other) and len(out) > 1
    return bool(rows) and (out[-2], out[-1]) == (other[-2], one[-2])


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


def fitted_letters(
    knob: str, wrong: Callable[[str], bool], masked: str = "mask_time", **beside: str
) -> Callable[[Evidence], Iterable[Mapping[str, Any]]]:
    """The slip with the letters that the source has, and ``beside`` it; how a mask is filled in is none of it."""

    def fit(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
        written = tuple(dict.fromkeys(_written(evidence)))
        for letters in filter(wrong, written):
            for order in ("", TURNED):
                said = {**beside, knob: f"{_WORDS[knob]} {letters}{order}"}
                for also in ({}, *_beside(knob, letters, written)):  # it stretches axes of length 1 where @ fails
                    yield from ({**said, **also, "fill": fill} for fill in (-np.inf, LOW))
                    if masked:
                        yield {**said, **also, masked: "indexed"}

    return fit


def _beside(knob: str, letters: str, written: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """The other product, written as an einsum too."""
    other = next(name for name in _WORDS if name != knob)
    yield from ({other: f"{_WORDS[other]} {more}"} for more in written if more != letters)
