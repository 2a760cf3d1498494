"""What people are called and known by, in the forms that platforms and spreadsheets write."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

MOST_NAMES = 8
_WORD = 4
"""Letters that make a word: ``s1234567`` is a login as it stands."""


def parted(name: str) -> tuple[str, str]:
    """First and last name, also of one that is written the other way round.

    >>> parted("Doe, Jane"), parted("Mary Ann O'Brien"), parted("Plato")
    (('Jane', 'Doe'), ('Mary Ann', "O'Brien"), ('', 'Plato'))
    """
    last, comma, first = name.partition(",")
    if comma:
        return first.strip(), last.strip()
    first, _, last = name.rpartition(" ")
    return first.strip(), last


def listed(people: Sequence[str]) -> str:
    """Names in one line; where one of them has a comma, they are parted by semicolons."""
    return ("; " if any("," in name for name in people) else ", ").join(people)


def some(names: Sequence[str]) -> str:
    """The first of a long list, and how many more there are."""
    return listed(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def shared_word(values: Iterable[str]) -> str:
    """The word before a number with which every value begins, such as Moodle's ``Participant ``; empty where none."""
    words = {re.sub(r"\d+$", "", value.strip()) for value in values if value.strip()}
    word = words.pop() if len(words) == 1 else ""
    return word if sum(letter.isalpha() for letter in word) >= _WORD else ""


def kind(known: str) -> str:
    """What an id looks like: a number, an address or a name. Only ids of one kind can be compared."""
    return "number" if known.isdigit() else "address" if "@" in known else "name"


def differ(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether ids speak of different people: none in common, although both have some of a kind."""
    ours, theirs = folded(one), folded(other)
    return not ours & theirs and bool({kind(known) for known in ours} & {kind(known) for known in theirs})


def folded(known: Iterable[str]) -> set[str]:
    """Ids without case."""
    return {one.casefold() for one in known}


def plain(text: str) -> str:
    """Text without case, accents and needless blanks."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"\s+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def name_form(name: str) -> str:
    """A name whatever the order of its parts, its case and its accents."""
    return " ".join(sorted(re.findall(r"[^\W_]+", plain(name).replace("'", "").replace("’", ""))))


def forms(name: str) -> tuple[str, ...]:
    """A name as platforms write it: parts in any order, and run together from any of them on.

    ``María Muñoz López`` and ``Muñoz López, María`` are both ``muñozlópezmaría`` for Canvas.
    """
    parts = re.findall(r"[^\W_]+", re.sub(r"['’]", "", plain(name)))
    turned = ("".join(parts[first:] + parts[:first]) for first in range(len(parts)))
    return tuple(dict.fromkeys((name_form(name), *turned)))
