"""Functions of our own in place of a submission: a dress rehearsal without a child process.

The audit and the generated tests hand in an oracle or a misconception as if a student had written it. Only code of
this project runs here; a submission never does.
"""

import random
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from grader.component.calls import StepFn
from grader.component.component import Component, as_written
from grader.component.context import Context, Rounds
from grader.component.part import Part, examine
from grader.judging import adapt
from grader.judging.function import Function
from grader.judging.questions import VISIBLE_SEED
from grader.model.assignment import Interface
from grader.model.outcome import Outcome
from grader.model.submission import Submission
from grader.properties import slope
from grader.sandbox.plain import Failure, Program, Reply


def driven(rounds: Rounds, reply: Callable[[Program], Reply]) -> tuple[Outcome, ...]:
    """The outcomes of an examination whose programs are answered here."""
    try:
        programs = next(rounds)
        while True:
            programs = rounds.send([reply(program) for program in programs])
    except StopIteration as end:
        outcomes: tuple[Outcome, ...] = end.value
        return outcomes


def rounds_of(part: Part, interface: Interface, seed: int) -> Rounds:
    """The examination of a part in a submission that is not there."""
    submission = Submission("rehearsal", "rehearsal.py", sha256="rehearsal")
    return examine(part, Context(interface, submission, seed, interface.callable, "rehearsal"))


def rehearse(
    component: Function, functions: Mapping[str, Callable[..., Any]], interface: Interface, seed: int = 0
) -> tuple[Outcome, ...]:
    """Judge ``functions`` (by the hand-out's name) as a submission that defines them; they need no adapter."""
    with _settled_chance():
        rounds = rounds_of(component, replace(interface, adapter=None), seed)
        return driven(rounds, lambda program: answer(program, functions))


@contextmanager
def _settled_chance() -> Iterator[None]:
    """Generators that are given no seed draw the same in every rehearsal, as they do beside student code."""
    source: Any = np.random.bit_generator
    before, source.randbits = source.randbits, random.Random(VISIBLE_SEED).getrandbits  # noqa: S311 - nothing is kept secret by it
    try:
        yield
    finally:
        source.randbits = before


def as_submitted(
    component: Component, interface: Interface, variants: Mapping[str, Callable[..., Any]] | None = None
) -> dict[str, Callable[..., Any]]:
    """The component's oracles under the hand-out's names, those of ``variants`` (by target) replaced."""
    functions = {}
    for canonical, oracle in component.oracles.items():
        main = canonical == component.target
        name = interface.callable if main else interface.names.get(canonical, canonical)
        chosen = as_written((variants or {}).get(canonical, oracle))
        functions[name] = adapt.as_student(chosen, component, interface, canonical)
    return functions


def answer(program: Program, functions: Mapping[str, Callable[..., Any]]) -> Reply:
    """Run the steps of ``program`` here, with the child's semantics."""
    kept: dict[str, Any] = {}
    return replied(program, lambda step: _step(step, kept, functions))


def replied(program: Program, run: Callable[[Mapping[str, Any]], Any]) -> Reply:
    """What comes of the steps of a program, each of which ``run`` takes."""
    values: list[Any] = []
    for number, step in enumerate(program.steps):
        try:
            with np.errstate(all="ignore"):
                values.append(run(step))
        except Exception as error:  # noqa: BLE001 - a mistake raises whatever the mistaken code raises
            return Reply("error", tuple(values), _failure(error, number))
    return Reply("value", tuple(values))


def _step(step: Mapping[str, Any], kept: dict[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    match step["do"]:
        case "let":
            kept[step["as"]] = _argument(step["value"], kept)
            return None
        case "get":
            return kept[step["name"]]
        case "random_state":
            return _generators()
        case "seed":
            np.random.seed(step["value"])  # noqa: NPY002 - the global generator is what the step is about
            return None
        case "call":
            args = [_argument(value, kept) for value in step["args"]]
            kwargs = {name: _argument(value, kept) for name, value in step["kwargs"].items()}
            value = functions[step["target"]](*args, **kwargs)
            if step.get("as"):
                kept[step["as"]] = value
                kept[f"again {step['as']}"] = lambda: functions[step["target"]](*args, **kwargs)
            return value
        case "gradient":
            return {"inputs": {name: slope(kept[f"again {step['of']}"], kept[name], 1e-6) for name in step["inputs"]}}
        case other:
            raise NotImplementedError(f"a rehearsal takes no step {other}")


def _argument(value: Any, kept: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict) or "$" not in value:
        return _plain(value, kept)
    match value["$"]:
        case "ref":
            return kept[value["name"]]
        case "rng":
            return np.random.default_rng(value["seed"])
        case "step_fn":
            return StepFn(value["rows"], value["last"], value["default"])
        case "tensor":
            return value["array"].copy("C" if value.get("contiguous", True) else "F")
        case other:
            raise NotImplementedError(f"a rehearsal takes no argument {other}")


def _plain(value: Any, kept: Mapping[str, Any]) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {name: _argument(item, kept) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return type(value)(_argument(item, kept) for item in value)  # type: ignore[call-arg]
    return value


def _generators() -> str:
    state = np.random.get_state()  # noqa: NPY002 - the global generator is what is watched
    return str(hash((state[1].tobytes(), state[2])))  # type: ignore[index]


def _failure(error: Exception, step: int) -> Failure:
    frames = [(frame.filename, frame.lineno or 0, frame.name) for frame in traceback.extract_tb(error.__traceback__)]
    mine = tuple(frame for frame in frames if not frame[0].endswith("rehearsal.py"))
    return Failure(type(error).__name__, str(error), mine, step, tuple(c.__name__ for c in type(error).__mro__))
