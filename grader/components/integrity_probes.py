"""What integrity asks of the functions that a submission defines: the same call again, other values, seeds."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader import components as catalogue
from grader.component.calls import Call, Rng, StepFn, live
from grader.component.component import Component
from grader.component.context import Context
from grader.intake.syntax import SyntaxFault, parse
from grader.judging import adapt, promised
from grader.judging.questions import VISIBLE_SEED
from grader.model.assignment import Interface
from grader.model.submission import CodeModule
from grader.properties import as_array
from grader.sandbox.plain import Program, Reply

MOST_CASES, MOST_LITERALS = 3, 10
NUDGE = 0.01
"""A neighbour's entries differ by at most this share, and a computed answer then differs by about as much."""

JUMP = 0.1
"""An answer that is right at a case and off by this share at its neighbours was not computed from the values."""


ROUNDED = 2e-3
"""A published answer may have been rounded by so much when it was written into the code."""

SAME = 1e-5
"""Answers that differ by no more than this share are the same."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One of the assignment's callables that the submission defines; ``component`` is None where it is a class."""

    interface: Interface
    function: str
    module: str
    component: Component | None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """Calls of one subject made in one process, ``kind`` says why: again, neighbours or reseed."""

    subject: Subject
    kind: str
    calls: tuple[Mapping[str, Any], ...]
    program: Program


@dataclass(frozen=True, slots=True)
class Seen:
    """A probe with what came back: one value a call (empty where it failed), digests of the generators, output."""

    probe: Probe
    values: tuple[Any, ...]
    digests: tuple[str, ...]
    output: str


def subjects(context: Context) -> tuple[Subject, ...]:
    """All callables of the assignment that the submission defines, in the assignment's order."""
    defined = {name: (module, kind) for module, name, kind in reversed(context.names) if kind != "value"}
    found: dict[str, Subject] = {}
    for interface in context.interfaces:
        wanted = [("", name) for name in (interface.callable or interface.component, *interface.aliases)]
        for target, name in [*wanted, *interface.names.items()]:
            if name in defined and name not in found and interface.component != context.interface.component:
                module, kind = defined[name]
                component = _judging(interface, kind)
                known = component is None or target in {"", *component.oracles}
                found[name] = Subject(interface, name, module, component if known else None, target)
    return tuple(found.values())


def _judging(interface: Interface, kind: str) -> Component | None:
    return catalogue.of(interface, kind).called if kind == "function" else None


def probes(context: Context, asked: Sequence[Subject]) -> tuple[Probe, ...]:
    """The programs of one round, a few for each function."""
    rng = np.random.default_rng([context.seed, 5])
    literals = literal_arrays(context.submission.modules)
    return tuple(probe for subject in asked if subject.component for probe in _of(subject, rng, literals))


def _of(subject: Subject, rng: np.random.Generator, literals: Sequence[Any]) -> Iterable[Probe]:
    cases = _cases(subject, rng)
    for inputs in cases[:MOST_CASES]:
        other = _scaled(inputs, rng, 0.2, 0.6)
        yield _probe(subject, "again", (inputs, other, inputs))
    known = [*cases, *_with_literals(subject, cases, literals)]
    for inputs in known if subject.component and not subject.component.random else []:
        if any(_floating(value) for value in inputs.values()):
            yield _probe(subject, "neighbours", (inputs, *(_scaled(inputs, rng, NUDGE / 2, NUDGE) for _ in range(3))))
    if cases:
        yield _probe(subject, "reseed", (cases[0],) * 3, seeds=(1, 2, 1))


def _cases(subject: Subject, rng: np.random.Generator) -> list[Mapping[str, Any]]:
    """A few inputs of the subject: published ones first, then one drawn anew."""
    component = subject.component
    assert component is not None  # noqa: S101 - only functions with a component are asked
    domain = subject.interface.domain
    target = subject.target or component.target
    visible = promised.cases(component, component.ladder, np.random.default_rng(VISIBLE_SEED), domain)
    mine = [case for case in visible if (case.target or component.target) == target and "large" not in case.tags]
    calls = ((case, promised.fitted(component, Call(case.inputs, case.target), domain)) for case in mine)
    mine = [replace(case, inputs=call.inputs) for case, call in calls if call is not None]
    if component.random:  # masks can only be compared where something is dropped, without a generator
        mine = [case for case in mine if case.inputs.get("training", True) and case.inputs["x"].size > 1000]
        mine = [case for case in mine if "rng" not in case.inputs]
    drawn = [case for case in mine if not case.fixed]
    fixed = [case for case in mine if case.fixed and not _all_zero(case.inputs)]
    chosen = [*drawn[:1], *fixed[:2], *drawn[1:2]]
    return [case.inputs for case in chosen] + [_scaled(case.inputs, rng, 0.1, 0.9) for case in drawn[:1]]


def _floating(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool(value.size)


def _all_zero(inputs: Mapping[str, Any]) -> bool:
    arrays = [value for value in inputs.values() if _floating(value)]
    return bool(arrays) and not any(array.any() for array in arrays)


def _scaled(inputs: Mapping[str, Any], rng: np.random.Generator, low: float, high: float) -> dict[str, Any]:
    """Other values of the same shape: floating entries grow by a share of their own, so that signs and zeros stay."""
    return {
        name: (value * (1 + rng.uniform(low, high, value.shape))).astype(value.dtype) if _floating(value) else value
        for name, value in inputs.items()
    }


def _with_literals(
    subject: Subject, cases: Sequence[Mapping[str, Any]], literals: Sequence[Any]
) -> list[dict[str, Any]]:
    """The arrays that the source writes down, one after the other, in place of a function's arrays."""
    if not cases or subject.component is None:
        return []
    names = [name for name, value in cases[0].items() if _floating(value)]
    plain = {key: value for key, value in cases[0].items() if not isinstance(value, np.ndarray | Rng | StepFn)}
    windows = [literals[start : start + len(names)] for start in range(len(literals) - len(names) + 1)] if names else []
    made = [{**plain, **dict(zip(names, window, strict=True))} for window in windows]
    return [inputs for inputs in made if _answerable(subject.component, subject, inputs)]


def _answerable(component: Component, subject: Subject, inputs: Mapping[str, Any]) -> bool:
    try:
        with np.errstate(all="ignore"):
            component.oracle(subject.target)(**live(inputs))
    except (ValueError, TypeError, IndexError):
        return False
    return True


def literal_arrays(modules: Sequence[CodeModule]) -> tuple[np.ndarray[Any, Any], ...]:
    """The short lists of numbers that the source writes down, as floating arrays, each once."""
    found: dict[bytes, np.ndarray[Any, Any]] = {}
    for module in modules:
        for node in _nodes(module):
            if isinstance(node, ast.List | ast.Tuple) and len(found) < MOST_LITERALS:
                try:
                    array = as_array(ast.literal_eval(node))
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    continue
                if array is not None and array.dtype.kind in "if" and 1 < array.size <= 64 and array.any():
                    made = array.astype(np.float64)
                    found.setdefault(repr(made.shape).encode() + made.tobytes(), made)
    return tuple(found.values())


def _nodes(module: CodeModule) -> Iterable[ast.AST]:
    for chunk in module.chunks:
        tree = parse(chunk.code)
        if not isinstance(tree, SyntaxFault):  # the loader has said so already
            yield from ast.walk(tree)


def _probe(subject: Subject, kind: str, calls: Sequence[Mapping[str, Any]], seeds: Sequence[int] = ()) -> Probe:
    component = subject.component
    assert component is not None  # noqa: S101 - as above
    main = not subject.target or subject.target == component.target
    interface = replace(subject.interface, callable=subject.function) if main else subject.interface
    steps: list[dict[str, Any]] = []
    for place, inputs in enumerate(calls):
        steps += [{"do": "seed", "value": seeds[place]}] if seeds else []
        steps += adapt.steps_of(Call(inputs, subject.target), component, interface, {})
        steps += [{"do": "random_state"}] if seeds else []
    return Probe(subject, kind, tuple(calls), Program(tuple(steps), "integrity"))


def read(probe: Probe, reply: Reply) -> Seen:
    """What came back, in canonical terms."""
    component = probe.subject.component
    if reply.status != "value" or component is None:
        return Seen(probe, (), (), reply.output)
    values, digests = list(reply.values), []
    if probe.kind == "reseed":
        values, digests = values[1::3], [str(digest) for digest in values[2::3]]
    calls = (Call(inputs, probe.subject.target) for inputs in probe.calls)
    canonical = tuple(
        adapt.answer_of(call, (value,), component, probe.subject.interface, {})
        for call, value in zip(calls, values, strict=True)
    )
    return Seen(probe, canonical, tuple(digests), reply.output)


def right(seen: Seen, place: int) -> bool:
    """Whether the answer to a call is the oracle's."""
    component, inputs = _component(seen), seen.probe.calls[place]
    return bool(component.compare(seen.values[place], expected(seen, place), **inputs))


def expected(seen: Seen, place: int) -> Any:
    """The oracle's answer to a call."""
    with np.errstate(all="ignore"):
        return _component(seen).oracle(seen.probe.subject.target)(**live(seen.probe.calls[place]))


def alike(seen: Seen, one: int, other: int) -> bool:
    """Whether two calls brought back the same numbers, bit for bit."""
    return bool(_bits(seen.values[one]) == _bits(seen.values[other]))


def _bits(value: Any) -> Any:
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        return (inner.shape, inner.dtype.str, inner.tobytes())
    if isinstance(inner, list | tuple):
        return tuple(_bits(item) for item in inner)
    return repr(inner)


def draws(seen: Seen) -> bool:
    """Whether the answers follow the seed of the global generators: they are drawn, not kept from call to call."""
    return seen.probe.kind == "reseed" and bool(seen.values) and not alike(seen, 0, 1) and alike(seen, 0, 2)


def jumps(seen: Seen) -> bool:
    """Whether the answer is right at a case and far off at each of its near neighbours."""
    if not seen.values or _off_by(seen, 0) > ROUNDED:
        return False
    return all(_off_by(seen, place) > JUMP for place in range(1, len(seen.values)))


def differs(seen: Seen, one: int, other: int) -> bool:
    """Whether two calls brought back other numbers; the last bits of a sum do not count."""
    return not alike(seen, one, other) and _distance(seen.values[one], seen.values[other]) > SAME


def _off_by(seen: Seen, place: int) -> float:
    """The largest error relative to the largest expected entry."""
    return _distance(seen.values[place], expected(seen, place))


def _distance(got: Any, want: Any) -> float:
    """The largest difference relative to the largest entry of ``want``; infinite where the forms differ."""
    if isinstance(want, tuple | list) and isinstance(got, tuple | list) and len(got) == len(want):
        pairs = list(zip(got, want, strict=True))
    else:
        pairs = [(got, want)]
    worst = 0.0
    for mine, theirs in pairs:
        one, other = as_array(mine), as_array(theirs)
        if one is None or other is None or one.shape != other.shape:
            return np.inf if _bits(mine) != _bits(theirs) else worst
        scale = max(float(np.max(np.abs(other[np.isfinite(other)]), initial=0.0)), 1e-12)
        with np.errstate(all="ignore"):
            gap = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one.astype(float) - other))
        worst = max(worst, float(np.max(np.nan_to_num(gap, nan=np.inf), initial=0.0)) / scale)
    return worst


def _component(seen: Seen) -> Component:
    component = seen.probe.subject.component
    assert component is not None  # noqa: S101 - only functions with a component are asked
    return component
