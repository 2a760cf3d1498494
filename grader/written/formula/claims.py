"""The verdict on a chain such as Var(q·k) = … = d_k, section 3.2.1."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from grader.written.formula.chance import Chances, Place, Random, chances, evaluate
from grader.written.formula.document import Document
from grader.written.formula.lines import Line
from grader.written.formula.tree import Call, Node, Num, Pow, Sum, Sym, UnreadableError, children, walk
from grader.written.formula.work import AN_EVALUATION

_SIZES = (2, 3, 4)
_RANDOM = frozenset({"var", "mean", "std"})
_SAYS = {"std": "std", "sd": "std", "stddev": "std", "var": "var", "variance": "var"}
_SPREAD = {"sigma", "sigma_q", "sigma_k"}


@dataclass(frozen=True, slots=True)
class ChanceSlip:
    """A wrong value someone may claim, as a function of the true one and d_k."""

    id: str
    title: str
    hint: str


_SLIPS = {
    "root": ChanceSlip("var-root", "That is the standard deviation, not the variance.",
                       "What do you take the root of to get a standard deviation?"),
    "one": ChanceSlip("var-one", "The unscaled dot product does not have variance 1.",
                      "How many independent terms does q·k have, and what is the variance of each?"),
    "square": ChanceSlip("var-square", "The variance grows with d_k, not with its square.",
                         "What is the variance of a sum of independent terms?"),
    "added": ChanceSlip("var-added", "The variances of q_i and k_i are added; those of a product multiply.",
                        "What is the variance of one product q_i k_i?"),
    "model": ChanceSlip("var-d-model", "d_model stands in place of d_k.", "How many terms does q·k have?"),
    "inverse": ChanceSlip("var-inverse", "The variance is the inverse of what is claimed.",
                          "Does a sum of more terms vary more or less?"),
    "not-squared": ChanceSlip("var-not-squared", "A factor leaves the variance squared, not as it is.",
                              "What is Var(aX) in terms of Var(X)?"),
    "scale": ChanceSlip("var-scale-not-squared", "Dividing by d_k divides the variance by its square.",
                        "What is Var(aX) in terms of Var(X)?"),
}  # fmt: skip
Result = tuple[str, str | None, str | None, str, str | None]


def _is_dot(node: Node, place: Place) -> bool:
    """Say whether an expression is q·k up to a factor."""
    x = evaluate(node, place)
    if not isinstance(x, np.ndarray) or x.ndim != 1:
        return False
    dot = (place.chances.q * place.chances.k).sum(axis=0)
    factor = float(x @ dot) / float(dot @ dot)
    return factor != 0 and bool(np.allclose(x, factor * dot))


def _speaks_of_dot(sides: tuple[Node, ...], place: Place) -> bool:
    """Say whether a chain is about the variance of the dot product, written whole or as a sum of its terms."""
    for side in sides:
        for part in walk(side):
            if isinstance(part, Call) and part.name in {"var", "std"} and _is_dot_quiet(part.args[0], place):
                return True
            if (
                isinstance(part, Call)
                and part.name == "mean"
                and isinstance(part.args[0], Pow)
                and _is_dot_quiet(part.args[0].base, place)
            ):
                return True
            if isinstance(part, Sum) and any(
                isinstance(p, Call) and p.name in {"var", "mean"} for p in walk(part.body)
            ):
                return True
    return False


def _is_dot_quiet(node: Node, place: Place) -> bool:
    try:
        return _is_dot(node, place)
    except UnreadableError:
        return False


def _closed(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name not in {"q", "k"}
    if isinstance(node, Sum) or (isinstance(node, Call) and node.name in _RANDOM):
        return False
    return all(_closed(part) for part in children(node))


def judge_variance(document: Document) -> Result:
    """Judge a chain such as Var(q·k) = … = d_k: every side must have the same value; returns the verdict's parts."""
    lines = [line for line in document.lines if line.sides and not _only_units(line)]
    spread = any(
        isinstance(part, Sym) and part.name in _SPREAD for line in lines for side in line.sides for part in walk(side)
    )
    if any(_other_setting(line, _stated_size(document)) for line in lines):
        return "review", None, None, "It is said that a variance or mean is another; a person should look.", None
    told = False
    for line in _with_subjects(lines):
        if _only_size(line):
            continue
        if _runs_to_model(line):
            slip = _SLIPS["model"]
            return "different", slip.id, slip.title, slip.title, slip.hint
        values = [[_value(document, side, chances(size, spread)) for side in line.sides] for size in _SIZES]
        for at in range(1, len(line.sides)):
            if (
                not all(_equal(row[at - 1], row[at]) for row in values)
                and not (spread and at == len(line.sides) - 1 and _holds_for_one(line, at))
                and not _holds_at_size(document, values, at)
            ):
                return _wrong(document, line, values, at, spread=spread)
        place = Place(chances(_SIZES[1], spread), {}, [0])
        told = told or (len(line.sides) > 1 and _speaks_of_dot(line.sides, place) and _closed(line.sides[-1]))
    if told:
        return "equal", None, None, "Every side has the value of the argument in section 3.2.1.", None
    return "review", None, None, "It is not said what the variance of the dot product is.", None


def _value(document: Document, side: Node, at: Chances) -> Random:
    place = Place(at, {}, [0])
    try:
        return evaluate(side, place)
    finally:
        document.work.add(place.steps[0] + AN_EVALUATION)


def _other_setting(line: Line, size: float | None) -> bool:
    """Say whether the words give q and k another mean or variance than the paper: with variance 2, so …."""
    match line.sides:
        case (Call(name="var" | "std", args=(Num(value=value),)),):
            return value not in {1.0, size}
        case (Call(name="mean", args=(Num(value=value),)),):
            return value != 0.0
    return False


def _runs_to_model(line: Line) -> bool:
    """Say whether the terms of q·k are counted to d_model: Var(q·k) = Σ_{i=1}^{d_model} … = d_model."""
    first, last = line.sides[0], line.sides[-1]
    model = Sym("d_model")
    whole = isinstance(first, Call) and first.name == "var" and not any(isinstance(part, Sum) for part in walk(first))
    sums = [part for side in line.sides for part in walk(side) if isinstance(part, Sum)]
    return whole and last == model and bool(sums) and all(part.high == model for part in sums)


def _holds_for_one(line: Line, at: int) -> bool:
    """Say whether a last step holds where the deviations are one, as in … = d_k σ_q² σ_k² = d_k."""
    places = [Place(chances(size, spread=False), {}, [0]) for size in _SIZES]
    return at > 1 and all(_equal(evaluate(line.sides[at - 1], p), evaluate(line.sides[at], p)) for p in places)


_LEAST = 2
"""A size of one tells nothing apart."""


def _stated_size(document: Document) -> float | None:
    """Return the d_k that a line states as a number: on a line of its own, or behind d_k in Var(q·k) = d_k = 64."""
    stated = [line.sides[-1] for line in document.lines if _only_size(line) or Sym("d_k") in line.sides[:-1]]
    return next((side.value for side in stated if isinstance(side, Num) and side.value >= _LEAST), None)


def _holds_at_size(document: Document, values: list[list[Random]], at: int) -> bool:
    """Say whether a step to or from a number holds at the d_k that the student states: Var(q·k) = d_k = 64."""
    size = _stated_size(document)
    sides = [[row[side] for row in values] for side in (at - 1, at)]
    if size is None or not any(_power(side) == 0 for side in sides):
        return False
    found = [_at_size(side, size) for side in sides]
    return found[0] is not None and found[1] is not None and math.isclose(found[0], found[1], rel_tol=1e-9)


def _power(side: list[Random]) -> float | None:
    """Return the power of d_k that a side grows with, or None where it is no such power."""
    if any(isinstance(value, np.ndarray) or value <= 0 for value in side):
        return None
    powers = (0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -2.0)
    ratios = ([float(value) / size**power for value, size in zip(side, _SIZES, strict=True)] for power in powers)
    return next((power for power, row in zip(powers, ratios, strict=True) if np.allclose(row, row[0])), None)


def _at_size(side: list[Random], size: float) -> float | None:
    power = _power(side)
    return None if power is None else float(side[0]) / _SIZES[0] ** power * size**power


def _only_units(line: Line) -> bool:
    """Say whether a line only says that the deviations are one: σ_q = σ_k = 1."""
    spreads = all(isinstance(part, Sym | Num | Pow) for side in line.sides for part in walk(side))
    named = any(isinstance(part, Sym) and part.name in _SPREAD for side in line.sides for part in walk(side))
    return spreads and named and line.sides[-1] == Num(1.0)


def _with_subjects(lines: list[Line]) -> list[Line]:
    """Let "so std = …" speak of what the variance before it was taken of."""
    subject: Node | None = None
    out = []
    for given in lines:
        line = given
        if line.left.lower() in _SAYS:
            if subject is None:
                raise UnreadableError("It is not said what this is the variance of.")
            line = replace(line, sides=(Call(_SAYS[line.left.lower()], (subject,)), *line.sides))
        calls = [part for side in line.sides for part in walk(side) if isinstance(part, Call) and part.name in _SAYS]
        about = [call.args[0] for call in calls if call.args and not _closed(call.args[0])]  # not "mean 0, variance 1"
        subject = subject or (about[0] if about else None)
        out.append(line)
    return out


def _only_size(line: Line) -> bool:
    return line.left == "d_k" or (isinstance(line.sides[0], Sym) and line.sides[0].name == "d_k")


def _equal(a: Random, b: Random) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-9, atol=1e-12))


def _wrong(document: Document, line: Line, values: list[list[Random]], at: int, *, spread: bool) -> Result:
    """Name the slip in the first step that does not hold."""
    place = Place(chances(_SIZES[1], spread), {}, [0])
    about = (
        len(line.sides) > 1
        and _speaks_of_dot(line.sides[:1], place)
        and not any(isinstance(row[at], np.ndarray) or isinstance(row[0], np.ndarray) for row in values)
    )
    if about and not spread:
        true = [float(row[0]) for row in values]
        said = [float(row[at]) for row in values]
        slip = _slip(true, said)
        if slip is not None:
            return "different", slip.id, slip.title, slip.title, slip.hint
    if document.doubts or spread or _stated_size(document):
        return "review", None, None, "One step does not hold as we read it; a person should look.", None
    return "different", None, None, "The sides of the equation do not have the same value.", None


def _slip(true: list[float], said: list[float]) -> ChanceSlip | None:
    sizes = [float(size) for size in _SIZES]
    plain = np.allclose(true, sizes)
    scaled = np.allclose(true, 1.0)
    halved = np.allclose(true, [1.0 / size for size in sizes])
    guesses = {
        "root": plain and np.allclose(said, np.sqrt(sizes)),
        "one": plain and np.allclose(said, 1.0),
        "square": plain and np.allclose(said, np.square(sizes)),
        "added": plain and np.allclose(said, [2.0 * size for size in sizes]),
        "model": plain and np.allclose(said, [5.5 * size for size in sizes]),
        "inverse": plain and np.allclose(said, [1.0 / size for size in sizes]),
        "not-squared": scaled and np.allclose(said, np.sqrt(sizes)),
        "scale": halved and np.allclose(said, 1.0),
    }
    return next((_SLIPS[name] for name, hit in guesses.items() if hit), None)
