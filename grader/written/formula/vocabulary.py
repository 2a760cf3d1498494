"""The words and signs of formulas, as vocabulary.txt lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

Section = Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=4)
def listed(name: str) -> Mapping[str, Section]:
    """Return the sections of a list of ours: what stands behind each name, by heading and name."""
    text = files("grader.written.formula").joinpath(name).read_text(encoding="utf-8")
    out: dict[str, dict[str, tuple[str, ...]]] = {}
    here: list[dict[str, tuple[str, ...]]] = []
    last = ""
    for row in text.splitlines():
        line = row
        if line.startswith("# ") or not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            here = [out.setdefault(heading, {}) for heading in line[1:-1].split()]
            continue
        if not line.startswith(" "):
            last, _, line = line.partition(": ")
        for section in here:
            section[last] = (*section.get(last, ()), *line.split())
    return out


def section(heading: str) -> Section:
    """Return what stands under a heading of the vocabulary."""
    return listed("vocabulary.txt")[heading]


def table(heading: str) -> Mapping[str, str]:
    """Return the name of each word under a heading."""
    return {word: name for name, words in section(heading).items() for word in words}


def words(heading: str, name: str = "all") -> frozenset[str]:
    """Return the words of one name."""
    return frozenset(section(heading)[name])


FUNCTIONS = table("functions")
CHANCE = table("chance")
SIZES = table("sizes")
SIZE_NAMES = frozenset(SIZES.values())
