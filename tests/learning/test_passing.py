"""What an adapter's lines pass: by place, so that each student's names will do, and told with the keys of dicts."""

from __future__ import annotations

import ast

import pytest

from grader.learning.definitions import Definition, Taken, definitions
from grader.learning.handout import handout
from grader.learning.instances import told_more
from grader.learning.passing import passed, written
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule

TAKEN = (Taken("a"), Taken("b"), Taken("c", None), Taken("d", None, by_name=True))


@pytest.mark.parametrize(
    ("names", "text"),
    [("ab", "A, B"), ("ba", "A, B"), ("abc", "A, B, C"), ("ac", "A, c=C"), ("abcd", "A, B, C, d=D"), ("d", "d=D")],
)
def test_names_are_written_where_places_do_not_do(names: str, text: str) -> None:
    assert written(TAKEN, {name: name.upper() for name in names}) == text


NORM = """
def norm(x, {settings}):
    return {settings}["gamma"] * x + {settings}["beta"] + {settings}.get("eps", 1e-5)
"""


def norm(settings: str) -> Definition:
    return definitions([CodeModule("m", (CodeChunk(NORM.format(settings=settings), "m.py"),))])["norm"]


def test_a_dict_is_passed_by_place_and_the_handout_names_its_keys() -> None:
    mine, theirs = norm("ln_param"), norm("other")
    parameters = ("x", "gain", "shift", "eps")
    base = Interface("layer_norm", "norm", conventions={"form": "function"})
    interface = next(iter(told_more(base, mine, parameters, {"eps": 1e-5}, {"norm": mine})))
    assert interface.adapter is not None
    assert "work.norm(x, {'gamma': gain, 'beta': shift, 'eps': eps})" in interface.adapter.source
    assert isinstance(passed(interface, theirs)["other"], ast.Dict)
    text = handout([(interface, theirs)], "mine", "Course", ["m.py"], torch=False)
    assert "`other` is a dict with `gamma` (gain), `beta` (shift), `eps`." in text
