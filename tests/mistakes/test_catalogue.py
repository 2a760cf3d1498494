"""The catalogue is whole: each mistake is one record with all its texts, and what it names is there."""

from __future__ import annotations

import copy
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import components, mistakes
from grader.blocks import faults
from grader.blocks.examine import Block
from grader.component.component import Component
from grader.errors import GraderError
from grader.judging import relation
from grader.model.assignment import Interface
from grader.paper.weights import Roles

FILES = mistakes.components()
RECORDS = [record for name in FILES for record in mistakes.of(name)]
WITHOUT_WAYS = {relation.ANY_FUNCTION, "integrity"}
"""Their mistakes are recognised where they are looked for."""


def functions() -> Iterator[Component]:
    for name in components.names():
        found = components.component(name, "function") if "function" in components.forms(name) else None
        if isinstance(found, Component):
            yield found


def blocks() -> Iterator[Block]:
    for name in components.names():
        found = components.component(name, "class") if "class" in components.forms(name) else None
        if isinstance(found, Block):
            yield found


def test_every_component_has_its_file_and_every_file_its_component() -> None:
    assert set(FILES) - set(components.names()) == {relation.ANY_FUNCTION}
    assert {one.name for one in functions()} <= set(FILES)


def test_an_id_has_one_record() -> None:
    assert [id_ for id_, times in Counter(record.id for record in RECORDS).items() if times > 1] == []
    assert all(mistakes.find(record.id) is record for record in RECORDS)
    assert all(mistakes.find(id_) for record in RECORDS for id_ in record.same_as if not id_.startswith("course-"))


def test_a_record_has_all_its_texts() -> None:
    for record in RECORDS:
        titles = {record.title, *(way.told for ways in record.ways.values() for way in ways)}
        assert all(title.endswith(".") for title in titles), record.id
        assert len(record.title) < 120, record.id
        assert all((record.question, record.look, record.why)), record.id
        assert record.why not in titles, record.id
        assert record.ways or record.component in WITHOUT_WAYS, record.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\ntitle = "T."\nquestion = "Q?"\nlook = "L."', "a has no why"),
        ('[a]\ntitle = "T."\nabout = "b"', "there is no table [about.b]"),
        ('[a]\ntitle = "T.', "Illegal character"),
    ],
)
def test_a_broken_file_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(GraderError, match=re.escape(said)) as raised:
        mistakes.records("x", f"{text}\n", "x.toml")
    assert str(raised.value).startswith("x.toml: ")


def test_no_texts_stand_in_two_records() -> None:
    """What several records say alike stands once, in a table of ``about``, which more than one of them names."""
    for name in FILES:
        tables = tomllib.loads((Path(mistakes.__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
        named = Counter(
            table.get("about") for id_, table in tables.items() if isinstance(table, dict) and id_ != "about"
        )
        assert {about for about in tables.get("about", {}) if named[about] < 2} == set()


def said(function: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """What an exception says, if there is one."""
    try:
        function(**given)
    except Exception as error:  # noqa: BLE001 - the mistaken code raises what it will
        return str(error)
    return ""


@pytest.mark.parametrize("component", list(functions()), ids=lambda one: one.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_have_the_knobs_that_are_turned(component: Component) -> None:
    inputs = next(iter(component.ladder(np.random.default_rng(0), {}))).inputs
    for made in component.misconceptions:
        shop = component.workshop
        turned = [shop[name] for name in made.by_target(component.target)] if isinstance(shop, dict) else [shop]
        for one in turned if made.knobs else []:
            known = signature(one).parameters
            if all(parameter.kind is not Parameter.VAR_KEYWORD for parameter in known.values()):
                assert set(made.knobs) <= set(known), made.id
                continue
            assert "unexpected keyword" not in said(one, {**copy.deepcopy(inputs), **made.knobs}), made.id


@pytest.mark.parametrize("block", list(blocks()), ids=lambda one: one.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_setting_of_a_module_changes_what_it_computes(block: Block) -> None:
    making = block.making(Interface(block.name, block.target), block.target)
    rng = np.random.default_rng(0)
    cases = block.cases(rng, making)
    roles = Roles({role: rng.normal(size=shape) for role, shape in block.shapes(block.sizes).items()})

    def answers(knobs: Mapping[str, Any]) -> Iterator[Any]:
        for case in cases:
            try:
                yield block.compute(roles, case.inputs, block.sizes, knobs)
            except (ValueError, LookupError, AssertionError):
                yield None

    right = list(answers(block.free[0]))
    for made in (one for one in block.faults if one.component == block.name):
        both = zip(answers({**block.free[0], **made.knobs}), right, strict=True)
        assert any(one is None or not np.array_equal(one, other, equal_nan=True) for one, other in both), made.id


def test_what_a_record_names_is_registered_and_what_is_registered_is_named() -> None:
    there = {one.name: set(one.hooks) for one in functions()}
    used: dict[str, set[str]] = {name: set() for name in there}
    told: set[str] = set()
    for record in RECORDS:
        ways = [(form, way) for form, listed in record.ways.items() for way in listed]
        for hook in {way.special[name] for _, way in ways for name in mistakes.HOOKS if name in way.special}:
            of_functions = "function" in record.ways and hook in there.get(record.component, ())
            of_modules = "module" in record.ways and hook in {*faults.TWINS, *faults.WRITTEN}
            assert of_functions or of_modules, (record.id, hook)
            used[record.component].add(hook) if of_functions else None
            for around in functions():
                used[around.name] |= {hook} & there[around.name] if around.inside[0] == record.component else set()
            told |= {hook} if of_modules else set()
    assert used == there
    assert told == {*faults.TWINS, *faults.WRITTEN}


def test_the_signs_of_modules_are_records() -> None:
    source = "\n".join(
        path.read_text() for room in ("blocks", "components") for path in Path("grader", room).glob("*.py")
    )
    named = set(re.findall(r"\.sign\(\s*\"([\w-]+)\"", source))
    assert named
    assert named | {id_ for block in blocks() for id_ in block.signs} <= {record.id for record in RECORDS}


IN_MODELS = {
    "none": "nothing",
    "single_row_last": "last",
    "first_row": "first",
    "from_one": "from_one",
    "from_the_end": "reversed",
    "by_batch": "batch",
    "multiplied": "multiplied",
    "subtracted": "subtracted",
    "instead": "returned",
    "twice": "twice",
}
"""What a model does with its rows, and what a class of positions does that it is made of: it is paid for once."""


@pytest.mark.parametrize("model", IN_MODELS)
def test_a_slip_of_a_class_of_positions_is_known_again_in_models(model: str) -> None:
    of_classes = [{"lpe.rows": IN_MODELS[model]}, {"lpe.how": IN_MODELS[model]}]
    made = {record.id: [way.settings for way in record.ways.get("module", ())] for record in RECORDS}
    known = {id_ for record in RECORDS if {"trf.pe": model} in made[record.id] for id_ in record.same_as}
    assert known
    assert {id_ for id_, settings in made.items() if any(one in settings for one in of_classes)} <= known
