"""What a course settles: a convention, and which settings of the paper a component calls right under it.

A *convention* is a setting that the assignment calls right, a *misconception* one that it calls wrong. The meaning of
a convention and of its values is one record for functions, modules and texts; a component says beside its checks which
knobs of its workshop each value turns (:class:`Settled`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Any

from grader.mistakes import fixed, flat

Knobs = Mapping[str, Any]
MEANINGS: Mapping[str, Knobs] = {"attend": {}, "block": {}, "additive": {}}
"""What a mask can mean to a function; adapt.py turns it round."""


@dataclass(frozen=True, slots=True)
class Convention:
    """One thing in which courses differ: ``key`` as assignment.yaml has it, what it is about, its values.

    ``values`` maps each value to its meaning, a noun phrase; ``default`` is the paper's. A number is a value where
    ``number`` says what it means (``{}`` stands for it). ``reads`` looks at values that are not listed, and says what
    is wrong with one; empty where it is right. ``settings`` are those of the paper that a value stands for, by their
    whole names, where they are the same in functions and modules (``counted`` is the one that a number is set to): what
    is not there is the paper's. ``rare`` values are seldom taught, and more often a mistake than meant:
    what is learned from a solution asks before it takes one (a number other than the paper's where ``rare_number``),
    unless the solution's own name says ``meant_by``. What is ``doubtful`` is taken, and asked about. ``called`` is how
    the texts call a value. The records stand in ``conventions.toml``.
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
    called: Mapping[Any, str] = field(default_factory=dict)

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
    """A convention as one component knows it, by the ``name`` of its record: the knobs that each value turns.

    ``turns`` may have fewer values than the convention; left out, it is the record's own ``settings``: by their
    ``whole`` names for modules, by their last words for functions. A value that turns no knob concerns how the
    component is called, and adapt.py or the block alone read it. ``numbers`` makes knobs of a declared number.
    ``narrows`` says what a value means for the domain, ``unused`` which parameters a hand-out need not take under it;
    ``words`` names the table of ``words.toml`` with phrases of the component's texts that read otherwise under a value
    (those of ``number`` under any number), and what takes their place. ``drops`` names misconceptions
    that mean nothing under a value, in a call that passes the argument ``drops_with`` where one is named.
    ``reads(value, declared, inputs)`` brings a returned value into the paper's form where the convention is about that
    form: checks then judge it as they judge the paper's. ``added`` is what a course adds to whole numbers that are
    passed, by argument, where it counts from elsewhere. It means something only where a call is ``passing`` that
    argument, where one is named. ``brings`` names the component whose file has the mistakes of modules that can be made
    under it alone. With ``beside`` the paper's value stays right beside one that is declared.
    """

    name: str
    turns: Mapping[Any, Knobs] | None = None
    whole: bool = True
    numbers: Callable[[float], Knobs] | None = None
    narrows: Callable[[Any], Mapping[str, Any]] = lambda _: {}
    unused: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    words: str = ""
    drops: Mapping[Any, frozenset[str]] = field(default_factory=dict)
    drops_with: str = ""
    reads: Callable[[Any, Any, Mapping[str, Any]], Any] | None = None
    added: Mapping[Any, Mapping[str, int]] = field(default_factory=dict)
    passing: str = ""
    brings: str = ""
    beside: bool = False

    @property
    def key(self) -> str:
        """The convention's key."""
        return self.name.rpartition(".")[2]

    @property
    def convention(self) -> Convention:
        """What the convention is about; read where it matters, for most work is judged by the paper alone."""
        return recorded(self.name)

    @property
    def values(self) -> Mapping[Any, Knobs]:
        """The knobs of each value; empty where the values turn none."""
        if self.turns is not None:
            return self.turns
        settings = self.convention.settings
        return {value: self._named(settings.get(value, {})) for value in self.convention.values} if settings else {}

    @property
    def number(self) -> Callable[[float], Knobs] | None:
        """What makes knobs of a declared number; None where a number is no value."""
        counted = self.convention.counted if self.turns is None else ""
        return (lambda number: self._named({counted: number})) if counted else self.numbers

    def _named(self, settings: Knobs) -> Knobs:
        return settings if self.whole else {name.rpartition(".")[2]: setting for name, setting in settings.items()}

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
        if self.beside:
            return
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


@cache
def recorded(name: str) -> Convention:
    """The convention that stands in ``conventions.toml`` under that name; it may be ``like`` another in all else."""
    own = _parsed(_records()[name])
    said: dict[str, Any] = {**(_parsed(_records()[own["like"]]) if "like" in own else {}), **own}
    said |= {"key": name.rpartition(".")[2], "reads": any_value if said.pop("anything", False) else None}
    for names in ("values", "called"):
        said[names] = {_typed(one): told for one, told in said.get(names, {}).items()}
    turned = {_typed(one): flat(settings) for one, settings in said.get("settings", {}).items()}
    said["settings"] = {one: {knob: fixed(at) for knob, at in flatly.items()} for one, flatly in turned.items()}
    return Convention(title=said.pop("about"), **{name: fixed(told) for name, told in said.items() if name != "like"})


def _typed(word: str) -> Any:
    """A value of YAML, as the key of a table writes it."""
    return {"true": True, "false": False}.get(word, int(word) if word.isdigit() else word)


def every() -> Mapping[str, Convention]:
    """All conventions by the names of their records, in the order of the file."""
    return {name: recorded(name) for name in _records()}


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
    steps = [replacing(*said) for one, value in declared(settled, conventions) if (said := _words(one, value))[0]]
    return lambda text: reduce(lambda said, step: step(said), steps, text)


def replacing(words: Mapping[str, str], value: Any) -> Callable[[str], str]:
    """Return what puts in ``words``: in one pass, longer phrases first, and never again what was put in."""
    put = {phrase: said.format(value) for phrase, said in words.items()}
    known = {said: said for said in put.values() if said} | put
    phrases = re.compile("|".join(re.escape(phrase) for phrase in sorted(known, key=len, reverse=True)))
    return lambda text: phrases.sub(lambda found: known[found[0]], text)


def _words(settled: Settled, value: Any) -> tuple[Mapping[str, str], Any]:
    """The phrases that read otherwise under a value, with what takes their place, and what {} stands for in that."""
    tables = reduce(lambda table, name: table.get(name, {}), settled.words.split("."), _words_of_parts())
    if _listed(value, settled.convention.called) and "called" in tables:
        return tables["called"], settled.convention.called[value]
    return tables.get(_spelled(value)) or (tables.get("number", {}) if _is_number(value) else {}), value


@cache
def _records() -> Mapping[str, str]:
    """The lines of each record by its name: few are needed at once, and to parse all takes its time."""
    _, *parts = re.split(r"^\[([\w.]+)\]$", _text("conventions.toml"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def _words_of_parts() -> Mapping[str, Any]:
    return _parsed(_text("words.toml"))


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _parsed(text: str) -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(text)


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
