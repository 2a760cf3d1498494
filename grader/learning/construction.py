"""The ways in which a class could be made, likeliest first: of sizes, of a config, or of other parts."""

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.learning import configs, constants, words
from grader.learning import ready as given
from grader.learning.around import Around
from grader.learning.definitions import NOT_PLAIN, REQUIRED, Definition, Taken
from grader.learning.draft import passed_as


def makings(one: Definition, component: str, sizes: Sequence[str], around: Around) -> Iterator[dict[str, Any]]:
    """How a class is made: of sizes, constants or a config object as conventions, or by an adapter's lines.

    These make it of parts that are known already, or say what its file has as constants. ``sizes`` are the usual ones.
    """
    known = around.known
    parts = given.parts(one, component, {**_output_layer(known), **around.ready})
    # What holds all sizes is given them, whatever it is where it is left out.
    required = [taken for taken in one.made if taken.required or _is_config(taken)]
    read = {taken.name: configs.reads(one, taken.name, known) for taken in required if taken.name not in parts}
    read = {name: fields for name, fields in read.items() if fields and configs.is_one(name)}
    lines = constants.on_cpu(one, known)
    alone = [fields for fields in read.values() if len(required) == 1 and "." not in "".join(fields)]
    if alone and not one.entry and not lines:
        yield from _of_config(alone[0], sizes, known, around.usual.get("config", {}))
        return
    parts |= {name: _configs(one, name, fields, sizes, known) for name, fields in read.items()}
    parts = {**_counted(one, sizes), **parts}
    if not parts:
        lines += constants.told(one, known, {size: f"sizes.{size}" for size in _meant(sizes)})
    if parts or lines or one.entry:
        yield from ({"adapter": made, "constants": lines} for made in _of_parts(one, sizes, parts))
        return
    yield from ({"constructor": made} for made in _of_arguments(one.made, sizes))


def _is_config(taken: Taken) -> bool:
    return taken.default is None and words.plain(taken.name) in words.CONFIGS


def _counted(one: Definition, sizes: Sequence[str]) -> dict[str, list[str]]:
    """The lines that make what a class asks for its length: vocabularies, and the shape that a norm is made for."""
    asked = {ast.unparse(node).replace("self.", "") for node in ast.walk(one.node) if isinstance(node, ast.Call)}
    first = {taken.name: _choices(taken, sizes)[0] for taken in one.made if f"len({taken.name})" in asked}
    counted = {name: [f"range({written(size)})"] for name, size in first.items() if size in VOCABULARIES}
    shapes = {name for name in first if words.is_size(name, "d_model")}
    return {**{name: [f"[{written(first[name])}]"] for name in shapes - counted.keys()}, **counted}


VOCABULARIES = frozenset({"vocab", "src_vocab", "tgt_vocab"})


def _output_layer(known: Mapping[str, Definition]) -> dict[str, str]:
    """The line that makes the solution's own layer from vectors to words, where it is a class."""
    classes = (one for one in known.values() if one.kind == "class")
    own = (one for one in classes if words.standing_for(one.name, words.PARTS, [OUTPUT]))
    line = next((line for one in own for line in _of_parts(one, ("d_model", "vocab"), {})), "")
    return {OUTPUT: line} if line else {}


OUTPUT = "output_layer"


def _of_parts(one: Definition, sizes: Sequence[str], parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What makes a class whose ``parts`` are made by these lines."""
    choices = [[*map(Line, parts.get(taken.name, ()))] or _choices(taken, sizes) for taken in one.made]
    for picks in itertools.islice(_distinct(choices), MOST):
        yield making(one, [(taken, pick) for taken, pick in zip(one.made, picks, strict=True) if pick is not _LEFT])


def _meant(sizes: Sequence[str]) -> list[str]:
    """The sizes that a constant can be: the usual ones, and what follows from them."""
    return list(dict.fromkeys((*sizes, "d_k", "d_v", "num_layers", "d_ff", "max_len", "dropout")))


class Line(str):
    """A piece of an adapter's text."""

    __slots__ = ()


def making(one: Definition, chosen: Sequence[tuple[Taken, Any]]) -> str:
    """The call that makes a class, as an adapter writes it: ``work.Layer(sizes.d_model, work.Inner(…), 0.1)``."""
    by_place = [taken.name for taken in one.made if not taken.by_name][: len(chosen)]
    names = by_place != [taken.name for taken, _ in chosen]
    texts = [written(pick) for _, pick in chosen]
    said = [f"{taken.name}={text}" if names else text for (taken, _), text in zip(chosen, texts, strict=True)]
    return f"work.{one.name}({', '.join(said)})"


def written(pick: Any) -> str:
    """What is given for an argument, as an adapter writes it."""
    if isinstance(pick, Line):
        return pick
    return f"sizes.{pick}" if isinstance(pick, str) and pick in words.SIZES else repr(pick)


def _of_arguments(made: Sequence[Taken], sizes: Sequence[str]) -> Iterator[Any]:
    choices = [_choices(taken, sizes) for taken in made]
    if any(words.tells_queries(taken.name) for taken in made):  # these are widths before they are projected
        choices = [sorted(one, key=lambda size: size in ("d_k", "d_v")) for one in choices]
    for picks in itertools.islice(_distinct(choices), MOST):
        chosen = [(taken.name, pick) for taken, pick in zip(made, picks, strict=True) if pick is not _LEFT]
        yield passed_as(chosen, made)


_LEFT = object()
MOST = 12
"""Ways to make a class that are tried."""
TIMES_AS_WIDE = 4
"""Times d_model that the inner layer is wide, as in section 3.3."""
LONGEST = 256
"""What is given for the most positions of a part that is not about them."""


def _choices(taken: Taken, sizes: Sequence[str]) -> list[Any]:
    """What could be given for an argument: our sizes by its name, then a constant, then any usual size."""
    name, default = taken.name, taken.default
    every = (*sizes, *(size for size in words.SIZES if size not in sizes))
    open_ = default in (REQUIRED, NOT_PLAIN) or (isinstance(default, int | float) and not isinstance(default, bool))
    constant = words.constant_of(name)
    fits: list[Any] = list(words.standing_for(name, words.SIZES, every))
    if open_ and not constant:
        said = [size for size in words.sizes_said(name, every) if size not in fits]
        fits += [*said, "d_ff"] if said == ["d_model"] and not fits else said  # "dim" is said of either
    if fits == ["d_model"] and not words.says(name, "of_the_model"):
        fits.append("d_ff")
    if fits[:1] != ["d_k"]:  # which no class is asked to take; of a name for two sizes it is the likelier all the same
        usual = [size for size in fits if size in sizes]
        fits = usual + [size for size in fits if size not in sizes and size not in {"d_ff", "src_vocab", "tgt_vocab"}]
    fits = [LONGEST if size == "max_len" and size not in sizes else size for size in fits]
    fits += _of_heads(fits[:1], sizes)
    if "d_ff" in sizes and words.is_factor(name):
        return [_LEFT, *fits] if default is not REQUIRED else [TIMES_AS_WIDE, *fits]
    if default is True and words.SHARED & frozenset(words.spoken(name)):
        return [False, _LEFT]
    if isinstance(default, str) and default.startswith("cuda"):
        return constant or [_LEFT]
    if default is not REQUIRED:
        return [*fits, _LEFT]
    if taken.truth and not fits:
        return [*constant, *(value for value in (False, True) if value not in constant)]
    return fits or constant or [*sizes[:1], LONGEST, *sizes[1:]]


def _of_heads(first: Sequence[Any], sizes: Sequence[str]) -> list[str]:
    """What else a width can be that is ``first`` that of a head, or of the model where heads alone are told."""
    if first in (["d_k"], ["d_v"]):
        return ["d_model"]  # of all heads together
    return ["d_k"] if first == ["d_model"] and "num_heads" in sizes and "d_ff" not in sizes else []


def _distinct(choices: Sequence[Sequence[Any]], *, beside: bool = False) -> Iterator[tuple[Any, ...]]:
    """Picks in which no size but a dropout rate is given twice; then those where one may be.

    What is filled ``beside`` other arguments need not hold the width of the model.
    """
    every = itertools.islice(itertools.product(*(range(len(one)) for one in choices)), 4096)
    picks = [
        [one[at] for one, at in zip(choices, pick, strict=True)] for pick in sorted(every, key=lambda p: (sum(p), p))
    ]
    inner = any("d_ff" in one for one in choices)
    yield from sorted(map(tuple, picks), key=lambda pick: _repeats(pick, inner=inner, beside=beside))


PLAIN = bool | int | float | str | None
"""What a field that is no size is given: its own default."""
OF_BOTH = {"dropout", "d_model", "num_layers", "num_heads", "d_ff", "max_len"}
"""Sizes that a model may be given twice: for its encoder and for its decoder."""


def _repeats(pick: Sequence[Any], *, inner: bool, beside: bool) -> int:
    """How many sizes are given twice, or are not given though they could be: d_model at all, d_ff beside two of it.

    ``inner`` says whether any argument can be d_ff.
    """
    sizes = [one for one in pick if isinstance(one, str) and one not in OF_BOTH]
    widths = list(pick).count("d_model")
    return (
        len(sizes) - len(set(sizes)) + 2 * (widths == 0 and not beside) + (inner and widths > 1 and "d_ff" not in pick)
    )


def _of_config(
    fields: Sequence[str], sizes: Sequence[str], known: Mapping[str, Definition], meant: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The ways to make a class that takes one object with all sizes; what else it reads has its plain default."""
    own = configs.own_class(fields, known)
    usual = {name: own.fields[name] for name in fields if isinstance(own.fields[name], PLAIN)} if own else {}
    for chosen in _filled(fields, own, sizes, meant):
        config = {taken.name: pick for taken, pick in chosen}
        config |= {name: value for name, value in usual.items() if name not in config}
        if own and "num_heads" not in config.values():  # which may look whether the heads divide the width
            config |= {name: "num_heads" for name in own.fields if words.is_size(name, "num_heads")}
        yield {"config": config, **({"config_class": own.name} if own else {})}


def _configs(
    one: Definition, argument: str, fields: Sequence[str], sizes: Sequence[str], known: Mapping[str, Definition]
) -> list[str]:
    """The lines that make an object with sizes beside other arguments, or with objects inside."""
    own = configs.own_class(fields, known)
    items = configs.by_items(one, argument, known)
    return [
        making(own, [(replace(taken, by_name=True), pick) for taken, pick in chosen])
        if own
        else configs.plain({taken.name: written(pick) for taken, pick in chosen}, items=items)
        for chosen in _filled(fields, own, sizes, {}, beside=len(one.made) > 1)
    ]


def _filled(
    fields: Sequence[str],
    own: Definition | None,
    sizes: Sequence[str],
    meant: Mapping[str, Any],
    *,
    beside: bool = False,
) -> Iterator[list[tuple[Taken, Any]]]:
    """What the fields of a config are given, what they are ``meant`` for elsewhere first.

    The class that it is ``own`` of may ask for more.
    """
    defaults: Mapping[str, Any] = own.fields if own else {}
    asked = (name for name, value in defaults.items() if value is REQUIRED)  # of others, but it cannot be made without
    taken = [Taken(name, defaults.get(name, REQUIRED)) for name in dict.fromkeys((*fields, *asked))]
    every = tuple(dict.fromkeys((*sizes, "dropout")))
    choices = [_choices(replace(each, name=each.name.rpartition(".")[2]), every) for each in taken]
    choices = [
        [meant[each.name], *(pick for pick in picks if pick != meant[each.name])] if each.name in meant else picks
        for each, picks in zip(taken, choices, strict=True)
    ]
    for picks in itertools.islice(_distinct(choices, beside=beside), MOST):
        yield [(each, pick) for each, pick in zip(taken, picks, strict=True) if pick is not _LEFT]
