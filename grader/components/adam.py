"""One step of Adam with the paper's settings (section 5.3; Kingma and Ba 2015, algorithm 1): its checks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case
from grader.component.checks import Found, Oracle
from grader.components.any_call import leaves_alone
from grader.judging.function import Function
from grader.model.outcome import Tells
from grader.properties import COARSE, NOT_ASKED, Array, Comparison, as_array, near, other_kind


def workshop(
    params: Array,
    grads: Array,
    m: Array,
    v: Array,
    step: int,
    lr: float,
    beta1: float | None = None,
    beta2: float | None = None,
    eps: float | None = None,
    *,
    defaults: tuple[float, float, float] = (0.9, 0.98, 1e-9),
    fixed: str = "",
    swapped: str = "",
    means: str = "mean",
    squares: str = "square",
    correct: str = "both",
    power: str = "step",
    shift: int = 0,
    eps_at: str = "beside",
    root: str = "sqrt",
    direction: float = -1.0,
    moves: str = "mean",
    decay: float = 0.0,
    shrinks: float = 0.0,
    returned: str = "means",
    in_place: str = "",
) -> Any:
    """The oracle with knobs; every default is the paper's choice.

    The three settings are None where the caller leaves them out; ``fixed`` names those that take the defaults whatever
    was given.
    """
    given = zip(("beta1", "beta2", "eps"), (beta1, beta2, eps), defaults, strict=True)
    b1, b2, small = (default if name in fixed or value is None else value for name, value, default in given)
    if swapped == "everywhere":
        b1, b2 = b2, b1
    of_means = (b2, b1) if swapped == "means" else (b1, b2)
    grads = grads + decay * params
    new_m = _mean(m, grads, of_means[0], means)
    squared = {
        "plain": grads,
        "size": np.abs(grads),
        "mean": new_m**2,
        "old": m**2,
        "surprise": (grads - new_m) ** 2,
        "old surprise": (grads - m) ** 2,
    }.get(squares, grads**2)
    new_v = _mean(v, squared, of_means[1], means)
    new_v = np.maximum(v, new_v) if squares == "max" else new_v
    hat_m = new_m / _correction(b1, step + shift, power) if correct.startswith(("both", "m")) else new_m
    of_v = b1 if correct == "both by beta1" else b2
    hat_v = new_v / _correction(of_v, step + shift, power) if correct.startswith(("both", "v")) else new_v
    top = {
        "mean": hat_m,
        "gradient": grads,
        "old": m / (1 - b1**step),
        "both old": m / (1 - b1**step),
        "nesterov": b1 * hat_m + (1 - b1) * grads,
    }[moves]
    below = v / (1 - b2**step) if moves == "both old" else hat_v
    moved = params * (1 - lr * shrinks) + direction * lr * top / _root(below, small, eps_at, root)
    if in_place:
        new_m, new_v, moved = _write(in_place, (m, new_m), (v, new_v), (params, moved))
    return {
        "means": (moved, new_m, new_v),
        "corrected": (moved, hat_m, hat_v),
        "swapped": (moved, new_v, new_m),
        "means_first": (new_m, new_v, moved),
        "params": moved,
        "old": (moved, m, v),
        "update": (moved - params, new_m, new_v),
    }[returned]


def _mean(old: Array, new: Array, beta: float, how: str) -> Array:
    old_share, new_share = {
        "mean": (beta, 1 - beta),
        "turned": (1 - beta, beta),
        "sum": (beta, 1.0),
        "forgets": (0.0, 1 - beta),
        "latest": (0.0, 1.0),
        "all": (1.0, 1 - beta),
    }[how]
    return old_share * old + new_share * new


def _correction(beta: float, step: int, power: str) -> Any:
    exponent = {"step": step, "one": 1, "times": 1}[power]
    return 1 - (beta * step if power == "times" else np.float64(beta) ** exponent)


def _root(hat_v: Array, eps: float, eps_at: str, root: str) -> Array:
    inside = hat_v + eps if eps_at == "inside" else hat_v
    found = inside if root == "none" else np.sqrt(np.abs(inside) if root == "sqrt of the size" else inside)
    if eps_at == "floor":
        return np.maximum(found, eps)
    return found + eps if eps_at == "beside" else found


def _write(which: str, *pairs: tuple[Array, Array]) -> list[Array]:
    """Write new values into the caller's arrays: the parameters, the two means, or all."""
    results = []
    for position, (old, new) in enumerate(pairs):
        if which == "all" or (which == "params") == (position == 2):
            old[...] = new
            results.append(old)
        else:
            results.append(new)
    return results


NEGLIGIBLE = 1e-12
"""An eps too small to matter, so that where it stands is asked in one place only."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """First steps, later steps, then tiny and zero gradients; the paper's own settings last.

    ``settings: false`` in the domain: the hand-out's function takes neither betas nor eps.
    """
    own = bool(domain.get("settings", True))

    def asked(tag: str, why: str, arrays: Mapping[str, Array], step: int, lr: float, **settings: float) -> Case:
        given = {"beta1": 0.8, "beta2": 0.95, "eps": NEGLIGIBLE, **settings} if own else {}
        return Case({**arrays, "step": step, "lr": lr, **given}, why, frozenset({tag}), fixed=arrays["params"].size < 2)

    one = {"params": np.array([1.0]), "grads": np.array([0.5]), "m": np.array([0.0]), "v": np.array([0.0])}
    yield asked("first", "the first step of one parameter", one, 1, 0.1, beta1=0.5, beta2=0.75)
    second = {**one, "m": np.array([0.25]), "v": np.array([0.1])}
    yield asked("later", "the second step of one parameter", second, 2, 0.1, beta1=0.5, beta2=0.75)
    yield asked("first", "the first step of three parameters", _drawn(rng, 3, fresh=True), 1, 0.25)
    yield asked("later", "the fifth step of a matrix", _drawn(rng, 2, 3), 5, 0.5, beta1=0.6, beta2=0.9)
    yield asked("later", "a late step", _drawn(rng, 5), 400, 0.5)
    if own:
        tiny = {**one, "grads": np.array([1e-3])}
        yield asked("eps", "a gradient that is small beside eps", tiny, 1, 1.0, eps=1e-2)
        yield asked("eps", "gradients that are small beside eps", _drawn(rng, 3, size=1e-4), 3, 1.0, eps=1e-3)
    yield asked("eps", "a gradient that has always been zero", {**one, "grads": np.array([0.0])}, 1, 0.1, eps=1e-8)
    if own:
        arrays = _drawn(rng, 4, size=1e-8)
        yield Case({**arrays, "step": 3, "lr": 1.0}, "betas and eps left out", frozenset({"defaults"}))


def _drawn(rng: np.random.Generator, *shape: int, size: float = 1.0, fresh: bool = False) -> dict[str, Array]:
    still = np.zeros(shape)
    return {
        "params": rng.normal(size=shape),
        "grads": size * rng.uniform(0.5, 2, shape) * rng.choice([-1.0, 1.0], shape),
        "m": still if fresh else size * rng.normal(size=shape),
        "v": still.copy() if fresh else size**2 * rng.uniform(0.3, 3, shape),
    }


def compare(got: Any, expected: Any, **inputs: Any) -> Comparison:
    """Compare without a floor: means of squares may be very small."""
    return near(got, expected, floor=1e-30, dtype=inputs["params"].dtype if "params" in inputs else None)


DEFAULTS = {"paper": (0.9, 0.98, 1e-9), "adam": (0.9, 0.999, 1e-8)}

component = Function(
    "adam",
    {"adam_step": reference.adam_step},
    ladder,
    title="Adam",
    reread="section 5.3, and algorithm 1 of Kingma and Ba (2015)",
    returns=("params", "m", "v"),
    workshop=workshop,
    compare=compare,
)
component.settles("bias_correction")
component.settles("defaults")
component.settles("adam.eps_place")


def _part(which: int) -> Callable[..., Found]:
    """Judge one of the three that come back."""

    def judge(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
        if not isinstance(got, tuple | list) or len(got) != 3:
            return other_kind(got, "(params, m, v)")
        want = oracle(**inputs)[which]
        found = compare(got[which], want, **inputs)
        text = f"{component.returns[which]} {found.message}"
        return found or Comparison(False, text, want, got[which], found.max_error, found.where, tells=Tells.NAMED)

    return judge


ORDINARY = ("first", "later")
component.check("m_is_a_running_mean_of_gradients", "The mean m becomes beta1 · m + (1 - beta1) · g.", on=ORDINARY)(
    _part(1)
)
component.check("v_is_a_running_mean_of_squares", "The mean v becomes beta2 · v + (1 - beta2) · g².", on=ORDINARY)(
    _part(2)
)
component.check(
    "first_step_is_as_long_as_lr",
    "The first step moves every parameter by lr, against the sign of its gradient.",
    on="first",
)(_part(0))
component.check(
    "later_steps_use_both_means",
    "Later steps are lr times the corrected m over the root of the corrected v.",
    on="later",
)(_part(0))


@component.check(on="eps")
def eps_stands_beside_the_root(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The denominator is sqrt(v) + eps, and a gradient of zero moves nothing.

    Kingma and Ba also give a faster order of the same computation, in which eps is added to the root of the
    uncorrected v; that counts as right too.
    """
    found = _part(0)(got, oracle=oracle, **inputs)
    if found is None or (isinstance(found, Comparison) and found.ok) or not isinstance(got, tuple | list):
        return found
    as_the_paper = bool(compare(oracle(**inputs)[0], reference.adam_step(**inputs)[0], **inputs))
    return None if as_the_paper and len(got) == 3 and near(got[0], _faster(**inputs), floor=1e-30) else found


def _faster(params: Array, grads: Array, m: Array, v: Array, step: int, lr: float, beta1: float = 0.9,
            beta2: float = 0.98, eps: float = 1e-9) -> Array:  # fmt: skip
    """The end of section 2 of Kingma and Ba: the corrections are gathered in the rate."""
    new_m, new_v = beta1 * m + (1 - beta1) * grads, beta2 * v + (1 - beta2) * grads**2
    rate = lr * np.sqrt(1 - beta2**step) / (1 - beta1**step)
    moved: Array = params - rate * new_m / (np.sqrt(new_v) + eps)
    return moved


def _spelled_out(**inputs: Any) -> tuple[Call, ...]:
    """The case, and with the settings of each value of the convention, whichever is declared."""
    # A hair off 1e-9, or the call would leave it out as well.
    named = ({"beta1": one, "beta2": two, "eps": eps * (1 + 1e-6)} for one, two, eps in DEFAULTS.values())
    return Call(inputs), *(Call({**inputs, **settings}) for settings in named)


@component.check(ask=_spelled_out, on="defaults")
def defaults_are_the_papers(got: Any, papers: Any, adams: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """What is left out is beta1 = 0.9, beta2 = 0.98, eps = 1e-9."""
    right, called = oracle(**inputs), _spelled_out(**inputs)
    as_the_paper = near(oracle(**called[1].inputs), right, floor=1e-30, dtype=np.dtype(np.float32))
    spelled_out = papers if as_the_paper else adams
    if not isinstance(spelled_out, tuple | list) or not isinstance(got, tuple | list) or len(got) != len(spelled_out):
        return other_kind(got, "(params, m, v)")
    right = [as_array(given) for given in spelled_out if given is not NOT_ASKED]
    mine = [each for each, given in zip(got, spelled_out, strict=True) if given is not NOT_ASKED]
    if any(given is None for given in right):
        return other_kind(spelled_out, "(params, m, v)")
    pairs = zip(mine, right, strict=True)
    found = (near(each, given, floor=1e-30, dtype=COARSE) for each, given in pairs)
    return next((each for each in found if not each), None)


leaves_alone(component, "The caller's arrays are the same after the call.", on="later", most=3)
