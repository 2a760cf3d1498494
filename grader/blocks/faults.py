"""The known mistakes of modules as the catalogue has them: knobs of the blocks, and signs that no knob shows."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, overload

from grader import mistakes
from grader.component.checks import Misconception
from grader.mistakes import Mistake, Way


class Later(Sequence[Misconception]):
    """Mistakes that are made when they are first looked at: nobody looks where nothing is wrong."""

    def __init__(self, make: Callable[[], Sequence[Misconception]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Misconception, ...]:
        return tuple(self._make())

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[Misconception]:
        return iter(self._made)

    @overload
    def __getitem__(self, at: int) -> Misconception: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Misconception, ...]: ...

    def __getitem__(self, at: Any) -> Any:
        return self._made[at]


def known(*components: str, part: str = "", of: str = "") -> Sequence[Misconception]:
    """The mistakes in the files of ``components``, in order: those that turn knobs of ``part``, where it is given.

    What another component owns of a file is left out, unless it is that of ``of``, which gets nothing else; and what
    means nothing without a convention, see :func:`known_under`.
    """
    return Later(lambda: tuple(_listed(components, part, of)))


def known_under(component: str, key: str) -> Sequence[Misconception]:
    """The mistakes in the file of ``component`` that can be made under the convention ``key`` alone."""
    return Later(lambda: tuple(_listed((component,), under=key)))


def chained(*several: Sequence[Misconception]) -> Sequence[Misconception]:
    """All of these, in order."""
    return Later(lambda: tuple(one for some in several for one in some))


def among(whole: Sequence[Misconception], wanted: Callable[[Misconception], bool]) -> Sequence[Misconception]:
    """Those of the mistakes that are ``wanted``."""
    return Later(lambda: tuple(one for one in whole if wanted(one)))


def _listed(components: Sequence[str], part: str = "", of: str = "", under: str = "") -> Iterator[Misconception]:
    for name in components:
        for record in mistakes.of(name):
            for way in record.ways.get("module", ()):
                owner = way.special.get("component", name)
                if way.special.get("under", "") != under:
                    continue
                if way.settings and owner == (of or name) and all(knob.startswith(part) for knob in way.settings):
                    yield _made(record, way, owner)


def _made(record: Mistake, way: Way, owner: str) -> Misconception:
    twins = TWINS.get(way.special.get("tie_break", ""))
    texts = (way.told, record.hints, record.reread)
    found = Misconception(record.id, *texts, owner, knobs=way.settings or {}, tie_break=twins, common=record.common)
    near = WRITTEN.get(way.special.get("fit", ""))
    if near is None or not way.settings:
        return found
    return replace(found, told=way.title, fit=lambda numbers: _with_numbers(way.settings or {}, near, numbers))


def _with_numbers(
    settings: Mapping[str, Any], near: Callable[[float], Sequence[float]], numbers: Iterable[float]
) -> Iterator[Mapping[str, Any]]:
    """The settings with other constants in the place of the record's."""
    for constant in dict.fromkeys(other for number in numbers for other in near(number)):
        yield {
            name: constant
            if isinstance(one, float)
            else (*one[:-1], constant)
            if isinstance(one, tuple) and isinstance(one[-1], float)
            else one
            for name, one in settings.items()
        }


def written(faults: Iterable[Misconception], text: str) -> list[Misconception]:
    """The mistakes that have a constant, with the numbers that stand in the source in its place.

    A module's answers seldom show a constant by themselves: what is written is tried, and the answers decide.
    """
    numbers = numbers_in(text)
    found = (
        replace(fault, knobs=knobs, title=Way(knobs, fault.told, {}).told)
        for fault in faults
        if fault.fit is not None
        for knobs in fault.fit(numbers)
    )
    return list({(one.id, *sorted(one.knobs.items())): one for one in found}.values())


def numbers_in(text: str) -> list[float]:
    """The numbers that a program has, without 0 and 1, the first of them; none of what cannot be read."""
    found: dict[float, None] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NUMBER and not token.string[-1:].isalpha():
                found[float(ast.literal_eval(token.string))] = None
    except (tokenize.TokenError, SyntaxError, ValueError, OverflowError):
        pass  # what comes before it has been read
    return [number for number in found if number not in {0.0, 1.0}][:MOST_NUMBERS]


def sign(id: str) -> Misconception:
    """The mistake of that id without its settings: what a check has seen. Raises KeyError."""
    record = mistakes.find(id)
    return _made(record, Way(None, record.title, {}), record.component)


def around_one_sublayer() -> Sequence[Misconception]:
    """Mistakes of residual sum and norm around one sublayer, whichever: they belong to the sum."""
    whole = known("encoder_layer")
    return Later(
        lambda: tuple(
            replace(one, title=mistakes.find(one.id).title, component="add_norm")
            for one in whole
            if _stages(one) == ("enc", 1) and "discarded" not in one.knobs.values()
        )
    )


def in_both_stacks() -> Sequence[Misconception]:
    """The same mistake of residual sum and norm in every sublayer of encoder and decoder: one class wraps them all."""

    def make() -> tuple[Misconception, ...]:
        encoder = [one for one in known("encoder_layer") if _stages(one) == ("enc", 2)]
        decoder = [one for one in known("decoder_layer") if _stages(one) == ("dec", 3)]
        return tuple(
            replace(
                one, title=f"{one.title.rstrip('.')}, in encoder and decoder alike.", knobs={**one.knobs, **more.knobs}
            )
            for one, more in zip(encoder, decoder, strict=True)
        )

    return Later(make)


def _stages(fault: Misconception) -> tuple[str, int]:
    """The kind of layer around whose first sublayers the mistake is made, and around how many of them."""
    found = [re.fullmatch(r"(enc|dec)\.(residual|norm|result)\.(\d)", knob) for knob in fault.knobs]
    numbers = [int(one[3]) for one in found if one]
    whole = len(numbers) == len(found) and numbers == [*range(1, len(numbers) + 1)]
    return (found[0][1], len(numbers)) if whole and found[0] else ("", 0)


def applies_a_mask(text: str) -> bool:
    """Whether the source does anything with a mask beyond handing it on."""
    return bool(
        re.search(
            r"masked_fill|where\(|mask\w*\s*[=!]=\s*[01FT]|~\s*\w*mask|logical_not|\*\s*\w*mask|\w*mask\w*\s*[*+]", text
        )
    )


def multiplies_by_mask(text: str) -> bool:
    """Whether the source multiplies by the mask, whatever that is called where nothing is filled in; no tiny number."""
    multiplied = bool(re.search(r"\*=?\s*\(?~?(\w*mask|m\b)|mul\w*\(\s*mask", text))
    multiplied = multiplied or not re.search(r"(masked_fill_?|where)\(", text)
    return multiplied and not re.search(r"(masked_fill_?|where)\(.*1e-\d", text)


def takes_the_smallest(text: str) -> bool:
    """Whether the source fills in a number near 0; what is called eps is none, nor any where a 0 is filled in."""
    if writes_zero(text):
        return False
    text = re.sub(r"\beps\w*\s*(:\s*float\s*)?=\s*[\d.e-]+", "", text)
    filled = bool(re.search(r"(?<![-\d.])1e-\d", text)) and "masked_fill" in text
    return filled or ("where" in text and "1e-9" in text) or bool(re.search(r"\.(tiny|smallest_normal)\b", text))


def writes_zero(text: str) -> bool:
    """Whether the source fills in a 0."""
    return bool(re.search(r"(masked_fill_?|where)\(.*,\s*0(\.0*)?\s*\)", text))


def writes_nan(text: str) -> bool:
    """Whether the source speaks of NaN."""
    return re.search(r"\bnan\b", text) is not None


def multiplies_infinity(text: str) -> bool:
    """Whether a line of the source multiplies, and speaks of infinity."""
    return re.search(r"\*.*\binf\b|\binf\b.*\*", text) is not None


def lowers_infinity(text: str) -> bool:
    """Whether the source speaks of minus infinity, and neither multiplies it nor speaks of NaN."""
    lowered = re.search(r"-\s*[\w.]*\(?['\"]?inf\b", text) is not None
    return lowered and not writes_nan(text) and not multiplies_infinity(text)


def holds_10000(text: str) -> bool:
    """Whether the base of the paper stands in the source."""
    return re.search(r"\b(10_?000|1e4)\b", text) is not None


TWINS: Mapping[str, Callable[[str], bool]] = {
    "applies_a_mask": applies_a_mask,
    "applies_no_mask": lambda text: not applies_a_mask(text),
    "multiplies_by_mask": multiplies_by_mask,
    "takes_the_smallest": takes_the_smallest,
    "writes_zero": writes_zero,
    "writes_nan": writes_nan,
    "multiplies_infinity": multiplies_infinity,
    "lowers_infinity": lowers_infinity,
    "writes_infinity_alone": lambda text: (
        "inf" in text and not (writes_nan(text) or multiplies_infinity(text) or lowers_infinity(text))
    ),
    "holds_10000": holds_10000,
    "no_10000": lambda text: not holds_10000(text),
}
"""What tells twins of modules apart by the source, by the names in the catalogue."""

MOST_NUMBERS = 24
LOW_ENOUGH = 1e4
"""A fill that low is right."""
MOST_EPS = 1.0
"""What stands under a root and is larger is no eps."""
USUAL = {0.5, 2.0}
"""Powers of roots and squares, parts of d_k, and the steps of angles, which have names of their own."""
FUSED = 3.0
"""What stands in a projection of queries, keys and values at once, and 3 / d_k may be 1 / int(√d_k)."""
LEAST_POWER, MOST_POWER = 0.05, 10.0
"""d_k to a power nearer to 0 is as good as no factor; nobody writes a higher one, and its inverse is as near to 0."""


def _powers(number: float) -> Sequence[float]:
    """The powers that a number in the source can stand for, by itself or as a root."""
    sizes = () if number in USUAL else (number, 1 / number)
    return [power for size in sizes if LEAST_POWER <= size <= MOST_POWER for power in (size, -size)]


WRITTEN: Mapping[str, Callable[[float], Sequence[float]]] = {
    "fitted_scale": lambda number: (number, 1 / number, number**0.5, number**-0.5),
    "fitted_times": lambda number: (number, 1 / number, number**-0.5),
    "fitted_part": lambda number: () if number in {*USUAL, FUSED} else (number, 1 / number),
    "fitted_eps": lambda number: (number,) if number < MOST_EPS else (),
    "fitted_default": lambda number: (number,) if number < MOST_EPS else (),
    "fitted_power": _powers,
    "fitted_more_in_the_scale": lambda number: (number, -number),
    "fitted_turning": lambda number: (number,) if number not in USUAL else (),
    "fitted_low_fill": lambda number: (-number,) if number < LOW_ENOUGH else (),
}
"""What a number in the source can mean as a constant, by the names in the catalogue."""


SUBLAYERS = ("multi_head_attention", "scaled_dot_product_attention", "feed_forward", "layer_norm")
"""What stands inside every layer."""

EVERYWHERE = (
    "mha-view-on-noncontiguous",
    "mha-linear-created-in-forward",
    "mha-indivisible-heads-silent",
    "ffn-linear-created-in-forward",
    "dropout-active-in-eval",
    "dropout-scales-in-evaluation",
    "gradient-cut",
    "weights-not-registered",
    "sdpa-scales-query-in-place",
    "weights-changed-by-the-call",
    "state-kept-between-calls",
    "float64-not-kept",
    "answer-not-a-number",
    "table-row-never-learned",
    "ffn-positions-meet",
    "gradient-of-another-function",
)
"""Signs that any module may show."""
OF_DROPOUT = (
    "dropout-never-applied",
    "dropout-active-in-eval",
    "dropout-scales-in-evaluation",
    "dropout-no-rescaling",
    "dropout-rate-ignored",
    "dropout-on-the-sublayers-input",
)
OF_LAYERS = (
    "encoder-inplace-residual",
    "enc-dropout-after-norm",
    "enc-residual-dropped",
    "enc-one-norm-for-all",
    "dec-one-attention-for-both",
)
OF_STACKS = (
    "trf-layers-share-weights",
    "trf-one-layer-called-again",
    "trf-layers-in-plain-list",
    "trf-stacks-share-weights",
)
OF_WEIGHTS = (
    "mha-projection-of-one-head",
    "ffn-inner-width-ignored",
    "ffn-gated",
    "ffn-one-matrix-for-both",
    "stack-of-another-depth",
    "trf-returns-token-ids",
)
"""What the weights in use tell."""
OF_MODELS = (
    *OF_STACKS,
    "trf-no-positional-encoding",
    "trf-pe-is-trained",
    "trf-learned-positions",
    "trf-pe-not-a-buffer",
)


def sharing(one: str, other: str) -> str:
    """Which mistake it is when two sublayers hold the same parameters; empty where that is free."""
    paths = one.split("."), other.split(".")
    if any(path[-1] == "norm" for path in paths):
        return ""  # final norms are free, and so is one for both stacks
    if {path[0] for path in paths} == {"encoder", "decoder"}:
        return "trf-stacks-share-weights"
    if paths[0][:-1] != paths[1][:-1]:
        return "trf-layers-share-weights"
    return (
        "enc-one-norm-for-all" if all(path[-1].startswith("norm") for path in paths) else "dec-one-attention-for-both"
    )
