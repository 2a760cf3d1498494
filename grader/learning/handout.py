"""The hand-out of an assignment's code: how each part is made and called, what is settled, when it is right."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import components as catalogue
from grader.blocks.sizes import Sizes
from grader.learning import schedules
from grader.learning.definitions import NOT_PLAIN, Definition, Taken
from grader.learning.passing import passed
from grader.model.assignment import BESIDE, Argument, Interface, Section
from grader.report.words import counted

if TYPE_CHECKING:
    from grader.component.part import Part

UNTOLD = frozenset({"form", "gradient", "constructor", "config", "config_class", "mask_shapes", "sizes", "flat"})
"""Conventions that are told in words of their own, or need none."""
OF_MASKS = frozenset({"mask", "mask_type", "mask_hides", "mask_required"})
OF_TORCH = frozenset({"float64", "moves"})
PAPER = "Sections, figures and equations are those of “Attention Is All You Need” (Vaswani et al., 2017)."
ON_SHEET = "Answer on the sheet that the starter holds, and leave its marks, such as `**[name]**`, where they are."
AS_REPORT = "Hand in a report as a PDF, and beside it the source it was made from."
OF_SINES = frozenset({"layout", "exponents", "first_position", "base"})


@dataclass(frozen=True, slots=True)
class PartText:
    """What a hand-out says of one part: how it is made and called, what is settled by key, when it is right.

    ``settled`` are sentences, ``usual`` noun phrases of what keeps to the default; ``only`` holds what is the part's
    alone. ``named`` says how the arguments of an adapter are called in what is right.
    """

    heading: str
    called: tuple[str, ...]
    settled: Mapping[str, str]
    usual: Mapping[str, str]
    only: tuple[str, ...]
    named: str
    right: tuple[str, ...]


def handout(
    parts: Sequence[tuple[Interface, Definition]], id: str, title: str, names: Sequence[str], *,
    torch: bool, judged: Collection[str] | None = None, sections: Sequence[Section] = (),
) -> str:  # fmt: skip
    """The text for the assignment ``id``: ``parts`` as students find them defined, who write the files ``names``.

    ``sections`` are those of its written work.

    What most parts have in common is said once, in front. ``judged`` are the checks that students get points for, by
    their ids; all that are asked where there is no rubric yet.
    """
    tools = "numpy and torch" if torch else "numpy"
    where = " and ".join(f"`{name}`" for name in names)
    lines = [f"# {title}\n", f"Write what is asked for in {tools}, in {where}; the starter has the names.", PAPER]
    texts = [_part_text(interface, definition, judged) for interface, definition in parts]
    shared = _shared([{**one.settled, **one.usual} for one in texts])
    right = _common([one.right for one in texts])
    if shared or right:
        lines.append("\n## All parts")
    if shared:
        usual = {key: text for one in texts for key, text in one.usual.items() if key in shared}
        lines.append("\nWhat holds wherever a part has to do with it:\n")
        lines += _bullets(text for key, text in shared.items() if key not in usual)
        lines += _together(usual.values())
    if right:
        lines += ["\nEach is right only when all this holds that can be asked of it:\n", *_bullets(right)]
    for one in texts:
        lines += [f"\n## {one.heading}\n", *_bullets(one.called)]
        lines += _bullets(text for key, text in one.settled.items() if key not in shared)
        lines += _bullets(one.only)
        lines += _together(text for key, text in one.usual.items() if key not in shared)
        lines += [f"\nIt is right when{one.named}:\n", *_bullets(text for text in one.right if text not in right)]
    if sections or any(interface.own for interface, _ in parts):  # the folder holds the answers, too
        return "\n".join([*lines, *_of_written(sections), ""])
    check = f"grader check {names[0] if len(names) == 1 else '.'} -a {id}"
    lines.append(f"\n## Check it\nWith the folder `{id}` of this assignment beside your work:\n```\n{check}\n```\n")
    return "\n".join(lines)


def _of_written(sections: Sequence[Section]) -> Iterator[str]:
    """What is written beside the code: how many questions a worksheet has, what a report is looked through for."""
    if sheet := [one for one in sections if one.part == "worksheet"]:
        yield f"\n## Worksheet\n\n{ON_SHEET}\n"
        yield from _bullets(f"{one.title}: {counted(len(one.questions), 'question')}" for one in sheet)
    if report := [one for one in sections if one.part == "report"]:
        yield f"\n## Report\n\n{AS_REPORT}\n"
        yield from _bullets(f"{one.title}: {'; '.join(asked.title for asked in one.questions)}" for one in report)


def _shared(said: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What is said by several, and otherwise by none."""
    texts: dict[str, list[str]] = {}
    for key, text in (item for one in said for item in one.items()):
        texts.setdefault(key, []).append(text)
    return {key: found[0] for key, found in texts.items() if len(found) > 1 and len({*found}) == 1}


def _common(right: Sequence[Sequence[str]]) -> list[str]:
    """What more than half of the parts are asked, in its order."""
    counts = Counter(text for one in right for text in one)
    return [text for text, count in counts.items() if count > max(1, len(right) // 2)]


def _bullets(said: Iterable[str]) -> Iterator[str]:
    yield from (f"- {text.rstrip('.')}." for text in said)


def _together(usual: Iterable[str]) -> Iterator[str]:
    """What keeps to the default, in one sentence."""
    if said := "; ".join(dict.fromkeys(usual)):
        yield f"- All else is as usual: {said}."


def _part_text(interface: Interface, one: Definition, judged: Collection[str] | None) -> PartText:
    part = catalogue.of(interface)
    asked, named = part.asked(interface), _renamed(interface, one)
    settled, usual = _settled(part, interface)
    names = ", ".join(f"`{name}`" for name in interface.parameters)
    ours = "" if interface.adapter is None else f" (its arguments are called {names} here)"
    title = part.title if part.title != interface.component else f"The course's own part `{part.title}`"
    return PartText(
        heading=f"`{one.name}({signature(one.made if one.kind == 'class' else one.called)})`",
        called=(title, *_called(interface, one)),
        settled=settled,
        usual=usual,
        only=(*_shapes(interface, named), *_domain(interface.domain)),
        named=ours,
        right=tuple(
            re.sub("`[^`]+`", lambda found: named.get(found[0], found[0]), check.title)
            for check in part.checks
            if check.name in asked and (judged is None or f"{interface.component}.{check.name}" in judged)
        ),
    )


def _called(interface: Interface, one: Definition) -> Iterator[str]:
    """How a part is made and called, and what it returns."""
    yield from _made(interface, one.made)
    for name, value in passed(interface, one).items():
        if isinstance(value, ast.Dict):
            items = zip(value.keys, value.values, strict=True)
            keys = [(key.value, ast.unparse(ours)) for key, ours in items if isinstance(key, ast.Constant)]
            yield f"`{name}` is a dict with {_named(keys)}"
    if one.kind == "class" and (one.called or interface.adapter is None):
        yield f"It is called with `({signature(one.called)})`"
    if interface.returns:
        order = ", in this order" if len(interface.returns) > 1 else ""
        values = ("a value that is not judged" if name == BESIDE else name for name in interface.returns)
        yield f"It returns {', '.join(values)}{order}"
    elif interface.component == "noam_lr" and schedules.wraps(one):
        yield schedules.TOLD
    elif one.kind == "class" and one.returned and BESIDE not in one.returned:
        yield f"It returns `({', '.join(one.returned)})`; what has the shape that is asked for is judged"


def _renamed(interface: Interface, one: Definition) -> dict[str, str]:
    """Our names of arguments, as titles of checks have them, with the starter's; none where an adapter calls it."""
    given = interface.arguments or [Argument(name) for name in interface.parameters]
    pairs = zip(given, one.called, strict=False) if interface.adapter is None else ()
    return {f"`{ours.value}`": f"`{ours.name or theirs.name}`" for ours, theirs in pairs if not ours.constant}


def signature(taken: Sequence[Taken]) -> str:
    """The arguments as a definition has them, with defaults that are plain values."""
    shown = ("…" if one.default is NOT_PLAIN else repr(one.default) for one in taken)
    return ", ".join(
        one.name if one.required else f"{one.name}={default}" for one, default in zip(taken, shown, strict=True)
    )


def _made(interface: Interface, made: Sequence[Taken]) -> Iterator[str]:
    """What stands for which size in the constructor, or in the config."""
    said = interface.conventions
    if "config" in said:
        own = f"is a `{said['config_class']}` where you define that class, and " if said.get("config_class") else ""
        yield f"Its config {own}has {_named(said['config'].items())}"
    built = said.get("constructor", ())
    if built and interface.adapter is None:
        if isinstance(built, Mapping):
            pairs = list(built.items())
        else:
            placed = zip(made, built, strict=False)
            pairs = [next(iter(v.items())) if isinstance(v, Mapping) else (taken.name, v) for taken, v in placed]
        yield f"It is made with {_named(pairs)}"
    if "sizes" in said:
        sizes = said["sizes"]
        yield "What it is not told: " + ", ".join(_size(name, sizes[name], sizes) for name in sizes)


def _size(name: str, size: int, sizes: Mapping[str, int]) -> str:
    """A size in words; the inner layer's width goes with d_model, unless that is settled itself."""
    d_model = Sizes().d_model
    times = "d_model" not in sizes and name == "d_ff" and size % d_model == 0
    return f"{name} is {size // d_model} times d_model" if times else f"{name} is {size}"


def _named(pairs: Any) -> str:
    return ", ".join(f"`{name}`" + (f" ({value})" if str(value) != name else "") for name, value in pairs)


def _settled(part: Part, interface: Interface) -> tuple[dict[str, str], dict[str, str]]:
    """What the course settles, a sentence for each key, and what keeps to the default where it could be settled."""
    said = interface.conventions
    settled: dict[str, str] = {}
    usual: dict[str, str] = {}
    for one in part.conventions:
        convention, value = one.convention, said.get(one.key)
        if one.key in UNTOLD | _idle(part, interface):
            continue
        if value is not None:
            meaning = convention.meaning(value)
            settled[one.key] = _opened(meaning if isinstance(value, bool) else f"{convention.title}: {meaning}")
        elif convention.default is not None and one.key != "backend":
            usual[one.key] = convention.meaning(convention.default)
    return settled, usual


def _shapes(interface: Interface, named: Mapping[str, str]) -> Iterator[str]:
    """The shapes of masks, by the names that students have for them, and of what comes back."""
    said = interface.conventions
    if shapes := said.get("mask_shapes"):
        by_name = shapes.items() if isinstance(shapes, Mapping) else [("", shapes)]
        names = {name: named.get(f"`{name}`", f"`{name}`") for name, _ in by_name if name}
        told = "; ".join(f"{' or '.join(each)}{f' for {names[name]}' if name else ''}" for name, each in by_name)
        what = "lengths" if said.get("mask") == "lengths" else "masks"
        yield f"The shapes of {what}: {told} (b samples, h heads, n queries, m keys)"
    if said.get("flat"):
        yield "Samples and positions share one axis of what it returns"


def _idle(part: Part, interface: Interface) -> frozenset[str]:
    """The conventions that say nothing of what students are asked, under what else is settled."""
    said = {one.key: interface.conventions.get(one.key, one.convention.default) for one in part.conventions}
    masked = part.returns_mask or any("mask" in name for name in interface.parameters)
    turned, trained = said.get("rotary", "none") != "none", said.get("learned_positions", False)
    idle = (
        (OF_MASKS, not masked),
        ({"mask_type"}, said.get("mask") in {"additive", "lengths"}),
        ({"mask_hides"}, said.get("mask") != "additive"),
        (OF_TORCH, interface.conventions.get("backend") in {"numpy", "tensors"}),
        ({"dropout_place"}, not part.takes(interface, "dropout")),
        (OF_SINES, trained is not False or turned),
        ({"learned_positions"}, turned),
        ({one.key for one in part.conventions if one.passing not in ("", *interface.parameters)}, True),
    )
    return frozenset(key for keys, holds in idle if holds for key in keys)


def _domain(domain: Mapping[str, Any]) -> Iterator[str]:
    if "ranks" in domain:
        yield f"Its arrays have {' or '.join(map(str, domain['ranks']))} axes"
    if domain.get("odd") is False:
        yield "d_model is even"
    if domain.get("whole_numbers") is False:
        yield "Its arrays hold floating numbers"
    if domain.get("same_length"):
        yield "All sequences of a call have one length"
    if domain.get("same_width"):
        yield "Values are as wide as keys"
    if domain.get("masks") == "full":
        yield "Masks have the shape of the scores"
    if "mask_axes" in domain:
        yield f"Masks have {' or '.join(map(str, domain['mask_axes']))} axes"


def _opened(text: str) -> str:
    return text[:1].upper() + text[1:]
