"""The lines of the catalogue are true: in a right program the wrong ones make the mistake that they stand for."""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from inspect import Parameter, signature
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from module_parts import Module

import reference
from grader import components, mistakes
from grader.blocks.examine import Block
from grader.component.calls import Case, StepFn, live
from grader.component.component import Component
from grader.mistakes import Mistake
from grader.model.assignment import Interface
from grader.paper.weights import Roles

Answering = Callable[..., Any]
RECORDS = [record for name in mistakes.components() for record in mistakes.of(name)]
PROGRAMS = {
    f"{path.stem} {number}": {"component": path.stem, **entry}
    for path in sorted((Path(__file__).parent / "programs").glob("*.toml"))
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["program"], 1)
}
"""Right programs in which lines of the catalogue stand.

``domain`` narrows the cases that they are asked, ``mask`` to those with a mask of so many axes; ``more`` are further
ones. A program of a ``block`` is the forward of a module, under ``conventions`` where there are any.
"""
WITHOUT_CODE = {"integrity-always-equal-object", "integrity-patches-comparator", "integrity-reads-expected-from-caller"}
"""What is aimed at the grading, and is no slip in a line of the exercise."""
ALIKE = {
    "beam-ignores-the-end", "beam-keeps-the-worst", "beam-multiplies-logs", "beam-score-is-not-the-sum",
    "causal-mask-hardcoded-size", "dropout-active-in-evaluation", "dropout-changes-its-input", "dropout-ignores-rng",
    "dropout-keep-prob-confusion", "dropout-mask-inverted", "embedding-no-scale", "embedding-scale-wrong",
    "ffn-writes-into-x", "ls-view-on-noncontiguous", "mha-einsum-output", "mha-fixed-number-of-axes",
    "mha-heads-share-projections", "mha-sequence-first", "mha-writes-into-query", "pe-not-added",
    "sdpa-best-value-only", "sdpa-first-mask-for-all", "sdpa-first-sample-for-all", "softmax-over-last-two-axes",
    "softmax-turned", "tgt-mask-ignores-padding",
}  # fmt: skip
"""Lines as they are usually written, whose answers no setting gives to the letter."""
BEHIND = {"gradient-of-another-function", "float64-not-kept", "tie-one-way-gradient"}
"""What gives the right numbers, and differs behind them."""
LACKING = {NameError, AttributeError, TypeError}
"""What lines raise that do not stand where they belong."""
ENDLESS = 200
"""No sentence of the cases takes so many steps."""


def test_code_with_the_mistake_stands_beside_code_without() -> None:
    assert {record.id for record in RECORDS if not record.wrong} == WITHOUT_CODE
    for record in (one for one in RECORDS if one.wrong or one.right):
        for code in (record.wrong, record.right):
            ast.parse("def function():\n" + indent(code, "    "), record.id)
            assert max(map(len, code.splitlines())) < 72, record.id  # behind a label in 80 columns
        assert record.wrong != record.right, record.id


@dataclass(frozen=True)
class Program:
    """A right program with the cases that it is asked, what they should give, and what the known mistakes give."""

    source: str
    cases: Sequence[Mapping[str, Any]]
    made: Callable[[str], Answering]
    oracle: Answering
    ways: Callable[[str], list[Answering]]


def function_of(source: str) -> Answering:
    """The last function of a program."""
    namespace: dict[str, Any] = {"np": np, "math": math, "softmax": reference.softmax} | {
        "SimpleNamespace": SimpleNamespace
    }
    if re.search(r"\b(torch|F|self)\.", source):
        torch = pytest.importorskip("torch")
        torch.set_num_threads(1)
        namespace |= {
            "torch": torch,
            "nn": torch.nn,
            "F": torch.nn.functional,
            "causal": lambda n: torch.ones(n, n).tril().bool(),
        }
    exec(compile(source, "program", "exec"), namespace)  # noqa: S102 - our own lines
    last = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)][-1]
    found: Answering = namespace[last]
    return found


@lru_cache(maxsize=128)
def program(name: str) -> Program:
    entry = PROGRAMS[name]
    right = function_of(entry["source"])
    parameters = dict(signature(right).parameters)
    parameters.pop("self", None)
    needed = {name for name, one in parameters.items() if one.default is Parameter.empty}

    usual = {} if "block" in entry else components.function(entry["component"]).taken()

    def left_out(name: str, value: Any) -> bool:
        """Whether it is no argument of the program, and stands for what the oracle has without it."""
        number = name in usual and isinstance(value, int | float)
        return value is None or (name not in parameters and number and value == usual[name].default)

    def taken(cases: Iterator[Any]) -> list[Mapping[str, Any]]:
        given = [{name: one for name, one in case.inputs.items() if not left_out(name, one)} for case in cases]
        axes = entry.get("mask", 0)
        given = [inputs for inputs in given if not axes or np.ndim(inputs.get("mask", 0)) == axes]
        return [inputs for inputs in given if needed <= set(inputs) <= set(parameters)]

    if "block" in entry:
        block = components.component(entry["block"], "class")
        said = Interface(block.name, block.target, conventions=entry.get("conventions", {}))
        return of_module(block.under(said), entry["source"], taken)
    component = components.component(entry["component"], "function")
    return of_function(component, entry, right.__name__, taken)


Taken = Callable[[Iterator[Any]], list[Mapping[str, Any]]]


def of_function(component: Component, entry: Mapping[str, Any], name: str, taken: Taken) -> Program:
    target = name if name in component.oracles else component.target

    def cases() -> Iterator[Case]:
        for inputs in entry.get("more", ()):
            yield Case({name: np.array(value) for name, value in inputs.items()}, "beside the program", target=target)
        yield from component.ladder(np.random.default_rng(0), entry.get("domain", {}))

    def ways(id_: str) -> list[Answering]:
        found = [one.by_target(component.target) for one in component.misconceptions if one.id == id_]
        return [by_target[target] for by_target in found if target in by_target]

    asked = taken(case for case in cases() if (case.target or component.target) == target)
    return Program(entry["source"], asked, function_of, component.oracle(target), ways)


def of_module(block: Block, source: str, taken: Taken) -> Program:
    making = block.making(Interface(block.name, block.target), block.target)
    rng = np.random.default_rng(0)
    cases = taken(iter(block.cases(rng, making)))
    arrays = {role: rng.normal(size=shape) for role, shape in block.shapes(block.sizes).items()}
    if block.name == "weight_tying":
        arrays["generator.w"], arrays["generator.b"] = arrays["tgt_table"].T, np.zeros(len(arrays["tgt_table"]))
    roles = Roles(arrays)

    def computed(knobs: Mapping[str, Any], **inputs: Any) -> Any:
        return block.compute(roles, inputs, block.sizes, {**block.free[0], **block.right, **knobs})

    def made(source: str) -> Answering:
        return partial(Module(roles, block.sizes).call, function_of(source))

    def ways(id_: str) -> list[Answering]:
        return [partial(computed, one.knobs) for one in block.faults if one.id == id_]

    return Program(source, cases, made, partial(computed, {}), ways)


def placed(source: str, record: Mistake) -> str:
    """The program with the wrong lines in the place of the right ones; empty where these do not stand in it."""
    right, wrong = (
        re.sub("  #.*", "", code).removesuffix(" ...").splitlines() for code in (record.right, record.wrong)
    )
    source = re.sub("  #.*", "", source)
    for line in source.splitlines():
        margin = "\n" + " " * (len(line) - len(line.lstrip()))
        if right[0] in line and margin.join(right) in source:
            return source.replace(margin.join(right), margin.join(wrong), 1)
    return ""


class Steps:
    """A model that is asked a bounded number of times."""

    def __init__(self, model: StepFn) -> None:
        self.model, self.asked = model, 0

    def __call__(self, prefix: Sequence[int]) -> Any:
        self.asked += 1
        if self.asked > ENDLESS:
            raise TimeoutError
        return self.model(list(prefix))


def seeded(seed: int = 0, _made: Callable[..., np.random.Generator] = np.random.default_rng) -> np.random.Generator:
    """A generator that draws the same for all, where none is passed."""
    return _made(seed)


def answer(function: Answering, case: Mapping[str, Any]) -> list[Any]:
    """What comes back, or the class of what is raised; and what has become of the arguments."""
    given = live(case)
    given |= {name: Steps(value) for name, value in given.items() if isinstance(value, StepFn)}
    try:
        with np.errstate(all="ignore"), patch("numpy.random.default_rng", seeded):
            value = plain(function(**given))
    except Exception as error:  # noqa: BLE001 - whatever a mistake raises
        value = type(error)
    return [value, *(plain(array) for array in given.values() if isinstance(array, np.ndarray | list))]


def plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return np.array(value.detach().numpy() if hasattr(value, "detach") else value)


def same(one: Any, other: Any) -> bool:
    """Whether answers agree; of what is raised only that nothing lacked its name."""
    if isinstance(one, list) or isinstance(other, list):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, type) or isinstance(other, type):
        return isinstance(one, type) and isinstance(other, type) and NameError not in {one, other}
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    close = 1e-4 if np.float32 in {one.dtype.type, other.dtype.type} else 1e-7
    return bool(np.allclose(one, other, rtol=close, atol=1e-12, equal_nan=True))


@lru_cache(maxsize=128)
def expected(name: str) -> list[Any]:
    return [answer(program(name).oracle, case) for case in program(name).cases]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_program_is_right(name: str) -> None:
    right = program(name)
    made = right.made(right.source)
    assert right.cases
    assert [
        case for case, want in zip(right.cases, expected(name), strict=True) if not same(answer(made, case), want)
    ] == []


PLACES = {
    record.id: tuple(
        (name, source)
        for name, entry in PROGRAMS.items()
        if entry["component"] == record.component and (source := placed(entry["source"], record))
    )
    for record in RECORDS
    if record.wrong and record.id not in BEHIND
}


def test_nearly_all_lines_stand_in_a_program() -> None:
    assert sum(map(bool, PLACES.values())) > 0.9 * len(PLACES)
    assert set(PLACES) >= ALIKE


@pytest.mark.sampled(2)
@pytest.mark.parametrize("component", mistakes.components())
def test_wrong_lines_make_their_mistake(component: str) -> None:
    """They answer as a known setting does; where none says it to the letter, they answer wrongly at least."""
    ids = [record.id for record in mistakes.of(component) if PLACES.get(record.id)]
    assert {id_: found for id_ in ids if (found := shown(id_)) != ("alike" if id_ in ALIKE else "right")} == {}


def shown(id_: str) -> str:
    """Whether the lines make the mistake."""
    differs = ways_there_are = False
    for name, source in PLACES[id_]:
        right = program(name)
        made, ways = right.made(source), right.ways(id_)
        got = [answer(made, case) for case in right.cases]
        wrong = [one[0] for one, want in zip(got, expected(name), strict=True) if not same(one, want)]
        if wrong and any(all(map(same, got, (answer(way, case) for case in right.cases))) for way in ways):
            return "right"
        differs = differs or any(not isinstance(one, type) or one not in LACKING for one in wrong)
        ways_there_are = ways_there_are or bool(ways)
    return ("alike" if ways_there_are else "right") if differs else "no mistake"
