"""The kinds of formula: their names, right form and known wrong ones (forms.txt), and what is found about one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files

from grader.written.formula.vocabulary import CHANCE, SIZES, section, words

KINDS: tuple[str, ...] = ("attention", "multi_head", "pe_sin", "pe_cos", "ffn", "add_norm", "noam", "variance")


@dataclass(frozen=True)
class Slip:
    """One wrong filling: the slots it fills, what it is, and a question that leads on."""

    id: str
    slots: Mapping[str, str]
    title: str
    hint: str


@dataclass(frozen=True)
class Form:
    """The slots of the right form, outermost first, and the slips."""

    slots: Mapping[str, str]
    slips: tuple[Slip, ...]

    def fill(self, slip: Slip | None = None) -> str:
        """Return the form's text, with a slip in its slots."""
        filled = {**self.slots, **(slip.slots if slip else {})}
        text = "@"
        for part in filled.values():
            text = text.replace("@", part, 1)
        return text


@lru_cache(maxsize=1)
def forms() -> Mapping[str, Form]:
    """Return the form of each kind; of `sin|cos` under two kinds each takes its own."""
    text = files("grader.written.formula").joinpath("forms.txt").read_text(encoding="utf-8")
    return {
        kind: _form([re.sub(r"(\w+)\|(\w+)", rf"\{at + 1}", line) for line in body.splitlines()])
        for heading, body in re.findall(r"^\[([\w ]+)\]\n((?:[^\[\n].*\n)+)", text, re.MULTILINE)
        for at, kind in enumerate(heading.split())
    }


def _form(lines: list[str]) -> Form:
    slots: dict[str, str] = {}
    slips: list[Slip] = []
    for line in lines:
        name, colon, filled = line.partition(": ")
        if line.startswith(" "):
            last = slips[-1]
            slips[-1] = replace(last, hint=line.strip()) if last.title else replace(last, title=line.strip())
        elif colon:
            slips.append(Slip(name, dict(_slot(part) for part in filled.split("; ")), "", ""))
        else:
            slots.update([_slot(line)])
    return Form(slots, tuple(slips))


def _slot(text: str) -> tuple[str, str]:
    name, _, filling = text.partition(" = ")
    return name, filling


@dataclass(frozen=True)
class Kind:
    """What one kind of formula knows.

    aliases: written name → our name. roles: names an unknown symbol may stand for. main: names the formula is
    defined under. signs: calls the formula cannot do without. letters: those that may be position or column.
    matrices: letters are matrices, so that a T is a transpose. opaque: any word before a bracket is a function, a
    sublayer. waves: it is one of the two encodings. chance: variance and expectation are functions. scalar: its
    symbols are numbers.
    """

    id: str
    aliases: Mapping[str, str]
    roles: tuple[str, ...]
    main: frozenset[str]
    signs: frozenset[str]
    letters: frozenset[str]
    words: frozenset[str] = field(default_factory=frozenset)
    matrices: bool = False
    opaque: bool = False
    waves: bool = False
    chance: bool = False
    scalar: bool = False


@lru_cache(maxsize=16)
def kind_of(name: str) -> Kind:
    """Return the kind called `name`; raises KeyError for another name."""
    said = section(name)
    aliases = {word: key.removeprefix("names ") for key, of in said.items() if key.startswith("names ") for word in of}
    main, signs, letters = (frozenset(said.get(key, ())) for key in ("main", "signs", "letters"))
    known = {*aliases, *aliases.values(), *SIZES, *SIZES.values(), *words("names")}
    if name == "variance":
        known |= {*CHANCE, *(word.capitalize() for word in CHANCE), "SD", "VAR", "STD"}
    known = {word for word in known if len(word) > 1}
    traits = dict.fromkeys(said["traits"], True)
    return Kind(name, aliases, said.get("roles", ()), main, signs, letters, frozenset(known), **traits)


def key_text(kind: str) -> str:
    """Return the right form of a kind as text."""
    return forms()[kind].fill()


@dataclass(frozen=True, slots=True)
class FormulaVerdict:
    """What was found about one formula.

    verdict: "equal", "different" or "review". slip and title: the named mistake, where there is one ("a+b": two).
    reason: one sentence for the student or the reviewer. reading: the formula as it was understood. hint: a
    question that leads on, where a slip is named. work: how much it took to find this.
    """

    verdict: str
    slip: str | None
    title: str | None
    reason: str
    reading: str
    hint: str | None = None
    work: int = field(default=0, compare=False)


def review(reason: str, reading: str = "") -> FormulaVerdict:
    """Return that a person should look, and why."""
    return FormulaVerdict("review", None, None, reason, reading)


def named(slip: Slip, reading: str) -> FormulaVerdict:
    """Return that a formula is different by a known slip."""
    return FormulaVerdict("different", slip.id, slip.title, slip.title, reading, slip.hint)
