"""What the child says about a module has one form; a reply of any other form is no answer."""

from __future__ import annotations

import numpy as np
import pytest
from grader.sandbox import shapes

ROW = {
    "name": "w",
    "shape": [2, 3],
    "requires_grad": True,
    "owner_class": "Linear",
    "same_as": None,
    "apart": False,
}
PARTS = {
    "parameters": [ROW, ROW | {"name": "v", "same_as": "w"}],
    "hidden": [],
    "loose": [{"name": "x", "shape": [2]}],
    "unlearned": [{"name": "x", "shape": [2]}],
    "unregistered": ["layers"],
    "repeated": [["a", "b"]],
}
RIGHT = [
    ({"do": "let", "as": "x", "value": 1}, None),
    ({"do": "call", "target": "f", "quiet": True}, None),
    ({"do": "call", "target": "f"}, {"anything": [1, None]}),
    ({"do": "get", "name": "x"}, "anything"),
    ({"do": "random_state"}, "00ff"),
    ({"do": "inventory", "on": "m"}, PARTS),
    ({"do": "trace", "on": "m"}, {"value": (1, 2), "uses": [["w", "linear"]]}),
    ({"do": "gradient", "inputs": ["x"]}, {"parameters": {"w": None}, "inputs": {"x": np.ones(2)}}),
    ({"do": "train_copy"}, None),
    ({"do": "copy_scores"}, "anything"),
    ({"do": "decode_copies"}, [[1, 2], []]),
]
WRONG = [
    ({"do": "seed", "value": 1}, 1),
    ({"do": "mode", "on": "m"}, "done"),
    ({"do": "call", "target": "f", "quiet": True}, 1),
    ({"do": "random_state"}, None),
    ({"do": "inventory"}, None),
    ({"do": "inventory"}, {name: part for name, part in PARTS.items() if name != "loose"}),
    ({"do": "inventory"}, PARTS | {"more": []}),
    ({"do": "inventory"}, PARTS | {"unlearned": ["x"]}),
    ({"do": "inventory"}, PARTS | {"parameters": {"w": ROW}}),
    ({"do": "inventory"}, PARTS | {"parameters": [ROW | {"shape": [2.0, 3]}]}),
    ({"do": "inventory"}, PARTS | {"parameters": [ROW | {"shape": [-1]}]}),
    ({"do": "inventory"}, PARTS | {"parameters": [ROW | {"shape": np.ones(2)}]}),
    ({"do": "inventory"}, PARTS | {"parameters": [ROW | {"same_as": "nowhere"}]}),
    ({"do": "inventory"}, PARTS | {"parameters": [ROW | {"requires_grad": 1}]}),
    ({"do": "inventory"}, PARTS | {"repeated": [["a", "b", "more"]]}),
    ({"do": "trace"}, {"value": 1, "uses": [["w"]]}),
    ({"do": "trace"}, {"value": 1}),
    ({"do": "gradient", "inputs": ["x"]}, {"parameters": {}, "inputs": {}}),
    ({"do": "gradient", "inputs": []}, {"parameters": {"w": [1.0]}, "inputs": {}}),
    ({"do": "gradient", "inputs": []}, {"parameters": {"w": np.ones(2, dtype=bool)}, "inputs": {}}),
    ({"do": "train_copy"}, {"losses": [1.0]}),
    ({"do": "decode_copies"}, [[1.0]]),
    ({"do": "decode_copies"}, [[-1]]),
]


@pytest.mark.parametrize(("step", "value"), RIGHT, ids=lambda item: str(item)[:60])
def test_what_the_child_reports_fits(step, value):
    assert shapes.fit([step], [value])


@pytest.mark.parametrize(("step", "value"), WRONG, ids=lambda item: str(item)[:60])
def test_what_the_child_never_reports_does_not_fit(step, value):
    assert not shapes.fit([step], [value])


def test_values_may_end_before_the_steps_do():
    assert shapes.fit([{"do": "seed"}, {"do": "inventory"}], [None])


def test_every_step_has_a_form():
    from grader.sandbox import steps

    assert shapes._FORMS.keys() == steps._STEPS.keys()
