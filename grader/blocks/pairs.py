"""Two mistakes in one module: which are tried together, the likeliest first."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from grader.component.checks import Misconception, together
from grader.paper.softmax import OVERFLOWS
from grader.paper.sublayers import Knobs

_STRUCTURAL = (
    ".order",
    "norm",
    ".result",
    "mha.output",
    "mha.unprojected",
    "_weight",
    "ln.affine",
    ".layers",
    ".residual",
    ".run",
    "src_table",
    "trf.tgt_table",
    "trf.generator",
    "stack.output",
    "trf.memory",
)
"""Words in the knobs that change which weights are read, or in what order."""


@cache
def is_structural(knob: str) -> bool:
    """Whether a knob can change which weights a computation reads, or in which order."""
    return any(word in knob for word in _STRUCTURAL)


def about_masks(knob: str) -> bool:
    """Whether a knob turns what is done with a mask."""
    return any(word in knob for word in ("mask", "fill", "causal"))


def built_in(knob: str) -> bool:
    """Whether a knob turns a causal mask that the code makes itself."""
    return "causal" in knob or "triangle" in knob


def with_built_in(knobs: Knobs) -> Iterator[Knobs]:
    """The same settings with a decoder's causal mask made by the layer, and by the attention inside it.

    Both are right; a slip in how attention reads what it is given spoils the layer's own mask in the first alone.
    """
    yield knobs
    if knobs.get("dec.forced_causal") == "always":
        yield {**knobs, "dec.forced_causal": "inside"}


def about_given_masks(knob: str, setting: object) -> bool:
    """Whether a knob turns what is done with a mask that is passed; what is built in shows where none is."""
    return about_masks(knob) and (not built_in(knob) or setting == "instead")


def shown_by_masks(knob: str, setting: object) -> bool:
    """Whether cases with a mask alone, or with padding, show it: what is hidden, and what huge scores become."""
    return about_given_masks(knob, setting) or setting == OVERFLOWS or about_padding(knob)


def about_padding(knob: str) -> bool:
    """Whether a knob turns which ids are hidden unasked."""
    return knob in {"trf.own_padding", "trf.pad"}


def turns_masks(fault: Misconception) -> bool:
    """Whether a mistake shows only where a mask is given."""
    return bool(fault.knobs) and all(
        about_masks(name) and not built_in(name) and setting != "tgt_in_encoder"
        for name, setting in fault.knobs.items()
    )


def tells_little(fault: Misconception) -> bool:
    """Whether a mistake leaves its part without effect, all but eps: beside another one it stands for any such part."""
    return fault.knobs.get("ln.spread") == "unit"


def likeliest_first(faults: Sequence[Misconception]) -> list[Misconception]:
    """The same faults, what the course settles otherwise and the common ones in front."""
    return sorted(faults, key=lambda fault: not fault.common and not fault.id.startswith("course-"))


def of_masks(faults: Sequence[Misconception]) -> Iterator[Misconception]:
    """Two mistakes about masks that turn different knobs."""
    for one, other in itertools.combinations(faults, 2):
        if one.id != other.id and one.apart_from(other):
            yield together(one, other)


def of_common(
    shown: Callable[[Misconception], bool],
    faults: Sequence[Misconception],
    reads_alike: Callable[[Misconception], bool],
) -> Iterator[Misconception]:
    """Two of the most common mistakes, of whatever components; those that the answers have ``shown`` come first."""
    known = [fault for fault in faults if (fault.common or shown(fault)) and not tells_little(fault)]
    found = [
        (not (shown(one) or shown(other)), one.component != other.component, number, one, other)
        for number, (one, other) in enumerate(itertools.combinations(known, 2))
        if one.id != other.id and one.apart_from(other)
    ]
    for *_, one, other in sorted(found, key=lambda row: row[:3]):
        both = together(one, other)
        if reads_alike(both):
            yield both


def of_any(
    shown: Callable[[Misconception], bool],
    faults: Sequence[Misconception],
    reads_alike: Callable[[Misconception], bool],
) -> Iterator[Misconception]:
    """Two mistakes that turn different knobs, one of which changes no order of reading; one component's first.

    What is ``shown`` is the first of each two.
    """
    faults = sorted((fault for fault in faults if not tells_little(fault)), key=lambda fault: not shown(fault))
    plain = [fault for fault in faults if not any(map(is_structural, fault.knobs))]
    firsts = [fault for fault in faults if reads_alike(fault)]
    place = {id(fault): number for number, fault in enumerate(faults)}
    in_plain = {id(fault) for fault in plain}  # thousands of comparisons, field by field, take longer than the search
    for same in (True, False):
        for one in firsts:
            for other in plain:
                twice = id(one) in in_plain and place[id(other)] <= place[id(one)]
                if twice or one.id == other.id or (one.component == other.component) != same:
                    continue
                if one.apart_from(other):
                    yield together(one, other)
