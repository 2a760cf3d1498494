"""The models that beam search is asked (section 6.1): each shows one idea, then models drawn until they show it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

import reference
from grader.component.calls import Case, StepFn
from grader.components.beam_search_workshop import workshop
from grader.components.greedy_decode import BOS, EOS, logs, roomy

VOCAB = 5
PLACES: Mapping[str, Mapping[str, Any]] = {
    "stay": {},
    "leave": {"finished": "leave"},
    "leave_until_enough": {"finished": "leave", "until": "enough"},
    "set_aside": {"finished": "aside"},
    "set_aside_until_enough": {"finished": "aside", "until": "enough"},
    "shrink": {"finished": "shrink"},
    "either": {},
}
"""Where finished sentences go, with the knobs of it."""
_RANKED: tuple[Mapping[str, Any], ...] = (
    {},
    {"penalty": "length"},
    {"counts": "all"},
    {"normal": "each"},
    {"penalty": "length", "counts": "all"},
)
"""How a course can have sentences ranked where there is a length penalty."""
_BY_WORDS = {"power": 1.0, "penalty": "length"}
_BY_LENGTH = {"power": 0.6, "penalty": "length", "counts": "all"}
WORDS = (0, 3, 4)
"""The tokens that a model may say in the middle of a sentence."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Hand-made models that show one idea each, then models drawn until they show it.

    What a course settles adds to it: models by which where finished sentences go is told from all other places. Where
    each place is right none is left that tells two apart. ``alpha`` is that of a penalty that no argument has.
    """
    drawing = _Generator(rng, str(rng.bit_generator.state))
    return roomy(_ladder(drawing, domain.get("finished", "stay"), domain.get("alpha")), domain)


@dataclass(frozen=True, slots=True)
class _Generator:
    """A generator in one state, which draws the same models whoever asks."""

    rng: np.random.Generator = field(compare=False)
    state: str


@lru_cache(maxsize=64)
def _ladder(drawing: _Generator, finished: str, alpha: float | None) -> tuple[Case, ...]:
    """Drawn once for all courses that differ in nothing it looks at: hundreds of models are drawn until some tell."""
    cases = _rungs(drawing.rng, finished, alpha)
    return tuple(case for case in cases if finished != "either" or _tells_no_place(case, alpha))


def _tells_no_place(case: Case, alpha: float | None) -> bool:
    """Whether it is the same where finished sentences go, whichever sentence is returned and however ranked."""
    given = {**case.inputs, "alpha": case.inputs["alpha"] if alpha is None else alpha}
    ranked = _RANKED if given["alpha"] else _RANKED[:1]
    ways = ({"choose": choose, **how} for choose in ("best", "finished") for how in ranked)
    return all(len({tuple(workshop(**given, **way, **place)) for place in PLACES.values()}) == 1 for way in ways)


def _rungs(rng: np.random.Generator, finished: str, declared: float | None) -> Iterable[Case]:
    at_once = _spread(StepFn({}, {}, logs(1, 0.1, 7, 0.3, 0.5)), 5)
    yield _case(at_once, 5, 1, "a beam of one, and a model that ends at once", "narrow", fixed=True)
    yield _case(_garden_path(), 3, 1, "a beam of one is greedy", "narrow", fixed=True)
    yield _case(_one_word(), 3, 2, "a short sentence is the likeliest", "finished", bos=0, eos=1)
    yield _case(_one_word(), 3, 3, "a beam wide enough to keep every beginning", "wide", bos=0, eos=1)
    yield _case(_garden_path(), 3, 2, "the better sentence begins with the second-best word", "search", fixed=True)
    yield _case(_late_promise(), 3, 2, "a poor start and one confident last token", "search", fixed=True)
    yield _case(
        _spread(_short_one(), 5),
        5,
        2,
        "a short sentence ends first, and a longer one is likelier",
        "finished",
        fixed=True,
    )
    yield _case(_spread(_early_bird(), 5), 5, 2, "a short sentence is the likeliest", "finished", fixed=True)
    yield _case(at_once, 5, 3, "the model would end at once", "finished", fixed=True)
    yield _case(StepFn({}, {}, logs(1, 0.1, 1, 3, 2)), 1, 2, "room for the start token only", "cut", fixed=True)
    yield _until(rng, 4, 1, "a beam of one is greedy", "narrow", lambda _, found: len(found) > 3, ends=0.05)
    for size, length in ((2, 4), (3, 4), (2, 5)):
        yield _until(rng, length, size, "greedy misses the best sentence", "search", _beats_greedy(length), ends=0.01)
    for size, length, told in ((2, 5, {"until": "first"}), (3, 5, _BY_LENGTH), (3, 6, {"finished": "leave"}),
                               (3, 6, {"finished": "shrink"}), (2, 4, _BY_WORDS)):  # fmt: skip
        wanted = _unlike(length, size, told)
        yield _until(rng, length, size, "sentences end at different times", "finished", wanted, ends=0.5)
    yield _until(rng, 4, 2, "the room ends before the sentence", "cut", lambda _, found: EOS not in found)
    yield _until(rng, 5, 3, "the room ends before the sentence", "cut", lambda _, found: EOS not in found)
    yield _case(_drawn(rng, 2), 3, VOCAB, "a beam wide enough to keep every beginning", "wide")
    for size, alpha, other in ((2, 0.6, {"power": 0.0}), (3, 1.5, {"penalty": "length"}), (3, 0.8, {"counts": "all"}),
                              (2, 2.0, {"normal": "each"})):  # fmt: skip
        yield _telling(rng, size, alpha if declared is None else declared, {}, other, "penalty")
    right = PLACES[finished]
    for place in (one for one in PLACES.values() if right and one != right):
        yield _telling(rng, 3, 2.0, right, place, "finished")
        # What ranks below a finished sentence has the smaller sum for good: in plain sums its place does not tell.
        if {right["finished"], place.get("finished")} != {"leave", "aside"}:
            yield _telling(rng, 2, 0.0, right, place, "finished")


def _telling(
    rng: np.random.Generator, size: int, alpha: float, right: Mapping[str, Any], told: Mapping[str, Any], tag: str
) -> Case:
    """A model whose best sentence is another one where the knobs are as ``told`` and not as is ``right``."""

    def tells(model: StepFn, _: list[int]) -> bool:
        asked = (model, BOS, EOS, 6, size, alpha)
        return bool(workshop(*asked, **right) != workshop(*asked, **told))

    case = _until(rng, 6, size, "sentences of different lengths compete", tag, tells, ends=0.5)
    return replace(case, inputs={**case.inputs, "alpha": alpha})


def _case(
    model: StepFn, max_len: int, size: int, why: str, tag: str, *, fixed: bool = False, bos: int = BOS, eos: int = EOS
) -> Case:
    inputs = {"step_fn": model, "bos": bos, "eos": eos, "max_len": max_len, "beam_size": size, "alpha": 0.0}
    return Case(inputs, why, frozenset({tag}), fixed=fixed or bos != BOS)


def _one_word() -> StepFn:
    """A single word, 2, beside the start token 0 and the end token 1."""
    return StepFn({"0": logs(0.02, 6, 5), "0,2": logs(0.03, 5, 6), "0,2,2": logs(0.04, 9, 1)}, {}, logs(1, 1, 1))


def _by_last(**rows: Sequence[float]) -> StepFn:
    """A model that looks at the last token only: ``t3`` is the row after token 3."""
    return StepFn({}, {name[1:]: logs(*row) for name, row in rows.items()}, logs(1, 0.1, 1.5, 1.2, 1.3))


def _garden_path() -> StepFn:
    return _by_last(t1=(0.02, 0.01, 0.02, 5, 4), t3=(3, 0.1, 0.2, 3.5, 3.3), t4=(9, 0.1, 0.2, 0.4, 0.3))


def _late_promise() -> StepFn:
    return _by_last(t1=(0.1, 0.02, 0.03, 7, 2.8), t3=(3, 0.1, 0.5, 6, 0.4), t4=(0.3, 0.02, 0.02, 0.1, 9))


def _short_one() -> StepFn:
    return _by_last(
        t1=(0.05, 0.02, 4, 6, 0.3),
        t3=(0.03, 0.01, 0.02, 0.04, 9),
        t4=(9, 0.01, 0.05, 0.03, 0.04),
        t0=(0.1, 0.01, 9, 0.3, 0.2),
    )


def _early_bird() -> StepFn:
    return _by_last(
        t1=(0.05, 0.02, 4, 5, 0.3), t3=(1.1, 0.05, 0.2, 1.6, 2), t4=(2, 0.1, 0.3, 1.4, 1.7), t0=(1, 0.1, 2, 1.3, 1.6)
    )


def _spread(model: StepFn, length: int) -> StepFn:
    """The same with a row for each prefix, no two quite alike, so that nothing ties: not even for a wrong score."""
    jitter = np.random.default_rng(7)
    rows = {}
    for prefix in ((BOS, *path) for steps in range(length - 1) for path in product(WORDS, repeat=steps)):
        rows[",".join(map(str, prefix))] = logs(*(np.exp(model(prefix)) * jitter.uniform(0.95, 1.05, VOCAB)))
    return StepFn(rows, {}, model.default)


def _drawn(rng: np.random.Generator, length: int, ends: float = 1.0) -> StepFn:
    """A model with a row of its own for each prefix; ``ends`` is the weight of the end token."""
    prefixes = [(BOS, *path) for steps in range(length) for path in product(WORDS, repeat=steps)]
    shares = rng.dirichlet(np.full(VOCAB, 0.9), len(prefixes) + 1) + 0.01
    shares[:, BOS] *= 0.01
    shares[:, EOS] *= ends
    rows = np.log(shares / shares.sum(axis=1, keepdims=True)).tolist()
    named = {",".join(map(str, prefix)): row for prefix, row in zip(prefixes, rows, strict=False)}
    return StepFn(named, {}, rows[-1])


def _until(rng: np.random.Generator, length: int, size: int, why: str, tag: str,
           wanted: Callable[[StepFn, list[int]], bool], ends: float = 1.0) -> Case:  # fmt: skip
    """Draw models until the best sentence is as ``wanted``, two hundred at most."""
    for _ in range(200):
        model = _drawn(rng, length - 1, ends)
        if wanted(model, reference.beam_search(model, BOS, EOS, length, size)):
            break
    return _case(model, length, size, why, tag)


def _beats_greedy(length: int) -> Callable[[StepFn, list[int]], bool]:
    return lambda model, found: found != reference.greedy_decode(model, BOS, EOS, length)


def _unlike(length: int, size: int, knobs: Mapping[str, Any]) -> Callable[[StepFn, list[int]], bool]:
    return lambda model, found: found != workshop(model, BOS, EOS, length, size, **knobs)
