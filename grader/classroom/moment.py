"""When something was handed in, as learning platforms write it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fév", "fev"), ("mar", "mär", "mrz", "maa"), ("apr", "avr", "abr"),
    ("may", "mai", "mag", "mei"), ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "ago"),
    ("sep", "set"), ("oct", "okt", "ott", "out"), ("nov",), ("dec", "dez", "déc", "dic"),
)  # fmt: skip
"""How months begin in English, German, French, Spanish, Italian, Dutch and Portuguese."""
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[AaPp]\.?[Mm]\.?)?")
_WORDS = re.compile(r"(?P<day>\d{1,2})\.?\s+(?:de\s+)?(?P<month>[^\W\d_]{3,10})\.?\s+(?:de\s+)?(?P<year>\d{4})")
_WORDS_US = re.compile(r"(?P<month>[^\W\d_]{3,10})\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})")
_NUMBERS = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})")
_TURNED = re.compile(r"(?P<one>\d{1,2})(?P<sign>[/.-])(?P<two>\d{1,2})[/.-](?P<year>\d{4}|\d{2})\b")
_ZONE = re.compile(r"(?:UTC|GMT|Z)?\s*(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?\s*$")


def moment(text: str) -> datetime | None:
    """Return the time that ``text`` says, without a zone where it names none; None where it cannot be told.

    ``3/4/2026`` is April in one country and March in another, and is not guessed.
    """
    text = text.strip()
    try:
        return datetime.fromisoformat(re.sub(r"\s+(?:UTC|GMT|Z)$", "+00:00", text))
    except ValueError:
        pass
    date, clock = _date(text), _CLOCK.search(text)
    if date is None or clock is None:
        return None
    hour = int(clock["hour"])
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower().startswith("p") else 0)
    try:
        return datetime(*date, hour, int(clock["minute"]), int(clock["second"] or 0), tzinfo=_zone(text, clock.end()))
    except ValueError:
        return None


def _date(text: str) -> tuple[int, int, int] | None:
    if found := _NUMBERS.search(text):
        return int(found["year"]), int(found["month"]), int(found["day"])
    if found := _WORDS.search(text) or _WORDS_US.search(text):
        month = next((n for n, names in enumerate(_MONTHS, 1) if found["month"].lower().startswith(names)), 0)
        return (int(found["year"]), month, int(found["day"])) if month else None
    if found := _TURNED.search(text):
        one, two, year = int(found["one"]), int(found["two"]), int(found["year"])
        year += 2000 if len(found["year"]) == 2 else 0  # noqa: PLR2004 - two digits of this century
        if found["sign"] == "." or one > 12:  # noqa: PLR2004 - no month
            return year, two, one
        return (year, one, two) if two > 12 or one == two else None  # noqa: PLR2004
    return None


def _zone(text: str, after: int) -> timezone | None:
    rest = text[after:].strip().rstrip(")")
    if found := _ZONE.search(rest):
        away = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
        return timezone(-away if found["sign"] == "-" else away)
    return UTC if re.search(r"\b(?:UTC|GMT|Z)$", rest) else None
