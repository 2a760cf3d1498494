"""What an assignment says of a component, compared with what the component knows: nothing is accepted and ignored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.component.convention import Settled
from grader.errors import nearest
from grader.model import Interface

Complaint = tuple[tuple[str | int, ...], str]
"""The field below the component, and what is wrong with it."""


def of_conventions(settled: Sequence[Settled], item: Interface) -> Iterator[Complaint]:
    """Complain about conventions that the component does not know, and about values that they do not have."""
    known = {one.key: one for one in settled}
    for key, value in item.conventions.items():
        if key not in known:
            message = f"{item.component} knows no convention {key!r}. {nearest(str(key), tuple(sorted(known)))}"
            yield ("conventions", key), message
        elif wrong := known[key].complaint(value):
            yield ("conventions", key), wrong
