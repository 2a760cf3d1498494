"""How a class is constructed and called, read from what the assignment says of it, and what is wrong with that."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from grader.blocks.mask_axes import Axes, axes_of
from grader.blocks.programs import CONFIG, Making
from grader.blocks.sizes import KNOWN, Sizes
from grader.component.part import Complaint
from grader.errors import nearest
from grader.model.assignment import Argument, Interface

WEIGHTS = (*(f"{form}_{letter}" for form in "wb" for letter in "qkvo12"), "gain", "shift")
"""Weights that a constructor may be given."""
BATCHES = {
    "first": "first",
    "batch_first": "first",
    "second": "second",
    "time_first": "second",
    "sequence_first": "second",
    "none": "none",
}
_DECLARED = tuple(field.name for field in fields(Sizes) if field.name not in {"batch", "n", "m"})


def making_of(
    interface: Interface,
    target: str,
    constructor: Sequence[str],
    ways: Sequence[Sequence[str]],
    sizes: Sizes,
    *,
    causal_alone: bool = False,
    roles: Callable[[Sizes], Mapping[str, tuple[int, ...]]] | None = None,
) -> Making:
    """Return how ``target`` is made and called; ``constructor`` and the first of ``ways`` where it is silent."""
    said = interface.conventions
    config = _arguments(said.get("config", {}))
    default: Any = [CONFIG] if config else list(constructor)
    built = said.get("constructor", default)
    # What is asked for as a function and handed in as a class is called as such a class is.
    known = {name for way in ways for name in way}
    named = [name for name in interface.parameters if name in known] or ways[0]
    declared = {name: value for name, value in said.get("sizes", {}).items() if name in _DECLARED}
    sizes = replace(sizes, **_with_vocab(said.get("sizes", {}), declared))
    taken = {one.value for one in (*_arguments(built), *config) if not one.constant}
    if "vocab" in taken and not taken & {"src_vocab", "tgt_vocab"}:  # one for both languages
        sizes = replace(sizes, src_vocab=sizes.vocab)
    return Making(
        target,
        _arguments(built),
        interface.arguments or tuple(Argument(name) for name in named),
        sizes,
        built_by_name=isinstance(built, Mapping),
        called_by_name=interface.by_keyword,
        config=config,
        config_class=str(said.get("config_class", "")),
        mask=str(said.get("mask", "attend")),
        mask_type=str(said.get("mask_type", "bool")),
        mask_axes=_mask_axes(said.get("mask_shapes", ["(b)"] if said.get("mask") == "lengths" else ()), said),
        mask_required=bool(said.get("mask_required", False)),
        causal_alone=causal_alone,
        batch=BATCHES.get(str(said.get("batch", "first")), "second"),
        backend=str(said.get("backend", "torch")),
        said=said,
        same_length=bool(interface.domain.get("same_length", False)),
        roles=roles(sizes) if roles is not None else {},
        adapter=interface.adapter,
    )


def _with_vocab(said: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    """The declared sizes, with a lone ``vocab`` as that of both languages."""
    both = {name: said["vocab"] for name in ("src_vocab", "tgt_vocab") if "vocab" in said}
    return {**both, **declared}


def _arguments(given: Any) -> tuple[Argument, ...]:
    """A list of our names, constants and ``{theirs: ours}``, or a mapping; texts that we do not know are constants."""
    if isinstance(given, Mapping):
        return tuple(Argument(value, str(name), not _ours(value)) for name, value in given.items())
    found = (_arguments(item if isinstance(item, Mapping) else {"": item}) for item in given)
    return tuple(one for entry in found for one in entry)


def _ours(value: object) -> bool:
    return isinstance(value, str) and value in (*KNOWN, CONFIG, *WEIGHTS)


def _mask_axes(given: Any, said: Mapping[str, Any]) -> dict[str, tuple[Axes, ...]]:
    groups = given if isinstance(given, Mapping) else {"": given} if given else {}
    lengths = said.get("mask") == "lengths"
    return {str(name): tuple(axes_of(text, lengths=lengths) for text in _shapes(of)) for name, of in groups.items()}


def _shapes(given: Sequence[object]) -> list[str]:
    """The shapes of a list, put together again where YAML took ``[(n, m)]`` for two entries."""
    return re.findall(r"[^()]+(?=\))", ", ".join(map(str, given))) or [str(item) for item in given]


# ------------------------------------------------------------------------------------ what is wrong with it


def complaints(interface: Interface, constructor: Sequence[str], parameters: Sequence[str]) -> Iterator[Complaint]:
    """Yield field and complaint for all that is said of how a class is made and called, and cannot be."""
    said = interface.conventions
    for key in ("constructor", "config"):
        if key in said:
            yield from _of_arguments(("conventions", key), said[key], constructor, mapping=key == "config")
    yield from _of_config(said)
    yield from _of_sizes(said.get("sizes", {}), heads="num_heads" in constructor)
    yield from _of_masks(said, parameters)
    for key in interface.domain:
        if key != "same_length":
            yield ("domain", key), f"a class knows no {key!r} here. Known: same_length."
    for index, one in enumerate(interface.arguments or [Argument(name) for name in interface.parameters]):
        if not one.constant and one.value not in parameters:
            at = one.name if interface.by_keyword else index
            yield ("parameters", at), f"there is no parameter {one.value!r}. {nearest(one.value, tuple(parameters))}"


def _of_arguments(at: tuple[str | int, ...], given: Any, usual: Sequence[str], *, mapping: bool) -> Iterator[Complaint]:
    if mapping and not isinstance(given, Mapping):
        yield at, "expected a mapping of the config's fields to sizes or constants, such as {n_embd: d_model}"
        return
    if not isinstance(given, Mapping | list | tuple):
        yield at, "expected a list of sizes, or a mapping of the hand-out's names to sizes or constants"
        return
    entries = given.items() if isinstance(given, Mapping) else enumerate(given)
    for place, item in entries:
        if isinstance(item, Mapping) and not isinstance(given, Mapping):
            if len(item) != 1:
                yield (*at, place), "expected one name with its size or constant, such as {device: cpu}"
            yield from _of_arguments((*at, place), item, usual, mapping=False)
            continue
        if isinstance(item, list | Mapping):
            yield (*at, place), "expected a size or a constant"
        elif isinstance(item, str) and not _ours(item) and (not isinstance(given, Mapping) or _close(item)):
            known = (*dict.fromkeys((*usual, *KNOWN)), CONFIG)
            cure = f" A constant has a name: {{{item}: …}}." if not isinstance(given, Mapping) else ""
            yield (*at, place), f"there is no size {item!r}. {nearest(item, known)}{cure}"


def _close(text: str) -> list[str]:
    """Sizes that a text may be meant for: it is taken for a constant only where there are none."""
    return get_close_matches(text, KNOWN, 1, 0.8)


def _of_config(said: Mapping[str, Any]) -> Iterator[Complaint]:
    uses = any(not one.constant and one.value == CONFIG for one in _safely(said.get("constructor", ())))
    if uses and not said.get("config"):
        yield (
            ("conventions", "constructor"),
            "the constructor takes a config: say what is in it, such as config: {n_embd: d_model, n_head: num_heads}",
        )
    if said.get("config") and said.get("constructor") and not uses:
        yield ("conventions", "config"), "the constructor does not take it: put config among its arguments"
    if said.get("config_class") and not said.get("config"):
        yield ("conventions", "config_class"), "expected config: beside it, with the fields of that class"


def _safely(given: Any) -> tuple[Argument, ...]:
    return _arguments(given) if isinstance(given, Mapping | list | tuple) else ()


def _of_sizes(given: Any, *, heads: bool) -> Iterator[Complaint]:
    at = ("conventions", "sizes")
    if not isinstance(given, Mapping):
        yield at, "expected a mapping of sizes to whole numbers, such as {d_model: 12, num_heads: 3}"
        return
    known = (*_DECLARED, "vocab")
    for name, value in given.items():
        if name not in known:
            yield (*at, name), f"there is no size {name!r}. {nearest(str(name), tuple(known))}"
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            yield (*at, name), f"expected a whole number above 0, found {value!r}"
    usual = Sizes()
    number, width = given.get("num_heads", usual.num_heads), given.get("d_model", usual.d_model)
    if heads and isinstance(number, int) and isinstance(width, int) and number > 0 and width % number:
        yield at, f"expected num_heads ({number}) to divide d_model ({width})"


def _of_masks(said: Mapping[str, Any], parameters: Sequence[str]) -> Iterator[Complaint]:
    shapes = said.get("mask_shapes", [])
    known = [name for name in parameters if "mask" in name]
    groups = shapes.items() if isinstance(shapes, Mapping) else [("", shapes)]
    for name, texts in groups:
        at = ("conventions", "mask_shapes", *([name] if name else []))
        if name and name not in known:
            yield at, f"there is no mask {name!r}. {nearest(str(name), tuple(known))}"
        if not isinstance(texts, list | tuple):
            yield at, "expected a list of shapes, such as [(n, m), (b, 1, 1, m)]"
            continue
        for text in _shapes(texts):
            try:
                axes_of(text, lengths=said.get("mask") == "lengths")
            except ValueError as error:
                yield at, str(error)
