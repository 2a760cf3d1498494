"""What courses call the parts of the paper, their arguments and their sizes, and what a name of theirs can stand for.

The words stand in ``words.toml``, in lower case, letters and digits alone.
"""

import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Words = Mapping[str, tuple[str, ...]]

_READ: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _table(title: str) -> Words:
    return {name: tuple(words.split()) for name, words in _READ[title].items()}


FUNCTIONS, CLASSES, MAKERS = _table("functions"), _table("classes"), _table("makers")
PARTS, ARGUMENTS, SIZES, GIVEN = _table("parts"), _table("arguments"), _table("sizes"), _table("given")
_ELSEWHERE, _KINDS = _table("elsewhere"), _table("kinds")
CONFIGS = _KINDS["config"]
JOINS = frozenset(_KINDS["joins"])
POSITIONS = frozenset(_KINDS["positions"])
OF_SOURCE, OF_TARGET = frozenset(_KINDS["source"]), frozenset(_KINDS["target"])
SHARED, OF_LENGTHS = frozenset(_KINDS["shared"]), frozenset(_KINDS["of_lengths"])
_SAID = {size: frozenset(words) for size, words in _table("words_of_sizes").items()}
_SAID_OF_MASKS = {
    name: frozenset(words) | (OF_TARGET if name == "tgt_mask" else OF_SOURCE)
    for name, words in _table("words_of_masks").items()
}
_CONSTANTS = {name: None if value == [] else value for name, value in _READ["constants"].items()}
MEMORIES = frozenset(ARGUMENTS["memory"]) - {"src", "context", "enc"}
"""What is a memory and nothing else, even where it may be left out."""
NEEDS = {"label_smoothing": "eps"}
"""What a part takes in any case, by which it is told from others that are called alike."""
SHORT = 7
"""A word no longer than this stands in many names."""


def _says(said: frozenset[str], kind: str) -> bool:
    return not said.isdisjoint(_KINDS[kind])


def plain(name: str) -> str:
    """A name in lower case, letters and digits alone."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def meant(name: str, known: Words) -> str:
    """The entry of ``known`` that a name stands for; empty for none.

    Whole words first, then the last inside it, of these the longest: a ``SelfAttentionEncoderLayer`` is a layer.
    """
    text = plain(name)
    kept = text
    for word in _KINDS["small"]:
        kept = kept.removeprefix(word) if len(kept) > len(word) else kept
        kept = kept.removesuffix(word) if len(kept) > len(word) else kept
    for one in (text, kept):
        for entry, words in known.items():
            if one in words:
                return entry
    every = ((word, entry) for entry, words in known.items() for word in words)
    inside = [(text.rfind(word) + len(word), len(word), entry) for word, entry in every if len(word) > SHORT]
    return max((one for one in inside if one[0] >= one[1]), default=(0, 0, ""))[2]


def of_another_paper(name: str, component: str) -> bool:
    """Whether a name that would be a component's says what the paper does not have, gradients or a picture of it."""
    said = frozenset(spoken(name))
    elsewhere = any(word in plain(name) for word in _ELSEWHERE.get(component, ()))
    return elsewhere or _says(said, "of_gradients") or _says(said, "shows")


def standing_for(name: str, known: Words, among: Iterable[str]) -> list[str]:
    """The entries of ``known``, of those ``among``, that a name can stand for, the likeliest first."""
    text = plain(name)
    ranked = [(words.index(text), entry) for entry in among if text in (words := (plain(entry), *known.get(entry, ())))]
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def part_of(name: str, among: Iterable[str]) -> list[str]:
    """The parts, of those ``among``, that a constructor is given by that argument, as things or as classes."""
    among = [*among]
    if is_class(name):
        name = "_".join(spoken(name)[:-1])
        return standing_for(name, CLASSES, among) or standing_for(name, PARTS, among)
    exactly = standing_for(name, PARTS, among) or standing_for(name, CLASSES, among)
    if exactly:
        return exactly
    said = meant(name, CLASSES) if not any(is_size(name, size) for size in SIZES) else ""
    return [said] if said in among else []


def is_class(name: str) -> bool:
    """Whether an argument of that name is a class: ``norm_cls``."""
    return spoken(name)[-1:] in (["cls"], ["class"], ["type"])


def spoken(name: str) -> list[str]:
    """The words of a name in lower case: of ``enc_vocabSize`` ``enc``, ``vocab`` and ``size``."""
    found = [""]
    for before, letter in itertools.pairwise(f" {name}"):
        begins = letter.isupper() and not before.isupper()
        found = [*found, ""] if begins or not letter.isalpha() else found
        found[-1] += letter.lower() if letter.isalpha() else ""
    return [word for word in found if word]


def argument_of(name: str, among: Sequence[str], *, lengths: bool = False, as_mask: bool = False) -> list[str]:
    """The arguments, of those ``among``, that a name can stand for: as a whole, or by words of source and target.

    With ``lengths`` a mask may be called so, and ``as_mask`` it is one whatever it is called.
    """
    if found := standing_for(name, ARGUMENTS, among):
        return found
    said = frozenset(spoken(name))
    if as_mask or "mask" in plain(name) or (lengths and is_mask(name)):
        return [one for one in among if one == "mask" or said & _SAID_OF_MASKS.get(one, frozenset())]
    sides = {"memory": OF_SOURCE, "src": OF_SOURCE, "x": OF_TARGET, "tgt": OF_TARGET}
    both = {"x", "memory"} <= {*among} or {"src", "tgt"} <= {*among}
    return [one for one in among if both and said & sides.get(one, frozenset())]


def is_mask(name: str) -> bool:
    """Whether a name can stand for a mask, or for one that is given as lengths."""
    return "mask" in plain(name) or bool(OF_LENGTHS & {*spoken(name)})


def explains(name: str) -> bool:
    """Whether any word tells what an argument is; a letter tells nothing."""
    text, said = plain(name), {*spoken(name)}
    known = standing_for(name, ARGUMENTS, ARGUMENTS) or text in _CONSTANTS or is_mask(name) or is_state(name)
    told = known or said & {*CONFIGS, *POSITIONS} or any(is_size(name, size) for size in SIZES)
    return len(text) > 1 and bool(told)


def padding_apart(names: Iterable[str], parameters: Sequence[str]) -> dict[str, str | None]:
    """Which mask is passed for each of ``names`` where padding has masks of its own, as in torch's layers.

    What hides padding in keys hides it wherever they are read; with a mask for the target's own positions, its padding
    needs none. Empty where padding has no mask of its own.
    """
    ours = [name for name in parameters if "mask" in name]
    theirs = [name for name in names if is_mask(name)]
    several = ours and len(theirs) > len(ours) and any(map(_is_padding, theirs))
    return {name: _as_padding(name, ours) for name in theirs} if several else {}


def _is_padding(name: str) -> bool:
    return bool({"pad", "padding"} & {*spoken(name)})


def _as_padding(name: str, ours: Sequence[str]) -> str | None:
    padding, sides = _is_padding(name), argument_of(name, ours)
    if padding and "tgt_mask" in sides and OF_TARGET & {*spoken(name)}:
        return None
    return next((side for side in sides if padding == (side != "tgt_mask")), None)


def is_size(name: str, size: str) -> bool:
    """Whether a name can stand for a size, as a whole or by its words."""
    return bool(standing_for(name, SIZES, [size]) or sizes_said(name, [size]))


def sizes_said(name: str, among: Sequence[str]) -> list[str]:
    """The sizes, of those ``among``, that the words of a name say, the likeliest first."""
    said = frozenset(spoken(name))
    meant = [size for size, words in _SAID.items() if said & words]
    if "num_heads" in meant and (_says(said, "wide") or spoken(name)[0] == "d"):
        meant = [size for size in meant if size in {"d_k", "d_v"}] or ["d_k"]
    if ("d_ff" in meant and _says(said, "beside_inner")) or tells_queries(name):
        meant = ["d_model"]
    if "vocab" in meant:
        sides = {"src_vocab": OF_SOURCE, "tgt_vocab": OF_TARGET}
        meant = [*(size for size, words in sides.items() if said & words), "vocab"]
    return [size for size in meant if size in among]


def is_factor(name: str) -> bool:
    """Whether a name says how many times as wide as the model an inner layer is."""
    said = frozenset(spoken(name))
    return _says(said, "factors") and not _says(said, "wide")


def says(name: str, kind: str) -> bool:
    """Whether a name has a word of a kind, as words.toml lists it."""
    return _says(frozenset(spoken(name)), kind)


def tells_queries(name: str) -> bool:
    """Whether a name is the width of queries before they are projected."""
    said = frozenset(spoken(name))
    return _says(said, "of_queries") and _says(said, "wide")


def is_state(name: str) -> bool:
    """Whether an argument is what calls before left."""
    return spoken(name)[-1:] != [] and spoken(name)[-1] in _KINDS["states"]


def says_kept(name: str) -> bool:
    """Whether a name is the share that is kept and not dropped."""
    return _says(frozenset(spoken(name)), "kept")


def modes(texts: Iterable[str]) -> tuple[str, str] | None:
    """Of the ``texts`` in a function the modes in which it trains, and does not; None where it knows no mode."""
    texts = [*texts]
    trains, *_ = *(text for text in texts if text in _KINDS["trains"]), ""
    other, *_ = *(text for text in texts if text in _KINDS["evaluates"]), "test"
    return (trains, other) if trains else None


def constant_of(name: str) -> list[object]:
    """What is passed for an argument that is no size, as a list of one; empty where nothing tells."""
    text = plain(name)
    if text in _CONSTANTS:
        return [_CONSTANTS[text]]
    return [_READ["marks"][word] for word in spoken(name) if word in _READ["marks"]][:1]


def framework(text: str) -> str:
    """What a program without numpy's or torch's classes is written for; empty where it imports no such thing."""
    found = re.search(rf"^\s*(?:import|from)\s+({'|'.join(_KINDS['frameworks'])})\b", text, re.MULTILINE)
    return found[1] if found is not None else ""
