"""A function that is no plain function of its arrays, called by an adapter's lines.

A class that is made and called at once, or a function that is told sizes which its arrays tell as well.
"""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.catalog.adapter import FILE, adapted_by
from grader.learning import constants, construction, draft, words
from grader.learning.definitions import Definition, Taken, keys_taken, texts_in
from grader.learning.passing import written
from grader.model.assignment import Interface

GIVEN = {
    "temperature": ("Q.shape[-1] ** 0.5",),
    "scale": ("Q.shape[-1] ** 0.5", "Q.shape[-1] ** -0.5"),
    "scalefactor": ("Q.shape[-1] ** 0.5", "Q.shape[-1] ** -0.5"),
    "sqrtdk": ("Q.shape[-1] ** 0.5",),
}
"""What an attention is made with, told by the queries: what scores are divided by, or multiplied with."""
SIZES: Mapping[str, Mapping[str, str]] = {
    "d_model": {"query": "query.shape[-1]", "x": "x.shape[-1]", "table": "table.shape[1]"},
    "d_k": {"Q": "Q.shape[-1]"},
    "d_v": {"V": "V.shape[-1]"},
    "d_ff": {"b_1": "b_1.shape[0]"},
    "vocab": {"table": "table.shape[0]", "logits": "logits.shape[-1]"},
}
"""Sizes by the argument that tells them."""


def starts(
    base: Interface, one: Definition, parameters: Sequence[str], known: Mapping[str, Definition]
) -> Iterator[Interface]:
    """The ways to make a class and to call it at once, likeliest first; none where its arguments say something else.

    It may be made with arguments of the paper's function.
    """
    for called in draft.calls(one, parameters):
        given = called["parameters"]
        ours = list(given.values()) if isinstance(given, dict) else [str(name) for name in given]
        passed = [f"{name}={value}" for name, value in given.items()] if isinstance(given, dict) else ours
        left = [name for name in parameters if name not in ours]
        choices = [_choices(taken, left, _sizes_of(ours)) for taken in one.made]
        for picks in itertools.product(*choices):
            chosen = [(taken, pick) for taken, pick in zip(one.made, picks, strict=True) if pick is not None]
            told = [name for name in left if name in picks]
            lines = constants.told(one, known, _sizes_of(ours))
            thing = construction.making(one, chosen)
            if one.of_torch:
                thing += ".eval()"  # what it drops of the weights is no matter of its answer
            else:  # called by forward or by itself, as each student has it
                lines, thing = [*lines, f"thing = {thing}"], "getattr(thing, 'forward', thing)"
            yield _adapted(base, [*ours, *told], f"{thing}({', '.join(passed)})", lines=lines)


def told_more(
    base: Interface,
    one: Definition,
    parameters: Sequence[str],
    defaults: Mapping[str, Any],
    known: Mapping[str, Definition],
    returns: Sequence[str] = (),
) -> Iterator[Interface]:
    """The ways to call a function that has to be told more than the paper's: sizes, or what has one of ``defaults``.

    Sizes may be its arguments, or constants of its file; arrays may stand in a dict that it takes, and come back in it:
    what the part ``returns``. None where it takes nothing of the kind.
    """
    sizes = {taken.name: names[0] for taken in one.called if (names := _size(taken, parameters))}
    dicts = _dicts(one)
    keys = {key.name for keys in dicts.values() for key in keys}
    each = (dicts.get(taken.name, (taken,)) for taken in one.called)
    rest = replace(one, called=tuple(taken for taken in itertools.chain(*each) if taken.name not in sizes))
    required = {taken.name for taken in rest.called if taken.required} | keys
    for called in draft.calls(rest, parameters):
        given = called["parameters"]
        named = given if isinstance(given, Mapping) else dict(_named(given, rest.called))
        if not all(isinstance(value, str) for value in named.values()):
            continue
        ours = list(named.values())
        usual = {ours: defaults[ours] for name, ours in named.items() if name in required and ours in defaults}
        known_sizes = _sizes_of(ours)
        told = {name: known_sizes.get(size, "") for name, size in sizes.items()}
        lines = constants.told(one, known, known_sizes)
        ways = {name: _texts(one, name, text, keys) for name, text in named.items()}
        other = any(texts != [named[name]] for name, texts in ways.items())
        if not (told or usual or lines or dicts or other) or not all(told.values()):
            continue
        for texts in itertools.product(*ways.values()):
            passed = _in_dicts({**told, **dict(zip(ways, texts, strict=True))}, dicts)
            call = f"work.{one.name}({written(one.called, passed)})"
            if state := _of_state(one, dicts, named, returns):
                yield _adapted(base, ours, state, usual, [*lines, f"found = {call}"])
            yield _adapted(base, ours, call, usual, lines)


def _dicts(one: Definition) -> dict[str, tuple[Taken, ...]]:
    """The keys of each dict that a function takes; none where two have the same, or one is called as an argument is."""
    dicts = {taken.name: keys for taken in one.called if (keys := keys_taken(one, taken.name))}
    names = [*(taken.name for taken in one.called), *(key.name for keys in dicts.values() for key in keys)]
    return dicts if len({*names}) == len(names) else {}


def _texts(one: Definition, name: str, ours: str, keys: Collection[str]) -> list[str]:
    """What is passed for one of our names, likeliest first: a mode by its name, a share that is kept, a step before."""
    modes = words.modes(texts_in(one))
    if ours == "training" and modes is not None:
        return [f"{modes[0]!r} if training else {modes[1]!r}"]
    if ours == "p" and words.says_kept(name):
        return ["1 - p", "p"]
    return [ours, *OTHERWISE.get(ours, ())] if name in keys else [ours]


OTHERWISE: Mapping[str, Sequence[str]] = {"p": ("1 - p",), "step": ("step - 1",)}
"""What else a dict may hold: the share that is kept, the steps before this one."""


def _in_dicts(texts: Mapping[str, str], dicts: Mapping[str, Sequence[Taken]]) -> dict[str, str]:
    """The arguments of a call with those that are keys in their dicts."""
    passed = dict(texts)
    for name, keys in dicts.items():
        items = [f"{key.name!r}: {passed.pop(key.name)}" for key in keys if key.name in passed]
        passed[name] = f"{{{', '.join(items)}}}"
    return passed


def _of_state(
    one: Definition, dicts: Mapping[str, Sequence[Taken]], named: Mapping[str, str], returns: Sequence[str]
) -> str:
    """What the part ``returns``, of what is ``found``, where some of it stands in a dict that comes back."""
    of_dicts = {
        named[key.name]: f"found[{at}][{key.name!r}]"
        for at, name in enumerate(one.returned)
        for key in dicts.get(name, ())
        if key.name in named
    }
    alone = iter([f"found[{at}]" for at, name in enumerate(one.returned) if name not in dicts])
    texts = [of_dicts.get(name) or next(alone, "") for name in returns]
    return ", ".join(texts) if of_dicts and all(texts) else ""


def _sizes_of(arguments: Sequence[str]) -> dict[str, str]:
    """What the arguments of a call tell of sizes."""
    return {size: texts[at] for size, texts in SIZES.items() for at in arguments[::-1] if at in texts}


IDS = {
    "causal_mask": "{ones}((1, n), dtype={int})",
    "padding_mask": "{ones}((1, max_len), dtype={int}) * ({range}(max_len) < {array}(lengths)[:, None])",
}
"""Ids that have such a mask: 1 is a word, and 0 is padding."""
SIZED = {"causal_mask": "n", "padding_mask": "lengths, max_len"}
"""What the paper's function takes in the place of ids."""
LIBRARIES = (
    {"import": "numpy as np", "ones": "np.ones", "int": "np.int64", "range": "np.arange", "array": "np.asarray"},
    {"import": "torch", "ones": "torch.ones", "int": "torch.long", "range": "torch.arange", "array": "torch.as_tensor"},
)


def of_ids(base: Interface, one: Definition, known: Mapping[str, Definition]) -> Iterator[Interface]:
    """The ways to call what makes masks of ids, one or several together; none where it takes something else."""
    several = draft.returns_masks(one)
    if base.component == "attention_masks" and several:
        yield from _of_both(base, one, known)
    if base.component not in IDS or not (several or _takes_ids(one)):
        return
    pads = [place for place, name in zip(_places(one), one.names_returned, strict=False) if "pad" in name.lower()]
    places = pads if several and pads and base.component == "padding_mask" else _places(one)
    for library, turned, place in itertools.product(LIBRARIES, ("", ".T")[: 1 + several], places):
        ids = IDS[base.component].format_map(library)
        call = _of_these(one, f"({ids}){turned}" if turned else ids, "0", f"{library['array']}(lengths)")
        lines = [f"import {library['import']}", *_pads(one, known, "0"), f"return work.{one.name}({call}){place}"]
        yield _with_lines(base, {f"call(work, {SIZED[base.component]})": lines}) if call else base


def _of_both(base: Interface, one: Definition, known: Mapping[str, Definition]) -> Iterator[Interface]:
    """The ways to take both masks of the paper from what one call returns: batch first, or second."""
    lines = _pads(one, known, "pad_id")
    told = bool(lines) or any(_is(taken, "pad_id") for taken in one.called)
    takes = "work, ids, pad_id" if told else "work, ids"
    sources, targets = (_places(one, unless) for unless in (words.OF_TARGET, words.OF_SOURCE))
    for turned, source, target in itertools.product(("", ".T"), sources, targets):
        call = f"work.{one.name}({_of_these(one, f'ids{turned}', 'pad_id')})"
        yield _with_lines(
            base,
            {
                f"call({takes})": [*lines, f"return {call}{source}"],
                f"make_tgt_mask({takes})": [*lines, f"return {call}{target}"],
            },
        )


def _with_lines(base: Interface, functions: Mapping[str, Sequence[str]]) -> Interface:
    """The interface with an adapter of these functions, whose lines are given."""
    text = "\n".join(
        f"    def {head}:\n" + "".join(f"        {line}\n" for line in lines) for head, lines in functions.items()
    )
    return adapted_by([base], f"class {base.component}:\n{text}", Path(FILE))[0]


def _places(one: Definition, unless: frozenset[str] = frozenset()) -> list[str]:
    """Where each of the values stands that are returned together, in a tuple or a dict; one alone stands bare.

    What is called by one of the words ``unless`` is left out.
    """
    keys = one.keys_returned or range(len(one.returned))
    named = zip(keys, one.names_returned, strict=True)
    return [f"[{key!r}]" for key, name in named if not unless & {*words.spoken(name)}] or [""]


def _of_these(one: Definition, ids: str, pad: str, lengths: str = "") -> str:
    """The arguments of what makes masks of ``ids``, whose padding is ``pad``, and ``lengths``; a device is the CPU."""
    texts = (("pad_id", pad), ("ids", ids), ("lengths", lengths))
    given = [(taken, next((text for what, text in texts if _is(taken, what)), "")) for taken in one.called]
    given = [(taken, text or ("'cpu'" if taken.name == "device" else "")) for taken, text in given]
    placed = [text for taken, text in given if taken.required]
    named = [f"{taken.name}={text}" for taken, text in given if text and not taken.required]
    return ", ".join([*(text or ids for text in placed), *named])  # what no word tells is ids, too


def _pads(one: Definition, known: Mapping[str, Definition], pad: str) -> list[str]:
    """The lines that set the constants of its file that stand for padding, where no argument says it."""
    if any(_is(taken, "pad_id") for taken in one.called):
        return []
    names = [name for name in constants.read(one, known) if words.standing_for(name, words.ARGUMENTS, ["pad_id"])]
    return [f"work.{name} = {pad}" for name in sorted(names)]


def _takes_ids(one: Definition) -> bool:
    """Whether it takes ids: they are called so, or it is told which of them is padding, or how many are none."""
    required = [taken for taken in one.called if taken.required]
    pads = [_is(taken, "pad_id") or _is(taken, "lengths") for taken in required[1:]]
    return bool(required) and (_is(required[0], "ids") or any(pads)) and all(pads)


def _is(taken: Taken, ours: str) -> bool:
    """Whether an argument is ids, that of padding, or lengths; what is padded stands for ids that are."""
    said = {"ids": words.says(taken.name, "padded"), "lengths": words.says(taken.name, "of_lengths")}
    return words.standing_for(taken.name, words.ARGUMENTS, [ours]) == [ours] or said.get(ours, False)


def _named(given: Sequence[Any], taken: Sequence[Taken]) -> Iterator[tuple[str, Any]]:
    """What is passed by its place, with the names of the solution."""
    for value, at in zip(given, taken, strict=False):
        yield next(iter(value.items())) if isinstance(value, Mapping) else (at.name, value)


def _adapted(
    base: Interface, ours: Sequence[str], made: str, usual: Mapping[str, Any] | None = None, lines: Sequence[str] = ()
) -> Interface:
    """The interface with lines that call the solution so, behind ``lines`` that set constants of its file.

    A mask may be left out, and what has a ``usual`` value.
    """
    left = {"mask": None, **(usual or {})}
    takes = sorted((f"{name}={left[name]!r}" if name in left else name for name in ours), key=lambda text: "=" in text)
    return _with_lines(base, {f"call(work, {', '.join(takes)})": [*lines, f"return {made}"]})


def _size(taken: Taken, parameters: Sequence[str]) -> list[str]:
    """The size that an argument is, where it is none of the arguments of the paper."""
    if not taken.required or words.standing_for(taken.name, words.ARGUMENTS, parameters):
        return []
    return words.standing_for(taken.name, words.SIZES, SIZES)


def _choices(taken: Taken, left: Sequence[str], sizes: Mapping[str, str]) -> list[construction.Line | float | None]:
    """What an argument of the constructor is given; None leaves it out.

    Parameters that the call has ``left``, or what tells one of the ``sizes``.
    """
    name = words.plain(taken.name)
    if name in GIVEN and "d_k" in sizes:
        return [construction.Line(text) for text in GIVEN[name]]
    if meant := words.standing_for(taken.name, words.ARGUMENTS, left):
        return [construction.Line(meant[0])]
    if fits := words.standing_for(taken.name, words.SIZES, sizes) or words.sizes_said(taken.name, list(sizes)):
        return [construction.Line(sizes[fits[0]])]
    if words.is_size(taken.name, "dropout"):
        return [0.0]
    if not taken.required:
        return [None]
    return [construction.Line(text) for text in sizes.values()] if len(sizes) == 1 else []
