"""The rubric that is written of a solution: what its lines name, and what they weigh."""

from __future__ import annotations

import pytest

from grader import components as catalogue
from grader.catalog import list_assignments, load_assignment, load_rubric, rubric_beside
from grader.learning.definitions import definitions
from grader.learning.files import OF_WEIGHTS, _criterion, weights
from grader.learning.lesson import Lesson, Question
from grader.model.assignment import Interface, Rubric
from grader.model.submission import CodeChunk, CodeModule


def bundled() -> list[Rubric]:
    return [load_rubric(rubric_beside(one.id), one) for one in map(load_assignment, list_assignments())]


def test_a_rubric_names_no_check_that_an_answer_leaves_unasked() -> None:
    one = definitions([CodeModule("work", (CodeChunk("class Heads:\n    pass\n", "work.py"),))])["Heads"]
    part = Interface("multi_head_attention", "Heads", (), ("query", "key", "value", "mask"))
    for questions, named in (((), True), ((Question("shapes", "mask_shapes", ["(n, m)"]),), False)):
        text = "\n".join(_criterion(Lesson(one, part, questions=questions), bundled()))
        assert ("id: multi_head_attention.mask_per_head" in text) is named
        assert "id: multi_head_attention.mask_for_all" in text


def test_what_is_never_asked_has_no_weight() -> None:
    said = {"form": "class", "mask_shapes": ["(n, m)", "(b, 1, 1, m)"]}
    asked = {at for at, _ in weights(Interface("multi_head_attention", "Heads", conventions=said), bundled())}
    assert "multi_head_attention.mask_for_all" in asked
    assert "multi_head_attention.mask_per_sample" not in asked


@pytest.mark.parametrize("part", ["language_model", "positional_encoding"])
def test_what_compares_with_the_paper_counts_more(part: str) -> None:
    block = catalogue.block(part)
    interface = Interface(part, "Thing", parameters=block.parameters[:1], conventions={"form": "class"})
    weighed = dict(weights(interface, bundled()))
    asked = block.asked(interface)
    computing = {f"{part}.{one.name}" for one in block.checks if one.owns is not None and one.name in asked}
    assert computing <= weighed.keys()
    assert {f"{part}.{name}" for name in OF_WEIGHTS & asked} <= weighed.keys()
    assert f"{part}.repeats_itself" not in weighed
    assert min(weighed.values()) > 1
    heart, *further = weighed.values()
    assert heart == 4 * max(further)
