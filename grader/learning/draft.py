"""Which definition is which part of the paper, and the ways in which it could be called, likeliest first."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import components as catalogue
from grader.learning import schedules, words
from grader.learning.definitions import REQUIRED, Definition, Taken
from grader.learning.passing import written

ASKED = "run_"
"""What the names of functions begin with that a course's tests call."""


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
    for component in OF_MASKS:  # what makes one alone is asked for first, and is that alone
        alone = [one for one in candidates.get(component, ()) if not returns_masks(one)]
        if alone:
            candidates[component] = alone
    return [
        Found(component, tuple(sorted(candidates[component], key=lambda one: _late(one, component))))
        for component in catalogue.names()
        if component in candidates
    ]


def named(component: str, one: Definition, known: Mapping[str, Definition]) -> Found:
    """The part that a definition is said to be, whatever it is called."""
    makes = one.kind == "function" and "function" not in catalogue.forms(component)
    return Found(component, (_maker(one, component, known) if makes else one,))


def _late(one: Definition, component: str) -> tuple[bool, bool, int]:
    """How late a definition is tried: those first that a course's tests call (``run_softmax``), then classes."""
    return not one.name.startswith(ASKED), one.kind != "class", _far(one, component)


def meanings(one: Definition, known: Mapping[str, Definition]) -> Iterator[tuple[str, Definition]]:
    """The component that a definition is by its name and by what it takes: itself, or as what makes a module."""
    if returns_masks(one):
        yield from ((component, one) for component in OF_MASKS)
    elif one.kind == "function":
        component = words.meant(one.name, words.FUNCTIONS) or _asked_for(one)
        named = words.plain(one.name) in words.FUNCTIONS.get(component, ())
        likely = named or ("mask" in words.plain(one.name)) == ("mask" in component)
        likely = likely and _takes_needed(one, component) and not (component == "padding_mask" and _hides(one))
        if component and likely and catalogue.function(component).further <= known.keys():
            yield component, one
        made = words.meant(one.name, words.MAKERS)
        if made:
            yield made, _maker(one, made, known)
    elif one.called or schedules.wraps(one):
        component = _meant(one, known)
        if component and _takes_needed(one, component):
            yield component, one


def _asked_for(one: Definition) -> str:
    """The part that tests call by the name of a class (``run_swiglu``), where a function can be it; empty for none."""
    meant = words.meant(one.name, words.CLASSES) if one.name.startswith(ASKED) else ""
    return meant if meant and "function" in catalogue.forms(meant) else ""


def _hides(one: Definition) -> bool:
    """Whether a function is given what it hides, beside the lengths: its answer is no mask."""
    names = [taken.name for taken in one.called if taken.required]
    lengths = [name for name in names if words.OF_LENGTHS & {*words.spoken(name)}]
    others = [name for name in names if name not in lengths]
    return bool(lengths) and not all(
        words.standing_for(name, words.ARGUMENTS, ["max_len", "pad_id"]) or words.says(name, "padded")
        for name in others
    )


OF_MASKS = ("attention_masks", "causal_mask", "padding_mask")
"""What the masks can be that a function returns together, the most that they can be first."""


def returns_masks(one: Definition) -> bool:
    """Whether a function returns several masks together, in a tuple or in a dict."""
    return one.kind == "function" and "mask" in words.plain(one.name) and len(one.names_returned) > 1


def _meant(one: Definition, known: Mapping[str, Definition]) -> str:
    """The component that a class is; empty for none."""
    component = words.meant(one.name, words.CLASSES)
    alone = len(_tensors(one)) < 2  # noqa: PLR2004 - it reads no memory, and one sequence
    if component in {"encoder", "decoder"} and _is_layer(one) and not embeds(one, known):
        component += "_layer"
    if component == "transformer" and alone and not embeds(one, known):
        return "encoder"  # a stack of vectors, whatever it is called
    if component in _ALONE and alone:
        known_by_name = words.plain(one.name) in words.CLASSES[component]
        return _ALONE[component] if known_by_name or component != "transformer" else ""
    if component == "learned_positional_encoding" and _computes_sines(one):
        return "positional_encoding"
    if component == "positional_encoding" and embeds(one, known) and not _says_sines(one):
        return "learned_positional_encoding"
    if component == "encoder" and "Decoder" in one.name and embeds(one, known):
        return "language_model" if alone else "transformer"
    return component


def _is_layer(one: Definition) -> bool:
    """Whether a class that is called a stack attends itself, is told no number of layers, and repeats nothing."""
    layers = ("encoder_layer", "decoder_layer")
    told = any(
        words.is_size(each.name, "num_layers")
        or words.plain(each.name) in words.CONFIGS
        or words.standing_for(each.name.rstrip("s"), words.PARTS, layers)
        for each in one.made
    )
    repeats = any(isinstance(node, ast.For | ast.comprehension) for node in ast.walk(one.node))
    attends = any(words.meant(name, words.CLASSES) == "multi_head_attention" for name in one.holds)
    return attends and not told and not repeats


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


def _says_sines(one: Definition) -> bool:
    """Whether anything that a class names has to do with sines, such as a function that makes their table."""
    nodes = [*ast.walk(one.node)]
    names = [getattr(node, "attr", getattr(node, "id", "")) for node in nodes]
    names += [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
    return any("sin" in words.plain(name) for name in names)


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
    one: Definition, parameters: Sequence[str], constants: Mapping[str, Any] | None = None, *, lengths: bool = False
) -> Iterator[dict[str, Any]]:
    """What ``parameters`` of an interface could be; ``constants`` are what a solution may take beside them.

    With ``lengths`` a mask may be given as such.

    A class that takes one of them several times has an ``entry`` beside it, the call that passes them so.
    """
    told = [_told_by_words(one, parameters, constants or {}, lengths=lengths, truth=truth) for truth in (False, True)]
    for chosen in told if told[0] != told[1] else told[:1]:
        yield from _calls(one, parameters, chosen)


def _calls(one: Definition, parameters: Sequence[str], chosen: list[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    """What ``parameters`` of an interface could be where each argument is ``chosen`` so, as far as words tell."""
    if any(ours == "" and words.POSITIONS & {*words.spoken(name)} for name, ours in chosen):
        return  # where each token stands is none of what a part of the paper is given
    left = [name for name in parameters if name not in dict(chosen).values()]
    chosen = [(name, _next_of(left, name) if ours == "" else ours) for name, ours in chosen]
    given = [ours for _, ours in chosen if isinstance(ours, str)]
    if "src" in given and "memory" in parameters and "memory" not in given:
        return  # what it reads of the source are no ids
    if len({*given}) < len(given) and one.kind == "class" and "" not in given:
        passed = written(one.called, {name: str(ours) for name, ours in chosen})
        yield {"parameters": list(dict.fromkeys(given)), "entry": f"{one.thing}({passed})"}
    elif all(ours != "" for _, ours in chosen):
        yield {"parameters": passed_as(chosen, one.called)}
        if turned := _turned(chosen):
            yield {"parameters": passed_as(turned, one.called)}
        targets = [taken.name for taken in one.called if taken.default is None and _is_target(taken)]
        if targets and given == ["ids"]:  # what returns its scores whole where it is told what comes next
            passed = written(one.called, {name: str(ours) for name, ours in (*chosen, (targets[0], "ids"))})
            yield {"parameters": given, "entry": f"{one.thing}({passed})"}


def _next_of(left: list[str], name: str) -> str:
    """What no word tells in turn, taken from those ``left``; empty for none.

    A mask is given what is called one; ids, which are as true as a mask's ones, are given none.
    """
    masks = words.is_mask(name)
    ids = bool(words.standing_for(name, words.ARGUMENTS, ("ids", "src")))
    found = next((ours for ours in left if not (ids if "mask" in ours else masks)), "")
    left.remove(found) if found else None
    return found


def _told_by_words(
    one: Definition, parameters: Sequence[str], constants: Mapping[str, Any], *, lengths: bool, truth: bool
) -> list[tuple[str, Any]]:
    """What each argument is by its name: one of ``parameters``, a constant, or empty where no word tells.

    ``truth`` is given for each that has to be told whether something holds.
    """
    chosen: list[tuple[str, Any]] = []
    apart = words.padding_apart([taken.name for taken in one.called if taken.required], parameters)
    used = {ours for ours in apart.values() if ours is not None}
    for taken in one.called:
        if taken.name in apart:
            chosen.append((taken.name, apart[taken.name]))
            continue
        fits = words.argument_of(taken.name, parameters, lengths=lengths, as_mask=taken.as_mask)
        fits = [name for name in fits if name not in used]
        fits = [name for name in fits if name != "src_mask" or not _hides_target(taken.name, one.called)]
        fits = [name for name in fits if name != "mask" or not _hides_queries(taken.name, one.called)]
        if taken.truth:  # it says whether something is hidden, and is no mask
            fits = [name for name in fits if "mask" not in name]
        constant = words.standing_for(taken.name, words.ARGUMENTS, constants)
        if fits:
            chosen.append((taken.name, fits[0]))
            used.add(fits[0])
        elif constant and taken.default in (REQUIRED, True):  # what would train by itself is told not to
            chosen.append((taken.name, constants[constant[0]]))
        elif taken.required and words.is_mask(taken.name) and not any("mask" in name for name in parameters):
            chosen.append((taken.name, None))  # the part has none
        elif taken.required and taken.truth:
            chosen.append((taken.name, truth))
        elif "src_mask" in used and "src" in parameters and _hides_memory(taken.name):
            chosen.append((taken.name, "src_mask"))  # which hides in the memory what the encoder's does
        elif taken.required:
            again = _again(taken.name, parameters)
            chosen.append((taken.name, None if taken.optional and not again else again))
    return chosen


def _hides_memory(name: str) -> bool:
    """Whether a mask is the decoder's own of the memory."""
    return words.is_mask(name) and words.says(name, "reads_memory")


def _hides_target(name: str, called: Sequence[Taken]) -> bool:
    """Whether a mask hides the target's padding, where another one is said to be of the source."""
    others = [frozenset(words.spoken(taken.name)) for taken in called if words.is_mask(taken.name)]
    said = frozenset(words.spoken(name))
    return bool(said & words.OF_TARGET and not said & words.OF_SOURCE and any(one & words.OF_SOURCE for one in others))


def _hides_queries(name: str, called: Sequence[Taken]) -> bool:
    """Whether a mask is said to be of queries, where another one is of keys: that alone hides anything."""
    others = [taken.name for taken in called if words.is_mask(taken.name)]
    return words.says(name, "queries") and any(words.says(other, "keys") for other in others)


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
    others = [ours for ours in parameters if ours not in ("x", "memory") and "mask" not in ours]
    if others or not words.standing_for(name, words.ARGUMENTS, ("query", "key", "value")):
        return ""
    return next((ours for ours in ("memory", "x") if ours in parameters), "")


def passed_as(chosen: Sequence[tuple[str, Any]], taken: Sequence[Taken]) -> Any:
    """By position where that leaves nothing out between; by name otherwise."""
    by_place = [one.name for one in taken if not one.by_name][: len(chosen)]
    if by_place == [name for name, _ in chosen]:
        values = [value for _, value in chosen]
        return [v if _is_ours(v) and values.count(v) == 1 else {name: v} for name, v in chosen]
    return dict(chosen)


def _is_ours(value: Any) -> bool:
    return isinstance(value, str) and (value in words.SIZES or value in words.ARGUMENTS)
