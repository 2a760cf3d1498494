"""What is shown of a module's failure is what its code was given, in the course's own meanings."""

from __future__ import annotations

import numpy as np

from grader import components as catalogue
from grader.model.assignment import Interface

ATTENTION = catalogue.block("multi_head_attention")
X = np.arange(24.0).reshape(2, 4, 3)
MASK = np.array([[True, False]])


def handed(*parameters: str, **conventions: object) -> dict[str, np.ndarray]:
    interface = Interface(ATTENTION.name, "Heads", parameters=parameters, conventions={"form": "class", **conventions})
    given = {"query": X, "key": X, "value": X, "mask": MASK}
    return dict(ATTENTION.making(interface, "Heads").handed(given))


def test_positions_come_first_where_the_course_has_them_first() -> None:
    assert handed("query", "key", "value")["query"].shape == (2, 4, 3)
    assert handed("query", "key", "value", batch="second")["query"].shape == (4, 2, 3)


def test_a_mask_is_shown_in_the_meaning_of_the_course() -> None:
    names = ("query", "key", "value", "mask")
    assert handed(*names)["mask"].tolist() == [[True, False]]
    assert handed(*names, mask="block")["mask"].tolist() == [[False, True]]
    assert handed(*names, mask="additive")["mask"].tolist() == [[0.0, -1e9]]
    assert handed(*names, mask="additive", mask_hides="infinite")["mask"].tolist() == [[0.0, -np.inf]]


def test_one_sequence_is_shown_once() -> None:
    assert [*handed("query")] == ["x"]
    assert [*handed("query", "mask")] == ["x", "mask"]


def test_a_mistake_of_axes_is_told_as_the_course_has_them() -> None:
    for order, first in (("first", "batch"), ("second", "positions")):
        interface = Interface(ATTENTION.name, "Heads", conventions={"form": "class", "batch": order})
        told = next(one for one in ATTENTION.under(interface).faults if one.id == "mha-sequence-first")
        assert f"The hand-out has {'the ' * (first == 'batch')}{first} first" in told.hints["hint"]
