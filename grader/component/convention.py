"""What a course settles: a convention, and which settings of the paper a component calls right under it.

A *convention* is a setting that the assignment calls right, a *misconception* one that it calls wrong. The meaning of
a convention and of its values is one record for functions, modules and texts; a component says beside its checks which
knobs of its workshop each value turns (:class:`Settled`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Any

Knobs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Convention:
    """One thing in which courses differ: ``key`` as assignment.yaml has it, what it is about, its values.

    ``values`` maps each value to its meaning, a noun phrase; ``default`` is the paper's. A number is a value where
    ``number`` says what it means (``{}`` stands for it). ``reads`` looks at values that are not listed, and says what
    is wrong with one; empty where it is right. ``settings`` are those of the paper that a value stands for, by their
    whole names, where they are the same in functions and modules (``counted`` is the one that a number is set to): what
    is not there is the paper's. ``rare`` values are seldom taught, and more often a mistake than meant:
    what is learned from a solution asks before it takes one (a number other than the paper's where ``rare_number``),
    unless the solution's own name says ``meant_by``. What is ``doubtful`` is taken, and asked about.
    """

    key: str
    title: str
    values: Mapping[Any, str]
    default: Any = None
    number: str = ""
    reads: Callable[[Any], str] | None = None
    rare: tuple[Any, ...] = ()
    doubtful: tuple[Any, ...] = ()
    rare_number: bool = False
    meant_by: str = ""
    settings: Mapping[Any, Knobs] = field(default_factory=dict)
    counted: str = ""

    def is_rare(self, value: Any, name: str = "") -> bool:
        """Whether ``value`` is more often a mistake than meant, in what is called ``name``."""
        if self.meant_by and self.meant_by in name.lower():
            return False
        return _listed(value, dict.fromkeys(self.rare)) or (self.rare_number and _is_number(value))

    def complaint(self, value: Any) -> str:
        """What is wrong with a declared ``value``; empty where nothing is."""
        if _listed(value, self.values) or (self.number and _is_number(value)):
            return ""
        if self.reads is not None:
            return self.reads(value)
        known = [_spelled(one) for one in self.values] + (["a number"] if self.number else [])
        close = get_close_matches(str(value), [str(one) for one in self.values], n=1)
        nearest = f". Did you mean {close[0]!r}?" if close else ""
        listed = f"{', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else "".join(known)
        return f"expected {listed}, found {_spelled(value)}{nearest}"

    def meaning(self, value: Any) -> str:
        """What ``value`` means, as a noun phrase."""
        if _listed(value, self.values):
            return self.values[value]
        return self.number.format(value) if self.number and _is_number(value) else _spelled(value)


@dataclass(frozen=True, slots=True)
class Settled:
    """A convention as one component knows it: the knobs that each value turns.

    ``values`` may be fewer than the convention has. A value that turns no knob concerns how the component is called,
    and adapt.py or the block alone read it. ``number`` makes knobs of a declared number. ``narrows`` says what a value
    means for the domain, ``unused`` which parameters a hand-out need not take under it; ``words`` are, for each value,
    phrases of the component's texts with what takes their place (those of ``number`` stand under any number), or the
    name of a table of ``words.toml`` that has them. ``drops`` names misconceptions that mean nothing under a value,
    in a call that passes the argument ``drops_with`` where one is named.
    ``reads(value, declared, inputs)`` brings a returned value into the paper's form where the convention is about that
    form: checks then judge it as they judge the paper's. ``added`` is what a course adds to whole numbers that are
    passed, by argument, where it counts from elsewhere. It means something only where a call is ``passing`` that
    argument, where one is named.
    """

    convention: Convention
    values: Mapping[Any, Knobs] = field(default_factory=dict)
    number: Callable[[float], Knobs] | None = None
    narrows: Callable[[Any], Mapping[str, Any]] = lambda _: {}
    unused: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    words: str | Mapping[str, Mapping[str, str]] = ""
    drops: Mapping[Any, frozenset[str]] = field(default_factory=dict)
    drops_with: str = ""
    reads: Callable[[Any, Any, Mapping[str, Any]], Any] | None = None
    added: Mapping[Any, Mapping[str, int]] = field(default_factory=dict)
    passing: str = ""

    @property
    def key(self) -> str:
        """The convention's key."""
        return self.convention.key

    def complaint(self, value: Any) -> str:
        """What is wrong with a declared ``value`` here; empty where nothing is."""
        wrong = self.convention.complaint(value)
        if wrong or not self.values or _listed(value, self.values) or (self.number and _is_number(value)):
            return wrong
        if self.convention.reads is not None and not _listed(value, self.convention.values):
            return ""
        known = ", ".join(_spelled(one) for one in self.values)
        return f"expected one of {known} for this component, found {_spelled(value)}"

    def knobs(self, value: Any) -> Knobs:
        """The settings that are right under ``value``."""
        if _listed(value, self.values):
            return self.values[value]
        return self.number(float(value)) if self.number and _is_number(value) else {}

    def others(self, right: Any) -> Iterator[tuple[Any, Knobs]]:
        """The values that are wrong where ``right`` is declared, the paper's first, with the knobs of each.

        These turn back those of the declared value: None stands for the paper's setting.
        """
        declared = self.knobs(right)
        if self.number and not self.values:
            yield self.convention.default, dict.fromkeys(declared)
        for value, knobs in sorted(self.values.items(), key=lambda item: item[0] != self.convention.default):
            if knobs == declared:
                continue
            yield value, {**dict.fromkeys(declared), **knobs}
            if not knobs and len(declared) > 1:  # the first is left out, and nothing is put in its place
                yield value, {next(iter(declared)): None}
            if len(knobs) > 1 and len({*map(repr, knobs.values())}) == 1:  # what is one in several places, in one alone
                alone = [{name: setting} for name, setting in knobs.items() if declared.get(name) != setting]
                yield from ((value, one) for one in alone if one not in self.values.values())


def of_paper(convention: Convention, *, whole: bool = True, **how: Any) -> Settled:
    """The convention with its own ``settings``: by their whole names for modules, by their last words for functions.

    ``how`` is passed on to :class:`Settled`.
    """

    def named(settings: Knobs) -> Knobs:
        return settings if whole else {name.rpartition(".")[2]: setting for name, setting in settings.items()}

    settings, counted = convention.settings, convention.counted
    values = {value: named(settings.get(value, {})) for value in convention.values} if settings else {}
    return Settled(convention, values, (lambda number: named({counted: number})) if counted else None, **how)


def any_value(_value: object) -> str:
    """Read by the part itself, which knows more of it."""
    return ""


def mistake_id(key: str, value: Any) -> str:
    """The id of the mistake of keeping to ``value`` where the course settles on another."""
    told = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
    return f"course-{key}-{told}".replace("_", "-").replace(" ", "-")


def told_apart(convention: Convention, right: Any, value: Any) -> tuple[str, dict[str, str]]:
    """Title and help at three levels for keeping to ``value`` where the course settles on ``right``."""
    asked, found = convention.meaning(right), convention.meaning(value)
    paper = f" The paper has {found}." if value == convention.default else ""
    return f"{found[:1].upper()}{found[1:]} is used where this course asks for {asked}.", {
        "nudge": f"What does the hand-out say of {convention.title}?",
        "hint": f"The hand-out asks for {asked}; your code has {found}.",
        "explanation": f"Courses differ in {convention.title}.{paper} This one settles on {asked}.",
    }


def declared(settled: tuple[Settled, ...], conventions: Mapping[str, Any]) -> Iterator[tuple[Settled, Any]]:
    """The conventions among ``settled`` that an assignment declares, with their values."""
    for one in settled:
        if one.key in conventions:
            yield one, conventions[one.key]


def right_knobs(settled: tuple[Settled, ...], conventions: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that an assignment with these ``conventions`` calls right; empty where it keeps to the paper."""
    found: dict[str, Any] = {}
    for one, value in declared(settled, conventions):
        found |= one.knobs(value)
    return found


def rewording(settled: tuple[Settled, ...], conventions: Mapping[str, Any]) -> Callable[[str], str]:
    """Return what says a text of the component as it reads under ``conventions``."""
    tables = [(words, value) for one, value in declared(settled, conventions) if (words := _words(one.words, value))]
    steps = [_replacing(words, value) for words, value in tables]
    return lambda text: reduce(lambda said, step: step(said), steps, text)


def _replacing(words: Mapping[str, str], value: Any) -> Callable[[str], str]:
    # In one pass, so that what is put in is not replaced again; longer phrases first.
    phrases = re.compile("|".join(re.escape(phrase) for phrase in sorted(words, key=len, reverse=True)))
    return lambda text: phrases.sub(lambda found: words[found[0]].format(value), text)


def _words(known: str | Mapping[str, Mapping[str, str]], value: Any) -> Mapping[str, str]:
    """The phrases that read otherwise under a value, or under any number, with what takes their place."""
    tables: Mapping[str, Any] = known if isinstance(known, Mapping) else _written()
    for name in known.split(".") if isinstance(known, str) else ():
        tables = tables.get(name, {})
    found: Mapping[str, str] = tables.get(_spelled(value)) or (tables.get("number", {}) if _is_number(value) else {})
    return found


@cache
def _written() -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def _listed(value: Any, values: Mapping[Any, Any]) -> bool:
    """Whether ``value`` is among ``values`` as itself: 1 is not True."""
    try:
        return any(value == one and type(value) is type(one) for one in values)
    except (TypeError, ValueError):
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spelled(value: Any) -> str:
    """A value as YAML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
