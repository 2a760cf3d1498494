"""The catalogue of known mistakes: one record each, with its texts and all that produces it, in a file for each part.

A file is for reading, correcting and translating. Nothing of it is read before a mistake is looked for, told or listed.

A table of the file is a record, and its name the id. ``title`` says what is wrong; ``question``, ``look`` and ``why``
are the help at three levels, which several records may take from one table of ``about``; ``wrong`` and ``right`` a line
or a few of code as students write them, where the mistake has a usual form. ``settings`` are those of the paper that
make the mistake, by their whole names: modules take them as they are (``sdpa.scale``), functions by their last words
(``scale``). What is made in one form alone stands in ``module`` or in ``function``, which has last words only. Each
``variant`` has settings of its own, and may have a title of its own, in which a name in braces stands for a setting.
What no setting can say is done by a function that is registered beside the component, which the record names:

- ``fit`` reads from the answers a constant that the student chose, and yields settings to try;
- ``sign`` recognises the mistake where values cannot be compared;
- ``tie_break`` looks at the source where no input can tell twins apart;
- ``applies`` says whether the mistake can be made with the inputs that a hand-out asks.

``target`` and ``targets`` name the callables that show it, where a component has several; ``reading`` the conventions
under which the rest is judged, so that it is paid for once; ``shows`` what a sign compares with, where that is not the
settings; ``component`` the one that owns a variant, where that is another; ``under`` the convention without which the
mistake means nothing: it is known where a course settles it otherwise than the paper. ``reread``, for a record or in
front of all, says what to read again, where that is not what the component says; ``same_as`` which record, or which
several, it can be in the part where it is made first. Those that are met most are ``common``, and tried first. An
empty ``module`` says that a check finds the mistake in modules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.errors import GraderError

Settings = Mapping[str, Any]

HOOKS = ("fit", "sign", "tie_break", "applies")
"""What names a function that is registered beside the component."""
_OF_WAYS = (*HOOKS, "target", "targets", "reading", "shows", "component", "under")
_TEXTS = ("title", "question", "look", "why")
_FILES = Path(__file__).parent
_STAGES = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make a mistake: settings, the title with names in braces, and what is special about it.

    ``settings`` is None where there is nothing to set, and a sign alone tells.
    """

    settings: Settings | None
    title: str
    special: Mapping[str, Any]

    @property
    def told(self) -> str:
        """The title with the settings in the place of their names."""
        if "{" not in self.title or self.settings is None:
            return self.title
        names = {name.rpartition(".")[2]: setting for name, setting in self.settings.items()}
        stages = [_STAGES[int(name) - 1] for name in names if name.isdigit()]
        return self.title.format(**names, stage="".join(stages[:1]))


@dataclass(frozen=True, slots=True)
class Mistake:
    """A record of the catalogue: its texts, and the ways in which functions and modules make it."""

    id: str
    component: str
    title: str
    question: str
    look: str
    why: str
    reread: str = ""
    wrong: str = ""
    right: str = ""
    same_as: tuple[str, ...] = ()
    common: bool = False
    ways: Mapping[str, tuple[Way, ...]] = field(default_factory=dict)

    @property
    def hints(self) -> dict[str, str]:
        """Help at three levels, as outcomes carry it."""
        return {"nudge": self.question, "hint": self.look, "explanation": self.why}


def components() -> tuple[str, ...]:
    """The names of all files, in the alphabet's order."""
    return tuple(sorted(path.stem for path in _FILES.glob("*.toml")))


@lru_cache(maxsize=64)
def of(component: str) -> tuple[Mistake, ...]:
    """The records of one component, in the order of its file; none where it has no file.

    Raises GraderError where the file is broken.
    """
    path = _FILES / f"{component}.toml"
    return records(component, path.read_text(encoding="utf-8"), str(path)) if path.exists() else ()


def records(component: str, text: str, where: str) -> tuple[Mistake, ...]:
    """The records that a file with that text holds. Raises GraderError, which says where the file is."""
    import tomllib

    try:
        tables = tomllib.loads(text)
        about, whole = tables.pop("about", {}), {"reread": tables.pop("reread", "")}
        return tuple(
            record(id_, component, {**whole, **_shared(table, about), **table}) for id_, table in tables.items()
        )
    except (tomllib.TOMLDecodeError, LookupError) as error:
        raise GraderError(error.args[0], where, "Mend the file, or take the one of the release.") from error


def _shared(table: Mapping[str, Any], about: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """The texts that a record has in common with others. Raises LookupError."""
    if table.get("about", "") and table["about"] not in about:
        raise LookupError(f"there is no table [about.{table['about']}]")
    return about[table["about"]] if "about" in table else {}


@lru_cache(maxsize=1)
def _homes() -> Mapping[str, str]:
    """The file of each record."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in _FILES.glob("*.toml")}
    return {id_: name for name, text in texts.items() for id_ in re.findall(r"^\[([\w-]+)\]$", text, re.MULTILINE)}


def find(id_: str) -> Mistake:
    """The record of that id, wherever it stands. Raises KeyError."""
    return next(one for one in of(_homes()[id_]) if one.id == id_)


def same_as(id_: str) -> tuple[str, ...]:
    """The ids that the mistake has in the parts where it is made first; none where no record says so."""
    return find(id_).same_as if id_ in _homes() else ()


def record(id_: str, component: str, table: Mapping[str, Any]) -> Mistake:
    """The record that a table of a file makes, or keyword arguments that say the same.

    Raises LookupError for a text that is not there.
    """
    if lacking := [name for name in _TEXTS if not table.get(name)]:
        raise LookupError(f"{id_} has no {lacking[0]}")
    title, question, look, why = (" ".join(table[name].split()) for name in _TEXTS)
    ways = {form: tuple(_ways(form, title, table)) for form in ("function", "module")}
    known = {form: found for form, found in ways.items() if found}
    more = {name: table[name] for name in ("reread", "wrong", "right", "common") if name in table}
    same = table.get("same_as", ())
    same = (same,) if isinstance(same, str) else tuple(same)
    return Mistake(id_, component, title, question, look, why, **more, same_as=same, ways=known)


def _ways(form: str, title: str, table: Mapping[str, Any]) -> Iterator[Way]:
    mine = {name: table[name] for name in _OF_WAYS if name in table}
    settings = 0
    for variant in (table, *table.get("variant", ())):
        special = mine | {name: variant[name] for name in _OF_WAYS if name in variant}
        shared, own = map(flat, variant.get("settings", ())), variant.get(form, ())
        if form == "module":
            named = [*shared, *map(flat, own)]
        else:
            named = [*({name.rpartition(".")[2]: one for name, one in turned.items()} for turned in shared), *own]
        for turned in named:
            yield Way({name: fixed(one) for name, one in turned.items()}, variant.get("title", title), special)
            settings += 1
    if not settings and (form in table if form == "module" else "sign" in mine):
        yield Way(None, title, mine)


def flat(settings: Settings, before: str = "") -> dict[str, Any]:
    """Settings by their whole names: ``{ln = {affine = …}}`` is ``ln.affine``."""
    found: dict[str, Any] = {}
    for name, setting in settings.items():
        found |= flat(setting, f"{before}{name}.") if isinstance(setting, Mapping) else {f"{before}{name}": setting}
    return found


def fixed(setting: Any) -> Any:
    """A setting in which sequences are tuples, as workshops compare them."""
    return tuple(map(fixed, setting)) if isinstance(setting, Sequence) and not isinstance(setting, str) else setting
