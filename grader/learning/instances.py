"""A part that is judged as a function and was written as a class: an adapter's lines make it and call it at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.catalog.adapter import FILE, adapted_by
from grader.learning import draft, words
from grader.learning.definitions import Definition, Taken
from grader.model import Interface

GIVEN = {
    "temperature": ("Q.shape[-1] ** 0.5",),
    "scale": ("Q.shape[-1] ** 0.5", "Q.shape[-1] ** -0.5"),
    "scalefactor": ("Q.shape[-1] ** 0.5", "Q.shape[-1] ** -0.5"),
    "sqrtdk": ("Q.shape[-1] ** 0.5",),
}
"""What an attention is made with, told by the queries: what scores are divided by, or multiplied with."""


def starts(base: Interface, one: Definition, parameters: Sequence[str]) -> Iterator[Interface]:
    """The ways to make it and to call it at once, likeliest first; none where its arguments say something else."""
    for called in draft.calls(one, parameters):
        given = called["parameters"]
        ours = list(given.values()) if isinstance(given, dict) else [str(name) for name in given]
        passed = [f"{name}={value}" for name, value in given.items()] if isinstance(given, dict) else ours
        for picks in itertools.product(*(_choices(taken) for taken in one.made)):
            chosen = [(taken, pick) for taken, pick in zip(one.made, picks, strict=True) if pick is not None]
            source = (
                f"class {base.component}:\n    def call(work, {', '.join(ours)}):\n"
                f"        return {draft.making(one, chosen)}({', '.join(passed)})\n"
            )
            yield adapted_by([base], source, Path(FILE))[0]


def _choices(taken: Taken) -> list[draft.Line | float | None]:
    """What an argument of the constructor is given; None leaves it out."""
    name = words.plain(taken.name)
    if name in GIVEN:
        return [draft.Line(text) for text in GIVEN[name]]
    if words.standing_for(taken.name, words.SIZES, ["d_k"]):
        return [draft.Line("Q.shape[-1]")]
    if words.standing_for(taken.name, words.SIZES, ["dropout"]):
        return [0.0]
    return [] if taken.required else [None]
