"""Which definition is which part of the paper, and the ways in which it could be made and called, likeliest first."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import components as catalogue
from grader.learning import constants, words
from grader.learning import ready as given
from grader.learning.definitions import NOT_PLAIN, REQUIRED, Definition, Taken, reads_of_config


@dataclass(frozen=True, slots=True)
class Found:
    """A part that a solution has: its component, and the definitions that could be it, the likeliest first."""

    component: str
    definitions: tuple[Definition, ...]

    @property
    def definition(self) -> Definition:
        """The likeliest."""
        return self.definitions[0]


def parts_of(known: Mapping[str, Definition]) -> list[Found]:
    """The parts that a solution has, in the order of the paper; each component once."""
    candidates: dict[str, list[Definition]] = {}
    for one in known.values():
        for component, meant in meanings(one, known):
            if words.of_another_paper(one.name, component):
                continue
            candidates.setdefault(component, []).append(meant)
    return [
        Found(component, tuple(sorted(candidates[component], key=lambda one: _late(one, component))))
        for component in catalogue.names()
        if component in candidates
    ]


def _late(one: Definition, component: str) -> tuple[bool, bool, int]:
    """How late a definition is tried: those first that a course's tests call (``run_softmax``), then classes."""
    return not one.name.startswith("run_"), one.kind != "class", _far(one, component)


def meanings(one: Definition, known: Mapping[str, Definition]) -> Iterator[tuple[str, Definition]]:
    """The component that a definition is by its name and by what it takes: itself, or as what makes a module."""
    if one.kind == "function":
        component = words.meant(one.name, words.FUNCTIONS)
        likely = ("mask" in words.plain(one.name)) == ("mask" in component) and _takes_needed(one, component)
        if component and likely and catalogue.function(component).further <= known.keys():
            yield component, one
        made = words.meant(one.name, words.MAKERS)
        if made:
            yield made, _maker(one, made, known)
    elif one.called:
        component = words.meant(one.name, words.CLASSES)
        alone = len(_tensors(one)) < 2  # noqa: PLR2004 - it reads no memory, and one sequence
        if component == "transformer" and alone and not embeds(one, known):
            component = "encoder"  # a stack of vectors, whatever it is called
        elif component in _ALONE and alone:
            known_by_name = words.plain(one.name) in words.CLASSES[component]
            component = _ALONE[component] if known_by_name or component != "transformer" else ""
        if component == "learned_positional_encoding" and _computes_sines(one):
            component = "positional_encoding"
        if component == "encoder" and "Decoder" in one.name and embeds(one, known):
            component = "language_model" if alone else "transformer"
        if component and _takes_needed(one, component):
            yield component, one


def _takes_needed(one: Definition, component: str) -> bool:
    """Whether it takes what its part takes in any case, when it is made or when it is called."""
    needed = words.NEEDS.get(component, "")
    names = [taken.name for taken in one.made + one.called]
    return not needed or any(words.standing_for(name, words.ARGUMENTS, [needed]) for name in names)


_ALONE = {"decoder_layer": "encoder_layer", "decoder": "encoder", "transformer": "language_model"}
"""What a part of the decoder, or a model, is that reads nothing beside its own sequence."""


def _maker(one: Definition, component: str, known: Mapping[str, Definition]) -> Definition:
    """A function that makes a module, as the class that it stands for."""
    called = {
        node.func.id for node in ast.walk(one.node) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    made = [known[name] for name in sorted(called & known.keys()) if known[name].kind == "class"]
    same = [thing for thing in made if words.meant(thing.name, words.CLASSES) == component]
    usual = tuple(Taken(name) for name in catalogue.block(component).parameters if "mask" not in name)
    taken, entry = (same[0].called, same[0].entry) if same else (usual, "")
    return replace(one, kind="class", made=one.called, called=taken, bases=("nn.Module",), entry=entry)


def embeds(one: Definition, known: Mapping[str, Definition]) -> bool:
    """Whether a class holds an embedding of its own: one of torch, or a class that is called so."""
    named = {node.attr for node in ast.walk(one.node) if isinstance(node, ast.Attribute)} | one.holds
    embeddings = {name for name in one.holds & known.keys() if words.meant(name, words.CLASSES) == "token_embedding"}
    return "Embedding" in named or bool(embeddings)


def _computes_sines(one: Definition) -> bool:
    """Whether a class makes a table of sines, whatever it is called."""
    return any(isinstance(node, ast.Attribute) and node.attr in {"sin", "sin_"} for node in ast.walk(one.node))


def _tensors(one: Definition) -> list[str]:
    """What it has to be given beside masks, and a memory that it may be given."""
    return [
        taken.name
        for taken in one.called
        if not words.is_mask(taken.name) and (taken.required or words.plain(taken.name) in words.MEMORIES)
    ]


def _far(one: Definition, component: str) -> int:
    """How far a name stands from the head of the list: a name that only holds a known word comes last."""
    names = (words.CLASSES if isinstance(one.node, ast.ClassDef) else words.FUNCTIONS).get(component, ())
    text = words.plain(one.name)
    return names.index(text) if text in names else len(names)


# ------------------------------------------------------------------------------------------ how it is called


def calls(
    one: Definition,
    parameters: Sequence[str],
    constants: Mapping[str, Any] | None = None,
    *,
    lengths: bool = False,
) -> Iterator[dict[str, Any]]:
    """What ``parameters`` of an interface could be; ``constants`` are what a solution may take beside them.

    With ``lengths`` a mask may be given as such.

    A class that takes one of them several times has an ``entry`` beside it, the call that passes them so.
    """
    chosen = _told_by_words(one, parameters, constants or {}, lengths=lengths)
    left = iter([name for name in parameters if name not in dict(chosen).values()])
    chosen = [
        (name, next(left, "") if ours == "" else ours) for name, ours in chosen
    ]  # those that no word tells, in turn
    given = [ours for _, ours in chosen if isinstance(ours, str)]
    if len({*given}) < len(given) and one.kind == "class" and "" not in given:
        passed = ", ".join(f"{name}={ours}" for name, ours in chosen)
        yield {"parameters": list(dict.fromkeys(given)), "entry": f"thing({passed})"}
    elif all(ours != "" for _, ours in chosen):
        yield {"parameters": _passed(chosen, one.called)}
        if turned := _turned(chosen):
            yield {"parameters": _passed(turned, one.called)}
        targets = [taken.name for taken in one.called if taken.default is None and _is_target(taken)]
        if targets and given == ["ids"]:  # what returns its scores whole where it is told what comes next
            passed = ", ".join(f"{name}={ours}" for name, ours in (*chosen, (targets[0], "ids")))
            yield {"parameters": given, "entry": f"thing({passed})"}


def _told_by_words(
    one: Definition, parameters: Sequence[str], constants: Mapping[str, Any], *, lengths: bool
) -> list[tuple[str, Any]]:
    """What each argument is by its name: one of ``parameters``, a constant, or empty where no word tells."""
    chosen: list[tuple[str, Any]] = []
    apart = words.padding_apart([taken.name for taken in one.called if taken.required], parameters)
    used = {ours for ours in apart.values() if ours is not None}
    for taken in one.called:
        if taken.name in apart:
            chosen.append((taken.name, apart[taken.name]))
            continue
        fits = [name for name in words.argument_of(taken.name, parameters, lengths=lengths) if name not in used]
        if taken.truth or isinstance(taken.default, bool):  # it says whether something is hidden, and is no mask
            fits = [name for name in fits if "mask" not in name]
        constant = words.standing_for(taken.name, words.ARGUMENTS, constants)
        if fits:
            chosen.append((taken.name, fits[0]))
            used.add(fits[0])
        elif constant and taken.default in (REQUIRED, True):  # what would train by itself is told not to
            chosen.append((taken.name, constants[constant[0]]))
        elif taken.required:
            chosen.append((taken.name, _again(taken.name, parameters)))
    return chosen


def _is_target(taken: Taken) -> bool:
    return words.standing_for(taken.name, words.ARGUMENTS, ["target"]) == ["target"]


def _turned(chosen: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The same with memory and target in each other's place, where their names tell neither; empty where they do."""
    other = {"x": "memory", "memory": "x"}
    names = {ours: name for name, ours in chosen if ours in other}
    told = len(names) < len(other) or words.plain(names["memory"]) in words.MEMORIES or _says_sides(names.values())
    return [] if told else [(name, other.get(ours, ours)) for name, ours in chosen]


def _says_sides(names: Iterable[str]) -> bool:
    """Whether the words of a name say that it is of the source or of the target."""
    return any(frozenset(words.spoken(name)) & (words.OF_SOURCE | words.OF_TARGET) for name in names)


def _again(name: str, parameters: Sequence[str]) -> str:
    """What a layer is given once more that takes queries, keys and values apart; empty for all else."""
    if "query" in parameters or not words.standing_for(name, words.ARGUMENTS, ("query", "key", "value")):
        return ""
    return next((ours for ours in ("memory", "x") if ours in parameters), "")


def _passed(chosen: Sequence[tuple[str, Any]], taken: Sequence[Taken]) -> Any:
    """By position where that leaves nothing out between; by name otherwise."""
    by_place = [one.name for one in taken if not one.by_name][: len(chosen)]
    if by_place == [name for name, _ in chosen]:
        values = [value for _, value in chosen]
        return [v if _is_ours(v) and values.count(v) == 1 else {name: v} for name, v in chosen]
    return dict(chosen)


def _is_ours(value: Any) -> bool:
    return isinstance(value, str) and (value in words.SIZES or value in words.ARGUMENTS)


# ------------------------------------------------------------------------------------------ how it is made


def makings(
    one: Definition, component: str, sizes: Sequence[str], known: Mapping[str, Definition], ready: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """How a class is made: of sizes, constants or a config object as conventions, or by an adapter's lines.

    These make it of parts that are known already, whose lines are ``ready``, or say what its file has as constants.
    ``sizes`` are the usual ones.
    """
    made_with = {**_output_layer(known), **ready}
    if parts := given.parts(one, component, made_with):
        yield from ({"adapter": lines} for lines in _of_parts(one, sizes, parts))
        return
    required = [taken for taken in one.made if taken.required]
    if len(required) == 1 and (words.plain(required[0].name) in words.CONFIGS):
        yield from _of_config(one, required[0].name, sizes, known)
        return
    lines = constants.told(one, known, {size: f"sizes.{size}" for size in _meant(sizes)})
    if lines or one.entry:
        yield from ({"adapter": made, "constants": lines} for made in _of_parts(one, sizes, {}))
        return
    yield from ({"constructor": made} for made in _of_arguments(one.made, sizes))


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
    texts = [
        pick
        if isinstance(pick, Line)
        else f"sizes.{pick}"
        if isinstance(pick, str) and pick in words.SIZES
        else repr(pick)
        for _, pick in chosen
    ]
    said = [f"{taken.name}={text}" if names else text for (taken, _), text in zip(chosen, texts, strict=True)]
    return f"work.{one.name}({', '.join(said)})"


def _of_arguments(made: Sequence[Taken], sizes: Sequence[str]) -> Iterator[Any]:
    choices = [_choices(taken, sizes) for taken in made]
    if any(words.tells_queries(taken.name) for taken in made):  # these are widths before they are projected
        choices = [sorted(one, key=lambda size: size in ("d_k", "d_v")) for one in choices]
    for picks in itertools.islice(_distinct(choices), MOST):
        chosen = [(taken.name, pick) for taken, pick in zip(made, picks, strict=True) if pick is not _LEFT]
        yield _passed(chosen, made)


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
    usual = [size for size in fits if size in sizes]
    fits = usual + [size for size in fits if size not in sizes and size not in {"d_ff", "src_vocab", "tgt_vocab"}]
    fits = [LONGEST if size == "max_len" and size not in sizes else size for size in fits]
    if fits and fits[0] in {"d_k", "d_v"}:
        fits.append("d_model")  # of all heads together
    if "d_ff" in sizes and words.is_factor(name):
        return [_LEFT, *fits] if default is not REQUIRED else [TIMES_AS_WIDE, *fits]
    if default is True and words.SHARED & frozenset(words.spoken(name)):
        return [False, _LEFT]
    if default is not REQUIRED:
        return [*fits, _LEFT]
    if taken.truth and not fits:
        return [*constant, *(value for value in (False, True) if value not in constant)]
    return fits or constant or [*sizes[:1], LONGEST, *sizes[1:]]


def _distinct(choices: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Picks in which no size but a dropout rate is given twice; then those where one may be."""
    every = itertools.islice(itertools.product(*(range(len(one)) for one in choices)), 4096)
    picks = [
        [one[at] for one, at in zip(choices, pick, strict=True)] for pick in sorted(every, key=lambda p: (sum(p), p))
    ]
    yield from sorted(map(tuple, picks), key=_repeats)


OF_BOTH = {"dropout", "d_model", "num_layers", "num_heads", "d_ff", "max_len"}
"""Sizes that a model may be given twice: for its encoder and for its decoder."""


def _repeats(pick: Sequence[Any]) -> int:
    """How many sizes are given twice, or are not given though they could be: d_model at all, d_ff beside two of it."""
    sizes = [one for one in pick if isinstance(one, str) and one not in OF_BOTH]
    widths = list(pick).count("d_model")
    return len(sizes) - len(set(sizes)) + 2 * (widths == 0) + (widths > 1 and "d_ff" not in pick)


def _of_config(
    one: Definition, argument: str, sizes: Sequence[str], known: Mapping[str, Definition]
) -> Iterator[dict[str, Any]]:
    reads = reads_of_config(one, argument, known)
    classes = [d for d in known.values() if d.kind == "class" and d.fields and {*reads} <= {*d.fields}]
    defaults: Mapping[str, Any] = classes[0].fields if classes else {}
    asked = (name for name, value in defaults.items() if value is REQUIRED)  # of others, but it cannot be made without
    taken = [Taken(name, defaults.get(name, REQUIRED)) for name in dict.fromkeys((*reads, *asked))]
    choices = [_choices(each, (*sizes, "dropout")) for each in taken]
    for picks in itertools.islice(_distinct(choices), MOST):
        config = {each.name: pick for each, pick in zip(taken, picks, strict=True) if pick is not _LEFT}
        if one.entry:  # called in a way of its own, so that an adapter makes it
            made = replace(one, name=classes[0].name if classes else "", made=tuple(taken))
            fields = making(
                made, [(replace(each, by_name=True), config[each.name]) for each in taken if each.name in config]
            )
            text = fields if classes else fields.replace("work.", "types.SimpleNamespace", 1)
            yield {"adapter": f"work.{one.name}({text})", "constants": [] if classes else ["import types"]}
            continue
        yield {"config": config, **({"config_class": classes[0].name} if classes else {})}
