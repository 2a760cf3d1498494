"""Dropout (section 5.4), judged by statistics that a right one misses less than once in a billion runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component.calls import Answered, Call, Case, Rng, Watched
from grader.component.checks import Evidence, Found
from grader.components.any_call import leaves_alone, twice
from grader.components.dropout_workshop import FACTORS, workshop
from grader.judging.function import Function
from grader.properties import COARSE, Array, Comparison, as_array, near, other_kind, unchanged

SURPRISE = 30.0
"""Bound on N times the divergence of what was seen from what was expected: by Chernoff's bound the chance of more is
below exp(-30), one in ten billions, for each of the few dozen numbers that are judged."""

LARGE = 1000
"""Arrays with at least so many entries are judged by their shares."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Small arrays that can be read, then arrays large enough to count; entries are never 0.

    ``generator`` ("required": one is passed in every call).
    """
    always = domain.get("generator") == "required"
    for number, case in enumerate(_rungs(rng)):
        given = {"rng": Rng(1 + number)} if always else {}
        tags = case.tags | ({"rng"} if always and "train" in case.tags else set())
        yield replace(case, inputs={**given, **case.inputs}, tags=tags)


def _rungs(rng: np.random.Generator) -> Iterable[Case]:
    yield Case({"x": np.ones((2, 5)), "p": 0.5}, "ten ones: survivors become 2", frozenset({"train"}), fixed=True)
    small = np.array([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]])
    yield Case({"x": small, "p": 0.5, "training": False}, "evaluation", frozenset({"evaluation"}), fixed=True)
    yield Case({"x": small, "p": 0.0}, "p = 0 in training", frozenset({"zero"}), fixed=True)
    yield Case({"x": _entries(rng, 60, 100), "p": 0.1}, "the paper's p, many entries", frozenset({"train"}))
    seed = int(rng.integers(1, 2**31))
    given = {"x": _entries(rng, 40, 50), "p": 0.5, "training": True, "rng": Rng(seed)}
    yield Case(given, "a generator is passed", frozenset({"train", "rng"}))
    yield Case({"x": _entries(rng, 4, 40, 50), "p": 0.3}, "a batch of matrices", frozenset({"train"}))
    off = {"x": _entries(rng, 3, 7), "p": 0.8, "training": False, "rng": Rng(seed)}
    yield Case(off, "evaluation with a large p", frozenset({"evaluation"}))


def _entries(rng: np.random.Generator, *shape: int) -> Array:
    entries: Array = rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)
    return entries


component = Function(
    "dropout",
    {"dropout": reference.dropout},
    ladder,
    title="Dropout",
    reread="section 5.4, residual dropout",
    workshop=workshop,
    random=True,
)
component.settles(
    "generator",
    narrows=lambda generator: {"generator": generator},
    drops={"required": frozenset({"dropout-needs-rng"})},
)


def _surprise(seen: float, expected: float, count: int) -> float:
    """N times the divergence of an observed share from the expected one."""
    parts = ((seen, expected), (1 - seen, 1 - expected))
    return count * sum(a * np.log(a / b) if a > 0 else 0.0 for a, b in parts if b > 0 or a == 0)


def _plausible(seen: float, expected: float, count: int) -> bool:
    if expected in {0.0, 1.0}:
        return seen == expected
    return _surprise(seen, expected, count) < SURPRISE


def _result(got: Any, x: Array) -> Array | Comparison:
    array = as_array(got)
    if array is None or array.dtype.kind not in "iuf" or array.shape != x.shape:
        return other_kind(got, f"an array of shape {x.shape}")
    return array


def _large(case: Case) -> bool:
    return "train" in case.tags and case.inputs["x"].size >= LARGE


@component.check(on=_large)
def drops_a_share_of_p(got: Any, x: Array, p: float, **_: Any) -> Found:
    """Each entry is dropped with probability p."""
    array = _result(got, x)
    if isinstance(array, Comparison):
        return array
    share = float(np.mean(array == 0))
    draws = _draws(array == 0, tuple(_dependent(array == 0, only_equal=True)))
    if _plausible(share, p, draws):
        return None
    return Comparison(False, f"dropped {share:.1%} of {x.size} entries; expected about {p:.0%}", p, round(share, 4))


@component.check(on="train")
def survivors_are_scaled_up(got: Any, x: Array, p: float, **_: Any) -> Found:
    """The entries that are kept are x/(1-p)."""
    array = _result(got, x)
    if isinstance(array, Comparison):
        return array
    if not np.isfinite(array).all():
        return Comparison(False, "holds values that are not finite", None, array)
    kept = array != 0
    found = near(np.where(kept, array, 0), np.where(kept, x / (1 - p), 0), dtype=COARSE)
    return found or Comparison(False, "survivors are not x/(1-p)", found.expected, array, found.max_error, found.where)


@component.check(on=_large)
def every_entry_drops_by_itself(got: Any, x: Array, **_: Any) -> Found:
    """Whether an entry is dropped does not depend on its neighbours."""
    array = _result(got, x)
    if isinstance(array, Comparison):
        return array
    axes = _dependent(array == 0)
    if not axes:
        return None
    message = f"neighbours along axis {axes[0]} drop together"
    return Comparison(False, message, "a draw for each entry", "entries that share a draw")


def _dependent(zero: Array, *, only_equal: bool = False) -> list[int]:
    """The axes (from the back) along which neighbours agree more, or less, than independent draws do.

    Neighbours are paired without overlap, so that the pairs are independent. ``only_equal``: those along which all
    agree.
    """
    share, found = float(np.mean(zero)), list[int]()
    if not 0.01 < share < 0.99:  # hardly anything, or hardly anything else: nothing to compare
        return found
    for axis in range(-zero.ndim, 0):
        lines = np.moveaxis(zero, axis, 0)
        half = len(lines) // 2
        agree = lines[: 2 * half : 2] == lines[1 : 2 * half : 2]
        if agree.size < LARGE:
            continue
        seen = float(np.mean(agree))
        odd = seen == 1.0 if only_equal else not _plausible(seen, share**2 + (1 - share) ** 2, agree.size)
        if odd:
            found.append(axis)
    return found


def _comes_back(got: Any, x: Array, **_: Any) -> Found:
    return near(got, x, dtype=COARSE)


component.check("evaluation_changes_nothing", "With training=False the input comes back as it is.", on="evaluation")(
    _comes_back
)
component.check("nothing_drops_at_zero", "With p = 0 the input comes back as it is.", on="zero")(_comes_back)


@component.check(ask=twice, on=lambda case: _large(case) and "rng" not in case.tags)
def draws_anew_each_time(answers: Sequence[Any], **_: Any) -> Found:
    """Two calls without a generator drop different entries."""
    one, other = (as_array(answer) for answer in answers)
    if one is None or other is None or not (one == 0).any():
        return None  # nothing is dropped, which is another check's business
    same = np.array_equal(one, other)
    return Comparison(False, "both calls dropped the same entries", "another mask", "the same mask") if same else None


def _seeded(rng: Rng, **inputs: Any) -> tuple[Call, ...]:
    """The same seed twice, the first time watching the global generators, then another seed."""
    calls = (Call({**inputs, "rng": Rng(seed)}) for seed in (rng.seed, rng.seed + 1))
    return Call({**inputs, "rng": rng}, watch=True), *calls


@component.check(ask=_seeded, on="rng")
def uses_the_generator(seen: Watched, same: Any, other: Any, **_: Any) -> Found:
    """The draws come from rng when it is given, and from nowhere else."""
    one, two, three = (as_array(value) for value in (seen.value, same, other))
    if one is None or two is None or three is None or len(np.unique(one == 0)) < 2:
        return None  # nothing dropped, or all of it: another check's business
    if not np.array_equal(one, two):
        message = "two generators of the same seed gave different masks"
        return Comparison(False, message, "the same mask", "another mask")
    if np.array_equal(one, three):
        message = "generators of different seeds gave the same mask"
        return Comparison(False, message, "another mask", "the same mask")
    if seen.random_before == seen.random_after:
        return None
    message = "the global generator was used though rng was given"
    return Comparison(False, message, "global generator untouched", "global generator moved on")


leaves_alone(component, "The caller's array is the same after the call.", on=("train", "zero"), most=3)


def traits(evidence: Evidence) -> dict[str, str]:
    """How the answers as a whole deviate from those of a right dropout; empty where they do not."""
    bad = [answer for answer in evidence.answers if answer.status != "value"]
    if bad:
        lacked = all(answer.call.inputs.get("rng") is None for answer in bad)
        given = any(answer.call.inputs.get("rng") is not None for answer in evidence.answers)
        return {"error": "without rng" if lacked and given and all(_trains(answer) for answer in bad) else "other"}
    trained = [pair for answer in evidence.answers if _trains(answer) for pair in _arrays(answer)]
    rest = [pair for answer in evidence.answers if not _trains(answer) for pair in _arrays(answer)]
    if any(result.shape != inputs["x"].shape for inputs, result in (*trained, *rest)):
        return {"form": "other"}
    found: dict[str, str] = {}
    plain = [pair for pair in trained if "rng" not in pair[0]]
    if plain and all(_same(pair) for pair in plain) and not all(_same(pair) for pair in trained):
        found["default"] = "off"
        trained = [pair for pair in trained if "rng" in pair[0]]
    found |= _of_masks(trained) | _of_evaluation(rest) | _of_draws(evidence, still=all(_same(pair) for pair in trained))
    seen = [(answer.value, answer.call.inputs) for answer in evidence.answers if isinstance(answer.value, Watched)]
    if any(not unchanged(value.after["x"], inputs["x"], "x") for value, inputs in seen):
        found["arguments"] = "changed"
    return found


def _trains(answer: Answered) -> bool:
    return bool(answer.call.inputs.get("training", True)) and answer.call.inputs["p"] > 0


def _arrays(answer: Answered) -> list[tuple[Mapping[str, Any], Array]]:
    value = answer.value.value if isinstance(answer.value, Watched) else answer.value
    values = value if answer.call.repeat > 1 else [value]
    read = (as_array(each) for each in values)
    return [(answer.call.inputs, np.empty(0) if array is None else array) for array in read]


def _same(pair: tuple[Mapping[str, Any], Array]) -> bool:
    return bool(near(pair[1], pair[0]["x"], dtype=COARSE))


def _of_masks(trained: Sequence[tuple[Mapping[str, Any], Array]]) -> dict[str, str]:
    found = {}
    zeros = [(inputs["p"], y == 0) for inputs, y in trained if y.size >= LARGE]
    mixed = [zero for _, zero in zeros if zero.ndim == 3 and len(np.unique(zero)) == 2]
    always = set.intersection(*(set(_dependent(zero, only_equal=True)) for zero in mixed)) if mixed else set[int]()
    axes = tuple(sorted(always))
    if axes:
        found["shared"] = " ".join(map(str, axes))
    elif any(_dependent(zero) for _, zero in zeros):
        found["shared"] = "other"
    large = [(p, float(np.mean(zero)), _draws(zero, axes)) for p, zero in zeros]
    rates: Mapping[str, Callable[[float], float]] = {
        "p": lambda p: p,
        "1-p": lambda p: 1 - p,
        "half": lambda _: 0.5,
        "none": lambda _: 0.0,
        "all": lambda _: 1.0,
    }
    rate = next((name for name, of in rates.items() if all(_plausible(z, of(p), n) for p, z, n in large)), "other")
    if rate != "p":
        found["rate"] = rate
    factors: Mapping[str, Callable[[float, float], float]] = {"kept": lambda p, _: 1 / (1 - p), **FACTORS}
    fits = (name for name, of in factors.items() if all(_scaled_by(of, inputs, y) for inputs, y in trained))
    factor = next(fits, "varies" if all(_varies(inputs["x"], y) for inputs, y in trained) else "other")
    if factor != "kept" and rate != "all":
        found["factor"] = factor
    return found


def _varies(x: Array, y: Array) -> bool:
    """Whether hardly two entries are multiplied by the same number."""
    return len(np.unique(np.round(y / x, 9))) > 0.9 * x.size


def _draws(zero: Array, shared: tuple[int, ...]) -> int:
    """How many draws stand behind a mask that is repeated along ``shared`` axes."""
    repeated = np.prod([zero.shape[axis] for axis in shared if -axis <= zero.ndim])
    return int(zero.size / repeated)


def _scaled_by(of: Callable[[float, float], float], inputs: Mapping[str, Any], y: Array) -> bool:
    kept = y != 0
    want = inputs["x"] * of(inputs["p"], 1 - float(np.mean(kept)))
    return bool(near(np.where(kept, y, 0), np.where(kept, want, 0), dtype=COARSE))


def _of_evaluation(rest: Sequence[tuple[Mapping[str, Any], Array]]) -> dict[str, str]:
    found = {}
    evaluated = [(inputs, y) for inputs, y in rest if inputs["p"] > 0]
    if not all(_same(pair) for pair in evaluated):
        scales: Mapping[str, Callable[[float], float]] = {"1-p": lambda p: 1 - p, "1/(1-p)": lambda p: 1 / (1 - p)}
        fits = (n for n, of in scales.items() if all(near(y, inputs["x"] * of(inputs["p"])) for inputs, y in evaluated))
        found["evaluation"] = next(fits, "drops" if any((y == 0).any() for _, y in evaluated) else "other")
    if not all(_same((inputs, y)) for inputs, y in rest if inputs["p"] == 0):
        found["zero"] = "changed"
    return found


def _of_draws(evidence: Evidence, *, still: bool) -> dict[str, str]:
    """Whether draws are new each time, and whose they are."""
    if still:
        return {}
    found = {}
    again = [[y for _, y in _arrays(answer)] for answer in evidence.answers if answer.call.repeat > 1]
    if again and all((one == 0).any() and np.array_equal(one, other) for one, other in again):
        found["fresh"] = "same"
    by_seed: dict[tuple[int, int], list[Array]] = {}
    for answer in evidence.answers:
        if isinstance(answer.call.inputs.get("rng"), Rng) and _trains(answer):
            key = (id(answer.case), answer.call.inputs["rng"].seed)
            by_seed.setdefault(key, []).extend(y for _, y in _arrays(answer))
    dropping = [masks for masks in by_seed.values() if any(len(np.unique(mask == 0)) == 2 for mask in masks)]
    touched = any(a.value.random_before != a.value.random_after for a in evidence.answers
                  if isinstance(a.value, Watched) and a.call.inputs.get("rng") is not None)  # fmt: skip
    if any(not np.array_equal(masks[0], mask) for masks in dropping for mask in masks[1:]):
        found["rng"] = "ignored"
    elif len(dropping) > 1 and _constant(by_seed):
        found["rng"] = "constant"
    elif touched:
        found["rng"] = "global too"
    return found


def _constant(by_seed: Mapping[tuple[int, int], Sequence[Array]]) -> bool:
    """Whether different seeds gave the same mask to the same case."""
    cases = {case for case, _ in by_seed}
    groups = [[masks[0] for (case, _), masks in by_seed.items() if case == wanted] for wanted in cases]
    return all(len(group) < 2 or all(np.array_equal(group[0], mask) for mask in group[1:]) for group in groups)


@component.hook
def _shows_it(evidence: Evidence, shows: Mapping[str, str]) -> bool:
    """Whether what the answers deviate in is what the mistake shows, and nothing else."""
    return traits(evidence) == shows
