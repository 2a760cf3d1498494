"""Every convention that a course can settle of a torch block, in both directions: declared it is right, else a mistake.

Generated from the records of the blocks: a new convention, or a new value, adds its own tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from grader import components
from grader.auditing.modules import rehearse
from grader.blocks.examine import Block
from grader.judging.settling import under
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

EXAMPLE = 0.3
"""A number for conventions that take one."""


def block_of(name: str) -> Block:
    block = components.component(name, "class")
    assert isinstance(block, Block)
    return block


def interface(name: str, **conventions: Any) -> Interface:
    """The block as a course sets it; what means something for ids alone is set for a stack that embeds them itself."""
    block = block_of(name)
    passing = {one.passing for one in block.settled if one.key in conventions and one.passing}
    ways = [way for way in block.ways if passing <= {*way}] if passing else [()]
    return Interface(name, block.target, parameters=ways[0], conventions=conventions)


def declarable() -> Iterator[tuple[str, str, Any]]:
    """Component, key and value of every setting of a class that turns a knob; of stacks one value for each key.

    The copy task trains what is a Transformer in all else.
    """
    for name in components.names():
        if "class" in components.forms(name) and name != "copy_task":
            block = block_of(name)
            for one in block.settled:
                values = [value for value in one.values if one.knobs(value)]
                tried = (*values, *([EXAMPLE] if one.number else []))
                # The parts of a stack are looked at by themselves.
                yield from ((name, one.key, value) for value in (tried[:1] if block.cost > 2 else tried))


DECLARABLE = list(declarable())
WHOLE = {"decoder_layer", "encoder", "decoder", "transformer", "language_model"}
"""What is searched for long."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_keeps_every_point(name: str, key: str, value: Any) -> None:
    found = rehearse(block_of(name), None, interface(name, **{key: value}))
    assert [(one.check, one.message) for one in found if one.verdict is not Verdict.PASSED] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        pytest.param(*row, marks=[pytest.mark.slow] if row[0] in WHOLE else [], id="-".join(map(str, row)))
        for row in DECLARABLE
    ],
)
def test_what_the_course_settles_otherwise_is_a_mistake_with_a_name(name: str, key: str, value: Any) -> None:
    said = interface(name, **{key: value})
    settled = next(one for one in block_of(name).settled if one.key == key)
    others = [fault for fault in block_of(name).under(said).faults if fault.id.startswith("course-")]
    paper = [fault for fault in others if set(fault.knobs.values()) == {None}]
    assert paper or settled.convention.default == "free" or settled.beside
    for fault in paper[:1]:
        lost = [one for one in rehearse(block_of(name), fault, said) if one.verdict is not Verdict.PASSED]
        assert fault.id in {one.diagnosis.id for one in lost if one.diagnosis}, [one.message for one in lost]


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_is_no_mistake_of_any_name(name: str, key: str, value: Any) -> None:
    block = block_of(name).under(interface(name, **{key: value}))
    mistakes = [one for one in block.faults if one.knobs]
    assert not [one.id for one in mistakes if {**block.right, **one.knobs} == block.right]


@pytest.mark.parametrize("form", ["class", "function"])
def test_a_norm_by_the_root_mean_square_is_told_without_mean_and_variance(form: str) -> None:
    said = Interface("layer_norm", "LayerNorm", conventions={"form": form, "centred": False})
    part = components.component("layer_norm", form)
    part = part.under(said) if isinstance(part, Block) else under(part, said)
    told = [(one.id, text) for one in part.misconceptions for text in (one.told, *one.hints.values())]
    told = [row for row in told if not row[0].startswith("course-")]
    told += [(check.name, text) for check in part.checks for text in (check.title, check.detail)]
    assert [row for row in told if re.search(r"[Vv]ariance|deviation|ean and|- mean\)", row[1])] == []


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in DECLARABLE))
def test_the_papers_own_value_declared_changes_nothing(name: str) -> None:
    block = block_of(name)
    paper = {one.key: one.convention.default for one in block.settled if one.convention.default in one.values}
    said = interface(name, **paper)
    plain = block.under(replace(said, conventions={}))
    assert replace(block.under(said), faults=()) == replace(plain, faults=())


@pytest.mark.parametrize("name", [name for name, key, value in DECLARABLE if (key, value) == ("norm", "pre")])
def test_no_text_speaks_of_the_norm_of_a_sum_where_the_norm_stands_in_front(name: str) -> None:
    told = block_of(name).under(interface(name, norm="pre"))
    signs = [found for one in told.signs if (found := told.sign(one)) is not None]
    texts = [text for one in (*told.faults, *signs) for text in (one.title, *one.hints.values())]
    texts += [said for check in told.checks for said in (check.title, check.detail)]
    of_sums = re.compile(
        r"Norm\(x \+|Add & Norm|and the sum is not|instead of to their sum|applied to the sum of|added and normalised|"
        r"before its norm|ends with a norm|where the paper has it after"
    )
    assert [text for text in texts if of_sums.search(text)] == []
    assert any("x + " in text and "(LayerNorm(x))" in text for text in texts)
